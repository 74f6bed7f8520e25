"""How a call ended: what a shell's status says of the commands that its line is about, and what its output says."""

import pytest

from ctxmgr.engine.tools import (
    CallOutcome,
    asks_for,
    counts_text,
    end_of_run,
    goes_on_as,
    is_refused,
    never_began,
    outcome,
    tool_call,
    weighed_run,
)
from ctxmgr.engine.tools.outcome import READ_CHARACTERS, read_output

ONE = "\n\nCommand exited with code 1"
FAILS = "FAILED tests/a.py::test_one - x\n1 failed, 2 passed in 0.10s"
PASSES = "3 passed in 0.10s"


def ended(command: str, text: str = "", status: int = 0) -> CallOutcome:
    """How a line ended, by its output and the status that the host tells."""
    shown = f"{text}\n\nCommand exited with code {status}" if status else text
    return outcome(tool_call("bash", {"command": command}), shown, status != 0)


def weighed(command: str, text: str, status: int = 0) -> tuple[CallOutcome, str, tuple[str, ...]]:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    end, report = weighed_run(shell, text, ended(command, text, status))
    return end, counts_text(report.counts), report.lines


# a line that printed nothing of note, how it ended with status 0, 1 and 2 (what a status says: test_lines)
LINES: list[tuple[str, str, str, str]] = [
    ("npm test", "ok", "failed", "failed"),
    ("cat rows.txt | ./load --stdin", "ok", "failed", "failed"),
    ("make > log 2>&1", "ok", "failed", "failed"),
    ("make | tee log | tail -5", "unknown", "failed", "failed"),
    ("(make && make install) || true", "unknown", "failed", "failed"),
    ("bash -c 'make; true' && echo done", "unknown", "failed", "failed"),
    ("make &", "unknown", "failed", "failed"),
    ("(pytest -q", "unknown", "failed", "failed"),
    ("cd app && grep name a.py", "ok", "ok", "failed"),
    ("git diff --quiet && git diff --cached --quiet", "ok", "ok", "failed"),
    ("bash -c 'grep name a.py'", "ok", "ok", "failed"),
    ("timeout 5 grep name a.py", "ok", "ok", "failed"),
    ("grep name a.py; make", "ok", "failed", "failed"),
    ("make; grep name a.py", "unknown", "unknown", "failed"),
    ("rg name | head -5; rg other", "unknown", "unknown", "failed"),
    ("for one in a b; do grep $one c.txt; make; done", "unknown", "unknown", "failed"),
]


@pytest.mark.parametrize(("command", "zero", "one", "two"), LINES)
def test_how_a_line_ended_by_its_status(command: str, zero: str, one: str, two: str) -> None:
    assert [ended(command, "text", status) for status in (0, 1, 2)] == [zero, one, two]
    assert outcome(tool_call("bash", {"command": command}), "some: trouble", True) == "failed"


@pytest.mark.parametrize(
    "text",
    [
        "--- FAIL: TestOne (0.00s)",
        "3 passed, 2 failed in 1 s",
        "error[E0277]: no",
        "Found 2 errors in 1 file",
        "make: *** [all] Error 2",
        "  ELIFECYCLE  Command failed with exit code 2.",
        "Error: no config",
        "Traceback (most recent call last):",
        "bash: pytest: command not found",
        "src/a.py:1:1: F401 'os' imported but unused",
    ],
)
def test_output_that_plainly_says_failing_is_a_failure_where_the_status_does_not_tell(text: str) -> None:
    command = "npm test 2>&1 | tail -5"
    assert ended(command, f"one\n{text}\nlast") == "failed"
    assert outcome(tool_call("bash", {"command": command}), text, False, doubtful=True) == "failed"
    assert ended("npm test 2>&1", text) == "ok"  # here it does
    assert ended("cat log | tail -5", text) == "unknown"  # a log says what it likes
    assert ended("./load | tail -5", text) == "unknown"  # and so does what is no check
    assert ended("for one in a b; do npm test; done", text) == "unknown"  # of which round?


