"""What a session keeps ready of its messages does not grow with all that it ever heard."""

from ctxmgr.engine.memory import fold
from ctxmgr.model.saved import Fact, State
from ctxmgr.model.saved.state import ModelSpec
from ctxmgr.session.ledger_updates import FACTS_BETWEEN_LOOKS, learn, ledger


def read_of(path: int, at: int, entry: str | None = None) -> Fact:
    return Fact("file", f"read\n{path}.py", f"{path}.py", "tool", at, entry=entry)


def test_older_versions_of_what_is_known_leave_where_no_entries_are_named() -> None:
    named = tuple(read_of(at, at, "e1") for at in range(3))
    state = State("s", ModelSpec("m", 200_000), facts=named)
    sizes = []
    for at in range(10 * FACTS_BETWEEN_LOOKS):
        before = ledger(state)
        facts = (read_of(at % 40, at),)
        state = learn(state, facts, bound=True)
        sizes.append(len(state.facts))
        if at % 100 == 0:
            assert ledger(state) == fold(before, facts)
    assert max(sizes) < 2 * FACTS_BETWEEN_LOOKS
    assert state.facts[:3] == named
    assert {fact.time_ms for fact in state.facts} > set(
        range(10 * FACTS_BETWEEN_LOOKS - 40, 10 * FACTS_BETWEEN_LOOKS)
    )


def test_they_stay_where_a_host_may_go_back_to_them() -> None:
    state = State("s", ModelSpec("m", 200_000))
    facts = tuple(read_of(at % 40, at, f"e{at}") for at in range(2 * FACTS_BETWEEN_LOOKS))
    assert learn(state, facts, bound=True).facts == facts
