"""What a packet holds of a summary: rendered packets with enough room hold all, and what is cut is missed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.ledger.from_summary import from_summary
from ctxmgr.engine.ledger.statements import Stamp
from ctxmgr.engine.packet import packet
from ctxmgr.engine.packet.missing import lacks
from ctxmgr.model.saved.facts import Fact, Ledger
from tests.notation import quarters

TEXT = """## Goal
Port the parser to the new lexer.

## Constraints & Preferences
- Keep the public names

## Progress
### Done
- [x] lexer
### In Progress
- [ ] expressions
### Blocked
- the tables, until the grammar is agreed

## Key Decisions
- **One pass**: the grammar needs no backtracking

## Next Steps
1. Statements

## Critical Context
- The tables are made by tools/tables.py
- Precedence climbing
  is in expr.py

<read-files>
/repo/src/lexer.py
/repo/src/expr.py
/repo/README.md
</read-files>

<modified-files>
/repo/src/parser.py
</modified-files>
"""
ROOM = 5_000


def facts(text: str, kind: str = "compaction", origin: str = "s", at: int = 1) -> tuple[Fact, ...]:
    return from_summary(text, kind=kind, stamp=Stamp(origin, at))  # type: ignore[arg-type]


def rendered(ledger: Ledger, budget: int = ROOM) -> str:
    return packet.render(ledger, budget=budget, weigh=quarters)


@pytest.mark.parametrize("kind", ["compaction", "branch"])
def test_with_room_all_is_held(kind: str) -> None:
    ledger = fold(Ledger(), facts(TEXT, kind))
    assert lacks(ledger, rendered(ledger)) == frozenset()


LINES = [line for line in TEXT.split("\n") if line and not line.startswith(("#", "<"))]


@pytest.mark.parametrize("line", LINES)
def test_each_line_is_missed(line: str) -> None:
    """A packet rendered without one statement lacks the summary that makes it."""
    whole, less = (fold(Ledger(), facts(text)) for text in (TEXT, TEXT.replace(f"{line}\n", "")))
    assert lacks(whole, rendered(less)) == {"s"}


# name, the facts there are, the packet's budget, which summaries it lacks
CASES: list[tuple[str, tuple[Fact, ...], int, set[str]]] = [
    ("no packet holds anything", facts(TEXT), 0, {"s"}),
    ("a small one not all", facts(TEXT), 80, {"s"}),
    ("nothing was said, nothing lacks", (), 0, set()),
    ("what is cut short", facts("## Critical Context\n- " + "word " * 100), ROOM, {"s"}),
    (
        "what a newer summary closed is not missed",
        (*facts("- old"), *facts("## Goal\ng", origin="n", at=2)),
        ROOM,
        set(),
    ),
    ("only the one that lacks", (*facts(TEXT), *facts("- " + "w " * 300, "branch", "b", 2)), ROOM, {"b"}),
    (
        "an introduction is no statement",
        facts("## Progress\n### Done\n- All of it works:\n", "branch"),
        ROOM,
        set(),
    ),
    ("paths without a directory", facts("<read-files>\na.py\nb.py\n</read-files>"), ROOM, set()),
    ("a task with its id", facts("## Next Steps\n- Port it (task #3)"), ROOM, set()),
    ("one path alone", facts("<read-files>\nsrc/a.py\n</read-files>"), ROOM, set()),
    (
        "a path that reads like a list counts as missing",
        facts("<read-files>\nx, y: z\nb\n</read-files>"),
        ROOM,
        {"s"},
    ),
]


@pytest.mark.parametrize(("name", "known", "budget", "expected"), CASES, ids=[row[0] for row in CASES])
def test_what_lacks(name: str, known: tuple[Fact, ...], budget: int, expected: set[str]) -> None:
    ledger = fold(Ledger(), known)
    assert lacks(ledger, rendered(ledger, budget)) == expected


@pytest.mark.parametrize("line", ["nonsense", "on and on", "go on", "on it", "on…"])
def test_words_among_others_are_no_statement(line: str) -> None:
    ledger = fold(Ledger(), facts("## Key Decisions\n- on\n"))
    assert lacks(ledger, f"[ctxmgr packet]\n\n## Decisions\n- {line}") == {"s"}


@settings(max_examples=60)
@given(st.lists(st.text(max_size=60), max_size=6), st.integers(0, 300))
def test_what_is_said_to_be_held_stands_there(items: list[str], budget: int) -> None:
    """Told again without the packet's forms: the words of each context item are in the packet in their order."""
    ledger = fold(Ledger(), facts("## Critical Context\n" + "\n".join(f"- {item}" for item in items)))
    text = rendered(ledger, budget)
    if lacks(ledger, text):
        return
    for fact in ledger.facts.values():
        if fact.slot == "context":
            words = [word for word in fact.text.split() if word.isascii() and word.isalnum()]
            at = 0
            for word in words:
                at = text.find(word, at)
                assert at >= 0
