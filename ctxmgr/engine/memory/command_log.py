"""Turns facts of checks into a log: of each kind its runs, how each ended, and by which later run it is covered.

Rules:
1. Of a kind the newest run stands, and the failures of its turn that no later run covers, else the newest of them.
2. A run that passed covers all earlier ones of its kind, and a project's own check (`npm run check`) the failures
   of types and lint. However it ended, a run covers those of the same line.
3. A run that went on ended as the fact says that tells of its end, by its id.
4. What else a kind did is over: the last words of its turn say what came of it.
"""

import re
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import structs

from ctxmgr.engine.memory.wording import coded_command, said
from ctxmgr.engine.tools import runs_project_check, subjects_of
from ctxmgr.model.saved import END_OF, GOES_ON, Fact

MOST_IDS = 4  # that one run goes on under, one after the other: a script's, and a shell's in it
MOST_FAILED = 3  # of one kind
END_CHARACTERS = 200  # of what a run counted
_OF_ALL = ("types", "lint")  # what a project's own check stands for
_WORDS = {"ok": "passed", "failed": "failed", "unknown": "ran"}
_STATUSES = {word: status for status, word in _WORDS.items()}
_LINE = re.compile(
    r"(?P<kind>[a-z]{2,12}): `(?P<line>[^`]+)`(?P<script> \(\d+ lines?, sha256 [0-9a-f]{8}\))?"
    r' (?P<ended>passed|failed|ran)(?: after #(?P<after>\d{1,6}))?(?:, outcome not shown|: "(?P<told>.*)")?'
)


class Run(msgspec.Struct, frozen=True):
    """One run of a check, and in which turn of the user's it ran."""

    fact: Fact
    turn: int


class CommandLog:
    """The runs of checks by kind, of facts in the order of time."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._runs: dict[str, list[Run]] = {}
        turn = 0
        for fact in facts:
            turn += fact.kind == "request" and fact.source == "user"
            if kind := kind_of_run(fact):
                self._add(kind, Run(fact, turn))

    def _add(self, kind: str, run: Run) -> None:
        if run.fact.status == "ok" and _checks_all(run.fact.text):
            for covered in _OF_ALL:
                runs = self._runs.get(covered, [])
                self._runs[covered] = [other for other in runs if other.fact.status != "failed"]
        self._runs.setdefault(kind, []).append(run)

    def standing(self) -> list[Fact]:
        """Rule 1."""
        return [fact for runs in self._runs.values() if runs for fact in self._standing(runs)]

    def _standing(self, runs: list[Run]) -> list[Fact]:
        last = runs[-1]
        failed = [
            run
            for index, run in enumerate(runs[:-1])
            if run.fact.status == "failed" and not any(_covers(later.fact, run.fact) for later in runs[index + 1 :])
        ]
        newest = [run for run in failed if run.turn == last.turn] or failed[-1:]
        return [*(run.fact for run in newest[-MOST_FAILED:]), last.fact]


def kind_of_run(fact: Fact) -> str:
    """As the catalog of commands names it ("test"); "" for one of release 0.2, which told of others, too."""
    kind, _, line = fact.key.partition("\n")
    return kind if fact.kind == "command" and line and kind == fact.runs else ""


def with_ends(facts: Iterable[Fact]) -> list[Fact]:
    """All facts; runs that went on with the end that was told of them later (rule 3)."""
    known = list(facts)
    ends = {fact.key.removeprefix(END_OF): fact for fact in known if fact.key.startswith(END_OF)}
    return [_ended(fact, ends) if fact.detail.startswith(GOES_ON) else fact for fact in known]


def _ended(fact: Fact, ends: Mapping[str, Fact]) -> Fact:
    for _ in range(MOST_IDS):
        end = ends.get(fact.detail.removeprefix(GOES_ON))
        if end is None or (end.time_ms, end.seq) < (fact.time_ms, fact.seq):
            break
        fact = structs.replace(fact, status=end.status, detail=end.detail, time_ms=end.time_ms, seq=end.seq)
    return fact


def _checks_all(line: str) -> bool:
    """Whether it runs what a project calls its check."""
    return any(map(runs_project_check, subjects_of(line)))


def _covers(later: Fact, earlier: Fact) -> bool:
    """Rule 2."""
    return later.status == "ok" or later.text == earlier.text


def run_line(fact: Fact, after: int, overtaken: bool = False) -> str:
    """`- test: `pytest -q` failed after #3: "1 failed"`. `after` the user's message of this number, 0 for none.
    `overtaken`: files were changed since."""
    words = f"- {kind_of_run(fact)}: {coded_command(fact.text)} {_WORDS[fact.status]}"
    words += f" after #{after}" if after else ""
    if fact.status == "unknown":
        return f"{words}, outcome not shown"
    words += ", files changed since" if overtaken else ""
    return f"{words}: {said(fact.detail, END_CHARACTERS)}" if fact.detail else words


def run_of_line(fact: Fact) -> Fact | None:
    """The run that such a line of a summary tells, with the number of the user's message in `seq`; None for another
    text."""
    run = _LINE.fullmatch(fact.text)
    if run is None:
        return None
    line = run["line"] + (run["script"] or "")
    return structs.replace(
        fact,
        kind="command",
        key=f"{run['kind']}\n{line}",
        text=line,
        seq=int(run["after"] or 0),
        status=_STATUSES[run["ended"]],
        detail=run["told"] or "",
        runs=run["kind"],
    )
