"""Lines about checks that were run, commits and changed files: whether the session's own calls bear them out.

1. A line about a check is of the newest run of its kind; or, where it says failed, of one that failed and that no
   run of the same command passed since. What it says was printed stands in the output;
   counts may be sums of those there. That files changed since is borne out by a call that changed one.
2. Of a run whose kind or end the study cannot tell, nothing is said: a filter hid its status, another part of its
   line may have failed, or only its wording says so.
3. A commit is one that a commit command printed, hash and subject.
4. A file is one whose newest change is of the kind and by the tool that the line says. Where a command of that tool
   names the file since, nobody knows.
5. What came since and is shown by the list itself takes nothing from a line.
"""

import re
from collections.abc import Sequence
from functools import cache

from ctxmgr.study.probes.packets import folded, pieces, within
from ctxmgr.study.probes.reading import CommandRun, FileUse, SessionHistory, command_line, wording

KINDS = {
    "test": wording.word_set("test tests unittest pytest jest vitest mocha ctest tox nextest"),
    "types": wording.word_set("mypy pyright tsc tsgo typecheck type types"),
    "lint": wording.word_set("lint eslint ruff biome clippy golangci vet"),
    "build": wording.word_set("build compile"),
}
LISTING = wording.word_set("--version --help --collect-only --co --no-run --dry-run")  # options that run nothing
LAST_CHARACTERS = 400  # of an output, where it says that it was stopped
_NEVER_BEGAN = re.compile(r"\bcode:? 12[67]\b|\bcommand not found\b|sh:(?:\d+:)? no such file", re.IGNORECASE)
_COUNTED = re.compile(r"\b[1-9]\d* (?:tests? )?failed\b")
_STOPPED = re.compile(r"^\W*(?:command |process )?(?:was )?(?:aborted|cancelled|interrupted)\b", re.I | re.M)
_COUNT = re.compile(r"(\d+) ([a-z]+(?: [a-z]+)?)")