@pytest.mark.parametrize("text", ["built", "✓ counts 2 errors (3ms)", "0 passed", "1 passed" + "\nrow" * 9])
def test_output_that_says_neither_is_unknown(text: str) -> None:
    assert ended("npm test 2>&1 | tail -5", text) == "unknown"


@pytest.mark.parametrize("text", ["ok\tpkg/a\t0.1s", "12 passed", "0 errors, 0 failed", "All checks passed!"])
def test_a_check_that_shows_to_its_end_that_it_passed_went_well(text: str) -> None:
    for command in (
        "cd a && npm test 2>&1 | tee log | tail",
        "npm test || true",
        "npm test; echo done",
        "bash -c 'npm test | tail -5'",
        "npm test | head -n 30",
        "npm test | head -q -n 30",
        "npm test | head --quiet --lines=30",
    ):
        assert ended(command, text) == "ok", command
        assert ended(command, f"{text}\n1 failed") == "failed", command
    assert outcome(tool_call("bash", {"command": "npm test"}), text, False, doubtful=True) == "ok"
    for command in (
        "npm test | grep x",
        "npm test > log; ./load",
        "bash -c 'npm test | grep x' | tail -3",
        "npm test; npm run lint | tail",
        "for one in a b; do npm test | tail -3; done",
        "npm test | head -1",
        "npm test | head -c 90",
        "npm test | head -n $LINES",
    ):
        assert ended(command, text) == "unknown", command  # nobody shows the end


def test_a_compiler_that_prints_errors_alone_and_printed_nothing_went_well() -> None:
    assert ended("go build ./... 2>&1 | head -20", "") == "ok"
    assert ended("npx tsc --noEmit | tail", "\n") == "ok"
    assert ended("npx tsc --noEmit | grep a.ts", "") == "unknown"
    assert ended("npm test | tail", "") == "unknown"


def test_where_it_could_not_go_nothing_ran() -> None:
    text = "bash: line 1: cd: app: No such file or directory"
    assert ended("cd app && grep name a.py", text, 1) == "failed"
    assert ended("cd app; grep -c name a.py | head", "(eval):cd:1: no such file or directory: app") == "failed"
    assert [never_began(one) for one in (text, "bash: x: command not found", "exit code 127", f"x{ONE}")] == [
        True,
        True,
        True,
        False,
    ]


def test_several_results_in_one_that_ended_differently_tell_nothing() -> None:
    record = '{"chunk_id":"a","wall_time_seconds":0.1,"exit_code":%d,"output":"x"}'
    assert ended("make", record % 0 + record % 0) == "ok"
    assert ended("make", record % 0 + record % 1) == "unknown"


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("Process running with session ID 12\nOutput:\nstarted", "12"),
        ("Script running with cell ID 3", "3"),
        ('{"session_id": 7}', "7"),
        ("Command running in background with ID: b1. Output goes to /tmp/b1.", "b1"),
    ],
)
def test_what_goes_on_has_not_ended(text: str, run: str) -> None:
    assert goes_on_as(text) == run
    assert ended("make", text) == "unknown"
    assert end_of_run(text, False, False)[0] == "unknown"
    assert ended("make", f"reads of it\n{'row' * 300}\n{text}") == "ok"


def test_a_call_asks_for_a_run_by_its_id() -> None:
    assert asks_for({"bash_id": "b1"}) == "b1"
    assert asks_for({"session_id": 12, "chars": ""}) == "12"
    assert asks_for({"input": "await tools.write_stdin({session_id: 12})"}) == "12"
    assert asks_for({"path": "a.py"}) == asks_for({"input": 3}) == ""


