"""A command on one line: as it was run, or as a script with its size and its digest."""

import hashlib

import pytest

from ctxmgr.engine.memory.command_log import run_line, run_of_line
from ctxmgr.engine.memory.wording import coded_command, command_line
from ctxmgr.model.saved import Fact

HEREDOC = "python - <<'EOF'\n" + "print(1)\n" * 82 + "EOF"
SUM = hashlib.sha256(HEREDOC.encode()).hexdigest()[:8]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("npm test", "npm test"),
        ("  npm test\n", "npm test"),
        ("npm test \\\n  --watch=false", "npm test --watch=false"),
        ("", ""),
    ],
)
def test_what_fits_on_a_line_can_be_run_from_it(command: str, line: str) -> None:
    assert command_line(command) == line


def test_a_heredoc_is_told_by_how_it_begins_its_lines_and_its_digest() -> None:
    line = command_line(HEREDOC)
    assert line.startswith("python - <<'EOF' print(1)")
    assert line.endswith(f" (84 lines, sha256 {SUM})")
    assert len(line) <= 240


@pytest.mark.parametrize(
    "command",
    [
        "for one in *; do\n  wc $one\ndone",
        'git commit -m "first\n\nsecond"',
        "cat <<EOF\na\nEOF",
        "a |\n  b",
        "cd app\nnpm test",
    ],
)
def test_several_lines_are_a_script(command: str) -> None:
    assert " lines, sha256 " in command_line(command)


def test_of_a_few_short_lines_all_are_shown() -> None:
    assert command_line("cd app\nnpm test").startswith("cd app; npm test (2 lines, sha256 ")


def test_a_line_too_long_is_told_with_its_length() -> None:
    command = "python tool.py " + " ".join(f"--name-{number}" for number in range(60))
    assert "(1 line, sha256 " in command_line(command)
    assert len(command_line(command)) <= 240


def test_two_scripts_that_begin_alike_are_two() -> None:
    assert command_line(HEREDOC) != command_line(HEREDOC.replace("EOF", "END")[:-3] + "END ")
    assert command_line(HEREDOC) != command_line(HEREDOC.replace("(1)\nEOF", "(2)\nEOF"))


@pytest.mark.parametrize("limit", [40, 120, 240])
def test_as_code_it_keeps_what_is_said_of_it(limit: int) -> None:
    shown = coded_command(command_line(HEREDOC), limit)
    assert shown.startswith("`python - <<'EOF'")
    assert shown.endswith(f"` (84 lines, sha256 {SUM})")
    assert coded_command("npm test", limit) == "`npm test`"


def check(status: str = "ok", detail: str = "", text: str = "pytest") -> Fact:
    return Fact("command", f"test\n{text}", text, "tool", 1, 2, status, detail=detail, runs="test")


# a run, the number of the message of the user that it came after, its line
RUN_LINES: list[tuple[Fact, int, str]] = [
    (check("failed"), 0, "- test: `pytest` failed"),
    (check("failed", "1 failed"), 3, '- test: `pytest` failed after #3: "1 failed"'),
    (check("unknown"), 4, "- test: `pytest` ran after #4, outcome not shown"),
    (
        check(text="make (2 lines, sha256 0123abcd)"),
        1,
        "- test: `make` (2 lines, sha256 0123abcd) passed after #1",
    ),
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
