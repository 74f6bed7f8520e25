"""The reference holds together: links lead somewhere, every method and state is on it, examples are as meant."""

import re
from pathlib import Path

from ctxmgr.wire import errors
from ctxmgr.wire.methods import TABLE
from scripts.generating import everything, reference, tables
from scripts.generating.spec import schema
from tests.contract.behaviours import MANIFEST

PROTOCOL = Path(__file__).parents[2] / "protocol"
TRANSCRIPTS = everything.committed(PROTOCOL)
CORPUS = everything.written_by_hand(PROTOCOL)
PAGE = reference.page(schema.document(), TRANSCRIPTS, CORPUS, MANIFEST)
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
TYPES = schema.types()


def headings(page: str) -> list[str]:
    return [line.lstrip("#").strip() for line in _FENCED.sub("", page).split("\n") if line.startswith("#")]


def broken(page: str) -> list[str]:
    """Links that lead nowhere, and anchors that lead to two places."""
    anchors = [tables.slug(heading) for heading in headings(page)]
    found = [f"#{one} is there twice" for one in set(anchors) if anchors.count(one) > 1]
    for target in _LINK.findall(_FENCED.sub("", page)):
        file, _, anchor = target.partition("#")
        if (anchor and not file and anchor not in anchors) or (file and not (PROTOCOL / file).exists()):
            found.append(target)
    return found


def test_every_link_leads_somewhere() -> None:
    assert broken(PAGE) == []


def test_every_method_has_a_place_with_all_it_takes() -> None:
    for row in TABLE:
        assert f"\n### `{row.name}`\n" in PAGE
        part = section(f"### `{row.name}`")
        assert row.summary in part
        for member in TYPES[row.params.__name__].get("properties", {}):
            assert f"| `{member}` |" in part
        assert ("**Answer**" in part) == (row.kind != "notification")
        for code in row.errors:
            assert str(code) in part


def section(heading: str) -> str:
    return PAGE.split(f"\n{heading}\n")[1].split("\n### ")[0]


def test_every_type_error_and_behaviour_is_on_it() -> None:
    for name in TYPES:
        assert f"\n### {name}\n" in PAGE or f"`{name}`" in PAGE, name
    for code, text in errors.MEANINGS.items():
        assert f"| {code} |" in PAGE
        assert text in PAGE
    for name, one in MANIFEST.items():
        assert f"(transcripts/{name}.jsonl) | {one.sentence}" in PAGE
