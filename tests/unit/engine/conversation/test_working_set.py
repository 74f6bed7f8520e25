"""The working set: where the newest of a list begins that goes out byte for byte."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import STEP_ROLES, goes_on, working_set_start
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import WorkingSet
from tests.conversations import any_list
from tests.notation import Said, a, call, indexed, r, talk, u

RUN = call("bash", command="make")
STEP = [a(RUN), r("x" * 400)]  # a little over 100 tokens

TWO = [a(RUN, call("bash", command="test")), r("x" * 400), r("x" * 400)]
LATE = [a(call("bash", "late"))]
# name, conversation, results, tokens, index of the first message
TABLE: list[tuple[str, list[Said], int, int, int]] = [
    ("nothing", [], 5, 8_000, 0),
    ("no step", [u("go")], 5, 8_000, 1),
    ("so many results", [u("go"), *STEP * 4], 2, 0, 5),
    ("so many tokens", [u("go"), *STEP * 4], 0, 150, 5),
    ("whichever reaches farther back", [u("go"), *STEP * 4], 3, 150, 3),
    ("all of a step that brought several", [u("go"), *STEP, *TWO], 1, 0, 3),
    ("with what was said between", [u("go"), *STEP, u("on"), *STEP], 2, 0, 1),
    ("the newest step in any case", [u("go"), *STEP, a("done")], 0, 0, 3),
    ("with the results that it has just brought", [u("go"), *STEP * 3], 0, 0, 5),
    ("no user's words are counted", [u("go"), *STEP, u("x" * 4_000), *STEP], 0, 150, 1),
    ("not what lies behind a late result", [u("go"), *LATE, *STEP * 5, r("x", "late"), a("ok")], 1, 0, 10),
    ("not for several of them", [u("go"), *LATE, *STEP * 5, r("x", "late"), *STEP], 2, 0, 10),
    ("all there is", [u("go"), *STEP * 2], 5, 8_000, 0),
]


def test_where_it_begins() -> None:
    for name, said, results, tokens, first in TABLE:
        assert working_set_start(indexed(talk(*said)), WorkingSet(results, tokens)) == first, name


@given(any_list, st.integers(0, 6), st.integers(0, 400))
def test_it_holds_what_the_policy_asks_for_in_whole_steps(
    messages: tuple[Message, ...], results: int, tokens: int
) -> None:
    index: Any = indexed(messages)
    start = working_set_start(index, WorkingSet(results, tokens))
    held = range(start, len(messages))
    if index.newest_reply >= 0:
        every = sum(1 for at in range(len(messages)) for _ in index.results(at))
        assert sum(1 for at in held for _ in index.results(at)) >= min(results, every)
        steps = [at for at in range(len(messages)) if messages[at].view.role in STEP_ROLES]
        assert index.weight_of(set(steps).intersection(held)) >= min(tokens, index.weight_of(steps))
        assert index.newest_reply in held
        assert start == 0 or messages[start].view.role != "result"
        assert not goes_on(messages, start)
