"""Turns the result of a call into how it ended.

Rules:

1. A result that the host marks as an error tells of a failure; of a format that has no mark, one that looks like an
   error may be one, and one that says nothing of it may be anything.
2. Of a call that failed nothing is known to be done.
3. A shell's status speaks of a part of its line (`ShellStatus`). What it says nothing of is unknown, and so is what
   goes on. Where its output says that it failed, it failed (`reading`). A single command whose output is shown to
   its end, and says there that it passed, went well. A look prints what it likes.

4. A call that a person refused never ran: its result is the host's word for that, and no error. One that a person
   stopped may have run.

Everything that asks how a call ended asks here.
"""

import re

from ctxmgr.engine.tools.effects import CallOutcome, Shell, ShellStatus, ToolCall
from ctxmgr.engine.tools.outcome.background import goes_on_as
from ctxmgr.engine.tools.outcome.general import edges
from ctxmgr.engine.tools.outcome.http import read_answers
from ctxmgr.engine.tools.outcome.reading import lines_of, passes_somewhere, read_output
from ctxmgr.engine.tools.outcome.report import RunReport
from ctxmgr.engine.tools.outcome.table import WRAPPERS

END_CHARACTERS = 2_000  # of the start and of the end

_CODE = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))|exit_?code\"?|return_?code)\W{0,4}(-?\d+)\b", re.IGNORECASE
)
_NOWHERE = re.compile(r"\bcd:(?:\d+:)? .*(?:no such file|not a directory)|\bcan't cd to\b", re.IGNORECASE)
_REFUSED = re.compile(
    r"\W*(?:error:? )?(?:(?:the )?user (?:has )?(?:rejected|refused|denied|declined"
    r"|does(?:n['’]t| not) want)\b"
    r"|(?:[\w ]+ )?(?:rejected|refused|denied|declined) by (?:the )?user\b"
    r"|exec_command failed for [^\n]{1,1000}\brejected by user\b"
    r"|permission (?:to (?:use|run)|for) [^\n]{1,80}\b(?:denied|rejected|refused)\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(-?\d+)\D*$")


def outcome(call: ToolCall, text: str, is_error: bool, doubtful: bool = False) -> CallOutcome:
    """How a call ended, from its result: `text`, the host's mark of an error, and whether that is in doubt."""
    return outcome_by(call.shell, text, is_error, doubtful)


def outcome_by(shell: Shell | None, text: str, is_error: bool, doubtful: bool) -> CallOutcome:
    """The same by what the call hands to a shell, which is all of it that tells; None: it is no shell's."""
    if shell is None:
        return "failed" if is_error else "unknown" if doubtful else "ok"
    status = shell.status
    if is_error:
        told: CallOutcome = dict(status.codes).get(_code(text), "failed")
        if told == "failed":
            return "failed"
    elif goes_on_as(text):
        return "unknown"
    else:
        told = "unknown" if doubtful else _printed(shell, text) if status.echoed else status.zero
    if told != "unknown" and not is_error:
        return told
    return _read(status, text, told)


def run_report(call: ToolCall, text: str) -> RunReport:
    """What the output of a call counts and tells; of a look, and of what runs nothing, nothing."""
    if call.shell is None or call.shell.status.about == "look":
        return RunReport("unknown")
    return read_run(call.shell.status, text)


def end_of_run(text: str, is_error: bool, doubtful: bool) -> tuple[CallOutcome, RunReport]:
    """How a run ended that went on, from the result that tells of its end: nothing is known of its command here."""
    goes_on = bool(goes_on_as(text))
    found = RunReport("unknown") if goes_on else read_output(text)
    if is_error:
        return "failed", found
    told: CallOutcome = "ok" if found.ended == "passed" else found.ended
    return told if doubtful or goes_on else "ok", found


def is_lost(line: str) -> bool:
    """Does this line say that a shell could not go to the directory that it was told to?"""
    return _NOWHERE.search(line) is not None


def is_refused(text: str) -> bool:
    """Does a result that is marked as an error say that a person would not have the call (rule 4)?"""
    return _REFUSED.match(text[:END_CHARACTERS].lstrip()) is not None


def _printed(shell: Shell, text: str) -> CallOutcome:
    """By the status that the line prints last."""
    number = _NUMBER.search(text.rstrip().rpartition("\n")[2])
    if number is None:
        return "unknown"
    return {0: shell.status.zero, **dict(shell.status.codes)}.get(int(number[1]), "failed")


def _code(text: str) -> int:
    """The status that it says it ended with; -1 where it says none, or several."""
    codes = {int(code) for line in _edges(text) for code in _CODE.findall(line)}
    return codes.pop() if len(codes) == 1 else -1


def _read(status: ShellStatus, text: str, told: CallOutcome) -> CallOutcome:
    """By what was printed, where the status does not tell."""
    if any(map(is_lost, _edges(text))):
        return "failed"
    if status.about == "look":
        return told
    found = read_run(status, text)
    if found.ended == "failed":
        return "failed"
    return "ok" if told == "unknown" and status.ends and found.ended == "passed" else told


def read_run(status: ShellStatus, text: str) -> RunReport:
    """What the output of a command line says of what it is about. A check, and what runs others, may print as any
    tool does."""
    if status.printing:
        found = read_answers(status.printing, text, status.often)
        if found.ended != "unknown" and (found.ended == "failed" or status.ends):
            return found
    named = frozenset(one.partition(" ")[0] for one in status.subjects)
    wraps, check = not named.isdisjoint(WRAPPERS), status.about == "check"
    one = len(status.subjects) == 1 and not wraps and not status.often
    found = read_output(text, check=check, programs=None if check or wraps else named, one=one)
    if status.often == "until" and found.ended == "failed" and passes_somewhere(text):
        return RunReport("unknown")
    return found


def _edges(text: str) -> list[str]:
    """The first and the last lines that hold something."""
    if len(text) > 2 * END_CHARACTERS:
        text = f"{text[:END_CHARACTERS]}\n{text[-END_CHARACTERS:]}"
    return edges(lines_of(text))
