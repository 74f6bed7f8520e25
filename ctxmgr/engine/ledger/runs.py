"""Turns facts of checks into those that hold: of each kind the newest, and failures that no later run has closed.

A run that passed closes all failures of its kind: what is told of it stands for them. One that failed closes those
that it covers: of this kind it ran all that they ran (`RunScope.shows`). A script that is told by how it begins
covers itself alone.
"""

from collections.abc import Iterable

from ctxmgr.engine.text import is_script
from ctxmgr.engine.tools import check_kind, scopes_of
from ctxmgr.model.saved import Fact

MOST_FAILURES = 3  # of one kind


def kind_of_run(fact: Fact) -> str:
    """As the catalog of commands names it ("test"); "" for one of release 0.2, which told of others, too."""
    kind, _, line = fact.key.partition("\n")
    return kind if fact.slot == "command" and line and kind == fact.runs else ""


def standing_runs(facts: Iterable[Fact]) -> list[Fact]:
    """Of facts in the order of time."""
    by_kind: dict[str, list[Fact]] = {}
    for fact in facts:
        if kind := kind_of_run(fact):
            by_kind.setdefault(kind, []).append(fact)
    found: list[Fact] = []
    for kind, runs in by_kind.items():
        passed = max((at for at, one in enumerate(runs) if one.status == "ok"), default=-1)
        since = runs[passed + 1 :]
        failures = [
            one
            for at, one in enumerate(since[:-1])
            if one.status == "failed" and not any(_covers(later, one, kind) for later in since[at + 1 :])
        ]
        found += [*failures[-MOST_FAILURES:], runs[-1]]
    return found


def _covers(later: Fact, earlier: Fact, kind: str) -> bool:
    """Did it run all checks of this kind that the earlier one ran, and is its outcome known?"""
    if later.status == "unknown" or is_script(later.text) or is_script(earlier.text):
        return False
    shown, wanted = (
        [one for one in scopes_of(fact.text) if check_kind(one.subject) == kind] for fact in (later, earlier)
    )
    return bool(wanted) and all(any(one.shows(other) for one in shown) for other in wanted)
