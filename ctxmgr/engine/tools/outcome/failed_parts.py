"""Turns the output of a run of checks into what of it failed, where the output names all of that: test files,
tests, packages, targets.

Rules:

1. A part is told as its tool and its name: `jest src/a.test.ts`, `pytest tests/a.py::test_b`, `target test`,
   `go example.test/x//a/b`, where `//` stands behind what all packages that it names have in common.
2. Nothing is told where more failed than is named: by the tool's own total, or, where it says none, where the
   output may have been cut; nor where another tool failed that names no parts. A target is told where it is named.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from ctxmgr.engine.tools.outcome.reading import lines_of
from ctxmgr.engine.tools.outcome.table import READERS
from ctxmgr.engine.tools.shell import words_of

MOST_FAILED_PARTS = 20  # of one run; where more failed, none is told
FAILED_CHARACTERS = 200

TARGET = "target"  # how a part is told that is one of make's or gradle's

_Naming = Callable[[Sequence[str], bool], Iterable[str]]

_CUTS = re.compile(r"\|\s*(?:head|tail)\b(?:\s+(?:-n\s*|-)(\d+))?")
_LEFT_LINES = 10  # that `head` and `tail` leave where they are told no number
_PICKED = re.compile(r"\|\s*(?:[ef]?grep|rg)\b([^|]*)")
_FILTERED = re.compile(r"\|\s*(?:awk|sed|cut|jq|perl)\b")
_SHORTENED = re.compile(r"\b(?:truncated|omitted)\b", re.IGNORECASE)
_LEAVES_OUT = re.compile(r"\s-\w*v\b|\s--invert-match\b")

_PYTEST = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$")
_PYTEST_SUM = re.compile(r"^=* ?\d+ \w+(?:, \d+ \w+)* in \d")
_COUNTED = re.compile(r"(\d+) (?:failed|errors?)\b")
_JEST = re.compile(r"^FAIL (?:[\w-]+ )?(\S+\.[cm]?[jt]sx?)(?: \(|$)")
_JEST_SUM = re.compile(r"^Test Suites: +(\d+) failed")
_VITEST = re.compile(r"^ FAIL  (?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?)(?: |$)")
_VITEST_SUM = re.compile(r"^\s*Test Files +(\d+) failed")
_PLAYWRIGHT = re.compile(r"^ {4}(?:\[[^\]]+\] › )?(\S+):\d+:\d+ › ")
_PLAYWRIGHT_SUM = re.compile(r"^ {2}(\d+) failed$")
_GO = re.compile(r"^(FAIL|ok  |\?   )\t(\S+)")
_GRADLE = re.compile(r"^Execution failed for task '(\S+)'")
_MAKE = re.compile(r"^g?make: \*\*\* \[(?:\S+:\d+: )?([^\]\s]+)\] (?:Error|Terminated|Killed)\b")


def failed_parts(command: str, text: str) -> tuple[str, ...]:
    """What failed of a command line whose output this is (rules 1 and 2)."""
    lines = lines_of(text)
    whole = not _is_cut(command, text)
    targets = [f"{TARGET} {one}" for named in _TARGETS for one in named(lines)]
    found = list(dict.fromkeys((*targets, *_named(lines, whole))))
    fits = len(found) <= MOST_FAILED_PARTS and all(len(one) <= FAILED_CHARACTERS for one in found)
    return tuple(found) if fits else ()


def _named(lines: Sequence[str], whole: bool) -> list[str]:
    """Rule 2, but for targets."""
    text = "\n".join(lines)
    found: list[str] = []
    for reader in READERS:
        tool = next((name for name in _NAMING if name in reader.programs), "")
        if not tool and _NAMES_NONE.isdisjoint(reader.programs):
            continue
        named = list(_NAMING[tool](lines, whole)) if tool else []
        hinted = any(hint in text for hint in reader.hints)
        if not named and hinted and any(map(reader.failed.search, lines)):
            return []
        found += [f"{tool} {one}" for one in named]
    return found


def _of_pytest(lines: Sequence[str], whole: bool) -> Iterable[str]:
    named = [found[1] for line in lines if (found := _PYTEST.match(line))]
    total = next((line for line in reversed(lines) if _PYTEST_SUM.match(line)), "")
    counted = sum(int(number) for number in _COUNTED.findall(total))
    return named if counted == len(set(named)) else ()


def _of_files(name: re.Pattern[str], total: re.Pattern[str]) -> _Naming:
    def named(lines: Sequence[str], whole: bool) -> Iterable[str]:
        files = [found[1].removeprefix("./") for line in lines if (found := name.match(line))]
        counted = [int(found[1]) for line in lines if (found := total.match(line))]
        return files if (counted[-1] == len(set(files)) if counted else whole) else ()

    return named


def _of_playwright(lines: Sequence[str], whole: bool) -> Iterable[str]:
    """Its last lines name each test that failed, behind how many did."""
    sums = [at for at, line in enumerate(lines) if _PLAYWRIGHT_SUM.match(line)]
    if not sums:
        return ()
    counted = int(lines[sums[-1]].split()[0])
    behind = (_PLAYWRIGHT.match(line) for line in lines[sums[-1] + 1 :])
    named = [found[1] for found in takewhile(bool, behind) if found]
    return named if len(named) == counted else ()


def _of_go(lines: Sequence[str], whole: bool) -> Iterable[str]:
    told = [(found[1], found[2]) for line in lines if (found := _GO.match(line))]
    split = [name.split("/") for _, name in told]
    common = len(list(takewhile(lambda names: len(set(names)) == 1, zip(*split, strict=False))))
    for (state, _), names in zip(told, split, strict=True):
        if state == "FAIL" and whole:
            yield f"{'/'.join(names[:common])}//{'/'.join(names[common:])}"


def _of_make(lines: Sequence[str]) -> Iterable[str]:
    return [found[1] for line in lines if (found := _MAKE.match(line))]


def _of_gradle(lines: Sequence[str]) -> Iterable[str]:
    return [found[1].rpartition(":")[2] for line in lines if (found := _GRADLE.match(line))]


_TARGETS = (_of_make, _of_gradle)
_NAMING: dict[str, _Naming] = {
    "pytest": _of_pytest,
    "jest": _of_files(_JEST, _JEST_SUM),
    "vitest": _of_files(_VITEST, _VITEST_SUM),
    "playwright": _of_playwright,
    "go": _of_go,
}
_NAMES_NONE = words_of("unittest cargo mocha tsc eslint ruff mypy gradle mvn dotnet rspec phpunit gcc")


def _is_cut(command: str, text: str) -> bool:
    """May lines of the output be missing that name what failed?"""
    if _SHORTENED.search(text) or _FILTERED.search(command):
        return True
    count = len(text.rstrip("\n").split("\n"))
    if any(count >= int(found or _LEFT_LINES) for found in _CUTS.findall(command)):
        return True
    return any(("FAIL" in told) == bool(_LEAVES_OUT.search(told)) for told in _PICKED.findall(command))
