"""How much each message matters, and how many characters each may have. Characters / 4 a token here."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction.render import RenderLimits, message_text, utf16_units
from ctxmgr.engine.compaction.scoring import LEAST_UNITS, changing_calls, importances, shares, within
from ctxmgr.model.compaction import BranchMessage
from tests.notation import a, call, err, quarters, r, u
from tests.unit.engine.compaction.test_slices import any_history, told

GOAL = "make the lexer accept hex_literals in src/lexer.py"


POINTS = 85 + 1 + 60 + 20 + 20  # the most that all signals but a failure and a change come to


WORK = told(
    u("make the lexer accept hex_literals"),
    a("I look", call("read", path="src/lexer.py")),
    r("def widget_frame(): pass\n" * 3),
    a(call("edit", path="src/lexer.py", oldText="a", newText="b")),
    err("no such text hex_literals"),
    a("see widget_frame and frobnicate_all"),
    u("what of the elephant"),
    a("frobnicate_all of src/other.py"),
    r("elephant", "c9"),
)


def test_the_points_of_each_message() -> None:
    with_goal = [129, 73, 21, 86, 81, 72, 125, 91, 55]
    assert [round(one * POINTS, 6) for one in importances(WORK, GOAL)] == with_goal
    without = [88, 41, 21, 54, 57, 72, 125, 91, 55]
    assert [round(one * POINTS, 6) for one in importances(WORK)] == without
    assert [round(one * POINTS) for one in importances(told(a("nobody asked"), a("nobody")))] == [75, 67]
    assert changing_calls(WORK) == {3, 4}


# budget, characters of five messages of 10, 9,015, 315, 45 and 12,013 UTF-16 units
SHARES: list[tuple[int, tuple[int, ...]]] = [
    (0, (10, 40, 40, 40, 40)),
    (100, (10, 41, 82, 40, 62)),
    (1_000, (10, 1_379, 315, 45, 2_069)),
]


def test_what_each_message_may_have() -> None:
    for budget, expected in SHARES:
        history = told(u("go"), *(r("x" * size, "c9") for size in (9_000, 300, 30)), a("y\U0001f600" * 4_000))
        assert shares(history, [1.0, 0.2, 0.4, 0.1, 0.3], budget, quarters) == expected, budget


def weight_of(history: tuple[BranchMessage, ...], units: tuple[int, ...]) -> int:
    texts = [within(message, one) for message, one in zip(history, units, strict=True)]
    return sum(quarters(text + "\n\n") for text in texts if text)


@given(any_history, st.integers(0, 8_000), st.data())
def test_shares_fit_their_budget(history: tuple[BranchMessage, ...], budget: int, data: st.DataObject) -> None:
    size = len(history)
    importance = data.draw(st.lists(st.floats(0.01, 1), min_size=size, max_size=size))
    found = shares(history, importance, budget, quarters)
    assert found == shares(history, importance, budget, quarters)
    lengths = [utf16_units(message_text(message, RenderLimits(10**9))) for message in history]
    least = tuple(min(length, LEAST_UNITS) for length in lengths)
    assert weight_of(history, found) <= budget or found == least
    assert all(low <= one <= length for low, one, length in zip(least, found, lengths, strict=True))
