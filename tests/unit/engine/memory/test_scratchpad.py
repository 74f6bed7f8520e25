"""The scratchpad: operations in order, all or none. It stands in view from its first word on."""

import pytest

from ctxmgr.engine.memory.scratchpad import CHARACTERS_AT_MOST
from ctxmgr.engine.memory.scratchpad import edited_scratchpad as edited
from ctxmgr.model import InvalidParams
from ctxmgr.model.api.compaction import Insert, Overwrite, ScratchpadOperation, StrReplace

CASES: tuple[tuple[str, tuple[ScratchpadOperation, ...], str], ...] = (
    ("", (Overwrite("a\nb\n"),), "a\nb\n"),
    ("a\nb\n", (StrReplace("a", "c"),), "c\nb\n"),
    ("a\nb\n", (Insert("x", 0),), "x\na\nb\n"),
    ("a\nb\n", (Insert("x", 1),), "a\nx\nb\n"),
    ("a\nb", (Insert("x"),), "a\nb\nx"),
    ("", (Insert("x\n", 0), Insert("y\n")), "x\ny\n"),
    ("a", (Overwrite("b b"), StrReplace("b b", "c"), Insert("d")), "c\nd"),
)

REFUSED: tuple[tuple[str, tuple[ScratchpadOperation, ...], str], ...] = (
    ("a", (StrReplace("b", "c"),), "[0].oldText"),
    ("aa", (Insert("x"), StrReplace("a", "c")), "[1].oldText"),
    ("a", (StrReplace("", "c"),), "[0].oldText"),
    ("a\nb", (Insert("x", 3),), "[0].line"),
    ("", (Overwrite("x" * (CHARACTERS_AT_MOST + 1)),), ""),
)


@pytest.mark.parametrize(("text", "operations", "after"), CASES)
def test_edited(text: str, operations: tuple[ScratchpadOperation, ...], after: str) -> None:
    assert edited(text, operations) == after


@pytest.mark.parametrize(("text", "operations", "path"), REFUSED)
def test_refused(text: str, operations: tuple[ScratchpadOperation, ...], path: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        edited(text, operations)
    assert refused.value.data == {"path": f"$.operations{path}"}
