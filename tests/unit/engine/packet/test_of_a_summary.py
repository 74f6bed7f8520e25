"""What a packet keeps of a summary that nothing else shows."""

import pytest

from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.ledger.from_summary import from_summary
from ctxmgr.engine.ledger.statements import Stamp
from ctxmgr.engine.packet.packet import SMALLEST_TOKENS, render
from ctxmgr.model.saved.facts import Fact, Ledger
from tests.notation import quarters

PI = (
    "Goal",
    "Constraints & Preferences",
    "Progress/Done",
    "Progress/In Progress",
    "Progress/Blocked",
    "Key Decisions",
    "Next Steps",
    "Critical Context",
)
NINE = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and Fixes",
    "Problem Solving",
    "All User Messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
)
FREE = ("Goal", "Architecture", "Deployment", "Open Questions", "People", "Numbers")


def written(headings: tuple[str, ...], items: int) -> str:
    """A summary with so many long statements under each heading; those of the third all say `word2`, and so on."""
    parts: list[str] = []
    for number, title in enumerate(headings):
        above, _, name = title.rpartition("/")
        parts += [f"## {above}"] if above and f"## {above}" not in parts else []
        parts.append(f"### {name}" if above else f"## {name}")
        parts += [f"- word{number} number {item} " + "of what was said there " * 8 for item in range(items)]
    return "\n".join(parts)


def packet_of(text: str, budget: int, *more: Fact) -> str:
    facts = from_summary(text, kind="compaction", stamp=Stamp("s", 1))
    return render(fold(Ledger(), (*facts, *more)), budget=budget, weigh=quarters)


@pytest.mark.parametrize("items", [1, 6, 70])
@pytest.mark.parametrize("budget", [SMALLEST_TOKENS, 900, 1_500, 4_000])
@pytest.mark.parametrize("headings", [PI, NINE, FREE], ids=["pi", "nine", "free"])
def test_something_stands_under_each_of_its_headings(headings: tuple[str, ...], budget: int, items: int) -> None:
    more = [Fact("constraint", f"r{at}", f"never do {at} " + "x" * 150, "user", at) for at in range(2, 60)]
    text = packet_of(written(headings, items), budget, *more)
    assert quarters(text) <= budget
    assert [number for number in range(len(headings)) if f"word{number}" not in text] == []


def test_a_long_one_keeps_what_the_budget_can_hold() -> None:
    lines = [f"- fact {number} is that table {number} has {number} rows and no key" for number in range(80)]
    text = packet_of("## Goal\nPort it\n\n## Critical Context\n" + "\n".join(lines), 1_500)
    assert sum(f"fact {number} is" in text for number in range(80)) == 80
