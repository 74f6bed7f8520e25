"""How each kind of check ended last, and which failures stand."""

from collections.abc import Sequence
from itertools import permutations

import pytest

from ctxmgr.engine.memory import current, fold
from ctxmgr.engine.memory.command_log import run_line, run_of_line
from ctxmgr.model.saved import Fact, Ledger
from tests.unit.engine.memory.packets import of_result

Run = tuple[str, str, bool]
"""A command line, what it printed, and whether the host marks it as an error."""
Told = tuple[str, str, str]
"""Kind, line, how it ended."""


def ok(line: str, output: str = "") -> Run:
    return line, output, False


def failed(line: str, output: str = "") -> Run:
    return line, output, True


def after(ledger: Ledger, run: Run, at: int) -> Ledger:
    line, output, is_error = run
    return fold(ledger, of_result("Bash", {"command": line}, output, at, is_error=is_error))


def standing(*runs: Run, order: Sequence[int] | None = None) -> list[Told]:
    """What is told after these; `order`: in which their messages are seen."""
    ledger = Ledger()
    for at in order or range(len(runs)):
        ledger = after(ledger, runs[at], at)
    return [(fact.runs, fact.text, fact.status) for fact in current(ledger) if fact.kind == "command"]


CASES: list[tuple[str, list[Run], list[Told]]] = [
    (
        "the newest of each kind holds, and nothing that passed before it",
        [ok("pytest a"), ok("ruff check ."), ok("pytest b"), ok("make"), ok("mypy .")],
        [("lint", "ruff check .", "ok"), ("test", "pytest b", "ok"),
         ("build", "make", "ok"), ("types", "mypy .", "ok")],
    ),
    ("a later run that passed closes it", [failed("pytest a"), ok("pytest -q")], [("test", "pytest -q", "ok")]),
    (
        "a project's own check closes type errors, too",
        [failed("npx tsc --noEmit"), ok("npm run check")],
        [("lint", "npm run check", "ok")],
    ),
    (
        "a project's own check closes no run whose end nobody knows",
        [ok("npx tsc --noEmit | tail -5", "the last line"), ok("npm run check")],
        [("types", "npx tsc --noEmit | tail -5", "unknown"), ("lint", "npm run check", "ok")],
    ),
    (
        "a linter that passes closes no type error",
        [failed("mypy ."), ok("ruff check .")],
        [("types", "mypy .", "failed"), ("lint", "ruff check .", "ok")],
    ),
    (
        "one that failed again takes its own place",
        [failed("pytest tests/a.py"), failed("pytest tests/a.py")],
        [("test", "pytest tests/a.py", "failed")],
    ),
    (
        "one that failed otherwise stands beside it",
        [failed("pytest tests/a.py"), failed("pytest")],
        [("test", "pytest tests/a.py", "failed"), ("test", "pytest", "failed")],
    ),
    (
        "how one ended that the user stopped nobody knows",
        [failed("npm test"), failed("npm test", "> jest\n\n\nCommand aborted")],
        [("test", "npm test", "unknown")],
    ),
    (
        "a run that nobody saw the end of takes the place of what it covers: nobody knows that it fails still",
        [failed("npm test | tail -5"), ok("npm test | tail -5", "the last line")],
        [("test", "npm test | tail -5", "unknown")],
    ),
    (
        "what it does not cover stands",
        [failed("pytest a"), ok("pytest b | tail -5", "the last line")],
        [("test", "pytest a", "failed"), ("test", "pytest b | tail -5", "unknown")],
    ),
    (
        "a run in the background is told without its outcome",
        [failed("npm test"), ok("npm test", "Command running in background with ID: b1")],
        [("test", "npm test", "unknown")],
    ),
    (
        "of several that were not shown the last alone is told",
        [ok("npm test | tail -5", "x"), ok("make test | tail -1", "y")],
        [("test", "make test | tail -1", "unknown")],
    ),
    (
        "a fix that leaves nothing closes what its linter found",
        [failed("eslint src"), ok("eslint --fix src")],
        [("lint", "eslint --fix src", "ok")],
    ),
    (
        "a formatter closes nothing",
        [failed("ruff check ."), ok("ruff format .")],
        [("lint", "ruff check .", "failed")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "runs", "told"), CASES, ids=[case[0] for case in CASES])
def test_which_runs_hold(name: str, runs: list[Run], told: list[Told]) -> None:
    for order in permutations(range(len(runs))):
        assert standing(*runs, order=order) == told


@pytest.mark.parametrize(
    "line",
    [
        "grep -rn pytest .",
        "rg 'npm test' docs",
        "ls tests",
        "which pytest",
        "cat pytest.ini",
        "find . -name '*_test.py'",
        "head -5 build/test.log",
        "pytest --version",
        "pytest --collect-only -q",
        "ruff --help",
        "npx playwright test --list",
        "make build --dry-run",
        "git commit -m 'make test pass'",
        "curl -s localhost:8000/test",
        "npm install",
        "echo pytest",
        "python -c 'import test_tools; print(1)'",
    ],
)
def test_a_search_a_look_or_a_probe_is_no_run(line: str) -> None:
    for run in (ok(line), failed(line, "No such file or directory")):
        assert standing(run) == []
        assert standing(failed("pytest a"), run) == [("test", "pytest a", "failed")]


def test_what_a_line_counted_is_told_of_its_tests() -> None:
    facts = of_result("Bash", {"command": "npm run lint && npm test"}, "Tests: 3 passed, 3 total")
    assert {fact.runs: fact.detail for fact in facts} == {"lint": "", "test": "3 passed"}


SEVERAL: list[tuple[Run, dict[str, str]]] = [
    (
        failed("ruff check . && pytest -q", "All checks passed!\n1 failed, 2 passed in 1s"),
        {"lint": "unknown", "test": "failed"},
    ),
    (
        ok("pytest -q; ruff check .", "1 failed, 2 passed in 1s\nAll checks passed!"),
        {"lint": "unknown", "test": "failed"},
    ),
    (ok("ruff check .; pytest -q", "Found 3 errors.\n3 passed"), {"lint": "unknown", "test": "unknown"}),
    (ok("ruff check . && pytest -q", "All checks passed!\n3 passed"), {"lint": "ok", "test": "ok"}),
    (failed("npm run build && npm test", "Tests: 1 failed, 3 passed"), {"build": "unknown", "test": "failed"}),
    (failed("pytest -q && git commit -qm x", "3 passed\nnothing to commit"), {"test": "unknown"}),
    (failed("pytest -q; grep foo a.py", "3 passed"), {"test": "unknown"}),
    (failed("pytest -q 2>&1 | grep FAILED"), {"test": "unknown"}),
    (failed("cargo fmt --all && cargo test a", "error: unexpected argument"), {"test": "failed"}),
    (failed("cd web && pytest -q 2>&1 | tail -5"), {"test": "failed"}),
    (failed("cd nope && pytest -q", "bash: cd: nope: No such file or directory"), {}),
    (failed("dist/mise test-tool jc", "sh: dist/mise: No such file or directory\nexit code 127"), {}),
    (failed("pytest -q", "bash: pytest: command not found"), {}),
    (ok("ctest", "50% tests passed, 1 tests failed out of 2"), {"test": "failed"}),
    (ok("make -n test", "pytest"), {}),
    (ok("pytest --fixtures", "tmp_path"), {}),
]  # fmt: skip


@pytest.mark.parametrize(("run", "told"), SEVERAL, ids=[run[0] for run, _ in SEVERAL])
def test_of_a_line_that_runs_several_each_kind_is_told_as_far_as_its_own_end_is_known(
    run: Run, told: dict[str, str]
) -> None:
    assert {kind: ended for kind, _, ended in standing(run)} == told


def test_the_newest_failure_of_a_kind_stands_beside_its_newest_run() -> None:
    runs = [failed(f"pytest tests/{name}.py") for name in "abcdef"]
    assert [line[-4] for _, line, _ in standing(*runs)] == ["e", "f"]


POLL = 'text(JSON.stringify(await tools.write_stdin({session_id:78342,chars:""})))'
GOES_ON = '{"session_id":78342,"output":"collecting"}'


@pytest.mark.parametrize(
    ("results", "status", "detail"),
    [
        (['{"exit_code":0,"output":"41 passed in 2s"}'], "ok", "41 passed"),
        ([GOES_ON, '{"exit_code":1,"output":"2 failed, 3 passed"}'], "failed", "2 failed, 3 passed"),
        ([GOES_ON], "unknown", "goes on as 78342"),
    ],
)
def test_a_run_that_went_on_ends_as_a_later_call_says_that_asks_for_it(
    results: list[str], status: str, detail: str
) -> None:
    ledger = Ledger()
    asked = [
        ("exec_command", {"cmd": "pytest -q"}, GOES_ON),
        *(("exec", {"input": POLL}, text) for text in results),
    ]
    for at, (tool, arguments, text) in enumerate(asked):
        ledger = fold(ledger, of_result(tool, arguments, text, at))
    (found,) = [fact for fact in current(ledger) if fact.kind == "command"]
    assert (found.text, found.status, found.detail) == ("pytest -q", status, detail)


def check(status: str = "ok", detail: str = "", text: str = "pytest") -> Fact:
    return Fact("command", f"test\n{text}", text, "tool", 1, 2, status, detail=detail, runs="test")


# a run, the number of the message of the user that it came after, its line
RUN_LINES: list[tuple[Fact, int, str]] = [
    (check("failed"), 0, "- test: `pytest` failed"),
    (check("failed", "1 failed"), 3, '- test: `pytest` failed after #3: "1 failed"'),
    (check("unknown"), 4, "- test: `pytest` ran after #4, outcome not shown"),
    (check(text="make (2 lines, sha256 0123abcd)"), 1, "- test: `make` (2 lines, sha256 0123abcd) passed after #1"),
]


@pytest.mark.parametrize(("run", "after", "line"), RUN_LINES)
def test_the_line_of_a_run_and_what_is_read_of_it(run: Fact, after: int, line: str) -> None:
    assert run_line(run, after) == line
    told = run_of_line(Fact("context", "", line.removeprefix("- "), "summary", 0, 0))
    assert told is not None
    assert (told.kind, told.key, told.text, told.seq) == ("command", run.key, run.text, after)
    assert (told.status, told.detail, told.runs) == (run.status, run.detail, "test")


def test_what_stands_beside_a_run() -> None:
    changed = '- test: `pytest` passed after #3, files changed since: "2 passed"'
    assert run_line(check("ok", "2 passed"), 3, True) == changed
    assert [len(run_line(check("failed", "x" * size), 0)) for size in (200, 201)] == [227, 226]
