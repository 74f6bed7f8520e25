"""The output of what was run: how it ended, its error lines and its telling lines.

1. It failed where the host flags it, or the output names an exit code other than 0.
2. A check whose exit code is not its own (its output is filtered, or nothing names a code) failed where a line says
   so.
3. Error lines name an error; without any, the first lines that say something. Telling lines count or name what came
   of it.
"""

import re

import msgspec

ERROR_LINES = 3
TELLING_LINES = 2
LINE_CHARACTERS = 300

_CODE = re.compile(
    r"(?:exit(?:ed with)?(?: code|: code|_code\"?|code)?|returncode|exited with code)\"?[:>\s=]*\s*(-?\d+)",
    re.IGNORECASE,
)
_RUNNING = re.compile(r"(?:running with (?:session|cell) ID:? |\"session_id\":\s*)\"?([\w-]+)", re.IGNORECASE)
_FAILS = re.compile(
    r"\b[1-9]\d* (?:\w+ ){0,2}?(?:fail(?:ed|ures?|ing)?|errors?|issues?|problems?)\b(?! ?: ?0)"
    r"|^\s*(?:-{3} )?FAIL(?:ED|URE)?\b|\bFAILED\b|\berror(?:\[\w+\]|:| TS\d)|panicked at|Traceback \(most|npm ERR!"
    r"|BUILD FAILED|✗|✖|[A-Z]\w+Error:",
    re.MULTILINE,
)
_ERROR = re.compile(
    r"error|fail|fatal|panic|exception|traceback|not found|no such|cannot|can't|could not|denied|invalid|undefined"
    r"|conflict|rejected|unexpected|missing|unable|refused|unknown|must ",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b\d+ (?:\w+ )?(?:passed|failed|failures?|failing|passing|errors?|issues?|problems?|warnings?|skipped"
    r"|tests?)\b|\btest result\b|^(?:ok|FAIL|PASS|--- FAIL)\b|\berror(?:\[\w+\]|:| TS\d)|^\s*Finished\b|\bBUILD\b"
    r"|panicked at|^(?:Tests?|Test Files|Test Suites|Checked|Found|Ran)\b.*\d|✓|✗|✖|^OK\b"
    r"|\bsuccess(?:ful(?:ly)?)?\b|^error\b|[A-Z]\w+Error:|^warning\b",
    re.IGNORECASE,
)
_WRAPPING = re.compile(
    r"^\s*(?:Chunk ID:|Wall time|Process |Original token count|Output:|Total output lines|Warning: truncated"
    r"|Script |Command (?:exited|timed out|aborted)|Exit code|exit code|<\/?(?:returncode|output)|\(no output\)"
    r"|\[The command|\{.*\"output\":\"$)"
)


class Ended(msgspec.Struct, frozen=True):
    """`running`: the id under which it goes on, "" where it ended. `by_status`: that it failed is told by the host,
    or by an exit code, and not by its lines alone."""

    failed: bool
    errors: tuple[str, ...]
    telling: tuple[str, ...]
    running: str = ""
    by_status: bool = True


def ended(output: str, flagged: bool, check: bool = False, status_hidden: bool = False) -> Ended:
    """Of one output. `flagged`: the host calls it an error; `status_hidden`: its exit code need not be its own."""
    head = output[:600]
    code = next(map(int, _CODE.findall(f"{head}\n{output[-200:]}")), None)
    by_status = flagged or code not in (None, 0)
    failed = by_status or (check and (status_hidden or code is None) and bool(_FAILS.search(output)))
    running = _RUNNING.search(head)
    lines = [_short(line.strip()) for line in output.split("\n") if not _WRAPPING.match(line)]
    lines = [line for line in lines if any(map(str.isalnum, line))]
    errors = [line for line in lines if _ERROR.search(line)] or lines
    telling = [line for line in lines if _TELLING.search(line)]
    return Ended(
        failed,
        tuple(dict.fromkeys(errors[:ERROR_LINES])),
        tuple(dict.fromkeys(telling[-TELLING_LINES:])),
        running[1] if running else "",
        by_status,
    )


def _short(line: str) -> str:
    """Its start, cut between words; nothing of a line that is one long word."""
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS + 1].rpartition(" ")[0]
