"""Turns a line that tells how a check ended into whether the session's own runs bear it out.

1. The line is of the newest run of its kind; or, where it says failed, of one that failed and that no run of the
   same command, or of one that covers it, passed since. A run that tested nothing (it only lists, a person stopped
   it, it never began) takes nobody's place, and neither does one that the list shows.
2. Of a run whose kind or end the study can not tell, nothing is said: a filter hid its status, another part of its
   line may have failed, or only its wording says so.
3. What the line says was printed stands in the output; counts may be sums of those there. That files changed since
   is borne out by a call that changed one.
"""

import re
from collections.abc import Sequence
from functools import cache

from ctxmgr.study.probes.precision.quotes import folded, pieces, within
from ctxmgr.study.probes.reading import CommandRun, SessionHistory, programs, wording

_KINDS = {
    "test": re.compile(r"(?<![a-z])(?:tests?|unittest|pytest|jest|vitest|mocha|ctest|tox|nextest)(?![a-z])"),
    "types": re.compile(r"(?<![a-z])(?:mypy|pyright|tsc|tsgo|type-?check|check-types)(?![a-z])"),
    "lint": re.compile(r"(?<![a-z])(?:lint|eslint|ruff|biome|clippy|golangci|vet)(?![a-z])"),
    "build": re.compile(r"(?<![a-z])(?:build|compile)(?![a-z])"),
}
_LISTS = re.compile(r"\s--(?:version|help|collect-only|co|no-run|list\w*|dry-run)(?:\s|$)")
_STOPPED = re.compile(r"^\W*(?:command |process )?(?:was )?(?:aborted|cancelled|interrupted)\b", re.I | re.M)
_NEVER_BEGAN = re.compile(r"\bcode:? 12[67]\b|\bcommand not found\b|sh:(?:\d+:)? no such file", re.IGNORECASE)
_COUNTED = re.compile(r"\b[1-9]\d* (?:tests? )?failed\b")
_COUNT = re.compile(r"(\d+) ([a-z]+(?: [a-z]+)?)")
_LAST_CHARACTERS = 400  # of an output, where it says that it was stopped
_CHANGES_NOTHING = wording.word_set("-v -vv -q -x -race -count=1 -short --tb=short --no-header --verbose --quiet")


class Runs:
    """Of one session."""

    def __init__(self, of: SessionHistory) -> None:
        self._of = of
        self._runs = [(run, folded(run.command)) for run in of.runs if not run.path]
        kinds = [(run, _kinds(run.command)) for run, _ in self._runs]
        self._by_kind = {
            kind: [run for run, found in kinds if kind in found and not self._tested_nothing(run)]
            for kind in _KINDS
        }
        self._told = cache(self._told_as)
        self._named = cache(self._first_named)

    def holds(self, parts: Sequence[str], end: int, shown: frozenset[int]) -> bool | None:
        """`parts` of a line: kind, command, outcome ("": not shown), whether files changed since, what was printed.
        None: nobody knows."""
        kind, command, told, changed, printed = parts
        some = [run for run in self._told(command) if run.message_index < end]
        if not some:
            return None if self._named(command) < end else False
        for run in reversed(some):
            held = self._holds(run, (kind, told, printed), end, shown)
            if held is not False or not _is_shown(run, shown):
                return None if held and changed and not self._changed(run.message_index, end) else held
        return False

    def _changed(self, start: int, end: int) -> bool:
        """Was a file changed between these messages, as far as the study reads calls?"""
        return any(start < one.message_index < end for one in self._of.touches if one.action != "read")

    def _holds(self, run: CommandRun, told: tuple[str, str, str], end: int, shown: frozenset[int]) -> bool | None:
        kind, outcome, printed = told
        if printed and not _stands(printed, self._printed(run)):
            return False
        kinds = _kinds(run.command)
        if kind not in kinds:
            return False if "test" in (kind, *kinds) and kinds else None
        later = [
            one
            for one in self._by_kind[kind]
            if run.message_index < one.message_index < end and not _is_shown(one, shown)
        ]
        over = any(self._ended(one, kind) == "passed" and _covers(one, run) for one in later)
        if later and (outcome != "failed" or over):
            return False
        ended = self._ended(run, kind)
        if not ended or (not outcome and programs.filtered(run.command)):
            return None
        return ended == outcome

    def _told_as(self, command: str) -> list[CommandRun]:
        some = pieces(command)
        return [run for run, text in self._runs if within(some, text)]

    def _first_named(self, command: str) -> float:
        """The message from which on a call has it among what it runs: of several commands nobody knows the end."""
        some = pieces(command)
        calls = ((at, call) for at, one in enumerate(self._of.turns) for call in one.calls)
        return next(
            (at for at, call in calls if any(within(some, folded(one)) for one in call.did.commands)), float("inf")
        )

    def _printed(self, run: CommandRun) -> str:
        return self._of.turns[run.message_index].text

    def _ended(self, run: CommandRun, kind: str) -> str:
        """Passed or failed, "" where nobody knows (rule 2)."""
        if run.ended.running or self._tested_nothing(run):
            return ""
        if not run.ended.failed:
            return "passed" if run.ended.telling or not programs.filtered(run.command) else ""
        if kind == "test" and _COUNTED.search(self._printed(run)):
            return "failed"
        parts = {_kind(words) for words in programs.checks(run.command)}
        return "failed" if run.ended.by_status and parts == {kind} else ""

    def _tested_nothing(self, run: CommandRun) -> bool:
        printed = self._printed(run)
        stopped = _STOPPED.search(printed[-_LAST_CHARACTERS:])
        return bool(_LISTS.search(run.command) or stopped or (run.ended.failed and _NEVER_BEGAN.search(printed)))


