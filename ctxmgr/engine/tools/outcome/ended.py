"""Turns the result of a call into how it ended.

Rules:

1. A result that the host marks as an error tells of a failure; of a format that has no mark, one that looks like an
   error may be one, and one that says nothing of it may be anything.
2. Of a call that failed nothing is known to be done.
3. A shell's status speaks of a part of its line (`ShellStatus`). What it says nothing of is unknown, and so is what
   goes on. Where the output plainly says that it failed, it failed: of a check any line, of another run one at its
   start or its end. A check whose output shows the end of it, and that it passed there, went well. A look prints
   what it likes.

Everything that asks how a call ended asks here.
"""

import re

from ctxmgr.engine.tools.effects import CallOutcome, Shell, ToolCall

END_CHARACTERS = 2_000  # of the start and of the end
END_LINES = 5
CHECKED_CHARACTERS = 100_000  # of a check's output, of its start and of its end

_CODE = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))|exit_?code\"?|return_?code)\W{0,4}(-?\d+)\b", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"\brunning (?:with (?:session|cell) ID|in (?:the )?background with (?:ID|PID))\b|\"session_id\":\s*\d",
    re.IGNORECASE,
)
_NOWHERE = re.compile(r"\bcd:(?:\d+:)? .*(?:no such file|not a directory)|\bcan't cd to\b", re.IGNORECASE)
_PLAIN = re.compile(
    r"^\W*(?:(?:[Ee]rror|fatal(?: error)?|panic)\b(?:\[\w+\]| TS\d+)?:|Traceback \(most recent"
    r"|npm (?:ERR!|error )|\w+Error: )"
    r"|: command not found\s*$|\bELIFECYCLE\b|\bpanicked at\b|^make(?:\[\d+\])?: \*\*\*"
)
_CHECKED = re.compile(
    r"(?<![\w.-])[1-9]\d* (?:\w+ )?(?:failed|failures?|failing|errors?|issues?|problems?)\b"
    r"|^\s*(?:-{3} )?FAIL(?:ED|URE)?\b|\bFAILED\b|\berror (?:TS\d+|\[?[A-Z]\d+\]?):|\berror\[\w+\]|\bBUILD FAILED\b"
    r"|:\d+: (?:fatal )?error: "
)
_PASSES = re.compile(
    r"\b[1-9]\d* (?:\w+ ){0,2}pass(?:ed|ing)\b|(?<![\w.])0 (?:errors?|issues?|problems?|failed|failures?)\b"
    r"|^\s*(?:ok|OK|PASS)\b|\btest result: ok\b|\b[Aa]ll (?:checks|tests) pass"
    r"|\b[Nn]o (?:issues|errors|problems) found\b|\bBUILD SUCCESS"
)
_PASSED = re.compile(r"^\s*(?:[✓✔√]|ok\b|PASS|-{3} PASS)|\b(?:ok|PASSED|passed)$")
_NUMBER = re.compile(r"(-?\d+)\D*$")


def outcome(call: ToolCall, text: str, is_error: bool, doubtful: bool = False) -> CallOutcome:
    """How a call ended, from its result: `text`, the host's mark of an error, and whether that is in doubt."""
    if call.shell is None:
        return "failed" if is_error else "unknown" if doubtful else "ok"
    status = call.shell.status
    if is_error:
        if status.one == "failed" or not _is_one(text):
            return "failed"
        told: CallOutcome = status.one
    elif _GOES_ON.search(text[: END_CHARACTERS // 4]):
        return "unknown"
    else:
        told = "unknown" if doubtful else _printed(call.shell, text) if status.echoed else status.zero
    if (is_error or told == "unknown") and _says_failing(status.about, text):
        return "failed"
    return "ok" if told == "unknown" and status.ends and _says_passing(text) else told


def is_lost(line: str) -> bool:
    """Does this line say that a shell could not go to the directory that it was told to?"""
    return _NOWHERE.search(line) is not None


def _printed(shell: Shell, text: str) -> CallOutcome:
    """By the status that the line prints last."""
    number = _NUMBER.search(text.rstrip().rpartition("\n")[2])
    if number is None:
        return "unknown"
    return {"0": shell.status.zero, "1": shell.status.one}.get(number[1], "failed")


def _is_one(text: str) -> bool:
    """Is 1 the code that it says it ended with?"""
    codes = {code for line in _edges(text) for code in _CODE.findall(line)}
    return codes == {"1"}


def _says_failing(about: str, text: str) -> bool:
    edges = _edges(text)
    if any(map(is_lost, edges)):
        return True
    if about == "look":
        return False
    if any(_PLAIN.search(line) for line in edges):
        return True
    if about != "check":
        return False
    if len(text) > 2 * CHECKED_CHARACTERS:
        text = f"{text[:CHECKED_CHARACTERS]}\n{text[-CHECKED_CHARACTERS:]}"
    return any(_CHECKED.search(line) and not _PASSED.search(line) for line in text.splitlines())


def _says_passing(text: str) -> bool:
    return any(_PASSES.search(line) for line in _edges(text)[-END_LINES:])


def _edges(text: str) -> list[str]:
    """The first and the last lines that hold something."""
    if len(text) > 2 * END_CHARACTERS:
        text = f"{text[:END_CHARACTERS]}\n{text[-END_CHARACTERS:]}"
    lines = [line for line in text.splitlines() if line.strip()]
    return lines if len(lines) <= 2 * END_LINES else [*lines[:END_LINES], *lines[-END_LINES:]]
