"""What tools printed, each run on a small project, passing and failing: `outputs/TOOL.txt`; those of
`dotnet` are written in the form that it prints.

A case is `%% exit CODE: COMMAND`, what is read of the output (how it ended; what it counts), the lines that it
tells each behind `%% |`, and the output. The tools of `others.txt` have no row: they are read by the general rule.
What differs is shown as it would stand in the file.
"""

import re
from pathlib import Path

from ctxmgr.engine.tools import counts_text, outcome, tool_call
from ctxmgr.engine.tools.outcome import PROGRAMS, read_output

OUTPUTS = Path(__file__).parent / "outputs"
SHOWN_LINES = 2


def cases() -> list[tuple[str, int, str, str, str]]:
    """(tool, status, command, what is expected, output)."""
    found = []
    for path in sorted(OUTPUTS.glob("*.txt")):
        for case in re.split(r"^(?=%% exit )", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            head, *lines = case.splitlines()
            expected = [line for line in lines if line.startswith("%% ")]
            status, command = re.fullmatch(r"%% exit (\d+): (.*)", head).groups()  # type: ignore[union-attr]
            output = "\n".join(line for line in lines if not line.startswith("%% "))
            found.append((path.stem, int(status), command, "\n".join(expected), output))
    return found


CASES = cases()


def test_an_output_tells_how_it_ended() -> None:
    for tool, _, command, expected, output in CASES:
        report = read_output(output)
        shown = "; ".join(filter(None, (report.ended, counts_text(report.counts))))
        told = "\n".join((f"%% {shown}", *(f"%% | {line}" for line in report.lines[:SHOWN_LINES])))
        assert told == expected, (tool, command)


def test_no_output_is_read_as_the_contrary_of_its_status() -> None:
    for tool, code, command, expected, _ in CASES:
        ended = expected.split("\n")[0].split(";")[0][3:]
        assert "|" in command or ended in ("unknown", "failed" if code else "passed"), (tool, command)


def test_each_program_of_the_table_is_shown_failing_and_where_it_says_so_passing() -> None:
    for name, program in PROGRAMS.items():
        outputs = [output.splitlines() for _, _, _, _, output in CASES]
        assert any(program.failed.search(line) for lines in outputs for line in lines), name
        assert program.passed.pattern == "(?!)" or any(
            program.passed.search(line) for lines in outputs for line in lines
        ), name


def test_a_wrapper_ended_as_what_it_ran() -> None:
    for wrapper in ("npm run test:unit -- --watch=false", "make test", "CI=1 uv run pytest", "bash -c 'make test'"):
        for tool, code, command, expected, output in CASES:
            if tool not in ("pytest", "vitest", "go", "cargo", "ruff") or "|" in command:
                continue
            for hidden in (f"{wrapper} 2>&1 | tail -50", f"{wrapper} || true"):
                ended = outcome(tool_call("bash", {"command": hidden}), output, False)
                assert ended in ("unknown", "failed" if code else "ok"), (hidden, command)
                assert (ended == "unknown") == expected.startswith("%% unknown"), (hidden, command)
            ended = outcome(tool_call("bash", {"command": f"{wrapper} | grep -v note"}), output, False)
            assert ended == ("failed" if expected.startswith("%% failed") else "unknown"), (wrapper, command)


def test_what_a_look_prints_is_no_outcome() -> None:
    for _, _, command, _, output in CASES:
        if "No such file" not in output:
            assert outcome(tool_call("bash", {"command": "cat log | tail -50"}), output, False) == "unknown", (
                command
            )