@pytest.mark.parametrize(
    ("text", "is_error", "doubtful", "expected"),
    [
        (PASSES, False, False, "ok"),
        ("done", False, False, "ok"),
        (FAILS, False, False, "failed"),
        ("Error: no", False, False, "unknown"),
        (PASSES, True, False, "failed"),
        (PASSES, False, True, "ok"),
        ("done", False, True, "unknown"),
    ],
)
def test_the_end_of_a_run_that_went_on(text: str, is_error: bool, doubtful: bool, expected: CallOutcome) -> None:
    assert end_of_run(text, is_error, doubtful)[0] == expected


def test_a_check_that_ended_with_0_and_counts_failures_failed() -> None:
    assert weighed("npm test", FAILS) == ("failed", "1 failed, 2 passed", (FAILS.split("\n")[0],))
    assert weighed("npm test", PASSES) == ("ok", "3 passed", ())
    assert weighed("npm test", "Error: a test prints so")[0] == "unknown"
    assert weighed("npm test", FAILS, status=1)[:2] == ("failed", "1 failed, 2 passed")
    assert weighed("cat log", FAILS) == ("ok", "", ())
    assert weighed("./load", FAILS) == ("ok", "", ())


def test_a_run_that_a_person_stopped_is_unknown() -> None:
    shell = tool_call("bash", {"command": "npm test"}).shell
    assert shell is not None
    assert weighed_run(shell, f"{FAILS}\nCommand aborted by user", "failed")[0] == "unknown"
    assert weighed_run(shell, f"Command aborted by user\n{FAILS}", "failed")[0] == "failed"


def test_the_command_lines_of_a_script_are_tied_together() -> None:
    script = 'await tools.exec_command({cmd:"make | tail -5"});await tools.exec_command({cmd:"make install"});'
    assert outcome(tool_call("exec", {"input": script}), "text", False) == "unknown"
    assert outcome(tool_call("exec", {"input": script.replace(" | tail -5", "")}), "text", False) == "ok"


def test_another_tool_is_told_by_its_mark_alone() -> None:
    call = tool_call("read", {"path": "a.py"})
    assert [outcome(call, f"FAIL{ONE}", mark) for mark in (False, True)] == ["ok", "failed"]
    assert outcome(call, "x", False, doubtful=True) == "unknown"


def test_a_shown_text_that_begins_as_an_error_is_none() -> None:
    assert outcome(tool_call("bash", {"command": "cat a.log"}), "Error: x", True, doubtful=True) == "unknown"
    assert outcome(tool_call("bash", {"command": "make"}), "Error: x", True, doubtful=True) == "failed"


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", True),
        ("Error: The user rejected permission to use this specific tool call.", True),
        ("exec command rejected by user", True),
        ("Permission to use Bash with command rm -r x has been denied.", True),
        ("git@host: Permission denied (publickey).", False),
        ("FAILED test_a: the user rejected it", False),
        ("Command interrupted by user", False),
        ('exec_command failed for `rm x`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', True),
        ("exec_command failed for `rm x`: no such program", False),
    ],
)
def test_what_a_person_refused(text: str, refused: bool) -> None:
    assert is_refused(text) is refused


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("=== 41 passed, 3 failed ===", "3 failed, 41 passed"),
        ("finished with 2 failing and 3 passing", "2 failed, 3 passed"),
        ("Result: 1 error, 21 tests passed, 0 skipped", "1 error, 21 passed"),
        ("✓ counts 2 errors", ""),
    ],
)
def test_a_line_of_no_known_program_counts(line: str, counts: str) -> None:
    assert counts_text(read_output(f"{line}\nError: x").counts) == counts


def test_a_long_output_is_read_at_its_start_and_its_end_also_within_a_record() -> None:
    rows = "row\n" * READ_CHARACTERS
    assert read_output(f"{FAILS}\n{rows}").ended == "failed"
    assert read_output(f"{rows}{FAILS}\n{rows}").ended == "unknown"
    assert read_output('{"output":"one\\n1 failed, 2 passed in 0.10s\\n"}').counts == ((1, "failed"), (2, "passed"))
