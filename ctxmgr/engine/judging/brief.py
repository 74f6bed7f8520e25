"""Finds what a line states in few words, and nothing else, and what last ran that shows the contrary.

Rules:
1. Tests, the build, the linter or the types are told to be well, or to fail (`Build OK`, `Tests: failing`): the
   newest run of any ended so that this is not so. A command in brackets behind it is the one that is told of. To
   fail they are not told where any run of theirs stands failed. Marks and counts behind it are no more than that.
2. A program is told to report so many errors (`ruff reports 12 errors`): none of its runs failed, and the last
   worked; or it is told to pass (`pytest passes (7/7)`), and its newest run failed, with nothing else in its line.
3. A program, or so many tests, are told to fail, perhaps in a file: none of its runs stands failed, and the last
   worked. One test is, by its name: no run of tests stands failed, and the last was of all tests.
4. A failure that a later run shows to work stands no more.
5. The line is this and no more: who says more may mean another thing. What was is not judged, nor what shall be.
"""

import re
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.judging.unquoted import newest_failure, of_units, runs_of
from ctxmgr.engine.judging.worked_since import standing
from ctxmgr.engine.tools import is_checking, scopes_of
from ctxmgr.model.saved import Fact

_STATED = re.compile(
    r"(?:(?:all|the|whole|entire|full|every|of|our) )*(?P<kind>(?:unit )?tests?|builds?|lint(?:er|ing)?"
    r"|type(?:s|script)|type[- ]?check(?:s|er|ing)?)(?: suites?| runs?| results?| status)?(?: ?[:=–—-])? ?"
    r"(?:(?:are|is|now|all|also|currently|still|again|fully) )*"
    r"(?:(?P<works>pass(?:es|ed|ing)?|green|ok(?:ay)?|clean|succeed(?:s|ed|ing)?|successful|works?|working|compiles?)"
    r"|(?P<fails>fail(?:s|ing)?|broken|red))"
    r"(?: (?:cleanly|now|again|successfully|fine|without (?:any )?errors|with no errors))*",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"(?P<program>[a-z][\w.-]+)(?: [a-z][\w-]+)? (?:(?:still|now|currently) )?(?:reports?|shows|finds|has|gives"
    r"|prints|lists) (?P<number>[1-9]\d*|some|several|many)?(?: [a-z]+)? ?(?:errors?|failures?|issues?"
    r"|problems?|violations?)",
    re.IGNORECASE,
)
_PASSES = re.compile(
    r"(?P<program>[a-z][\w-]+) (?:(?:now|is|all|still) )*(?:pass(?:es|ed|ing)?|green|succeeds)", re.IGNORECASE
)
_AT = r"(?: (?:in|at) `?[\w@./~-]+\.\w+(?::\d+)*`?)?"
_FAILS = re.compile(
    rf"(?P<program>[a-z][\w-]+) (?:(?:still|now|currently|is|also) )*"
    rf"(?:fails|failing|red|broken){_AT}",
    re.IGNORECASE,
)
_FLAGS = re.compile(
    r"(?P<program>[a-z][\w-]+) (?:(?:still|now|currently) )*(?:reports?|flags|complains about|finds)"
    r" (?:[\w'-]+ ){1,8}(?:in|at) `?[\w@./~-]+\.\w+(?::\d+)*`?",
    re.IGNORECASE,
)
_SOME_FAIL = re.compile(
    r"[1-9]\d* (?:of \d+ )?(?P<kind>(?:unit )?tests?) (?:(?:are|is|still|now|currently) )*"
    r"(?:fail(?:s|ing)?|broken|red)",
    re.IGNORECASE,
)
_TEST_FAILS = re.compile(
    r"(?:[\w./-]+::)?(?:test_\w+|[\w:]+::test_\w+) (?:(?:still|now|currently|is|also) )*"
    r"(?:fails|failing|red|broken)",
)
_OF_PYTHON = ("pytest", "unittest", "python -m", "tox", "nox")
_MARKS = re.compile(r"\*\*|__|(?<![\w❌✗]) ?[✅✓✔]\ufe0f?")
_COUNTS = re.compile(r"\s*\((?:(\d+)/\1|\d+ (?:tests? )?pass(?:ed|ing)|\d+ tests?)\)\s*$")
_BRACKETED = re.compile(r"(.*\S)\s*[(（]`([^`\n]+)`[)）]", re.DOTALL)
_TYPES = re.compile(r"\berror TS\d+\b")  # what a build says of types


