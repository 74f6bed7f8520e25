"""Turns the lines that tell how tests, linters and builds ended last into those that the runs do not bear out.

A line such as "tests: failed when last run" or "lint, build: `npm run build`: worked", under a heading of the state
of the work, is untrue where the newest run of that kind ended the other way. Passed over are runs that tested
nothing: that only list, that a person stopped, that never began; a kind without others has no state. Where the
newest is not known to have ended so (a filter hid its status, another part of its line may have failed), nothing is
said.
"""

import re
from collections.abc import Iterator, Sequence

from ctxmgr.study.probes.index import IndexedMessage
from ctxmgr.study.probes.kinds import COMMAND_CHARACTERS
from ctxmgr.study.probes.reading import CommandRun, programs
from ctxmgr.study.probes.session import Examined
from ctxmgr.study.probes.untrue.stating import LAST_LINES, Visible, is_failed

NAMED_WORDS = 4  # of a command that are no options: what it runs is among them

_HEADING = re.compile(r"state of the work", re.IGNORECASE)
_LINE = re.compile(r"^\W*((?:tests|lint|build)(?:, (?:tests|lint|build))*): (\S.*)$")
_KINDS = {
    "tests": re.compile(r"(?<![a-z])(?:tests?|unittest|pytest|jest|vitest|ctest|tox|nextest)(?![a-z])"),
    "lint": re.compile(r"(?<![a-z])(?:lint|eslint|ruff|mypy|pyright|tsc|tsgo|clippy|vet|typecheck|check)(?![a-z])"),
    "build": re.compile(r"(?<![a-z])(?:build|compile)(?![a-z])"),
}
_LISTS = re.compile(r"\s--(?:version|help|collect-only|co|no-run|list\w*|dry-run)(?:\s|$)")
_STOPPED = re.compile(r"^\W*(?:command |process )?(?:was )?(?:aborted|cancelled|interrupted)\b", re.IGNORECASE)
_NEVER_BEGAN = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|code):? ?12[67]\b|\bcommand not found\b|sh:(?:\d+:)? no such file",
    re.IGNORECASE,
)
_TESTS_FAILED = re.compile(r"\b[1-9]\d* (?:tests? )?failed\b")


def check_states(of: Examined, end: int, entry: IndexedMessage, visible: Visible) -> Iterator[str]:
    ran = [run for run in of.history.runs if run.message_index < end and not run.path]
    for number, line in enumerate(entry.lines):
        told = _LINE.match(line) if _HEADING.search(entry.heading(number)) else None
        for kind in told[1].split(", ") if told else ():
            state = "failed" if told and told[2].startswith("failed") else "working"
            run, now = _newest(of, ran, kind)
            if (
                run is not None
                and now not in ("", f"is {state}")
                and not visible(run.call_message_index, run.message_index)
            ):
                yield f"{kind} told as {state}, newest {now}: {run.command[:COMMAND_CHARACTERS]}"


def _newest(of: Examined, ran: Sequence[CommandRun], kind: str) -> tuple[CommandRun | None, str]:
    """The newest run that tested something of this kind, and how it ended, "" where nobody knows; where none did,
    the newest of the kind."""
    newest = None
    for run in reversed(ran):
        kinds = _kinds(run.command)
        printed = of.history.turns[run.message_index].text
        if kind in kinds and not _tested_nothing(run, printed):
            return run, _ended(of, run, kind, kinds, printed)
        newest = newest or (run if kind in kinds else None)
    return newest, "tested nothing"


def _kinds(command: str) -> list[str]:
    """Of each of its parts, "" of what is no check."""
    found = []
    for words in programs.checks(command):
        named = " ".join([word for word in words if not word.startswith("-")][:NAMED_WORDS])
        found.append(next((kind for kind, pattern in _KINDS.items() if pattern.search(named)), ""))
    return found


def _tested_nothing(run: CommandRun, printed: str) -> bool:
    lines = printed.strip().split("\n")[-LAST_LINES:]
    stopped = any(_STOPPED.match(line) for line in lines[-2:])
    return bool(_LISTS.search(run.command) or stopped or (run.ended.failed and _NEVER_BEGAN.search(printed)))


def _ended(of: Examined, run: CommandRun, kind: str, kinds: Sequence[str], printed: str) -> str:
    if run.ended.running:
        return ""
    if not is_failed(of, run):
        return "is working" if run.ended.telling or not programs.filtered(run.command) else ""
    counted = kind == "tests" and _TESTS_FAILED.search(printed)
    return "is failed" if counted or set(kinds) == {kind} else ""
