"""Turns facts of checks into those that hold: of each kind the newest, and the failures of its turn that stand, or
the newest one.

A run that passed closes all failures of its kind, and a project's own check (`npm run check`) those of types
and lint. One stands for those that it covers, however it ended: it ran all checks of this kind that they ran
(`RunScope.shows`). A script that is told by how it begins covers itself alone. A run that went on ended as the fact
says that tells of its end, by its id. What else a kind did is over: the last words of its turn say what came of it.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from ctxmgr.engine.memory.command_lines import is_script
from ctxmgr.engine.tools import check_kind, scopes_of
from ctxmgr.engine.tools.shell import words_of
from ctxmgr.model.saved import END_OF, GOES_ON, Fact

MOST_IDS = 4  # that one run goes on under, one after the other: a script's, and a shell's in it
MOST_FAILED = 3  # of one kind
_OF_ALL = ("types", "lint")  # what a project's own check stands for
_RUNNERS = words_of("npm pnpm yarn bun make just mise task tox nox hatch poe")


def kind_of_run(fact: Fact) -> str:
    """As the catalog of commands names it ("test"); "" for one of release 0.2, which told of others, too."""
    kind, _, line = fact.key.partition("\n")
    return kind if fact.slot == "command" and line and kind == fact.runs else ""


def with_ends(facts: Iterable[Fact]) -> list[Fact]:
    """Runs that went on, with the end that was told of them later."""
    every = list(facts)
    ends = {fact.key.removeprefix(END_OF): fact for fact in every if fact.key.startswith(END_OF)}
    return [_ended(fact, ends) if fact.detail.startswith(GOES_ON) else fact for fact in every]


def _ended(fact: Fact, ends: Mapping[str, Fact]) -> Fact:
    for _ in range(MOST_IDS):
        end = ends.get(fact.detail.removeprefix(GOES_ON))
        if end is None or (end.time_ms, end.seq) < (fact.time_ms, fact.seq):
            break
        fact = structs.replace(fact, status=end.status, detail=end.detail, time_ms=end.time_ms, seq=end.seq)
    return fact


def standing_runs(facts: Iterable[Fact]) -> list[Fact]:
    """Of facts in the order of time."""
    by_kind: dict[str, list[tuple[int, Fact]]] = {}
    turn = 0
    for fact in facts:
        turn += fact.slot == "request" and fact.source == "user"
        if kind := kind_of_run(fact):
            if fact.status == "ok" and _checks_all(fact.text):
                for closed in _OF_ALL:
                    by_kind[closed] = [one for one in by_kind.get(closed, ()) if one[1].status != "failed"]
            by_kind.setdefault(kind, []).append((turn, fact))
    return [one for kind, runs in by_kind.items() if runs for one in _holding(kind, runs)]


def _checks_all(line: str) -> bool:
    """Does it run what a project calls its check?"""
    subjects = [one.subject for one in scopes_of(line)]
    return any(one.partition(" ")[0] in _RUNNERS and one.endswith(" check") for one in subjects)


def _holding(kind: str, runs: Sequence[tuple[int, Fact]]) -> list[Fact]:
    """Of the runs of one kind, each with its turn."""
    facts = [fact for _, fact in runs]
    passed = max((at for at, one in enumerate(facts) if one.status == "ok"), default=-1)
    failed = [
        at
        for at, one in enumerate(facts[:-1])
        if at > passed
        and one.status == "failed"
        and not any(_covers(later, one, kind) for later in facts[at + 1 :])
    ]
    newest = [at for at in failed if runs[at][0] == runs[-1][0]] or failed[-1:]
    return [*[facts[at] for at in newest[-MOST_FAILED:]], facts[-1]]


def _covers(later: Fact, earlier: Fact, kind: str) -> bool:
    """Did it run all checks of this kind that the earlier one ran?"""
    if is_script(later.text) or is_script(earlier.text):
        return False
    shown, wanted = (
        [one for one in scopes_of(fact.text) if check_kind(one.subject) == kind] for fact in (later, earlier)
    )
    return bool(wanted) and all(any(one.shows(other) for one in shown) for other in wanted)
