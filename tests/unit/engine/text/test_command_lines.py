"""A command on one line: as it was run, or as a script with its size, what it writes and its digest."""

import hashlib

import pytest

from ctxmgr.engine.text.command_lines import begins, coded_command, command_line, is_script, leading_command

HEREDOC = "python - <<'EOF'\n" + "print(1)\n" * 82 + "EOF"
SUM = hashlib.sha256(HEREDOC.encode()).hexdigest()[:8]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("npm test", "npm test"),
        ("  npm test\n", "npm test"),
        ("cd app\nnpm test", "cd app; npm test"),
        ("npm test \\\n  --watch=false", "npm test --watch=false"),
        ("", ""),
    ],
)
def test_what_fits_on_a_line_can_be_run_from_it(command: str, line: str) -> None:
    assert command_line(command) == line
    assert not is_script(line)


def test_a_heredoc_is_told_by_how_it_begins_its_lines_and_its_digest() -> None:
    line = command_line(HEREDOC)
    assert line.startswith("python - <<'EOF' print(1)")
    assert line.endswith(f" (84 lines, sha256 {SUM})")
    assert len(line) <= 240
    assert is_script(line)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cat > f.py <<'EOF'\nx = 1\nEOF\npytest -q", "cat > f.py <<'EOF'; pytest -q"),
        (
            "cd app\ncat > f.py <<'EOF'\nx = 1\nEOF\n\n# now\npytest -q | tail -3",
            "cd app; cat > f.py <<'EOF'; pytest -q | tail -3",
        ),
        ("cat > a <<A\nx\nA\ncat > b <<-'B'\n\ty\n\tB\nmake test", "cat > a <<A; cat > b <<-'B'; make test"),
        (f"cat > {'d/' * 90}f.py <<'EOF'\nx\nEOF\npytest -q", "pytest -q"),
    ],
)
def test_a_command_behind_the_text_of_a_heredoc_is_shown(command: str, shown: str) -> None:
    line = command_line(command, ("f.py",))
    assert line.partition(" (")[0] == shown
    assert is_script(line)
    assert len(line) <= 240


def test_of_one_that_writes_a_file_the_file_is_told() -> None:
    text = "cat > src/table.py <<EOF\n" + "row\n" * 90 + "EOF"
    line = command_line(text, ("src/table.py",))
    head, _, rest = line.partition(" (")
    assert head == "cat > src/table.py <<EOF"
    assert rest.startswith("92 lines, writes src/table.py, sha256 ")


@pytest.mark.parametrize(
    "command",
    [
        "for one in *; do\n  wc $one\ndone",
        'git commit -m "first\n\nsecond"',
        "cat <<EOF\na\nEOF",
        "a |\n  b",
        "ls\n# why",
        "ls # why\nwc",
    ],
)
def test_lines_that_can_not_be_put_on_one_are_a_script(command: str) -> None:
    assert is_script(command_line(command))


def test_a_line_too_long_is_told_with_its_length() -> None:
    command = "python tool.py " + " ".join(f"--name-{number}" for number in range(60))
    assert f"({len(command)} characters, sha256 " in command_line(command)
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


def test_how_it_begins_is_without_what_is_said_of_it() -> None:
    assert begins(command_line(HEREDOC)).startswith("python - <<'EOF' print(1)")
    assert "sha256" not in begins(command_line(HEREDOC))
    assert begins("npm test") == "npm test"


@pytest.mark.parametrize("command", ["npm test", HEREDOC])
def test_what_was_shown_is_read_again(command: str) -> None:
    line = command_line(command)
    assert leading_command(f"{coded_command(line)}: failed") == line
    assert leading_command("it failed") == ""


BODY = "\n\n" + "a line of the text says why\n" * 20
OPENS = "git commit -m \"$(cat <<'EOF'"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (f'{OPENS}\nMend a\nEOF\n)"', f'{OPENS} Mend a )"'),
        (f'git add -A && {OPENS}\nMend a{BODY}EOF\n)"', f'git add -A && {OPENS} Mend a… )"'),
        (f'cd app\n{OPENS}\nMend a{BODY}EOF\n)" && git push', f'cd app; {OPENS} Mend a… )" && git push'),
        (f'git add {"a/b.py " * 40} && {OPENS}\nMend a{BODY}EOF\n)" | tail -3', f'{OPENS} Mend a… )" | tail -3'),
        (f'{"npm test; " * 30}\n{OPENS}\nMend a{BODY}EOF\n)"', f'{OPENS} Mend a… )"'),
        (
            f"gh pr create --title a --body \"$(cat <<'EOF'\n## Summary{BODY}EOF\n)\"",
            "gh pr create --title a --body \"$(cat <<'EOF' ## Summary… )\"",
        ),
        (f"git commit -F - <<'EOF'\nMend a{BODY}EOF\ngit push", "git commit -F - <<'EOF' Mend a…; git push"),
    ],
)
def test_the_subject_of_a_commit_in_a_heredoc_is_told(command: str, shown: str) -> None:
    assert begins(command_line(command)) == shown
