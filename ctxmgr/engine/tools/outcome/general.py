"""How the output of a tool is read that nobody knows: by lines that plainly say so.

Rules:

1. Of a check, a line anywhere that counts failures, or is an error's, says that it failed; but not the line of a
   test that passed, whatever its name.
2. Of another run, an error's line at the start or the end of the output does.
3. A check passed where one of the last lines says so.
4. Of a traceback the line that tells is the one that names what was raised last, not the one that it begins with.
"""

import re
from collections.abc import Iterable, Sequence

from ctxmgr.engine.tools.outcome.report import TOLD_LINES, RunReport, added_up, counted

END_LINES = 5

_PLAIN = re.compile(
    r"^\W*(?:(?:[Ee]rror|ERROR|fatal(?: error)?|panic)\b(?:\[\w+\]| TS\d+)?:|Traceback \(most recent"
    r"|(?:\w+ )?ERR! |npm error "
    r"|(?:\w+\.)*\w+ ?Error: |(?:PHP )?Fatal error: |Uncaught |Unhandled |Exception in thread )"
    r"|^(?:\w+: )?(?:line \d+: )?\S+: No such file or directory$"
    r"|^\W*(?:[Bb]uild|[Dd]eploy(?:ment)?|[Cc]ompilation|(?:[Ss]ome )?[Tt]ests?) (?:failed|aborted)\b"
    r"|^[\w./-]+(?::[\w./-]+)*: (?:fatal )?(?:error|ERROR): |^(?:[x✗✘×✖] )(?:[Bb]uild|[Tt]ests?) failed\b"
    r"|^\W*Failed to compile\b|^\w+: build stopped\b"
    r"|: command not found\s*$|\bELIFECYCLE\b|\bpanicked at\b|^make(?:\[\d+\])?: \*\*\*"
)
_CHECKED = re.compile(
    r"(?<![\w.-])[1-9]\d* (?:\w+ )?(?:failed|failures?|failing|errors?|issues?|problems?|offenses?)\b"
    r"|^\s*(?:-{3} )?FAIL(?:ED|URE)?\b|\bFAILED\b|\berror (?:TS\d+|\[?[A-Z]\d+\]?):|\berror\[\w+\]|\bBUILD FAILED\b"
    r"|:\d+: (?:fatal )?error: |^\W*(?:fail|failed|failures|errors)[: ]+[1-9]\d*\b|^not ok \d|\bERROR task failed\b"
    r"|^\W*exit code: [1-9]"
    r"|^\S+:\d+:\d+: [A-Z]{1,4}\d{2,5}\b|^Failed \d+/\d+ |^Result: FAIL|^\s*[1-9]\d* fail$"
    r"|\b(?:Failures|Errors): [1-9]|^\[warn\] Code style issues found|\bSome tests failed\b"
)
_COUNTED = re.compile(
    r"^\W*(?:Found )?[1-9]\d* (?:\w+ )?(?:failed|failures?|failing|errors?|issues?|problems?)\b"
    r"|^\s*FAIL(?:ED|URE)?\b|\berror (?:TS\d+|\[?[A-Z]\d+\]?):|\berror\[\w+\]|:\d+: (?:fatal )?error: |^not ok \d"
)
_PASSES = re.compile(
    r"\b[1-9]\d* (?:\w+ ){0,2}pass(?:ed|ing)\b|(?<![\w.])0 (?:errors?|issues?|problems?|failed|failures?)\b"
    r"|^\s*(?:ok|OK|PASS)\b|\btest result: ok\b|\b[Aa]ll (?:checks|tests)(?: \w+)? (?:pass|success)"
    r"|\b[Nn]o (?:issues|errors|problems|offenses)(?: found)?\b|\bBUILD SUCCESS|^\W*fail 0$|^Result: PASS"
    r"|\b100% tests passed|: OK \(\d"
)
_PASSED = re.compile(r"^\s*(?:[✓✔√]|ok\b|PASS|-{3} PASS)|\b(?:ok|PASSED|passed)$")
_TELLING = re.compile(
    r"^\s*(?:not ok \d|[✗✘✖×] |-{3} FAIL|FAIL(?:ED)?\b|Failed )|\bFAILED$|\.{3}Failed$|\bpanicked at\b"
    r"|[\w)]: (?:fatal )?error: "
)


_TRACEBACK = "Traceback (most recent call last):"


def failing(lines: Sequence[str], check: bool) -> tuple[str, ...]:
    """The lines that plainly say that it failed (rules 1 and 2)."""
    found = [line for line in edges(lines) if _PLAIN.search(line)]
    if check:
        found += [line for line in lines if _CHECKED.search(line) and not _PASSED.search(line)]
    return tuple(dict.fromkeys(found))


def failing_before(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines that say so of another part than the one that passed behind them: they begin with it, as no line
    does that a test prints of itself."""
    return tuple(line for line in lines if _COUNTED.search(line) and not _PASSED.search(line))


def passing(lines: Sequence[str]) -> tuple[str, ...]:
    """Those of the last lines that say that it passed (rule 3)."""
    return tuple(line for line in edges(lines)[-END_LINES:] if _PASSES.search(line))


def report(lines: Sequence[str], check: bool) -> RunReport:
    """By the general rule alone."""
    failed = failing(lines, check)
    if failed:
        telling = tuple(line for line in lines if _TELLING.search(line) and not _PASSED.search(line))
        plain = tuple(line for line in failed if not list(counted([line])))
        return RunReport(
            "failed", _counts(lines, failed), (telling or _raised(lines) or plain or failed)[:TOLD_LINES]
        )
    passed = passing(lines) if check else ()
    return RunReport("passed" if passed else "unknown", _counts(lines) if passed else (), passed[-1:])


def _raised(lines: Sequence[str]) -> tuple[str, ...]:
    """Rule 4: what the last traceback ends with; nothing where it was cut off before that."""
    begins = [at for at, line in enumerate(lines) if line.lstrip(" |+").startswith(_TRACEBACK)]
    if not begins:
        return ()
    depth = len(lines[begins[-1]]) - len(lines[begins[-1]].lstrip(" |"))
    behind = (line for line in lines[begins[-1] + 1 :] if line.strip(" |"))
    return tuple(line for line in behind if not line[depth : depth + 1].isspace())[:1]


def edges(lines: Sequence[str]) -> list[str]:
    """The first and the last of the lines, which hold something."""
    return [*lines] if len(lines) <= 2 * END_LINES else [*lines[:END_LINES], *lines[-END_LINES:]]


def _counts(lines: Iterable[str], failed: Sequence[str] = ()) -> tuple[tuple[int, str], ...]:
    """Of the last line that counts anything: what stands before it may be a part's. Where that line says nothing of
    what `failed`, with the last of those that counts."""
    for line in reversed(list(lines)):
        found = added_up(counted([line])) if not _PASSED.match(line) else ()
        if found:
            others = [] if line in failed else [one for one in failed if list(counted([one]))][-1:]
            return added_up(counted([*others, line]))
    return ()
