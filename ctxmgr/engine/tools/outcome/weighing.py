"""Weighs what a run that ended with 0 printed against that status, and says how it is told.

Rules:

1. A sum of the run that counts failures says that it failed, whatever the status is: a script may drop that of
   what it runs. So does a verdict, or what a check names as failed, where no sum without failures stands behind it.
2. What only looks like trouble (an error's line at its start or its end, an error that was passed over) is no
   failure, and no success either, unless the run says itself that it went well.
3. A program that sums up once, at its end, is told by its last sum: what its tests print may sum up anything.
4. What a text says that is only shown is nothing of the run. Where one may be shown among the run's own words, a
   sum of failures leaves it open how it ended. What the command line says itself is no word of its output. A
   client of a database that goes on past a statement that failed says so in lines of its own.
"""

import re
from collections.abc import Sequence

from msgspec import structs

from ctxmgr.engine.tools.effects import CallOutcome, ShellStatus
from ctxmgr.engine.tools.outcome import general
from ctxmgr.engine.tools.outcome.http import read_answers
from ctxmgr.engine.tools.outcome.reading import lines_of, passes_behind, passes_somewhere, read_output
from ctxmgr.engine.tools.outcome.report import TOLD_LINES, RunReport, added_up
from ctxmgr.engine.tools.outcome.summing_up import (
    failing_counts,
    is_diagnosis,
    is_verdict,
    may_tell,
    names_a_failure,
    sums_up,
)
from ctxmgr.engine.tools.outcome.table import WRAPPERS
from ctxmgr.engine.tools.shell import is_like_a_check, words_of

BEGINNING_LINES, ENDING_LINES = 5, 20  # of the output of what is no check: what stands between is data
MOST_TELLING = 200  # lines of a check that may tell, the last

_SUM_UP_ONCE = words_of("pytest py.test unittest jest vitest mocha rspec phpunit ruff mypy eslint")
_GO_ON = words_of("psql sqlite3 mysql mariadb")  # past a statement that failed, and end with 0
_PASSED_OVER = re.compile(r"\bError \d+ \(ignored\)")


def weighed(command: str, status: ShellStatus, text: str) -> tuple[CallOutcome, RunReport]:
    """How a run ended that its status has as well, and what is told of it. `command`: its line."""
    if status.about == "look":
        return "ok", RunReport("unknown")
    found = read_run(status, text)
    if status.prints.voice == "shown":
        fails = found.ended == "failed" and not _named(status).isdisjoint(_GO_ON)
        return ("failed" if fails else "ok"), found
    check = runs_a_check(status)
    lines = [line for line in lines_of(text) if line.strip() not in command]
    if check:
        lines = [line for line in lines if may_tell(line)]
        lines = lines if len(lines) <= MOST_TELLING else [*lines[:BEGINNING_LINES], *lines[-MOST_TELLING:]]
    read = (
        lines
        if check or len(lines) <= BEGINNING_LINES + ENDING_LINES
        else [*lines[:BEGINNING_LINES], *lines[-ENDING_LINES:]]
    )
    ended = _ended(read, check, _is_one_tool(status) and not _named(status).isdisjoint(_SUM_UP_ONCE))
    if ended == "ok" and found.ended != "passed" and status.prints.voice == "own":
        troubled = _troubled(read, check)
        ended = "unknown" if troubled and not passes_behind(read, troubled[-1], _programs(status)) else "ok"
    if ended == "ok":
        return "ok", found
    if status.prints.voice == "mixed":
        return "unknown", RunReport("unknown")
    if found.ended == "failed":
        return ended, structs.replace(found, counts=found.counts or added_up(failing_counts(read)))
    telling = [line.strip() for line in read if _says_failed(line, check)] or list(_troubled(read, check))
    return ended, RunReport("failed", added_up(failing_counts(read)), tuple(dict.fromkeys(telling))[:TOLD_LINES])


def runs_a_check(status: ShellStatus) -> bool:
    """Does the line run tests, a build or a linter, or what calls itself one?"""
    return status.about == "check" or any(map(is_like_a_check, status.subjects))


def read_run(status: ShellStatus, text: str) -> RunReport:
    """What the output of a command line says of what it is about. A check, and what runs others, may print as any
    tool does; what shows a text says nothing by it."""
    if status.prints.printing:
        found = read_answers(status.prints.printing, text, status.often)
        if found.ended != "unknown" and (found.ended == "failed" or status.prints.visible.ends(text)):
            return found
    shown = status.prints.voice == "shown"
    found = read_output(
        text, check=runs_a_check(status), programs=_programs(status), one=_is_one_tool(status), shown=shown
    )
    if status.often == "until" and found.ended == "failed" and passes_somewhere(text):
        return RunReport("unknown")
    return found


def _is_one_tool(status: ShellStatus) -> bool:
    """Is the line about one tool alone, which runs no other?"""
    return len(status.subjects) == 1 and not _wraps(status) and not status.often


def _named(status: ShellStatus) -> frozenset[str]:
    return frozenset(one.partition(" ")[0] for one in status.subjects)


def _programs(status: ShellStatus) -> frozenset[str] | None:
    """Those that can have printed what it prints; None for any."""
    return None if runs_a_check(status) or _wraps(status) else _named(status)


def _wraps(status: ShellStatus) -> bool:
    return not _named(status).isdisjoint(WRAPPERS)


def _ended(lines: Sequence[str], check: bool, once: bool) -> CallOutcome:
    """Rules 1 and 3. `once`: it sums up at its end alone."""
    sums = {place: told for place, line in enumerate(lines) if (told := sums_up(line))}
    last = max(sums, default=-1)
    passed = once and sums.get(last) == "passed"
    if "failed" in sums.values() and not passed:
        return "failed"
    said = [place for place, line in enumerate(lines) if _says_failed(line, check)]
    if not said or passed:
        return "ok"
    if last > said[-1] or general.passing(lines[said[-1] + 1 :]):
        return "ok" if all(is_diagnosis(lines[place]) for place in said) else "unknown"
    return "failed"


def _says_failed(line: str, check: bool) -> bool:
    return (
        sums_up(line) == "failed" or is_verdict(line) or (check and (names_a_failure(line) or is_diagnosis(line)))
    )


def _troubled(lines: Sequence[str], check: bool) -> tuple[str, ...]:
    """The lines of rule 2; none where it says that it went well."""
    if check and general.passing(lines):
        return ()
    passed_over = [line for line in lines if _PASSED_OVER.search(line)]
    return (*passed_over, *general.failing(lines, check=False))
