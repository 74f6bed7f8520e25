"""What of a run failed, where its output names all of it."""

import pytest

from ctxmgr.engine.tools.outcome.failed_parts import FAILED_CHARACTERS, MOST_FAILED_PARTS, failed_parts
from tests.unit.engine.tools.outcome.test_outputs import CASES

OUTPUTS = {(tool, command): output for tool, _, command, _, output in CASES}


@pytest.mark.parametrize(
    ("tool", "command", "parts"),
    [
        ("jest", "jest je", ("jest je/bad.test.js", "jest je/broken.test.js")),
        ("jest", "jest je/ok.test.js", ()),
        ("jest", "jest je 2>&1 | tail -n 6", ()),
        ("vitest", "vitest run vi", ("vitest vi/bad.spec.ts",)),
        ("vitest", "vitest run vi/bad.spec.ts 2>&1 | tail -n 8", ()),
        ("go", "go test ./bad", ("go example.test/sums/bad//",)),
        (
            "go",
            "go test ./...",
            tuple(f"go example.test/sums//{name}" for name in ("bad", "broken", "panics", "vets")),
        ),
        ("go", "go test ./bad 2>&1 | tail -n 3", ()),
        ("go", "go test ./bad 2>&1 | grep FAIL", ("go example.test/sums/bad//",)),
        ("go", "go test ./good", ()),
    ],
)
def test_what_failed_is_told_where_all_of_it_is_named(tool: str, command: str, parts: tuple[str, ...]) -> None:
    assert failed_parts(command, OUTPUTS[tool, command]) == parts


@pytest.mark.parametrize(("count", "told"), [(MOST_FAILED_PARTS, True), (MOST_FAILED_PARTS + 1, False)])
def test_of_many_none_is_told(count: int, told: bool) -> None:
    lines = [f"FAILED tests/a.py::test_{number} - no" for number in range(count)]
    text = "\n".join((*lines, f"{count} failed, 3 passed in 1.20s"))
    assert bool(failed_parts("pytest", text)) == told


@pytest.mark.parametrize(("size", "told"), [(FAILED_CHARACTERS, True), (FAILED_CHARACTERS + 1, False)])
def test_of_long_names_none_is_told(size: int, told: bool) -> None:
    name = "a" * (size - len("go x//"))
    assert bool(failed_parts("go test ./...", f"FAIL\tx/{name}\t0.1s\nok  \tx/b\t0.1s\nFAIL")) == told


def test_a_run_that_another_tool_failed_in_as_well_names_nothing() -> None:
    text = "FAILED tests/a.py::test_b\n1 failed, 5 passed in 1s"
    assert failed_parts("make check", text) == ("pytest tests/a.py::test_b",)
    assert failed_parts("make check", f"{text}\nFound 2 errors in 1 file (checked 3 source files)") == ()


@pytest.mark.parametrize(
    ("command", "is_cut"),
    [
        ("go test ./... | tail", False),
        ("go test ./... | tail -3", True),
        ("go test ./... | tail -n 4", True),
        ("go test ./... | tail -n 5", False),
        ("go test ./... | head -1", True),
        ("go test ./... | grep -v 'no test files'", False),
        ("go test ./... | grep -v FAIL", True),
        ("go test ./... | grep x", True),
        ("go test ./... | awk '{print $2}'", True),
    ],
)
def test_of_what_may_have_been_cut_nothing_is_told(command: str, is_cut: bool) -> None:
    text = "FAIL\nFAIL\tx/b\t0.1s\nok  \tx/c\t0.1s\nFAIL"
    assert failed_parts(command, text) == (() if is_cut else ("go x//b",))
