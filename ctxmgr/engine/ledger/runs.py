"""Turns facts of checks into those that hold: of each kind the newest, and others of its kind in the same turn.

A run that passed closes all failures of its kind. One whose outcome is known stands for those that it covers: it
ran all checks of this kind that they ran (`RunScope.shows`). A script that is told by how it begins covers itself
alone. What a kind did in earlier turns is over: that turn's last words say what came of it.
"""

from collections.abc import Iterable, Sequence

from ctxmgr.engine.text import is_script
from ctxmgr.engine.tools import check_kind, scopes_of
from ctxmgr.model.saved import Fact

MOST_OF_KIND = 3  # the newest


def kind_of_run(fact: Fact) -> str:
    """As the catalog of commands names it ("test"); "" for one of release 0.2, which told of others, too."""
    kind, _, line = fact.key.partition("\n")
    return kind if fact.slot == "command" and line and kind == fact.runs else ""


def standing_runs(facts: Iterable[Fact]) -> list[Fact]:
    """Of facts in the order of time."""
    by_kind: dict[str, list[Fact]] = {}
    turn: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.slot == "request" and fact.source == "user":
            turn = {}
        elif kind := kind_of_run(fact):
            by_kind[kind] = turn.setdefault(kind, [])
            by_kind[kind].append(fact)
    return [one for kind, runs in by_kind.items() for one in _holding(kind, runs)[-MOST_OF_KIND:]]


def _holding(kind: str, runs: Sequence[Fact]) -> list[Fact]:
    """Of one kind and one turn those that no later run stands for."""
    passed = max((at for at, one in enumerate(runs) if one.status == "ok"), default=-1)
    known = [
        one
        for at, one in enumerate(runs[:-1])
        if (one.status == "ok" or (one.status == "failed" and at > passed))
        and not any(_covers(later, one, kind) for later in runs[at + 1 :])
    ]
    return [*known, runs[-1]]


def _covers(later: Fact, earlier: Fact, kind: str) -> bool:
    """Did it run all checks of this kind that the earlier one ran, and is its outcome known?"""
    if later.status == "unknown" or is_script(later.text) or is_script(earlier.text):
        return False
    shown, wanted = (
        [one for one in scopes_of(fact.text) if check_kind(one.subject) == kind] for fact in (later, earlier)
    )
    return bool(wanted) and all(any(one.shows(other) for one in shown) for other in wanted)
