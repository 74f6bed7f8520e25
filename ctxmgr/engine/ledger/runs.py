"""Turns facts of checks into those that hold: of each kind the newest, and failures that no later run has closed.

A run that passed closes a failure of its kind that it covers: the same command line, or one that ran no more
(`RunScope.shows`). A script that is told by how it begins covers itself alone.
"""

from collections.abc import Iterable

from ctxmgr.engine.text import is_script
from ctxmgr.engine.tools import scopes_of
from ctxmgr.model.saved import Fact

MOST_FAILURES = 3  # of one kind


def kind_of_run(fact: Fact) -> str:
    """ "tests", "lint", "build"; "" for a command of release 0.2, which told more than checks."""
    kind, _, line = fact.key.partition("\n")
    return kind if fact.slot == "command" and line and kind == fact.runs else ""


def standing_runs(facts: Iterable[Fact]) -> list[Fact]:
    """Of facts in the order of time."""
    by_kind: dict[str, list[Fact]] = {}
    for fact in facts:
        if kind := kind_of_run(fact):
            by_kind.setdefault(kind, []).append(fact)
    found: list[Fact] = []
    for runs in by_kind.values():
        open_failures = [
            one
            for at, one in enumerate(runs[:-1])
            if one.status == "failed" and not any(_covers(later, one) for later in runs[at + 1 :])
        ]
        found += [*open_failures[-MOST_FAILURES:], runs[-1]]
    return found


def _covers(later: Fact, earlier: Fact) -> bool:
    """Did it pass, and run all that the earlier one ran? One key is one fact, so the lines differ."""
    if later.status != "ok" or is_script(later.text) or is_script(earlier.text):
        return False
    shown, wanted = scopes_of(later.text), scopes_of(earlier.text)
    return bool(wanted) and all(any(one.shows(other) for one in shown) for other in wanted)
