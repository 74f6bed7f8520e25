"""Selects the runs of each kind of check that still count, and converts a run to its line and back.

Rules:
1. For each kind, the newest run counts, and the newest other one that failed and has no later run that passed.
2. If a project's own check (`npm run check`) passed, it also covers earlier failures of types and lint.
3. A run that continued in the background takes its outcome from the later fact with the same id.
4. Nothing else of a kind is kept: the last words of its turn say what came of it.
"""

from collections.abc import Iterable, Mapping

from msgspec import structs

from ctxmgr.engine.memory.wording import coded_command, quotation
from ctxmgr.engine.tools import runs_project_check, subjects_of
from ctxmgr.model import expression
from ctxmgr.model.saved import END_OF, GOES_ON, Fact

MOST_IDS = 4  # ids in a row that one run may have: a script's, and that of a shell in it
END_CHARACTERS = 200  # of a run's counts
_OF_ALL = ("types", "lint")  # kinds that a project's own check covers
_WORDS = {"ok": "passed", "failed": "failed", "unknown": "ran"}
_STATUSES = {word: status for status, word in _WORDS.items()}
_LINE = expression(
    r"(?P<kind>[a-z]{2,12}): `(?P<line>[^`]+)`(?P<script> \(\d+ lines?, sha256 [0-9a-f]{8}\))?"
    r' (?P<ended>passed|failed|ran)(?: after #(?P<after>\d{1,6}))?(?:, outcome not shown|: "(?P<told>.*)")?'
)


def standing_runs(facts: Iterable[Fact]) -> list[Fact]:
    """The runs that count (rule 1). `facts` are in order of time."""
    last: dict[str, Fact] = {}
    failed: dict[str, Fact] = {}
    for fact in facts:
        kind = kind_of_run(fact)
        if not kind:
            continue
        if fact.status == "ok":
            for covered in (kind, *(_OF_ALL if any(map(runs_project_check, subjects_of(fact.text))) else ())):
                failed.pop(covered, None)
                if covered in last and last[covered].status == "failed":
                    del last[covered]
        elif kind in last and last[kind].status == "failed":
            failed[kind] = last[kind]
        last[kind] = fact
    return [*failed.values(), *last.values()]


def kind_of_run(fact: Fact) -> str:
    """The kind as the catalog of commands names it ("test"). Returns "" for a fact of release 0.2, which also
    recorded other commands.
    """
    kind, _, line = fact.key.partition("\n")
    return kind if fact.kind == "command" and line and kind == fact.runs else ""


def with_ends(facts: Iterable[Fact]) -> list[Fact]:
    """All facts. A run that continued gets the outcome that was reported later (rule 3)."""
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


def run_line(fact: Fact, after: int, overtaken: bool = False) -> str:
    """`- test: `pytest -q` failed after #3: "1 failed"`. `after`: the number of the user's message before it, or 0.
    `overtaken`: files changed since.
    """
    words = f"- {kind_of_run(fact)}: {coded_command(fact.text)} {_WORDS[fact.status]}"
    words += f" after #{after}" if after else ""
    if fact.status == "unknown":
        return f"{words}, outcome not shown"
    words += ", files changed since" if overtaken else ""
    return f"{words}: {quotation(fact.detail, END_CHARACTERS)}" if fact.detail else words


def run_of_line(fact: Fact) -> Fact | None:
    """Parses such a line of a summary into its run, with the number of the user's message in `seq`. Returns None
    for other text.
    """
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
