"""A snapshot of release 0.2 is read without a fault; what it sorted by wording is told no more."""

from typing import Any

import msgspec

from ctxmgr.engine.memory import PacketText, current, fold
from ctxmgr.engine.memory.git_history import still_there
from ctxmgr.model.saved import Fact, Ledger
from tests.notation import quarters


def old(slot: str, key: str, text: str, source: str, at: int, **more: str) -> dict[str, Any]:
    """A fact as a snapshot has it."""
    return {"slot": slot, "key": key, "text": text, "source": source, "at": at, **more}


SORTED = [
    old("constraint", "never push", "sorted: never push", "user", 2, origin="u2"),
    old(
        "constraint",
        "retracted never push",
        "sorted: push",
        "user",
        3,
        status="retracted",
        detail="allowed",
        origin="u3",
    ),
    old("decision", "use redis", "sorted: use redis", "assistant", 3, origin="a3"),
    old("decision", "approved the plan", "sorted: the plan", "user", 3, origin="r3"),
    old("finding", "it leaks", "sorted: it leaks", "assistant", 3, detail="aside", origin="a3"),
    old("next", "", "sorted: I will mend it", "assistant", 3, origin="a3"),
    old("question", "a3", "sorted: Which one?", "user", 4, detail='"B" (a tree)', origin="u4"),
    old("task", "a box", "sorted: a box", "assistant", 3, status="open", listing="summary", origin="a3"),
    old(
        "command",
        "shell\npytest -q",
        "sorted: pytest -q",
        "tool",
        5,
        status="failed",
        detail="1 failed\nE  assert 1 == 2",
        runs="pytest",
        failedParts="pytest a.py::test_b",
        origin="r5",
    ),
    old("command", "end of\n7", "sorted:", "tool", 5, status="ok", origin="r5"),
    old("value", "said\nv1.2.3", "sorted: v1.2.3", "user", 2, origin="u2"),
    old("value", "printed\n7777abc", "sorted: 7777abc", "tool", 5, origin="r5"),
    old(
        "value",
        "committed\nquiet r5",
        "sorted without a hash",
        "tool",
        5,
        status="\n",
        detail="git commit -qm x",
        origin="r5",
    ),
]
KEPT = [
    old("goal", "", "mend the parser", "user", 1, origin="u1"),
    old("request", "mend the parser", "mend the parser", "user", 1, origin="u1"),
    old("request", "never push", "never push, please", "user", 2, origin="u2"),
    old("listing", "summary", "", "summary", 2, listing="summary", origin="s2"),
    old("constraint", "use tabs", "use tabs", "summary", 2, listing="summary", origin="s2"),
    old("question", "r3\nWhere?", "Where do tokens go?", "user", 3, detail="memory", origin="r3"),
    old(
        "task",
        "write the docs",
        "write the docs",
        "assistant",
        4,
        status="open",
        listing="tool:todowrite",
        origin="r4",
    ),
    old("file", "changed\nsrc/a.py", "src/a.py", "tool", 4, status="edited", origin="r4"),
    old(
        "value",
        "committed\na1a1a1a",
        "a1a1a1a one",
        "tool",
        5,
        status="main\n",
        detail="git commit -m one",
        origin="r5",
    ),
    old("value", "moved\nr6\npushed a1a1a1a main\n", "pushed a1a1a1a main", "tool", 6, status="\n", origin="r6"),
]


def held(*parts: list[dict[str, Any]]) -> Ledger:
    stored = msgspec.json.encode([fact for part in parts for fact in part])
    return fold(Ledger(), msgspec.json.decode(stored, type=list[Fact]))


def test_nothing_that_was_sorted_by_its_wording_is_told() -> None:
    both = held(SORTED, KEPT)
    assert [fact for fact in current(both) if "sorted" in fact.text] == []
    assert current(both) == current(held(KEPT))
    assert "sorted" not in PacketText(both, "", quarters).within(3_000, ())


def test_what_the_user_asked_for_and_what_was_done_is_told() -> None:
    packet = PacketText(held(SORTED, KEPT), "", quarters).within(3_000, ())
    for line in (
        '- #1: "mend the parser"',
        '- the user asked last (#2): "never push, please"',
        '- "Where do tokens go?" → "memory"',
        "- [ ] write the docs",
        "- edited (after #2): `src/a.py`",
        '- commit a1a1a1a: "one"',
        "- use tabs",
    ):
        assert line in packet.splitlines()


def test_a_commit_that_release_02_took_back_is_not_told() -> None:
    for move in ("back 1 9999999", "to HEAD~3", "rebased main", "unknown", "amend"):
        moved = Fact("value", f"moved\nr9\n{move}\n", move, "tool", 9, status="\n")
        assert list(still_there([*held(KEPT).facts.values(), moved])) == []
