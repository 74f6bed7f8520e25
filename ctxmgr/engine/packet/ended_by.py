"""Turns command facts into what ended each that failed: the later run that shows it to work now.

Rules:

1. What a line failed by is the command of it that its error names (`curl: (7)`, `Diff in a.rs`); where it names
   none, the last.
2. A check is shown to work by the same line, however it is quoted, by a run of all that it was of (`scopes_of`), by
   what a failure names as failed passing, or by a task of all tests.
3. What is no check is ended by any later success of the same program and subcommand: with other words, elsewhere,
   in another line. What only reads is ended by a later run, too, of which nobody knows how it ended, where its
   output complains of nothing.
4. Of a script only how it begins is known, and what it runs: what its error does not name is ended as what runs
   last in it.
"""

import re
from collections.abc import Sequence

from msgspec import structs

from ctxmgr.engine.judging import counts_of, error_line
from ctxmgr.engine.ledger import SHELL
from ctxmgr.engine.text import begins, is_script, key_of
from ctxmgr.engine.tools import (
    TARGET,
    RunScope,
    does_nothing,
    handles_files,
    is_like_a_check,
    is_usage_error,
    only_reads,
    part_was_in,
    runs_all_tests,
    scopes_of,
    targets_apart,
    tests_quoted,
    tool_of,
    was_in,
)
from ctxmgr.model.saved import Fact

MOST_RUNS = 60  # different ones of a subcommand that worked, which are asked what they show to work

_ENDED_BY = {
    "git merge": ("git commit", "git pull", "git reset"),
    "git pull": ("git commit", "git merge", "git rebase", "git reset"),
    "git cherry-pick": ("git commit", "git reset"),
    "git revert": ("git commit", "git reset"),
    "git rebase": ("git reset",),
}
_NAMED = re.compile(r"(?:\S*/)?([A-Za-z][\w.+-]*):(?=[ \d(]|\S+:\d)")
_SIGNS = (  # of an error that does not name its program
    (re.compile(r"Diff in \S+\.rs\b"), ("cargo fmt", "rustfmt")),
    (re.compile(r"would reformat\b", re.IGNORECASE), ("black", "ruff")),
    (re.compile(r"fatal: "), ("git",)),
    (re.compile(r"HTTP/[\d.]+ [45]\d\d\b"), ("curl", "http", "https", "wget", "xh")),
)


class Worked:
    """What worked, added newest first, by what it shows to work: lines, however they are quoted, runs, tools."""

    def __init__(self) -> None:
        self._lines: dict[str, Fact] = {}
        self._runs: dict[str, dict[RunScope, Fact]] = {}
        self._tools: dict[str, Fact] = {}

    def add(self, fact: Fact) -> None:
        self._lines.setdefault(key_of(fact.text), fact)
        for one in (each for scope in _scopes(fact) for each in _each_target(scope)):
            runs = self._runs.setdefault(one.subject, {})
            if len(runs) < MOST_RUNS:
                runs.setdefault(one, fact)
        for subject in _tried(fact):
            self._tools.setdefault(tool_of(subject), fact)  # "" is asked for by none

    def add_untold(self, fact: Fact) -> None:
        """One of which nobody knows how it ended (rule 3)."""
        if not fact.detail:
            for subject in filter(only_reads, _tried(fact)):
                self._tools.setdefault(tool_of(subject), fact)

    def ended(self, failed: Fact) -> Fact | None:
        """The newest that shows this to work: its line, or what that was run for; or what it was tried again by."""
        aim = aim_of(failed)
        tool = tool_of(aim.subject) if aim else ""
        found = self.covering(failed) or (self._tried_again(failed, aim) if aim else None)
        return found or (self._tools.get(tool) if tool else None)

    def covering(self, failed: Fact) -> Fact | None:
        """The newest that was of all that this was of."""
        same, aim = self._lines.get(key_of(failed.text)), aim_of(failed)
        if same is not None and not _is_of_others(_last(failed), _last(same)):
            return same
        if aim is None:
            return None
        ends = [self._runs.get(name, {}).items() for name in (aim.subject, *_ENDED_BY.get(aim.subject, ()))]
        found = next((fact for runs in ends for run, fact in runs if run.shows(aim, run.subject)), None)
        if found is not None or len(targets := targets_apart(aim.subject)) < 2:
            return found
        return _newest_of_all([self._target(structs.replace(aim, subject=one)) for one in targets])

    def _target(self, aim: RunScope) -> Fact | None:
        return next((fact for run, fact in self._runs.get(aim.subject, {}).items() if run.shows(aim)), None)

    def _tried_again(self, failed: Fact, aim: RunScope) -> Fact | None:
        """What ended a wrong use, or all tests that it quotes; or else all tests."""
        line = error_line(failed)
        if is_usage_error(line):
            return next((fact for run, fact in self._runs.get(aim.subject, {}).items() if run.is_sure), None)
        if not is_like_a_check(aim.subject):
            return None
        runs = [one for some in self._runs.values() for one in some.items()]
        every = next((fact for run, fact in runs if runs_all_tests(run, aim)), None)
        if every is not None:
            return every
        tests = tests_quoted(line, counts_of(failed))
        found = [next((fact for run, fact in runs if was_in(test, run, aim)), None) for test in tests]
        return _newest_of_all(found) or _parts_ended(failed.failed_parts.splitlines(), runs, aim)


