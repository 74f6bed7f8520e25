"""Determines from the result of a call how it ended.

Rules:

1. A result that the host marks as an error means failure. In a format without such a mark, a result that looks like
   an error may be one, and any other is undetermined. A result that begins as an error is one, unless its line
   shows a text, which may begin with anything.
2. Nothing is assumed to be done by a failed call.
3. A shell's status covers a part of its line (`ShellStatus`). Everything else, including a run that continues, is
   `unknown`, unless the output of a check shows how it ended: failures always count, a success only if all of it is
   shown.
4. A check is also judged by its output: one that ended with 0 and counts failures failed, since a script may drop
   the status of what it runs.
5. A call that a person refused never ran: its result is the host's message about that, and no error. One that a
   person stopped may have run: the outcome of a stopped check is unknown.

All code that needs to know how a call ended asks here.
"""

import re
from collections.abc import Mapping
from typing import Any

from ctxmgr.engine.tools.effects import CallOutcome, Shell, ToolCall
from ctxmgr.engine.tools.outcome.reading import END_LINES, RunReport, lines_of, read_output
from ctxmgr.model import expression

END_CHARACTERS = 2_000  # of the start and of the end
RUNNING_CHARACTERS = 500  # of a result; a host says first that a run continues

_UNREAD = RunReport("unknown")
_CODE = expression(
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))|exit_?code\"?|return_?code)\W{0,4}(-?\d+)\b", re.IGNORECASE
)
_NOT_FOUND = (126, 127)  # exit statuses that mean so
_NOWHERE = ("no such file", "not a directory")
_REFUSED = expression(
    r"\W*(?:error:? )?(?:(?:the )?user (?:has )?(?:rejected|refused|denied|declined"
    r"|does(?:n['’]t| not) want)\b"
    r"|(?:[\w ]+ )?(?:rejected|refused|denied|declined) by (?:the )?user\b"
    r"|exec_command failed for [^\n]{1,1000}\brejected by user\b"
    r"|permission (?:to (?:use|run)|for) [^\n]{1,80}\b(?:denied|rejected|refused)\b)",
    re.IGNORECASE,
)
_STOPPED = expression(
    r"^\W*(?:(?:command|process|execution)(?: was)? (?:aborted|cancell?ed|interrupted)"
    r"|(?:request )?(?:aborted|cancell?ed|interrupted) by (?:the )?user)\b.{0,40}\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)  # what a host puts last under the output of a run that a person stopped
_RECORDED = expression(r"\{\"chunk_id\":\"\w*\",\"wall_time_seconds\":[-+.\de]+,\"exit_code\":(-?\d{1,9})")
_GOES_ON = expression(
    r"\brunning (?:with (?:session|cell) ID|in (?:the )?background with (?:ID|PID))\b\W{0,3}([\w-]{1,40})"
    r"|\"session_id\":\s*\"?(\d[\w-]{0,39})",
    re.IGNORECASE,
)
# they only print errors
_SILENT_WHEN_FINE = frozenset(("tsc", "tsgo", "eslint", "go vet", "go build", "shellcheck"))
_ASKING = ("session_id", "cell_id", "bash_id", "shell_id", "task_id")
_ASKED = expression(r"\b(?:session|cell)_id\"?\s*:\s*\"?(\d[\w-]{0,39})")  # in a script


def outcome(call: ToolCall, text: str, is_error: bool, doubtful: bool = False) -> CallOutcome:
    """How a call ended, from its result: `text`, the host's error mark, and whether that is uncertain; both also
    for a text that begins as an error (rule 1).
    """
    shell = call.shell
    if shell is None:
        return "failed" if is_error else "unknown" if doubtful else "ok"
    status = shell.status
    is_error = is_error and not (doubtful and status.about == "look")
    if len(set(_RECORDED.findall(text))) > 1:  # several results in one, with different outcomes
        return "unknown"
    if is_error:
        by_status: CallOutcome = status.on_one if _code(text) == 1 else "failed"
        if by_status == "failed":
            return "failed"
    elif goes_on_as(text):
        return "unknown"
    else:
        by_status = "unknown" if doubtful else status.on_zero
        if by_status != "unknown":
            return by_status
    return _by_output(shell, text, by_status)


def _by_output(shell: Shell, text: str, otherwise: CallOutcome) -> CallOutcome:
    """By the output, if the status does not say."""
    if any(map(_is_lost, _edges(text))):
        return "failed"
    if shell.status.about != "check":
        return otherwise
    report = read_output(text)
    if report.ended == "failed":
        return "failed"
    is_fine = report.ended == "passed" or (not text.strip() and set(shell.status.subjects) <= _SILENT_WHEN_FINE)
    is_whole = len(text.strip().splitlines()) < shell.status.shown_lines
    return "ok" if otherwise == "unknown" and is_fine and is_whole else otherwise


def weighed_run(shell: Shell, text: str, ended: CallOutcome) -> tuple[CallOutcome, RunReport]:
    """How the run of a check counts that `ended` this way, with the counts and lines of its output (rule 4)."""
    if ended == "unknown" or shell.status.about != "check" or _STOPPED.search(text[-END_CHARACTERS:]):
        return "unknown" if shell.status.about == "check" else ended, _UNREAD
    return _weighed(text, ended)


def _weighed(text: str, ended: CallOutcome) -> tuple[CallOutcome, RunReport]:
    report = read_output(text)
    if ended == "ok" and report.ended == "failed":
        ended = "failed" if report.counts else "unknown"
    return ended, report


def end_of_run(text: str, is_error: bool, doubtful: bool) -> tuple[CallOutcome, RunReport]:
    """How a continued run ended, from the result that reports its end; its command is unknown here."""
    if goes_on_as(text):
        return "failed" if is_error else "unknown", _UNREAD
    report = read_output(text)
    if is_error:
        return "failed", report
    if doubtful:
        return "ok" if report.ended == "passed" else report.ended, report
    return _weighed(text, "ok")


def never_began(text: str) -> bool:
    """Whether a failed call's result says that it never ran: no such directory, no such program."""
    return _code(text) in _NOT_FOUND or any(_is_lost(line) or "command not found" in line for line in _edges(text))


def is_refused(text: str) -> bool:
    """Whether a result marked as an error says that a person refused the call (rule 5)."""
    return _REFUSED.match(text[:END_CHARACTERS].lstrip()) is not None


def goes_on_as(text: str) -> str:
    """The id of the run that continues behind this result, "" if it ended."""
    match = _GOES_ON.search(text[:RUNNING_CHARACTERS])
    return (match[1] or match[2]) if match else ""


def asks_for(arguments: Mapping[str, Any]) -> str:
    """The id of the run that a call asks about, "" for none; also in a script that calls the tool."""
    for name in _ASKING:
        if isinstance(value := arguments.get(name), str | int):
            return str(value)
    script = arguments.get("input")
    match = _ASKED.search(script) if isinstance(script, str) else None
    return match[1] if match else ""


def _is_lost(line: str) -> bool:
    """Whether this line says that a shell could not enter its directory."""
    before, _, reason = line.casefold().partition("cd:")
    return any(words in reason for words in _NOWHERE) or "can't cd to" in before


def _code(text: str) -> int:
    """The exit status that it names; -1 if it names none, or several."""
    codes = {int(code) for line in _edges(text) for code in _CODE.findall(line)}
    return codes.pop() if len(codes) == 1 else -1


def _edges(text: str) -> list[str]:
    """The first and the last non-empty lines."""
    if len(text) > 2 * END_CHARACTERS:
        text = f"{text[:END_CHARACTERS]}\n{text[-END_CHARACTERS:]}"
    lines = lines_of(text)
    return lines if len(lines) <= 2 * END_LINES else [*lines[:END_LINES], *lines[-END_LINES:]]
