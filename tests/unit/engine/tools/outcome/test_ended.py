"""How a call ended: what a shell's status says of the commands that its line is about, and what its output says."""

import pytest

from ctxmgr.engine.tools import CallOutcome, is_refused, outcome, tool_call
from ctxmgr.engine.tools.outcome.report import counted
from tests.unit.engine.tools.outcome.shell_lines import ended

ONE = "\n\nCommand exited with code 1"
ROWS = "\nrow" * 9
TWO = "\n\nCommand exited with code 2"


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "cd app && npm test",
        "cd app; npm test",
        "make && make install",
        "echo start; make",
        "git status; make",
        "git diff | head -5; make",
        "printf 'a b' | ./load --stdin",
        "cat rows.txt | ./load --stdin",
        "set -o pipefail; make | tail -5",
        "set -euo pipefail\nmake\nmake install | tail -5",
        "set -e\nmake\nmake install",
        "bash -c 'make && make install'",
        "(cd app && make)",
        "{ make; } && make install",
        "echo done",
        "make > log 2>&1",
        "for_each make",
    ],
)
def test_a_status_of_0_is_ok_for_what_it_speaks_of(command: str) -> None:
    assert ended(command, "text") == "ok"


@pytest.mark.parametrize(
    "command",
    [
        "make | head -30",
        "make 2>&1 | tail",
        "make | grep -v note",
        "make | tee log | tail -5",
        "make && ./load | head -3",
        "make || true",
        "make || echo no",
        "make; true",
        "make || exit 1; make install",
        "make; echo done",
        "make\necho done",
        "make; make install",
        "make > log 2>&1; tail -5 log",
        "! make",
        "(make; true) && echo done",
        "(make && make install) || true",
        "set -e; make || true",
        "set -e; make | tail -5",
        "bash -c 'make | tail -5'",
        "bash -c 'make; true' && echo done",
        "for one in a b; do make $one; done",
        "make &",
    ],
)
def test_a_status_of_0_says_nothing_of_what_came_before_a_pipe_or_another_command(command: str) -> None:
    assert ended(command, "text") == "unknown"


@pytest.mark.parametrize(
    "command",
    [
        "grep -rn name src",
        "cd app && grep name a.py",
        "diff a.txt b.txt",
        "cmp a b",
        "test -f a.txt",
        "[ -d build ]",
        "git diff --exit-code",
        "git diff --quiet && git diff --cached --quiet",
        "git grep name",
        "git merge-base --is-ancestor a b",
        "command -v tool",
        "which tool",
        "pgrep -f server",
        "bash -c 'grep name a.py'",
        "timeout 5 grep name a.py",
    ],
)
def test_a_status_of_1_that_is_an_answer_is_no_failure(command: str) -> None:
    assert ended(command, status=1) == "ok"
    assert ended(command, "some: trouble", status=2) == "failed"
    assert outcome(tool_call("bash", {"command": command}), "some: trouble", True) == "failed"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make", "failed"),
        ("ls missing", "failed"),
        ("cat missing", "failed"),
        ("make; make install", "failed"),
        ("grep name a.py; make", "failed"),
        ("make | grep name", "unknown"),  # of what came before it
        ("make; grep name a.py", "unknown"),
        ("make && grep name a.py", "unknown"),  # of either
        ("test -f a.txt && make", "unknown"),
        ("set -o pipefail; make | grep name", "unknown"),
        ("rg name | head -5; rg other", "unknown"),
        ("git commit -m done", "failed"),
        ("for one in a b; do make $one; done", "failed"),
    ],
)
def test_a_status_of_1_otherwise(command: str, expected: CallOutcome) -> None:
    assert ended(command, status=1) == expected


@pytest.mark.parametrize(
    "text",
    [
        "FAIL\tpkg/a\t0.1s",
        "--- FAIL: TestOne (0.00s)",
        "3 passed, 2 failed in 1 s",
        "a.ts(1,2): error TS2304: no",
        "error[E0277]: no",
        "1 issues:\n* unused: 1",
        "Found 2 errors in 1 file",
        "make: *** [all] Error 2",
        "  ELIFECYCLE  Command failed with exit code 2.",
        "Error: no config",
        "Traceback (most recent call last):",
        "Build failed in 312ms",
        "Failed to compile.",
        "ninja: build stopped: subcommand failed.",
        "Some tests failed.",
        "app.db.OperationalError: no such table: t",
    ],
)
def test_output_that_plainly_says_failing_is_a_failure_where_the_status_does_not_tell(text: str) -> None:
    command = "npm test 2>&1 | tail -5"
    assert ended(command, text) == "failed"
    assert ended(command, f"one\n{text}\nlast") == "failed"
    assert outcome(tool_call("bash", {"command": command}), text, False, doubtful=True) == "failed"
    assert ended("npm test 2>&1", text) == "ok"  # here it does
    assert ended("cat log | tail -5", text) == "unknown"  # a log says what it likes


@pytest.mark.parametrize("text", ["", "built", "✓ counts 2 errors (3ms)", "0 passed", f"1 passed{ROWS}"])
def test_output_that_says_neither_is_unknown(text: str) -> None:
    assert ended("npm test 2>&1 | tail -5", text) == "unknown"


