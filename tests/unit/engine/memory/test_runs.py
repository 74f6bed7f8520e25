"""How each kind of check ended last, and which failures stand."""

from collections.abc import Sequence
from itertools import permutations

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
    ("a later run that passed closes it", [failed("pytest a"), ok("pytest -q")], [("test", "pytest -q", "ok")]),
    (
        "one that failed otherwise stands beside it",
        [failed("pytest tests/a.py"), failed("pytest")],
        [("test", "pytest tests/a.py", "failed"), ("test", "pytest", "failed")],
    ),
    (
        "what it does not cover stands",
        [failed("pytest a"), ok("pytest b | tail -5", "the last line")],
        [("test", "pytest a", "failed"), ("test", "pytest b | tail -5", "unknown")],
    ),
]  # fmt: skip


def test_which_runs_hold() -> None:
    for name, runs, told in CASES:
        for order in permutations(range(len(runs))):
            assert standing(*runs, order=order) == told, name


def test_a_search_a_look_or_a_probe_is_no_run() -> None:
    for line in (
        "rg 'npm test' docs",
        "ls tests",
        "find . -name '*_test.py'",
        "pytest --version",
        "pytest --collect-only -q",
        "python -c 'import test_tools; print(1)'",
    ):
        for run in (ok(line), failed(line, "No such file or directory")):
            assert standing(run) == [], line
            assert standing(failed("pytest a"), run) == [("test", "pytest a", "failed")], line


SEVERAL: list[tuple[Run, dict[str, str]]] = [
    (
        ok("pytest -q; ruff check .", "1 failed, 2 passed in 1s\nAll checks passed!"),
        {"lint": "unknown", "test": "failed"},
    ),
    (ok("ruff check .; pytest -q", "Found 3 errors.\n3 passed"), {"lint": "unknown", "test": "unknown"}),
    (ok("ruff check . && pytest -q", "All checks passed!\n3 passed"), {"lint": "ok", "test": "ok"}),
    (failed("cargo fmt --all && cargo test a", "error: unexpected argument"), {"test": "failed"}),
    (failed("cd web && pytest -q 2>&1 | tail -5"), {"test": "failed"}),
    (failed("cd nope && pytest -q", "bash: cd: nope: No such file or directory"), {}),
    (failed("dist/mise test-tool jc", "sh: dist/mise: No such file or directory\nexit code 127"), {}),
    (failed("pytest -q", "bash: pytest: command not found"), {}),
    (ok("ctest", "50% tests passed, 1 tests failed out of 2"), {"test": "failed"}),
]  # fmt: skip


def test_of_a_line_that_runs_several_each_kind_is_told_as_far_as_its_own_end_is_known() -> None:
    for run, told in SEVERAL:
        assert {kind: ended for kind, _, ended in standing(run)} == told, run


POLL = 'text(JSON.stringify(await tools.write_stdin({session_id:78342,chars:""})))'
GOES_ON = '{"session_id":78342,"output":"collecting"}'


def test_a_run_that_went_on_ends_as_a_later_call_says_that_asks_for_it() -> None:
    for results, status, detail in (
        (['{"exit_code":0,"output":"41 passed in 2s"}'], "ok", "41 passed"),
        ([GOES_ON, '{"exit_code":1,"output":"2 failed, 3 passed"}'], "failed", "2 failed, 3 passed"),
        ([GOES_ON], "unknown", "goes on as 78342"),
    ):
        ledger = Ledger()
        asked = [
            ("exec_command", {"cmd": "pytest -q"}, GOES_ON),
            *(("exec", {"input": POLL}, text) for text in results),
        ]
        for at, (tool, arguments, text) in enumerate(asked):
            ledger = fold(ledger, of_result(tool, arguments, text, at))
        (found,) = [fact for fact in current(ledger) if fact.kind == "command"]
        assert (found.text, found.status, found.detail) == ("pytest -q", status, detail), status


def check(status: str = "ok", detail: str = "", text: str = "pytest") -> Fact:
    return Fact("command", f"test\n{text}", text, "tool", 1, 2, status, detail=detail, runs="test")


# a run, the number of the message of the user that it came after, its line
RUN_LINES: list[tuple[Fact, int, str]] = [
    (check("failed"), 0, "- test: `pytest` failed"),
    (check("unknown"), 4, "- test: `pytest` ran after #4, outcome not shown"),
]


def test_the_line_of_a_run_and_what_is_read_of_it() -> None:
    for run, after, line in RUN_LINES:
        assert run_line(run, after) == line, line
        told = run_of_line(Fact("context", "", line.removeprefix("- "), "summary", 0, 0))
        assert told is not None, line
        assert (told.kind, told.key, told.text, told.seq) == ("command", run.key, run.text, after), line
        assert (told.status, told.detail, told.runs) == (run.status, run.detail, "test"), line
