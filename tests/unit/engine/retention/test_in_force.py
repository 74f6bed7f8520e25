"""Which decisions hold where a list has lost its end, or tells the same as something that left."""

import pytest

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.retention.layout import in_force
from ctxmgr.model.policy import WorkingSet
from ctxmgr.model.projection import Decision
from tests.notation import Said, a, call, indexed, r, talk, u

READ = call("read", path="a.py")
OLD = [a(READ), r("x" * 400)]
GONE, PRUNED, SHORT = Decision("dropped"), Decision("pruned"), Decision("shortened")
TWO = WorkingSet(results=2, tokens=0)


def test_what_is_promised_as_the_newest_is_not_what_was_decided_about() -> None:
    """Four results; what followed the newest two was taken back."""
    index = indexed(talk(u("go"), *OLD, *OLD, *OLD, *OLD))
    decided = {index.key(at): PRUNED for at in (2, 4, 6, 8)}
    assert in_force(index, decided, STEPS, TWO) == {index.key(at): PRUNED for at in (2, 4)}
    assert in_force(index, decided, STEPS, WorkingSet(0, 0)) == decided


def test_what_left_with_its_message_or_was_shortened_comes_back_too() -> None:
    index = indexed(talk(u("go"), *OLD, *OLD, a("ok")))
    decided = {index.key(5): GONE, index.block_key(BlockRef(3, 0)): SHORT}
    assert in_force(index, decided, STEPS, WorkingSet(1, 0)) == {index.block_key(BlockRef(3, 0)): SHORT}
    assert in_force(index, decided, STEPS, TWO) == {}


def test_what_was_cut_or_left_to_fit_holds() -> None:
    index = indexed(talk(u("go"), *OLD, *OLD, a("ok")))
    left = Decision("dropped", to_fit=True)
    decided = {index.key(1): left, index.key(2): left, index.key(4): Decision("cut")}
    assert in_force(index, decided, STEPS, TWO) == decided


def test_the_words_of_users_are_of_no_step() -> None:
    index = indexed(talk(u("first"), *OLD, u("go on"), *OLD))
    assert in_force(index, {index.key(0): GONE}, STEPS, WorkingSet(9, 9_999)) == {index.key(0): GONE}


def by(path: str, *texts: str) -> list[Said]:
    """A step whose call has the id of others, and so have its results."""
    return [a(call("read", "same", path=path)), *(r(text, "same") for text in texts)]


@pytest.mark.parametrize(
    ("gone", "kept"),
    [
        (by("a.py", "x"), by("b.py", "x")),
        (by("a.py", "x", "x"), by("b.py", "x")),
        (by("a.py", "y"), by("b.py", "x", "y")),
    ],
    ids=["one result", "told twice", "one of two"],
)
def test_a_twin_does_not_leave_for_one_that_the_host_took_away(gone: list[Said], kept: list[Said]) -> None:
    """Both have the same id and text, so what was decided of the first is known by the key of the second."""
    before = indexed(talk(u("go"), *gone, *kept, u("on"), a("ok")))
    decided = {before.key(at): GONE for at in range(1, 1 + len(gone))}
    after = indexed(talk(u("go"), *kept, u("on"), a("ok")))
    held = in_force(after, decided, STEPS, WorkingSet(0, 0))
    assert not any(after.key(at) in held for at in range(after.size))


def test_twins_that_both_left_stay_away() -> None:
    index = indexed(talk(u("go"), *by("a.py", "x"), *by("a.py", "x"), u("on"), a("ok")))
    decided = {index.key(at): GONE for at in range(1, 5)}
    assert in_force(index, decided, STEPS, WorkingSet(0, 0)) == decided
