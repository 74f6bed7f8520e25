"""A snapshot of release 0.2 is read without a fault; what it sorted by wording is told no more."""

from typing import Any

import msgspec

from ctxmgr.engine.memory import PacketText, current, fold
from ctxmgr.model.saved import Fact, Ledger
from tests.notation import quarters


def old(slot: str, key: str, source: str, at: int, text: str = "sorted", **more: str) -> dict[str, Any]:
    """A fact as a snapshot has it."""
    return {"slot": slot, "key": key, "text": text, "source": source, "at": at, "origin": f"{source}{at}", **more}


TOOK_BACK = {"status": "retracted", "detail": "allowed"}
FAILED = {"status": "failed", "detail": "1 failed", "runs": "pytest", "failedParts": "pytest a.py"}
SORTED = [
    old("constraint", "never push", "user", 2),
    old("constraint", "retracted never push", "user", 3, **TOOK_BACK),
    old("decision", "use redis", "assistant", 3),
    old("decision", "approved the plan", "user", 3),
    old("finding", "it leaks", "assistant", 3, detail="aside"),
    old("next", "", "assistant", 3),
    old("question", "a3", "user", 4, detail='"B" (a tree)'),
    old("task", "a box", "assistant", 3, status="open", listing="summary"),
    old("command", "shell\npytest -q", "tool", 5, **FAILED),
    old("command", "end of\n7", "tool", 5, status="ok"),
    old("value", "said\nv1.2.3", "user", 2),
    old("value", "printed\n7777abc", "tool", 5),
    old("value", "committed\nquiet r5", "tool", 5, status="\n", detail="git commit -qm x"),
]
MADE = old("value", "committed\na1a1a1a", "tool", 5, "a1a1a1a one", status="main\n", detail="git commit -m one")
KEPT = [
    old("goal", "", "user", 1, "mend the parser"),
    old("request", "never push", "user", 2, "never push, please"),
    old("listing", "summary", "summary", 2, "", listing="summary"),
    old("constraint", "use tabs", "summary", 2, "use tabs", listing="summary"),
    old("question", "r3\nWhere?", "user", 3, "Where do tokens go?", detail="memory"),
    old("task", "write the docs", "assistant", 4, "write the docs", status="open", listing="tool:todowrite"),
    old("file", "changed\nsrc/a.py", "tool", 4, "src/a.py", status="edited"),
    MADE,
]


def held(*parts: list[dict[str, Any]]) -> Ledger:
    stored = msgspec.json.encode([fact for part in parts for fact in part])
    return fold(Ledger(), msgspec.json.decode(stored, type=list[Fact]))


def test_nothing_that_was_sorted_by_its_wording_is_told() -> None:
    both = held(SORTED, KEPT)
    assert len(current(both)) > 4
    assert current(both) == current(held(KEPT))
    assert "sorted" not in PacketText(both, "", quarters).within(3_000, ())
