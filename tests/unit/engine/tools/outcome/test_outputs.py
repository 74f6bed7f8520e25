"""What tools printed, each run on a small project, passing and failing: `outputs/TOOL.txt`; those of
`dotnet` and `mysql` are written in the form that they print.

A case is `%% exit CODE: COMMAND`, what is read of the output (how it ended; what it counts), the lines that it
tells each behind `%% |`, and the output. The tools of `others.txt` have no row: they are read by the general rule.
What differs is shown as it would stand in the file.
"""

import re
from pathlib import Path

import pytest

from ctxmgr.engine.tools import outcome, tool_call
from ctxmgr.engine.tools.effects import ShellStatus
from ctxmgr.engine.tools.outcome.ended import read_run
from ctxmgr.engine.tools.outcome.report import counts_text
from ctxmgr.engine.tools.outcome.table import READERS

OUTPUTS = Path(__file__).parent / "outputs"
SHOWN_LINES = 2
HIDES = re.compile(r"\||;")  # a status that need not be the tool's


def cases() -> list[tuple[str, int, str, str, str]]:
    """(tool, status, command, what is expected, output)."""
    found = []
    for path in sorted(OUTPUTS.glob("*.txt")):
        for case in re.split(r"^(?=%% exit )", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            head, *lines = case.splitlines()
            said = [line for line in lines if line.startswith("%% ")]
            status, command = re.fullmatch(r"%% exit (\d+): (.*)", head).groups()  # type: ignore[union-attr]
            output = "\n".join(line for line in lines if not line.startswith("%% "))
            found.append((path.stem, int(status), command, "\n".join(said), output))
    return found


CASES = cases()


def status_of(command: str) -> ShellStatus:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    return shell.status


@pytest.mark.parametrize(("tool", "code", "command", "said", "output"), CASES)
def test_an_output_tells_how_it_ended(tool: str, code: int, command: str, said: str, output: str) -> None:
    found = read_run(status_of(command), output)
    shown = "; ".join(filter(None, (found.ended, counts_text(found.counts))))
    assert "\n".join((f"%% {shown}", *(f"%% | {line}" for line in found.lines[:SHOWN_LINES]))) == said


@pytest.mark.parametrize(("tool", "code", "command", "said", "output"), CASES)
def test_no_output_is_read_as_the_contrary_of_its_status(
    tool: str, code: int, command: str, said: str, output: str
) -> None:
    goes_on = tool == "databases" and not code  # past a statement that failed
    if not HIDES.search(command) and not goes_on and "404" not in output:  # which is a failure of the server alone
        assert said.split("\n")[0].split(";")[0][3:] in ("unknown", "failed" if code else "passed")


@pytest.mark.parametrize(("tool", "code", "command", "said", "output"), CASES)
def test_a_failure_behind_a_pipe_or_a_shrug_is_no_success(
    tool: str, code: int, command: str, said: str, output: str
) -> None:
    shown = f"{output}\n\nCommand exited with code {code}" if code else output
    ended = outcome(tool_call("bash", {"command": command}), shown, code != 0)
    if said.startswith("%% failed"):
        assert ended == "failed" or (code == 0 and not HIDES.search(command))
    if code and not HIDES.search(command):
        assert ended == "failed"


@pytest.mark.parametrize("programs", [" ".join(sorted(reader.programs)) for reader in READERS])
def test_each_tool_of_the_table_was_run_passing_and_failing(programs: str) -> None:
    """By its output, or that of another that its status spoke for: a compiler says nothing where it went well."""
    names = set(programs.split())
    ran = [code for _, code, command, _, _ in CASES if names & set(re.findall(r"[\w.+]+", command))]
    assert {bool(code) for code in ran} == {True, False}


@pytest.mark.parametrize(
    "wrapper",
    [
        "npm run test",
        "npm run test:unit -- --watch=false",
        "make test",
        "mise run lint",
        "mise run test:ci",
        "timeout 60 pytest",
        "just check",
        "./scripts/test",
        "CI=1 uv run pytest",
        "bash -c 'make test'",
    ],
)
def test_a_wrapper_ended_as_what_it_ran(wrapper: str) -> None:
    for tool, code, command, said, output in CASES:
        if tool in ("pytest", "vitest", "go", "cargo", "ruff") and not HIDES.search(command):
            for hidden in (f"{wrapper} 2>&1 | tail -50", f"{wrapper} || true"):
                ended = outcome(tool_call("bash", {"command": hidden}), output, False)
                assert ended in ("unknown", "failed" if code else "ok"), (hidden, command)
                assert (ended == "unknown") == said.startswith("%% unknown"), (hidden, command)
            filtered = f"{wrapper} 2>&1 | grep -v note"
            ended = outcome(tool_call("bash", {"command": filtered}), output, False)
            assert ended == ("failed" if said.startswith("%% failed") else "unknown"), (filtered, command)


def test_what_a_look_prints_is_no_outcome() -> None:
    for _, _, _, said, output in CASES:
        if "No such file" not in output:
            assert outcome(tool_call("bash", {"command": "cat log | tail -50"}), output, False) == "unknown", said