def ended_of(facts: Sequence[Fact], before: Sequence[Fact] = ()) -> dict[int, Fact]:
    """What ended each that failed, by its id. `facts`: commands, oldest first; `before`: those that stand before
    all of them."""
    worked, found = Worked(), dict[int, Fact]()
    for fact in reversed([*before, *facts]):
        if fact.status == "ok":
            worked.add(fact)
        elif fact.status == "failed" and (by := worked.ended(fact)) is not None:
            found[id(fact)] = by
    return found


def _parts_ended(parts: Sequence[str], runs: Sequence[tuple[RunScope, Fact]], aim: RunScope) -> Fact | None:
    """What ended all parts that a failure names; or its targets, where it names some."""
    targets = [part for part in parts if part.startswith(f"{TARGET} ")]
    for named in (targets, [part for part in parts if part not in targets]):
        found = [next((fact for run, fact in runs if part_was_in(part, run, aim)), None) for part in named]
        if (ended := _newest_of_all(found)) is not None:
            return ended
    return None


def _is_of_others(aim: RunScope | None, run: RunScope | None) -> bool:
    """Were two lines of one key (`go test ./...`, `go test .`) given different things?"""
    if aim is None or run is None or not (aim.is_sure and run.is_sure):
        return False
    return aim.operands != run.operands


def _newest_of_all(found: Sequence[Fact | None]) -> Fact | None:
    """The newest, where there are some, and none is missing."""
    ended = [fact for fact in found if fact is not None]
    return max(ended, key=_when) if ended and len(ended) == len(found) else None


def aim_of(failed: Fact) -> RunScope | None:
    """What of its line failed (rule 1)."""
    return blamed(failed) or _last(failed)


def blamed(failed: Fact) -> RunScope | None:
    """The command of its line that its error names; None where it names none."""
    line = error_line(failed)
    named = _NAMED.match(line)
    signs = next((subjects for sign, subjects in _SIGNS if sign.match(line)), ())
    wanted = {*signs, *((named[1],) if named else ())}
    every = reversed(scopes_of(_read(failed.text))) if wanted else ()
    return next((one for one in every if not wanted.isdisjoint((one.subject, one.subject.split(" ")[0]))), None)


def _last(failed: Fact) -> RunScope | None:
    """The last command that it runs; where it runs none, the only one that it has."""
    last = failed.runs.rpartition("\n")[2]
    if not last:
        only = () if is_script(failed.text) else scopes_of(failed.text)
        return only[0] if len(only) == 1 else None
    return next((one for one in reversed(_scopes(failed)) if one.subject == last), None)


def _tried(fact: Fact) -> list[str]:
    """The programs with their subcommands of a shell's line, of which its end speaks: no looks beside them."""
    names = fact.runs.split("\n") if fact.runs else []
    if does_nothing(fact.text) or not fact.key.startswith(SHELL):
        return []
    every = [one.subject for one in scopes_of(_read(fact.text))]
    return [*names, *(one for one in every if one not in names and (not names or handles_files(one)))]


def _read(text: str) -> str:
    """As much of a line as can be read: of one that is cut, up to the quote that does not end."""
    if not is_script(text):
        return text
    line, opened, mark = begins(text), -1, ""
    for at, each in enumerate(line):
        if mark == each:
            mark = ""
        elif not mark and each in "'\"" and line[at - 1 : at] != "\\":
            opened, mark = at, each
    return line[:opened] if mark else line.removesuffix("…")


def _scopes(fact: Fact) -> tuple[RunScope, ...]:
    """What its runs are of; of a line that is not known whole they are all that its program does."""
    names = fact.runs.split("\n") if fact.runs else []
    found = () if is_script(fact.text) else tuple(one for one in scopes_of(fact.text) if one.subject in names)
    known = {one.subject for one in found}
    return (*found, *(RunScope(name, is_sure=not is_like_a_check(name)) for name in names if name not in known))


def _each_target(run: RunScope) -> tuple[RunScope, ...]:
    """A run, and each of its targets where it has several."""
    targets = targets_apart(run.subject)
    return (run, *(structs.replace(run, subject=one) for one in targets)) if len(targets) > 1 else (run,)


def _when(fact: Fact) -> tuple[int, int]:
    return fact.time_ms, fact.seq
