"""The latch: every row of its table, and that an episode asks at most once."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.pressure.latch import (
    COOLDOWN_FIRST,
    FAILURES_TO_REST,
    OUTCOME_WITHIN,
    TABLE,
    Event,
    Reading,
    apply,
    overflow,
    restored,
    turn_end,
)
from ctxmgr.model.saved.state import Latch, LatchState

STATES: tuple[LatchState, ...] = get_args(LatchState)
EVENTS: tuple[Event, ...] = get_args(Event)

# event -> what becomes of (idle, asked, cooldown, resting); "!" asks, "+" counts a failure, "0" forgives them,
# "-" changes nothing
MATRIX: dict[Event, tuple[str, str, str, str]] = {
    "high": ("asked !", "-", "-", "-"),
    "calm": ("idle 0", "idle 0", "idle 0", "idle 0"),
    "over": ("-", "-", "idle", "-"),
    "lost": ("-", "cooldown +", "-", "-"),
    "accepted": ("-", "asked", "-", "-"),
    "refused": ("-", "cooldown +", "-", "-"),
    "failed": ("cooldown +", "cooldown +", "cooldown +", "-"),
    "compacted": ("idle 0", "idle 0", "idle 0", "idle 0"),
    "overflow": ("asked !", "asked !", "asked !", "asked !"),
}
ROWS = [(state, event, MATRIX[event][at]) for event in EVENTS for at, state in enumerate(STATES)]


def test_each_state_and_event() -> None:
    for state, event, outcome in ROWS:
        before = Latch(state, failure_count=1, wait=3, age=5)
        after, asks = apply(before, event)
        name, _, effect = outcome.partition(" ")
        if name == "-":
            assert (after, asks) == (before, False), outcome
            assert (state, event) not in TABLE, outcome
            continue
        assert after.state == name, outcome
        assert asks == (effect == "!"), outcome
        assert after.failure_count == {"+": 2, "0": 0}.get(effect, 1), outcome
        assert after.age == 0, outcome


IDLE = Latch()


def run(readings: str, latch: Latch = IDLE, may_ask: bool = True) -> tuple[Latch, str]:
    """One turn_end a letter: h(igh), m(iddle), l(ow), ?; the answer marks each that asked."""
    names: dict[str, Reading] = {"h": "high", "m": "middle", "l": "low", "?": "unknown"}
    marks = ""
    for letter in readings:
        latch, asks = turn_end(latch, names[letter], may_ask)
        marks += "!" if asks else "."
    return latch, marks


# readings, where it asks
EPISODES = [
    ("hhhhhh", "!....."),
    ("?h?", ".!."),
    ("hllh", "!..!"),
    ("hllhhllh", "!..!...!"),
    ("h" * 1 + "m" * OUTCOME_WITHIN + "mmmh", "!" + "." * (OUTCOME_WITHIN + 3) + "!"),
]


def test_one_request_an_episode() -> None:
    for readings, marks in EPISODES:
        assert run(readings)[1] == marks, readings


def test_the_cooldown_doubles_and_the_third_failure_rests() -> None:
    latch, waits = Latch(), []
    while latch.state != "resting":
        latch, asks = turn_end(latch, "high", True)
        assert asks
        latch, _ = apply(latch, "refused")
        if latch.state == "cooldown":
            marks = run("h" * (latch.wait - 1), latch)[1]
            assert "!" not in marks
            waits.append(latch.wait)
            latch, _ = run("m" * latch.wait, latch)
            assert latch.state == "idle"
    assert waits == [4, 8]
    assert (latch.failure_count, OUTCOME_WITHIN) == (FAILURES_TO_REST, 20) == (3, 20)
    assert run("h" * 100, latch)[1] == "." * 100


def test_an_overflow_asks_once_for_each_user_message() -> None:
    latch, asks = overflow(Latch("resting", failure_count=3, calm=2), "u1", True)
    assert (latch.state, asks, latch.failure_count) == ("asked", True, 3)
    for _ in range(3):
        latch, asks = overflow(latch, "u1", True)
        assert not asks
    latch, asks = overflow(latch, "u2", True)
    assert asks


def test_what_a_restart_makes_of_it() -> None:
    for before, after in (
        (Latch("asked", age=7), Latch("cooldown", wait=COOLDOWN_FIRST)),
        (Latch("asked", failure_count=2), Latch("cooldown", failure_count=2, wait=8)),
        (Latch("idle", calm=1), Latch("idle", calm=1)),
        (Latch("cooldown", failure_count=1, wait=2), Latch("cooldown", failure_count=1, wait=2)),
    ):
        assert restored(before) == after, before


readings = st.sampled_from(("high", "middle", "low", "unknown"))


moves = st.one_of(
    readings.map(lambda reading: ("turn", reading)),
    st.sampled_from(("accepted", "refused", "failed", "compacted")).map(lambda event: ("event", event)),
    st.sampled_from(("u1", "u2", "u3")).map(lambda user: ("overflow", user)),
    st.just(("restart", "")),
)


@given(st.lists(moves, max_size=60), st.booleans())
def test_whatever_happens_the_latch_stays_sound(found: list[tuple[str, str]], may_ask: bool) -> None:
    latch, newest = Latch(), None
    for kind, value in found:
        before, asks = latch, False
        if kind == "turn":
            latch, asks = turn_end(latch, value, may_ask)  # type: ignore[arg-type]
            assert not asks or (value == "high" and before.state in ("idle", "cooldown"))
        elif kind == "event":
            latch, asks = apply(latch, value)  # type: ignore[arg-type]
            assert not asks
        elif kind == "overflow":
            latch, asks = overflow(latch, value, may_ask)
            assert asks == (may_ask and value != newest)
            newest = value if asks else newest
        else:
            latch = restored(latch)
            assert latch.state != "asked"
        assert may_ask or not asks
        assert not asks or latch.state == "asked"
        assert (latch.state == "cooldown") == (latch.wait > 0)
        assert latch.age < OUTCOME_WITHIN
        assert latch.state != "resting" or latch.failure_count >= FAILURES_TO_REST
