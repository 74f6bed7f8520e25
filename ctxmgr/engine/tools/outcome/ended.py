"""Turns the result of a call into how it ended.

Rules:

1. A result that the host marks as an error tells of a failure; of a format that has no mark, one that looks like an
   error may be one, and one that says nothing of it may be anything. One that begins as an error is one, unless it
   is of a line that shows a text: that begins as it likes.
2. Of a call that failed nothing is known to be done.
3. A shell's status speaks of a part of its line (`ShellStatus`). What it says nothing of is unknown, and so is what
   goes on. Where its output says that it failed, it failed (`reading`). A single command whose output is shown to
   its end, and says there that it passed, went well. A look prints what it likes, and so does what
   shows a text. An output that sums failures up says that it failed, whatever program it is of.
4. What was done and how it is told are two things: a run that ended with 0 may say that it failed (`weighing`).
5. A call that a person refused never ran: its result is the host's word for that, and no error. One that a person
   stopped may have run: how a check ended that was stopped, nobody knows.
6. Of a script that shows several results which ended differently those count that the commands' own are kept by;
   where none is, or they differ, nobody knows.

7. A compiler or linter that says each error and nothing else (`tsc`) went well where nothing was printed, though
   its status is that of `| head`, or of a `grep` for errors; so did a script of npm that says that it runs one.

Everything that asks how a call ended asks here.
"""

import re

from ctxmgr.engine.tools.effects import CallOutcome, Shell, ShellStatus, ToolCall
from ctxmgr.engine.tools.outcome.background import goes_on_as
from ctxmgr.engine.tools.outcome.covering import scopes_of
from ctxmgr.engine.tools.outcome.general import edges
from ctxmgr.engine.tools.outcome.reading import lines_of, read_output
from ctxmgr.engine.tools.outcome.report import RunReport
from ctxmgr.engine.tools.outcome.weighing import read_run, weighed

END_CHARACTERS = 2_000  # of the start and of the end

