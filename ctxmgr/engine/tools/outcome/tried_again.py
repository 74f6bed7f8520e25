"""Turns a failure and a later run that worked into what of the failure that ends, beyond `RunScope.shows`.

Rules:

1. A test that the failure quotes is ended by a run that it was in: of the same program, or of what a task of all
   tests runs; in its place; each filter of the run matches its name, and an operand is of its path.
2. A run of tests is ended by a task of all tests that was given nothing (`make test`, `mise run test:ci`;
   `npm test` for programs of JavaScript), in its place.
3. A part that the failure names (`failed_parts`) is ended by a run of its tool that it was in, whatever task the
   failure was of: a file, a test or a package by the operands, a target of make or gradle by the same one.
4. Words that a program does not take (`unexpected argument`) are ended by any run of it with that subcommand.
"""

import re

from ctxmgr.engine.tools.outcome.check_kinds import is_of_kind
from ctxmgr.engine.tools.outcome.covering import RunScope
from ctxmgr.engine.tools.outcome.failed_parts import TARGET
from ctxmgr.engine.tools.shell import targets_apart

MOST_TESTS = 8  # of one line

_USAGE = re.compile(
    r"\b(?:unexpected|unrecogni[sz]ed|unknown|invalid|illegal|unsupported)(?: or unexpected)? (?:extra )?"
    r"(?:arguments?|options?|flags?|subcommands?|shorthand flag|command-line)\b"
    r"|\bno such (?:option|command|subcommand)\b|\bflag provided but not defined\b"
    r"|\bno \w+ targets? (?:found|named)\b",
    re.IGNORECASE,
)
_TEST = re.compile(r"[\w./-]*(?:::[\w.<>-]+(?:\[[^\]\s]*\])?)+|\bTest[A-Z_]\w*(?:/[\w#.-]+)*|\btest_\w+")
_COUNTED = re.compile(r"\b(\d+) (?:tests? )?failed\b")
_ALL_TESTS = re.compile(
    r"(?:make|just|task|mise run|mise|npm|npm run|pnpm|yarn|bun run|rake) tests?(?:[:-](?:ci|all))?$|(?:tox|nox)$"
)
_OF_SCRIPTS = ("npm", "pnpm", "yarn", "bun")
_SCRIPT_TESTS = re.compile(r"\b(?:jest|vitest|mocha|ava|node|tsx|bun|playwright|npm|pnpm|yarn)\b")
_NAME_FILTERS = re.compile(r"-{1,2}(?:run|k|t|grep|g|filter|testNamePattern|test-name-pattern|name)\b")
_OF_SCRIPT_TESTS = r"(?:(?:npm|pnpm|yarn|bun)(?: run)? )?"
_OF_TOOL = {  # the runs that are of one tool's tests
    "jest": re.compile(rf"{_OF_SCRIPT_TESTS}(?:jest|tests?)$"),
    "vitest": re.compile(rf"{_OF_SCRIPT_TESTS}(?:vitest|tests?)$|vitest (?:run|related)$"),
    "playwright": re.compile(rf"{_OF_SCRIPT_TESTS}(?:playwright test|tests?)$"),
    "go": re.compile(r"go test$"),
}
_SUBSTRINGS = ("cargo test", "cargo nextest")  # whose operands are parts of names


def is_usage_error(line: str) -> bool:
    """Does it say that a program was given what it does not take?"""
    return bool(_USAGE.search(line))


def tests_quoted(line: str, counts: str) -> tuple[str, ...]:
    """The tests that a failure's line names; none where more are counted than that."""
    found = tuple(dict.fromkeys(_TEST.findall(line)))[:MOST_TESTS]
    counted = _COUNTED.search(counts)
    return found if not counted or int(counted[1]) <= len(found) else ()


def runs_all_tests(run: RunScope, failed: RunScope) -> bool:
    """Rule 2."""
    if len(targets_apart(failed.subject)) > 1:
        return False
    if not _ALL_TESTS.match(run.subject) or run.operands or run.picks or not run.is_sure:
        return False
    fits = not run.subject.startswith(_OF_SCRIPTS) or bool(_SCRIPT_TESTS.search(failed.subject))
    return fits and is_of_kind(failed.subject, "test") and run.is_near(failed)


def was_in(test: str, run: RunScope, failed: RunScope) -> bool:
    """Rule 1."""
    if not run.is_sure or not run.is_near(failed):
        return False
    if run.subject != failed.subject and not (
        _ALL_TESTS.match(failed.subject) and is_of_kind(run.subject, "test") and not _ALL_TESTS.match(run.subject)
    ):
        return False
    if not all(_matches(pick, test) for pick in run.picks - failed.picks):
        return False
    if not run.operands or run.is_of_all(failed):
        return True
    if run.subject.startswith(_SUBSTRINGS):
        return any(one in test for one in run.operands)
    named = RunScope(run.subject, failed.directory, frozenset((test,)))
    if "/" in test or "::" in test:
        return run.is_of_all(named)
    return not failed.operands and bool(run.picks)  # by its name, which no path says


def part_was_in(part: str, run: RunScope, failed: RunScope) -> bool:
    """Rule 3."""
    tool, _, name = part.partition(" ")
    if tool == TARGET:
        program = failed.subject.partition(" ")[0]
        return run.subject == f"{program} {name}" and run.is_sure and run.is_near(failed)
    if tool == "pytest":
        return was_in(name, run, failed)
    of_tool = run.subject == failed.subject or bool(_OF_TOOL[tool].match(run.subject))
    if not of_tool or not run.is_sure or not run.is_near(failed) or not run.picks <= failed.picks:
        return False
    if not run.operands or run.is_of_all(failed):
        return True
    if tool == "go":
        common, _, rest = name.partition("//")
        return any(_in_package(operand, common, rest) for operand in run.operands)
    whole = f"{failed.directory}/{name}" if failed.directory else name
    named = (
        RunScope(run.subject, failed.directory, frozenset((name,))),
        RunScope(run.subject, "", frozenset((whole,))),
    )
    return any(operand in name for operand in run.operands) or any(map(run.is_of_all, named))


def _in_package(operand: str, common: str, rest: str) -> bool:
    """Is a package in what a path names from the root of a module? Where that is, is known by what all packages
    have in `common`."""
    package, path = f"{common}/{rest}".strip("/").split("/"), operand.split("/")
    roots = range(len([one for one in common.split("/") if one]) + 1)
    return any(package[root : root + len(path)] == path for root in roots) or path == package


def _matches(pick: str, test: str) -> bool:
    """Does a filter of names let this one through?"""
    option, _, value = pick.partition(" ")
    if not _NAME_FILTERS.fullmatch(option) or not value or re.search(r"\bnot\b", value):
        return False
    value = re.sub(r" or ", "|", value.strip("\"'"))
    try:
        return re.search(value, test) is not None
    except re.error:
        return value in test
