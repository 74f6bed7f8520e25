"""Where two sequences first differ, and how."""

import pytest

from ctxmgr.model.difference import Difference, first_difference


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("a b c", "a b c", None),
        ("a b c", "a bx c", Difference("changed", 1, 1)),
        ("a b c", "a c b", Difference("moved", 1)),
        ("a b c", "a x b c", Difference("added", 1)),
        ("a b c", "a b c x", Difference("added", 3)),
        ("a b c", "a b", Difference("removed", 2)),
    ],
)
def test_it_is_told_with_its_place(before: str, after: str, found: Difference | None) -> None:
    assert first_difference(before.encode().split(), after.encode().split()) == found