@pytest.mark.parametrize(
    "text", ["ok\tpkg/a\t0.1s", "12 passed", "0 errors, 0 failed", "1 test passed", "All checks passed!"]
)
def test_a_check_that_shows_to_its_end_that_it_passed_went_well(text: str) -> None:
    for command in (
        "npm test | tail -5",
        "cd a && npm test 2>&1 | tee log | tail",
        "npm test || true",
        "npm test; echo done",
        "bash -c 'npm test | tail -5'",
        "npm test 2>&1 | head -50",
        "npm test | head -n 3",
    ):
        assert ended(command, text) == "ok"
        assert ended(command, f"{text}\n1 failed") == "failed"
    assert outcome(tool_call("bash", {"command": "npm test"}), text, False, doubtful=True) == "ok"
    for command in (
        "npm test | head -1",
        "npm test | head -n 1 | tail",
        "npm test | head -c 50",
        "npm test | grep x",
        "npm test > log; ./load",
        "npm test; npm run lint | tail",
    ):
        assert ended(command, text) == "unknown"  # nobody shows the end
    assert ended("./load | tail -5", text) == "unknown"  # no check


def test_a_run_that_is_no_check_is_told_by_the_edges_of_its_output_alone() -> None:
    middle = "\n".join(["row"] * 20)
    assert ended("./load | head -90", "fatal: no such table") == "failed"
    assert ended("./load | head -90", f"{middle}\nbash: load: command not found") == "failed"
    assert ended("./load | head -90", f"{middle}\nfatal: a row\n{middle}") == "unknown"
    assert ended("./load | head -90", "2 errors were mended") == "unknown"
    assert ended("./deploy.sh | tail -5", "pushing\nDeploy failed: no route") == "failed"
    assert ended("./load | tail -5", "the tests failed before and pass") == "unknown"


def test_where_it_could_not_go_nothing_ran() -> None:
    assert ended("cd app && grep name a.py", "bash: line 1: cd: app: No such file or directory", 1) == "failed"
    assert ended("cd app; grep -c name a.py | head", "(eval):cd:1: no such file or directory: app") == "failed"


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ('make > log 2>&1; echo "exit: $?"', "exit: 0", "ok"),
        ('make > log 2>&1; echo "exit: $?"', "a\nexit: 2\n", "failed"),
        ("make\necho $?", "built\n0", "ok"),
        ("make | tail -5; echo $?", "built\n0", "unknown"),
        ("grep name a.py; echo $?", "1", "ok"),
        ("make; echo $?", "built", "unknown"),
    ],
)
def test_a_status_that_the_line_prints_itself_counts(command: str, text: str, expected: CallOutcome) -> None:
    assert ended(command, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Process running with session ID 12\nOutput:\nstarted",
        "Script running with cell ID 3",
        "Command running in background with ID: b1. Output goes to /tmp/b1.",
    ],
)
def test_what_goes_on_has_not_ended(text: str) -> None:
    assert ended("make", text) == "unknown"
    assert ended("make", f"reads of it\n{'row' * 300}\n{text}") == "ok"


def test_the_command_lines_of_a_script_are_tied_together() -> None:
    script = 'await tools.exec_command({cmd:"make | tail -5"});await tools.exec_command({cmd:"make install"});'
    assert outcome(tool_call("exec", {"input": script}), "text", False) == "unknown"
    assert outcome(tool_call("exec", {"input": script.replace(" | tail -5", "")}), "text", False) == "ok"


def test_another_tool_is_told_by_its_mark_alone() -> None:
    call = tool_call("read", {"path": "a.py"})
    assert [outcome(call, f"FAIL{ONE}", mark) for mark in (False, True)] == ["ok", "failed"]
    assert outcome(call, f"x{TWO}", False, doubtful=True) == "unknown"


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", True),
        ("Error: The user rejected permission to use this specific tool call.", True),
        ("exec command rejected by user", True),
        ("Permission to use Bash with command rm -r x has been denied.", True),
        ("User denied execution.\nmore", True),
        ("git@host: Permission denied (publickey).", False),
        ("Access denied for user 'root'@'localhost'", False),
        ("FAILED test_a: the user rejected it", False),
        ("Command interrupted by user", False),
        ("users refused", False),
        ("", False),
        ('exec_command failed for `rm x`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', True),
        ("exec_command failed for `rm x`: no such program", False),
    ],
)
def test_what_a_person_refused(text: str, refused: bool) -> None:
    assert is_refused(text) is refused


@pytest.mark.parametrize(
    "line",
    [
        'psql: error: connection to server at "db" (10.0.0.1), port 5432 failed: FATAL:  password',
        "step 3 failed",
        "Job 17 failed: see its log",
        "line 12 error: no such thing",
    ],
)
def test_the_number_of_one_thing_is_no_count(line: str) -> None:
    assert list(counted([line])) == []


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("3 failed, 41 passed", [(3, "failed"), (41, "passed")]),
        ("Tests  2 failed | 3 passed", [(2, "failed"), (3, "passed")]),
        ("FAIL 2 failed", [(2, "failed")]),
        ("finished with 2 failed and 3 passed", [(2, "failed"), (3, "passed")]),
        ("Would fix 1 error.", [(1, "error")]),
        ("there remain 12 errors", [(12, "errors")]),
        ("21 tests failed", [(21, "failed")]),
    ],
)
def test_a_count_is_one_behind_what_counts(line: str, count: list[tuple[int, str]]) -> None:
    assert list(counted([line])) == count


STATUS_OF_ANSWER = "code=$(curl -s -o /dev/null -w '%{http_code}' localhost:9/x); "


@pytest.mark.parametrize(
    ("command", "output", "end"),
    [
        (STATUS_OF_ANSWER + 'echo "got $code"', "got 500", "unknown"),
        (STATUS_OF_ANSWER + 'echo "got $code"', "got 200", "unknown"),
        (STATUS_OF_ANSWER + "echo $code", "500", "failed"),
        (STATUS_OF_ANSWER + "make", "built", "unknown"),
        ("stamp=$(date +%s); make", "built", "ok"),
        ("body=$(curl -s localhost:9/x); make", "built", "ok"),
    ],
)
def test_what_a_server_answered_into_a_variable_is_no_success(command: str, output: str, end: str) -> None:
    assert ended(command, output) == end
