"""What printed little or nothing, where a filter stands behind it."""

import pytest

from tests.unit.engine.tools.outcome.shell_lines import ended

ROWS = "\nrow" * 9


def test_what_head_was_told_no_number_of_shows_less_than_ten_lines_to_their_end() -> None:
    assert ended("npm test | head", f"{ROWS[len('row ') :]}\n12 passed") == "ok"
    assert ended("npm test | head", f"{ROWS}\n12 passed") == "unknown"


NOTHING = ("", "(no output)", "(Bash completed with no output)", "Wall time: 0.1 seconds\nOutput:\n")


@pytest.mark.parametrize("text", NOTHING)
@pytest.mark.parametrize(
    "command",
    [
        "npx tsc --noEmit 2>&1 | head -20",
        "cd web && npx tsc --noEmit 2>&1 | tail -5",
        "npx tsc --noEmit 2>&1 | grep error | head",
        "npx tsc --noEmit | grep -E 'error TS'",
        "npx eslint src || true",
        "go vet ./... 2>&1 | tail",
        "go build ./... 2>&1 | head -5",
        "bash -c 'gcc -c a.c 2>&1 | head'",
    ],
)
def test_what_tells_each_error_and_printed_nothing_went_well(command: str, text: str) -> None:
    assert ended(command, text) == "ok"
    assert ended(command, "note") == "unknown"


SCRIPT = "\n> web@1.0.0 check\n> tsc --noEmit -p a.json\n\n"


def test_a_script_that_says_that_it_runs_such_a_one_and_nothing_else_went_well() -> None:
    for command in ("npm run check 2>&1 | tail -5", "cd web && npm run check 2>&1 | head -20", "yarn check | cat"):
        assert ended(command, SCRIPT) == "ok"
        assert ended(command, f"{SCRIPT}a note") == "unknown"
        assert ended(command, SCRIPT.replace("-p a.json", "&& cp a b")) == "unknown"
        assert ended(command, SCRIPT.replace("tsc", "vite")) == "unknown"
    assert ended("npm run check 2>&1 | head -4", SCRIPT + SCRIPT) == "unknown"
    assert ended("npm run check | grep check", SCRIPT) == "unknown"


@pytest.mark.parametrize(
    "command",
    [
        "npm run build 2>&1 | tail -5",
        "npx tsc --noEmit | grep src/a.ts",
        "npx tsc --noEmit | grep -q error",
        "npx tsc --noEmit | grep -v error",
        "npx tsc --noEmit 2>/dev/null | head",
        "npx tsc --noEmit > log; ./load | tail",
        "timeout 60 npx tsc --noEmit | head",
        "npx tsc --noEmit | head -c 0",
        "go vet ./... 2>&1 | grep error",
        "pytest | tail",
        "npx tsc; npm test | tail",
    ],
)
def test_of_what_could_have_said_more_nothing_printed_tells_nothing(command: str) -> None:
    for text in NOTHING:
        assert ended(command, text) == "unknown"