class Stated(msgspec.Struct, frozen=True):
    """`command`: in brackets, "" for none; `kind`, `program`: what is told of, or both: a test
    by its name; `works`: it is told to; `of_units`:
    of these tests alone."""

    kind: str
    program: str
    command: str
    works: bool
    of_units: bool = False


def stated(line: str) -> Stated | None:
    """What a line states, where that is all of it (rule 5)."""
    line = _COUNTS.sub("", _MARKS.sub("", line).strip().strip("*_-•. !✅✓✔❌"))
    line = " ".join(line.split())
    bracketed = _BRACKETED.fullmatch(line)
    said, command = (bracketed[1], bracketed[2]) if bracketed else (line, "")
    if found := _STATED.fullmatch(said):
        kind = found["kind"].lower()
        return Stated(kind.removeprefix("unit ")[:4], "", command, bool(found["works"]), kind.startswith("unit "))
    if not command and (found := _PASSES.fullmatch(said.replace("`", ""))):
        return Stated("", found["program"].lower(), "", True)
    bare = said.replace("`", "")
    if not command and (found := _SOME_FAIL.fullmatch(bare)):
        kind = found["kind"].lower()
        return Stated("test", "", "", False, kind.startswith("unit "))
    if not command and _TEST_FAILS.fullmatch(bare):
        return Stated("test", bare.split(" ")[0], "", False)
    if not command and (found := _FAILS.fullmatch(bare) or _FLAGS.fullmatch(bare)):
        return Stated("", found["program"].lower(), "", False)
    if found := _REPORTS.fullmatch(bare):
        return Stated("", found["program"].lower(), command, False)
    return None


def contrary(of: Stated, commands: Sequence[Fact]) -> Fact | None:
    """The run that shows the contrary (rules 1 and 2). `commands`: oldest first."""
    commands = of_units(commands) if of.of_units else commands
    if of.works and of.program:
        return _newest_failure_of(of.program, commands)
    if of.works:
        return newest_failure(of.kind, commands) or (_mistyped(commands) if of.kind == "type" else None)
    ran = standing(runs_of(of.kind, commands) if of.kind else [one for one in commands if _runs(one, of.program)])
    if not ran or any(one.status != "ok" for one in ran):
        return None
    return ran[-1] if not (of.kind and of.program) or _is_of_all(ran[-1]) else None


def _is_of_all(fact: Fact) -> bool:
    """Is it a run of all tests in Python, none left out?"""
    runs = [
        one for one in scopes_of(fact.text) if one.subject in fact.runs.split("\n") and is_checking(one.subject)
    ]
    return bool(runs) and all(
        one.is_sure and not one.operands and not one.picks and one.subject.startswith(_OF_PYTHON) for one in runs
    )


def _newest_failure_of(program: str, commands: Sequence[Fact]) -> Fact | None:
    last = next((one for one in reversed(commands) if _runs(one, program)), None)
    alone = last is not None and all(run.split(" ")[0] == program for run in last.runs.split("\n"))
    return last if last is not None and last.status == "failed" and alone else None


def _runs(fact: Fact, program: str) -> bool:
    return any(is_checking(run) and program in run.split(" ")[:1] for run in fact.runs.split("\n"))


def _mistyped(commands: Sequence[Fact]) -> Fact | None:
    """The newest run that a compiler of types ended, where nothing of that command, nor any check of types, ran
    since."""
    for place in range(len(commands) - 1, -1, -1):
        fact = commands[place]
        if fact.status == "failed" and _TYPES.search(fact.detail):
            since = commands[place + 1 :]
            again = set(fact.runs.split("\n"))
            other = runs_of("type", since) or any(not again.isdisjoint(one.runs.split("\n")) for one in since)
            return None if other else fact
    return None
