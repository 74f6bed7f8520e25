"""The page `Add a preset`, followed to the letter in a copy of ctxmgr: all of it is sound, and it projects."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_faces import circles, faceless, reached_into, sources, unused

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


TRY_IT = """
import json
from ctxmgr import Policy, Session
from ctxmgr.model import WorkingSet
messages = [{"role": "user", "content": "Read them all."}]
for number in range(9):
    call = {"id": f"c{number}", "function": {"name": "read", "arguments": '{"path":"%d.py"}' % number}}
    messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "text " * 400})
sent = Session(Policy(preset="newest", working_set=WorkingSet(0, 0)), format="openai").project(messages)
print(json.dumps([one["role"] for one in sent]))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "ctxmgr", root / "ctxmgr", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", root)
    for path, text in modules().items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for edit in edits():
        if edit.path.startswith("ctxmgr/"):
            file = root / edit.path
            file.write_text(edited(file.read_text(encoding="utf-8"), edit), encoding="utf-8")
    yield root
    shutil.rmtree(root)


def ran(copy: Path, *arguments: str) -> str:
    """What a Python says that knows no ctxmgr but the copy."""
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_rows_are_those_of_files_that_are_there() -> None:
    for edit in edits():
        edited((ROOT / edit.path).read_text(encoding="utf-8"), edit)


@pytest.mark.long
def test_its_package_has_a_face_and_imports_faces(copy: Path) -> None:
    written = {path for path in (*modules(), *(edit.path for edit in edits())) if path.startswith("ctxmgr/")}
    texts = {**sources(), **{path: (copy / path).read_text(encoding="utf-8") for path in written}}
    assert [*faceless(texts), *reached_into(texts), *circles(texts)] == []
    assert [one for one in unused(texts, "") if "newest" in one] == []


@pytest.mark.long
def test_its_types_are_sound(copy: Path) -> None:
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", copy / ".mypy_cache")
    ran(copy, "-m", "mypy")


def test_a_session_projects_by_it(copy: Path) -> None:
    assert json.loads(ran(copy, "-c", TRY_IT)) == ["user", "user", *["assistant", "tool"] * 6]
