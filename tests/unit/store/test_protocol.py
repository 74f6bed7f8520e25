"""The protocol's steps where an answer is lost or another was first: what is asked, and how it ends."""

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from ctxmgr.store.head import Contents, SessionHead
from ctxmgr.store.protocol import (
    Away,
    Busy,
    HeadRead,
    Lost,
    Ownership,
    Read,
    Swapped,
    commit,
    take,
)

THEIRS = SessionHead("theirs", 4, 9, 6_000, True, "s", Contents("theirs", ("l",), (), 3))
FREE = HeadRead(SessionHead("theirs", 4, 10, 6_000, False, "s", THEIRS.contents), "t5")
HELD = Ownership(SessionHead("w", 5, 11, 6_000, True, "s", THEIRS.contents), "t6")
MORE = Contents("w", ("l", "m"), (), 4)


def run(steps: Generator[Any, Any, Any], answers: Sequence[Any]) -> tuple[list[Any], Any]:
    """What was asked, and how it ended; the last answer is given again and again."""
    asked: list[Any] = []
    answer: Any = None
    given = iter(answers)
    try:
        while True:
            asked.append(steps.send(answer))
            answer = next(given, answers[-1])
    except StopIteration as done:
        return asked, done.value


def test_a_claim_that_lost_the_race_is_busy() -> None:
    winner = HeadRead(SessionHead("other", 5, 11, 6_000, True, "s"), "t7")
    _, came = run(take("s", "w", frozenset(), 6_000), [FREE, Lost(), winner])
    assert came == Busy(winner.head)  # type: ignore[arg-type]


def test_a_swap_that_took_effect_unheard_is_told_by_reading() -> None:
    steps = commit(HELD, MORE)
    new = next(steps).head  # type: ignore[union-attr]
    assert steps.send(Lost()) == Read()
    with pytest.raises(StopIteration) as ended:
        steps.send(HeadRead(new, "t7"))
    assert ended.value.value == Ownership(new, "t7", new.count)


def test_a_head_of_ours_that_landed_late_is_gone_on_from() -> None:
    late = SessionHead("w", 5, 12, 6_000, True, "s", MORE)
    asked, came = run(commit(Ownership(HELD.head, "t6", 12), MORE), [Lost(), HeadRead(late, "t7"), Swapped("t8")])
    assert asked[-1].etag == "t7"
    assert isinstance(came, Ownership)
    assert came.head.count > late.count


def test_no_count_comes_again_after_a_swap_of_doubtful_fate() -> None:
    first, came = run(commit(HELD, MORE), [Lost()])
    assert isinstance(came, Away)
    second, _ = run(commit(Ownership(HELD.head, "t6", came.made), MORE), [Swapped("t7")])
    assert second[0].head.count > first[0].head.count
