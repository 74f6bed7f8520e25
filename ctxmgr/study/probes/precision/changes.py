"""Turns lines that tell of commits and of changed files into whether the session's own calls bear them out.

1. A commit is one that a commit command printed, hash and subject, and that nothing took back since, as far as
   the recording shows: `--amend` takes back the newest, `git reset` those behind what it names, and a plain
   `git log` on the same branch shows that those are gone which it leaves out though it has older ones.
2. A file is one whose newest change is of the kind and by the tool that the line says. Where a command of that tool
   names the file since, nobody knows.
3. What took back or changed again and is shown by the list itself takes nothing from a line.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from ctxmgr.study.probes.precision.quotes import folded, pieces, within
from ctxmgr.study.probes.reading import Commit, FileUse, SessionHistory, programs

_BACK = re.compile(r"(?:HEAD|@)(?:~(\d*)|(\^+))$")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_LISTED = re.compile(r"^[*|\\/ ]*(?:commit )?([0-9a-f]{7,40})\b", re.MULTILINE)
_PLAIN = re.compile(r"-(?:\d+|n|-oneline|-stat|-decorate|-graph|p)$|-n\d+$|\d+$")
_ELSEWHERE = frozenset(("checkout", "switch", "rebase"))  # from here on the list may be another's


class Changes:
    """Of one session. `cwd`: the directory that paths are told from."""

    def __init__(self, of: SessionHistory, cwd: str) -> None:
        self._of, self._cwd = of, f"{cwd.rstrip('/')}/" if cwd else ""
        self._commits = [(one, folded(one.message), gone) for one, gone in _standing(of)]
        self._touched = cache(self._touches_of)
        self._commands = [
            (at, call.name.casefold(), "\n".join(call.did.commands))
            for at, one in enumerate(of.turns)
            for call in one.calls
            if call.did.commands
        ]

    def commit_holds(self, parts: Sequence[str], end: int, shown: frozenset[int]) -> bool:
        """`parts` of a line: hash and subject."""
        hash, subject = parts
        return any(
            _is(one.hash, hash)
            and one.message_index < end
            and within(pieces(subject), message)
            and (gone is None or gone >= end or not shown.isdisjoint((gone, gone - 1)))
            for one, message, gone in self._commits
        )

    def file_holds(self, parts: Sequence[str], end: int, shown: frozenset[int]) -> bool | None:
        """`parts` of a line: kind of change, path, tool ("": not told). None: nobody knows."""
        kind, path, tool = parts
        by = tool.casefold()
        last = -1
        for touch in reversed(self._touched(path)):
            if touch.message_index < end:
                last = max(last, touch.message_index)
                if (touch.action == "deleted") == (kind == "deleted") and by in ("", touch.tool.casefold()):
                    return True
                if shown.isdisjoint((touch.message_index, touch.message_index - 1)):
                    break
        name = path.rpartition("/")[2]
        named = any(last < at < end and by in ("", ran) and name in text for at, ran, text in self._commands)
        return None if named else False

    def _touches_of(self, path: str) -> list[FileUse]:
        bare = path.removeprefix(self._cwd).removeprefix("./")
        changed = [one for one in self._of.touches if one.action != "read"]
        same = [one for one in changed if one.path == bare]
        whole = ((one, one.path if one.path.startswith("/") else f"{self._cwd}{one.path}") for one in changed)
        return same or [one for one, told in whole if f"/{told}".endswith(f"/{bare}")]


def _standing(of: SessionHistory) -> Iterator[tuple[Commit, int | None]]:
    """Each commit with the place from which on it is none any more (rule 1)."""
    gone: dict[int, int] = {}
    stack: list[int] = []  # numbers of commits, without those that were taken back
    runs = {run.message_index: run.command for run in of.runs if "git" in run.command and not run.ended.failed}
    for at in sorted({*runs, *(one.message_index for one in of.commits)}):
        command = runs.get(at, "")
        for words in programs.git_calls(command):
            listed = "" if programs.is_piped(command) else of.turns[at].text
            for number in _taken_back(words, stack, of.commits, listed):
                gone[number] = at
                stack.remove(number)
            if words[0] in _ELSEWHERE:
                stack = []
        stack += [number for number, one in enumerate(of.commits) if one.message_index == at]
    return ((one, gone.get(number)) for number, one in enumerate(of.commits))


def _taken_back(words: Sequence[str], stack: Sequence[int], commits: Sequence[Commit], listed: str) -> list[int]:
    """Of the numbers in `stack`, by one call of git; `listed`: what it printed."""
    if words[0] == "commit" and "--amend" in words:
        return list(stack[-1:])
    said = [word for word in words[1:] if not word.startswith("-")]
    if words[0] == "reset" and len(said) == 1 and "--" not in words:
        if back := _BACK.fullmatch(said[0]):
            count = len(back[2] or "") or int(back[1] or 1)
            return list(stack[max(0, len(stack) - count) :])
        found = [place for place, number in enumerate(stack) if _is(commits[number].hash, said[0])]
        return list(stack[found[-1] + 1 :]) if found else []
    if words[0] == "log" and all(map(_PLAIN.match, words[1:])):
        hashes = _LISTED.findall(listed)
        there = [any(_is(commits[number].hash, hash) for hash in hashes) for number in stack]
        first = there.index(True) if True in there else len(stack)
        return [number for number, known in zip(stack[first:], there[first:], strict=True) if not known]
    return []


def _is(hash: str, other: str) -> bool:
    return bool(_HASH.fullmatch(other)) and (hash.startswith(other) or other.startswith(hash))
