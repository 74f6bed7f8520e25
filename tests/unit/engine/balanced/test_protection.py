"""What of a list does not compete to stay when an epoch begins."""

from typing import Any

import pytest

from ctxmgr.engine.balanced import protection
from ctxmgr.engine.balanced.budget import STEPS_LOSSLESS
from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS
from tests.notation import a, call, indexed, r, talk, think, u

RUN, READ = call("bash", command="make"), call("Read", path="a.py")
STEP = [a("so", RUN), r("x" * 400)]
OLD = {"path": "a.py", "content": "line\n" * 200}

# name, tokens, number of the first lossless step among six steps of a little over 100 tokens
NEWEST = [
    ("the last two in any case", 0, 6 - STEPS_LOSSLESS),
    ("as many as fit", 450, 2),
    ("all that there are", 10_000, 0),
]


@pytest.mark.parametrize(("tokens", "first"), [pytest.param(*one[1:], id=one[0]) for one in NEWEST])
def test_the_newest_steps(tokens: int, first: int) -> None:
    messages = talk(u("go"), *(said for _ in range(6) for said in STEP))
    assert protection.first_lossless(indexed(messages), STEPS.steps(indexed(messages)).steps, tokens) == first


def test_protected_tools_by_name_in_any_case() -> None:
    messages = talk(u("go"), a(RUN), r("made"), a(READ), r("text"))
    index = indexed(messages)
    assert protection.protecting(index, ("read",)) == {3}
    assert protection.protected(index, ("read",)) == {BlockRef(4, 0)}
    assert protection.protecting(index, ()) == frozenset() == protection.protected(index, ())


# name, share in tokens, held, what leaves of 10, 40, 20 and 30 tokens
SHARES: list[tuple[str, float, set[int], set[int]]] = [
    ("all fit", 100, set(), set()),
    ("the longest", 90, set(), {1}),
    ("the longest, then the next", 45, set(), {1, 2}),
    ("not what is held", 90, {1}, {2}),
    ("never the newest", 0, set(), {0, 1, 2}),
]


@pytest.mark.parametrize(("share", "held", "leaves"), [pytest.param(*one[1:], id=one[0]) for one in SHARES])
def test_what_users_said(share: float, held: set[int], leaves: set[int]) -> None:
    messages = talk(*(u("x" * 4 * tokens) for tokens in (10, 40, 20, 30)))
    assert protection.over_share(indexed(messages), range(4), share, held, STEPS) == leaves


def test_arguments_are_shortened_where_nothing_is_signed_and_nobody_holds_them() -> None:
    write = call("write", **OLD)
    messages = talk(u("go"), a(write), r("done"), a(think("hm"), write), r("done"), a(write), r("done"))

    def shorten(ref: BlockRef) -> tuple[dict[str, Any], int]:
        return {"path": "a.py"}, 7

    stale = [BlockRef(1, 0), BlockRef(3, 1), BlockRef(5, 0), BlockRef(2, 0)]
    assert protection.shortened(indexed(messages), stale, {5}, shorten, STEPS) == {BlockRef(1, 0): 7}
    assert protection.shortened(indexed(messages), stale, set(), lambda ref: None, STEPS) == {}