_CODE = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))|exit_?code\"?|return_?code)\W{0,4}(-?\d+)\b", re.IGNORECASE
)
_NOT_FOUND = (126, 127)  # statuses by which shells say so
_NOWHERE = re.compile(r"\bcd:(?:\d+:)? .*(?:no such file|not a directory)|\bcan't cd to\b", re.IGNORECASE)
_REFUSED = re.compile(
    r"\W*(?:error:? )?(?:(?:the )?user (?:has )?(?:rejected|refused|denied|declined"
    r"|does(?:n['’]t| not) want)\b"
    r"|(?:[\w ]+ )?(?:rejected|refused|denied|declined) by (?:the )?user\b"
    r"|exec_command failed for [^\n]{1,1000}\brejected by user\b"
    r"|permission (?:to (?:use|run)|for) [^\n]{1,80}\b(?:denied|rejected|refused)\b)",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"^\W*(?:(?:command|process|execution)(?: was)? (?:aborted|cancell?ed|interrupted)"
    r"|(?:request )?(?:aborted|cancell?ed|interrupted) by (?:the )?user)\b.{0,40}\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)  # what a host puts last under the output of a run that a person stopped
_RECORD = '{"chunk_id":"'  # how Codex begins the record of a command
_RECORDED = re.compile(
    r"(?:\"(\w+)\":\s*)?\{\"chunk_id\":\"\w*\",\"wall_time_seconds\":[-+.\de]+,\"exit_code\":(-?\d{1,9})"
)
_TELL_EACH = frozenset(
    ("tsc", "tsgo", "eslint", "go vet", "go build", "shellcheck", "javac", "gcc", "g++", "cc", "clang", "clang++")
)
_SAY_ERROR = frozenset(
    ("tsc", "tsgo", "eslint", "javac", "gcc", "g++", "cc", "clang", "clang++")
)  # in each such line
_ECHO = re.compile(r"[>$] \S")  # how npm, pnpm and yarn say what a script runs
_THROWN_AWAY = re.compile(r"(?:2|&)>>?\s*(?!&)\S")
_NOTHING = re.compile(
    r"\W*(?:(?:bash|command|tool)[\w ]{1,40}(?:no|without) output(?: or errors)?|no output)\W*"
    r"|</?output>|output:|(?:process exited with code|exit code:?) 0|<returncode>0</returncode>"
    r"|chunk id: .*|wall time.*|original token count.*|total output lines.*|",
    re.IGNORECASE,
)  # what a host says of an output that holds nothing
_NUMBER = re.compile(r"(-?\d+)\D*$")


def outcome(call: ToolCall, text: str, is_error: bool, doubtful: bool = False) -> CallOutcome:
    """How a call ended, from its result: `text`, the host's mark of an error, and whether that is in doubt; both of
    a text that begins as an error (rule 1)."""
    return outcome_by(call.shell, text, is_error, doubtful)


def outcome_by(shell: Shell | None, text: str, is_error: bool, doubtful: bool) -> CallOutcome:
    """The same by what the call hands to a shell, which is all of it that tells; None: it is no shell's."""
    if shell is None:
        return "failed" if is_error else "unknown" if doubtful else "ok"
    status = shell.status
    is_error = is_error and not (doubtful and status.prints.voice == "shown")
    several = [(name, int(code)) for name, code in _RECORDED.findall(text)] if _RECORD in text else []
    if len({code for _, code in several}) > 1:  # rule 6
        own = {code for name, code in several if name in shell.result_names}
        if len(own) != 1:
            return "unknown"
        is_error, doubtful = own != {0}, False
    if is_error:
        told: CallOutcome = dict(status.codes).get(_code(text), "failed")
        if told == "failed":
            return "failed"
    elif goes_on_as(text):
        return "unknown"
    else:
        told = "unknown" if doubtful else _printed(shell, text) if status.prints.echoed else status.zero
    if told != "unknown" and not is_error:
        return told
    return _read(shell, text, told, is_error)


def weighed_run(shell: Shell, text: str, ended: CallOutcome) -> tuple[CallOutcome, RunReport]:
    """How the run of a shell is told that `ended` so, and what its output counts and tells; of a look nothing. What
    it did is done all the same."""
    if ended == "ok":
        return weighed(shell.command, shell.status, text)
    if ended == "unknown" or _STOPPED.search(text[-END_CHARACTERS:]):
        return "unknown", RunReport("unknown")
    found = run_report(shell, text)
    status = shell.status
    if found.ended != "failed" and status.zero == "unknown" and status.prints.voice == "own" and _code(text) < 0:
        found = weighed(shell.command, status, text)[1]
    return ended, found


def run_report(shell: Shell, text: str) -> RunReport:
    """What the output of a shell's line counts and tells; of a look nothing."""
    return RunReport("unknown") if shell.status.about == "look" else read_run(shell.status, text)


def end_of_run(text: str, is_error: bool, doubtful: bool) -> tuple[CallOutcome, RunReport]:
    """How a run ended that went on, from the result that tells of its end: nothing is known of its command here."""
    goes_on = bool(goes_on_as(text))
    found = RunReport("unknown") if goes_on else read_output(text)
    if is_error:
        return "failed", found
    told: CallOutcome = "ok" if found.ended == "passed" else found.ended
    return (told, found) if doubtful or goes_on else weighed("", ShellStatus(about="check"), text)


def never_began(text: str) -> bool:
    """Does the result of a call that failed say that it never ran: no such directory, no such program?"""
    lines = _edges(text)
    return _code(text) in _NOT_FOUND or any(is_lost(line) or "command not found" in line for line in lines)


def is_lost(line: str) -> bool:
    """Does this line say that a shell could not go to the directory that it was told to?"""
    return _NOWHERE.search(line) is not None


def is_refused(text: str) -> bool:
    """Does a result that is marked as an error say that a person would not have the call (rule 5)?"""
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


def _read(shell: Shell, text: str, told: CallOutcome, is_error: bool) -> CallOutcome:
    """By what was printed, where the status does not tell."""
    status = shell.status
    if any(map(is_lost, _edges(text))):
        return "failed"
    if status.about == "look":
        return told
    found = read_run(status, text)
    if found.ended == "failed":
        return "failed"
    sums_up = told == "unknown" and not is_error and status.often != "until" and status.prints.voice == "own"
    if sums_up and weighed(shell.command, status, text)[0] == "failed":
        return "failed"
    if told != "unknown":
        return told
    passed = found.ended == "passed" and status.prints.visible.ends(text)
    return "ok" if passed or (not is_error and _is_silent(shell, text)) else told


def _is_silent(shell: Shell, text: str) -> bool:
    """Rule 7: did it print nothing, and would have shown a line of an error?"""
    status = shell.status
    if status.often or not status.prints.visible.errors or _THROWN_AWAY.search(shell.command):
        return False
    lines = [line for line in lines_of(text) if not _NOTHING.fullmatch(line.strip())]
    if lines and status.prints.visible.ends(text) and all(map(_ECHO.match, lines)):
        return [one.subject in _TELL_EACH for one in scopes_of(lines[-1][2:])] == [True]
    found = status.prints.visible.to_the_end or set(status.subjects) <= _SAY_ERROR
    told = bool(status.subjects) and set(status.subjects) <= _TELL_EACH
    return not lines and found and told


def _edges(text: str) -> list[str]:
    """The first and the last lines that hold something."""
    if len(text) > 2 * END_CHARACTERS:
        text = f"{text[:END_CHARACTERS]}\n{text[-END_CHARACTERS:]}"
    return edges(lines_of(text))
