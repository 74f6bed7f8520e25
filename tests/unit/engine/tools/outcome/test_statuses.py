"""What a status says that is no failure, and the status of a server's answer that a command prints."""

import pytest

from ctxmgr.engine.tools import CallOutcome
from tests.unit.engine.tools.outcome.shell_lines import ended


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("gh pr checks 12", 8, "unknown"),  # pending
        ("gh pr checks 12 --watch", 1, "failed"),
        ("git ls-remote --exit-code origin one", 2, "ok"),
        ("git -C app diff --exit-code", 1, "ok"),
        ("terraform plan -detailed-exitcode", 2, "ok"),
        ("systemctl is-active app", 3, "ok"),
        ("systemctl status app", 3, "ok"),
        ("npm outdated", 1, "ok"),
        ("pip show rich", 1, "ok"),
        ("ps -p 4", 1, "ok"),
        ("kill -0 4", 1, "ok"),
        ("kill 4", 1, "failed"),
        ("./scripts/test", 1, "failed"),
        ("jq -e .name a.json", 1, "ok"),
        ("jq .name a.json", 2, "failed"),
        ("tmux has-session -t one", 1, "ok"),
        ("dnf check-update", 100, "ok"),
        ("grep name a.py", 8, "failed"),
        ("gh pr checks 12; make", 8, "failed"),
        ("make; gh pr checks 12", 8, "unknown"),
        ("make && gh pr checks 12", 8, "unknown"),
    ],
)
def test_a_status_is_told_as_the_manual_of_the_program_has_it(
    command: str, status: int, expected: CallOutcome
) -> None:
    assert ended(command, "", status) == expected
    assert ended(f"{command}; echo $?", str(status)) == expected


STATUS = "curl -s -o /dev/null -w '%{http_code}' http://a/"


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        (STATUS, "200", "ok"),
        (STATUS, "302", "ok"),
        (STATUS, "404", "failed"),
        (STATUS, "500", "failed"),
        (STATUS, "000", "failed"),
        (STATUS, "no network", "unknown"),
        (STATUS.replace("http_code", "response_code"), "503", "failed"),
        (STATUS.replace("}'", "}\\n'"), "503\n", "failed"),
        ('curl -sw "%{http_code} %{time_total}\\n" http://a/ -o x', "404 0.002", "failed"),
        ('curl -s --write-out="\\nHTTP %{http_code}" http://a/', '{"code": 500}\nHTTP 200', "ok"),
        ("curl -s -w '%{http_code}' http://a/", '{"n": 500}200', "ok"),
        ("curl -s -w '%{http_code}' http://a/", "<p>200</p>\n<p>of 1500</p>502", "failed"),
        ("curl -s -w '%{http_code}' http://a/", "row 12200", "unknown"),  # not told apart from the text
        ("curl -s -w @form.txt http://a/", "404", "unknown"),
        ('curl -s -w "$FORM" http://a/', "404", "unknown"),
        ("curl -s -w '%{json}' http://a/", '{"http_code":404}', "unknown"),
        ("curl -s -w '%{time_total}' http://a/", "404", "ok"),  # a time
        ("curl -sI http://a/", "HTTP/1.1 404 Not Found\nServer: a", "failed"),
        ("curl -sIL http://a/", "HTTP/1.1 301 Moved\n\nHTTP/2 200 \nServer: a", "ok"),
        ("curl -i http://a/", "HTTP/1.1 200 OK\n\nError: this is a page", "ok"),
        (f"{STATUS} || true", "000", "failed"),
        (f"{STATUS}; echo", "200", "ok"),
        (f"{STATUS} > code; ./load", "", "unknown"),
        (f"make; {STATUS}", "200", "unknown"),
        (f"make && {STATUS}", "built\n200", "ok"),
        (f"make; {STATUS}", "503", "failed"),
        (f"{STATUS}; {STATUS}", "200", "unknown"),
        (f"{STATUS}; echo; {STATUS}", "200\n204", "ok"),
        (f"{STATUS}; echo; {STATUS}", "200\n404", "failed"),
    ],
)
def test_the_status_of_an_answer_that_a_command_prints_tells_how_it_ended(
    command: str, text: str, expected: CallOutcome
) -> None:
    assert ended(command, text) == expected


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ('pytest -q 2>&1 | tail -5; echo "exit: ${PIPESTATUS[0]}"', "...\nexit: 1", "failed"),
        ('pytest -q 2>&1 | tail -5; echo "exit: ${PIPESTATUS[0]}"', "...\nexit: 0", "ok"),
        ('make; echo "$? 5"', "2 5", "unknown"),  # the last number is another
    ],
)
def test_a_status_that_the_line_prints_is_that_of_the_command_it_names(
    command: str, text: str, expected: CallOutcome
) -> None:
    assert ended(command, text) == expected


def test_a_command_whose_reader_had_enough_is_not_known_to_have_failed() -> None:
    assert ended("set -o pipefail; make | head -3", "x", 141) == "unknown"
    assert ended("make", "x", 141) == "failed"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("bun test | tail -4", " 3 pass\n 1 fail\n 4 expect() calls\nRan 4 tests across 1 files. [12.00ms]"),
        ("stack test | tail", "Examples: 20  Tried: 20  Errors: 0  Failures: 2"),
        ("flutter test | tail -1", "00:05 +12 -2: Some tests failed."),
        ("npx prettier --check . ; true", "[warn] a.js\n[warn] Code style issues found in the above file."),
        ("./configure | tail -2", "checking for zlib... no\nconfigure: error: zlib not found"),
        ("psql -f a.sql | tail -2", 'psql:a.sql:3: ERROR:  relation "a" does not exist\nLINE 1: select'),
        ("npm run build 2>&1 | tail -3", "x Build failed in 312ms\n[vite]: could not resolve"),
    ],
)
def test_more_tools_that_have_no_row_are_read_by_what_they_plainly_say(command: str, text: str) -> None:
    assert ended(command, text) == "failed"
