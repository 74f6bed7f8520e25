"""Turns a failure and the runs after it into the one that ended it, by what they printed and were given.

A failure is ended where

1. the same check worked in the same place, of no less: it has no word that picks, and says how it went;
2. each test that it printed as failed passed since: by what a later run printed, or the run was of that test, by
   its words, in a place that lies in the failure's or the other way round;
3. all tests ran since by a task that was given nothing else;
4. it was only given what its program does not take, and that worked since with the same subcommand.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from ctxmgr.study.probes.reading import CommandRun, programs, wording

_FAILED = (
    re.compile(r"^\s*--- FAIL: (\S+)", re.MULTILINE),
    re.compile(r"^FAILED (\S+::\S+)", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. FAILED", re.MULTILINE),
    re.compile(r"^(\S+::\S+) FAILED", re.MULTILINE),
)
_COUNTS = re.compile(r"\b(\d+) failed\b")
_PASSED = (r"--- PASS: {}(?![\w/])", r"(?m)^test {} \.\.\. ok", r"(?m)^{} PASSED", r"(?m)^PASSED {}(?!\w)")
_ALL = wording.word_set("test tests test:ci test:all test-all test-ci")
_TASKS = wording.word_set("make just task mise npm pnpm yarn rake")
_OF_SCRIPTS = wording.word_set("npm pnpm yarn")
_SCRIPTS = wording.word_set("npm npx pnpm yarn jest vitest mocha node bun")
_NOT_TAKEN = re.compile(
    r"^.{0,20}\b(?:error|usage|fatal).{0,80}\b(?:unexpected|unrecognized|unknown|invalid) "
    r"(?:argument|option|flag|subcommand)|^.{0,40}\bunrecognized arguments\b",
    re.IGNORECASE | re.MULTILINE,
)
_CHANGES_NOTHING = wording.word_set("-v -vv -q -x -race -count=1 -short --tb=short --no-header --verbose --quiet")
_PICKED_BY = wording.word_set("-run --run -k -t --grep")


def ended_by(failed: CommandRun, later: Sequence[CommandRun], printed: Sequence[str]) -> CommandRun | None:
    """`later`: all runs after it, in order; `printed`: of the failure and of each of these."""
    worked = [
        (run, text) for run, text in zip(later, printed[1:], strict=True) if run.check and not run.ended.failed
    ]
    tests = _tests(printed[0])
    used = bool(_NOT_TAKEN.search(printed[0])) and not tests
    for run, _ in worked:
        if _covers(run, failed) or (used and _same_use(run, failed)) or _runs_all(run, failed):
            return run
    passed = [next((run for run, text in worked if _passed(test, run, text, failed)), None) for test in tests]
    return passed[-1] if tests and None not in passed else None


def _covers(later: CommandRun, failed: CommandRun) -> bool:
    """Rule 1."""
    if not later.ended.telling or not f"{_program(failed)} ".startswith(f"{_program(later)} "):
        return False
    ours, theirs = (
        [one.removesuffix("...") for one in programs.bare(run.command).split()] for run in (later, failed)
    )
    place, other = programs.directory(later.command), programs.directory(failed.command)
    whole = [f"{other}/{one.removeprefix('./')}" if other.startswith("/") else one for one in theirs if "/" in one]
    paths = [one.strip("./") for one in ours if "/" in one]
    if place != other and (place or not other.startswith("/") or not paths):
        return False
    if {one for one in ours if "/" not in one} - set(theirs) - _CHANGES_NOTHING:
        return False
    return not paths or (bool(whole) and all(any(_is_within(one, path) for path in paths) for one in whole))


def _is_within(one: str, path: str) -> bool:
    """Is the one within what this path names, from wherever it is told? Of an absolute one any part may be that."""
    bare = one.strip("./")
    ends = f"/{path}".endswith(f"/{bare}") or f"/{bare}".endswith(f"/{path}")
    return _lies_in(bare, path) or ends or (one.startswith("/") and f"/{path}/" in f"/{bare}/")


def _tests(text: str) -> tuple[str, ...]:
    """Those printed as failed; none where more are counted than printed."""
    found = tuple(dict.fromkeys(name for sign in _FAILED for name in sign.findall(text)))
    counts = [int(count) for count in _COUNTS.findall(text)]
    return found if not counts or max(counts) <= len(found) else ()


def _passed(test: str, run: CommandRun, text: str, failed: CommandRun) -> bool:
    """Rule 2."""
    if any(re.search(sign.format(re.escape(test)), text) for sign in _PASSED):
        return True
    words = programs.bare(run.command).split()
    if not run.ended.telling or _program(run) != _program(failed):
        return False
    return test in words or (_picks(words, test) and _same_places(words, programs.bare(failed.command).split()))


def _program(run: CommandRun) -> str:
    """Of one that checks whatever it is given, its name."""
    last = run.key.split(" && ")[-1]
    name = last.partition(" ")[0]
    return name if name in programs.CHECKS else last


def _picks(words: Sequence[str], test: str) -> bool:
    for option, value in pairwise(words):
        if option in _PICKED_BY:
            try:
                return re.search(value.strip("\"'"), test) is not None
            except re.error:
                return False
    return False


def _same_places(words: Sequence[str], others: Sequence[str]) -> bool:
    """Does each place that one names lie in one of the other's?"""
    ours, theirs = ({one.strip("./") for one in some if "/" in one and "|" not in one} for some in (words, others))
    return ours == theirs or all(
        any(f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/") for other in theirs)
        for one in ours
    )


def _lies_in(path: str, place: str) -> bool:
    return f"{path}/".startswith(f"{place}/")


def _runs_all(later: CommandRun, failed: CommandRun) -> bool:
    """Rule 3, of tests."""
    words = programs.bare(later.command).split()
    of_scripts = bool(_OF_SCRIPTS.intersection(words[:1]))
    if programs.directory(later.command) not in ("", programs.directory(failed.command)):
        return False
    return (
        bool(later.ended.telling)
        and bool(_TASKS.intersection(words[:1]))
        and [word for word in words[1:] if word not in ("run", "2>&1")][:2] in ([one] for one in _ALL)
        and "test" in failed.key
        and (not of_scripts or not _SCRIPTS.isdisjoint(failed.key.split()))
    )


def _same_use(later: CommandRun, failed: CommandRun) -> bool:
    """Rule 4."""
    return failed.key.split(" && ")[-1] in later.key.split(" && ")