def _stands(printed: str, output: str) -> bool:
    """Rule 3. Of what the output does not count (errors by the line), any count may be told."""
    if within(pieces(printed), folded(output)):
        return True
    counts = [_COUNT.fullmatch(part) for part in printed.split(", ")]
    told = [(int(one[1]), re.findall(rf"(\d+) {one[2]}\b", output)) for one in counts if one]
    return len(told) == len(counts) and all(
        not found or number in (*map(int, found), sum(map(int, found))) for number, found in told
    )


def _is_shown(run: CommandRun, shown: frozenset[int]) -> bool:
    return run.call_message_index in shown or run.message_index in shown


@cache
def _kinds(command: str) -> frozenset[str]:
    return frozenset(filter(None, map(_kind, programs.checks(command))))


def _kind(words: Sequence[str]) -> str:
    """Of one part of a command: by its program, else by the first word that is no option and no path."""
    named = (
        [words[0].rpartition("/")[2], *(word for word in words[1:] if not word.startswith("-"))] if words else []
    )
    found = (kind for word in named if "/" not in word for kind, sign in _KINDS.items() if sign.search(word))
    return next(found, "")


def _covers(later: CommandRun, failed: CommandRun) -> bool:
    """Does it check all that the other does: is it the same in the same place, without a word that picks?"""
    if programs.bare(later.command) == programs.bare(failed.command):
        return True
    if not f"{_program(failed)} ".startswith(f"{_program(later)} "):
        return False
    ours, theirs = (
        [one.removesuffix("...") for one in programs.bare(run.command).split()] for run in (later, failed)
    )
    place, other = programs.directory(later.command), programs.directory(failed.command)
    paths = [one.strip("./") for one in ours if "/" in one]
    if place != other and (place or not other.startswith("/") or not paths):
        return False
    if {one for one in ours if "/" not in one} - set(theirs) - _CHANGES_NOTHING:
        return False
    whole = [f"{other}/{one.removeprefix('./')}" if other.startswith("/") else one for one in theirs if "/" in one]
    return not paths or (bool(whole) and all(any(_is_within(one, path) for path in paths) for one in whole))


def _program(run: CommandRun) -> str:
    """Of one that checks whatever it is given, its name."""
    last = run.key.split(" && ")[-1]
    name = last.partition(" ")[0]
    return name if name in programs.CHECKS else last


def _is_within(one: str, path: str) -> bool:
    """Is the one within what this path names, from wherever it is told? Of an absolute one any part may be that."""
    bare = one.strip("./")
    ends = f"/{path}".endswith(f"/{bare}") or f"/{bare}".endswith(f"/{path}")
    return f"{bare}/".startswith(f"{path}/") or ends or (one.startswith("/") and f"/{path}/" in f"/{bare}/")
