"""What the page `Add a preset` says to write: two modules, and lines of files that are there."""

import re
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "explanation" / "add-a-preset.md"
FOLDER = "ctxmgr/engine/presets/newest"


class Edit(NamedTuple):
    """A diff of the page: in the file of this path `before` becomes `after`."""

    path: str
    before: str
    after: str


def blocks(language: str) -> list[str]:
    """The code of the page, without the indent of the list that it stands in."""
    found = re.findall(
        rf"^( *)```{language}\n(.*?)^\1```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return [textwrap.dedent(code) for _, code in found]


def modules() -> dict[str, str]:
    """The new files, by path from the root."""
    preset, face = blocks("python")
    return {f"{FOLDER}/preset.py": preset, f"{FOLDER}/__init__.py": face}


def edits() -> list[Edit]:
    found = []
    for block in blocks("diff"):
        head, *lines = block.splitlines()
        assert head.startswith("--- "), block
        assert all(line[0] in " +-" for line in lines), block
        before, after = ("\n".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +"))
        found.append(Edit(head.removeprefix("--- "), before, after))
    return found


def edited(text: str, edit: Edit) -> str:
    """The text with the edit made. AssertionError where its place is not there, or there more than once."""
    assert text.count(edit.before) == 1, edit
    return text.replace(edit.before, edit.after)