class Deeds:
    """The checks, commits and changed files of one session."""

    def __init__(self, history: SessionHistory) -> None:
        self._history = history
        self._runs = [run for run in history.runs if not run.path]
        self._folded = [(run, folded(run.command)) for run in self._runs]
        self._calls = [
            (index, folded(command))
            for index, message in enumerate(history.messages)
            for call in message.calls
            for command in call.did.commands
        ]
        self._runs_of, self._touches_of = cache(self._find_runs), cache(self._find_touches)

    def check_holds(self, parts: Sequence[str], end: int, shown: frozenset[int]) -> bool | None:
        """`parts` of a line: kind, command, outcome ("": not shown), whether files changed since, what was printed.
        None: nobody knows."""
        kind, command, outcome, changed, printed = parts
        runs = [run for run in self._runs_of(command) if run.message_index < end]
        if not runs:  # of several commands in one call nobody knows the end
            named = any(index < end and within(pieces(command), text) for index, text in self._calls)
            return None if named else False
        for run in reversed(runs):
            held = self._holds(run, kind, outcome, printed, end, shown)
            if held is not False or not _is_shown(run, shown):
                break
        return None if held and changed and not self._changed_between(run.message_index, end) else held

    def _find_runs(self, command: str) -> list[CommandRun]:
        return [run for run, text in self._folded if within(pieces(command), text)]

    def _changed_between(self, start: int, end: int) -> bool:
        """As far as the study reads calls."""
        return any(start < touch.message_index < end and touch.action != "read" for touch in self._history.touches)

    def _holds(
        self, run: CommandRun, kind: str, outcome: str, printed: str, end: int, shown: frozenset[int]
    ) -> bool | None:
        if printed and not _is_printed(printed, self._output(run)):
            return False
        kinds = _kinds(run.command)
        if kind not in kinds:
            return False if "test" in (kind, *kinds) and kinds else None
        later = [
            later_run
            for later_run in self._runs
            if run.message_index < later_run.message_index < end
            and kind in _kinds(later_run.command)
            and not _is_shown(later_run, shown)
            and not self._tested_nothing(later_run)
        ]
        if later and (
            outcome != "failed"
            or any(one.command == run.command and self._outcome(one, kind) == "passed" for one in later)
        ):
            return False
        ended = self._outcome(run, kind)
        if not ended or (not outcome and command_line(run.command).status_hidden):
            return None
        return ended == outcome

    def _output(self, run: CommandRun) -> str:
        return self._history.messages[run.message_index].text

    def _outcome(self, run: CommandRun, kind: str) -> str:
        """Passed or failed, "" where nobody knows (rule 2)."""
        if self._tested_nothing(run):
            return ""
        line = command_line(run.command)
        if not run.ended.failed:
            return "passed" if run.ended.telling or not line.status_hidden else ""
        if kind == "test" and _COUNTED.search(self._output(run)):
            return "failed"
        return "failed" if run.ended.by_status and set(map(_kind, line.checks)) == {kind} else ""

    def _tested_nothing(self, run: CommandRun) -> bool:
        """It only lists, a person stopped it, or it never began."""
        output = self._output(run)
        stopped = _STOPPED.search(output[-LAST_CHARACTERS:])
        lists = any(word in LISTING or _is_list_option(word) for word in run.command.split()[1:])
        return bool(lists or stopped or (run.ended.failed and _NEVER_BEGAN.search(output)))

    def commit_holds(self, parts: Sequence[str], end: int) -> bool:
        """`parts` of a line: hash and subject."""
        hash, subject = parts
        return any(
            commit.message_index < end
            and (commit.hash.startswith(hash) or hash.startswith(commit.hash))
            and within(pieces(subject), folded(commit.message))
            for commit in self._history.commits
        )

    def file_holds(self, parts: Sequence[str], end: int, shown: frozenset[int]) -> bool | None:
        """`parts` of a line: kind of change, path, tool ("": not told). None: nobody knows."""
        kind, path, tool = parts
        last = -1
        for touch in reversed(self._touches_of(path)):
            if touch.message_index < end:
                last = max(last, touch.message_index)
                if (touch.action == "deleted") == (kind == "deleted") and _is_tool(tool, touch.tool):
                    return True
                if shown.isdisjoint((touch.message_index, touch.message_index - 1)):
                    break
        name = path.rpartition("/")[2]
        calls = (call for message in self._history.messages[last + 1 : end] for call in message.calls)
        named = any(
            _is_tool(tool, call.name) and name in command for call in calls for command in call.did.commands
        )
        return None if named else False

    def _find_touches(self, path: str) -> list[FileUse]:
        ending = f"/{self._history.relative(path)}"
        changed = [touch for touch in self._history.touches if touch.action != "read"]
        same = [touch for touch in changed if f"/{touch.path}" == ending]
        return same or [touch for touch in changed if f"/{self._history.cwd}{touch.path}".endswith(ending)]


def _is_printed(printed: str, output: str) -> bool:
    """Rule 1. Of what the output does not count (errors by the line), any count may be told."""
    if within(pieces(printed), folded(output)):
        return True
    counts = [_COUNT.fullmatch(part) for part in printed.split(", ")]
    counted = [(int(count[1]), re.findall(rf"(\d+) {count[2]}\b", output)) for count in counts if count]
    return len(counted) == len(counts) and all(
        not numbers or number in (*map(int, numbers), sum(map(int, numbers))) for number, numbers in counted
    )


def _is_list_option(word: str) -> bool:
    """`--list` and its longer names."""
    return word.startswith("--list") and word.removeprefix("--").replace("_", "").isalnum()


def _is_shown(run: CommandRun, shown: frozenset[int]) -> bool:
    return run.call_message_index in shown or run.message_index in shown


@cache
def _kinds(command: str) -> frozenset[str]:
    return frozenset(filter(None, map(_kind, command_line(command).checks)))


def _kind(words: Sequence[str]) -> str:
    """Of one part of a command: by its program, else by the first word that is no option and no path."""
    named = (*(word.rpartition("/")[2] for word in words[:1]), *(word for word in words[1:] if "/" not in word))
    kinds = (
        kind
        for word in named
        if not word.startswith("-")
        for kind, signs in KINDS.items()
        if not signs.isdisjoint(wording.runs(word.replace("_", " ")))
    )
    return next(kinds, "")


def _is_tool(named: str, name: str) -> bool:
    return named.casefold() in ("", name.casefold())
