"""Finds where two sequences of byte strings first differ, and how."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

How = Literal["changed", "added", "removed", "moved"]


class Difference(msgspec.Struct, frozen=True):
    """`index`: of the first part that differs. `offset`: the number of equal bytes at its start, if it changed."""

    how: How
    index: int
    offset: int = 0


def first_difference(before: Sequence[bytes], after: Sequence[bytes]) -> Difference | None:
    """Returns None if they are equal."""
    index = _common(before, after)
    gone, new = Counter(before[index:]), Counter(after[index:])
    if not gone and not new:
        return None
    if gone == new:
        return Difference("moved", index)
    if gone <= new:
        return Difference("added", index)
    if new <= gone:
        return Difference("removed", index)
    return Difference("changed", index, _common(before[index], after[index]))


def _common(left: Sequence[object], right: Sequence[object]) -> int:
    """The number of equal items at the start of both."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))
