"""A line that tells how a check ended is of its kind's newest run, or of a failure that nothing ended since."""

from collections.abc import Sequence

import pytest

from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.precision.judged import STATE, bash, verdict

FAILED = (bash("pytest -q tests/a.py"), err("FAILED tests/a.py::test_b\n1 failed, 3 passed in 1s"))
PASSED = (bash("pytest -q tests/a.py"), r("4 passed in 1s"))
WIDER = (bash("pytest"), r("9 passed in 1s"))
OTHER = (bash("pytest tests/b.py"), r("5 passed in 1s"))
ELSEWHERE = (bash("cd web && pytest"), r("9 passed in 1s"))
LINTED = (bash("ruff check tests"), r("All checks passed!"))
TYPED = (bash("mypy src"), err("Found 2 errors in 1 file"))
LISTED = (bash("pytest --collect-only"), r("4 tests collected"))
MISSING = (bash("pytest tests/c.py"), err("pytest: command not found\nexit code 127"))
STOPPED = (bash("pytest tests/c.py"), err("ok 1\n\nCommand aborted"))
SUMMED = (bash("pytest tests"), err("a: 1 failed\nb: 2 failed"))
HIDDEN = (bash("make build | tail -1"), r("bye"))
PIPED = (bash("pytest tests | tail -1"), r("3 failed, 1 passed"))
BOTH = (bash("ruff check src && pytest"), err("something went wrong"))
TWO = (a(call("multi", command="pytest -q tests/a.py", script="pytest tests/b.py")), r("4 passed"))
EDITED = (a(call("edit", path="a.py", old="1", new="2")), r("ok"))
UNKNOWN = (bash("make check"), r("all good"))

A_FAILED = '- test: `pytest -q tests/a.py` failed after #1: "1 failed, 3 passed"'
A_PASSED = "- test: `pytest -q tests/a.py` passed after #1"

CASES: list[tuple[Sequence[Said], str, str]] = [
    (FAILED, A_FAILED, "true"),
    (FAILED, "- test: `pytest -q tests/a.py` failed", "true"),
    (FAILED, "- test: `pytest … a.py` failed after #1", "true"),
    (FAILED, "- test: `pytest -q tests/z.py` failed after #1", "untrue"),
    (FAILED, '- test: `pytest -q tests/a.py` failed after #1: "2 failed"', "untrue"),
    (FAILED, '- test: `pytest -q tests/a.py` failed after #1: "segmentation fault"', "untrue"),
    (FAILED, '- test: `pytest -q tests/a.py` failed after #1: "2 errors"', "true"),
    (SUMMED, '- test: `pytest tests` failed after #1: "3 failed"', "true"),
    (SUMMED, '- test: `pytest tests` failed after #1: "4 failed"', "untrue"),
    (FAILED, A_PASSED, "untrue"),
    (FAILED, "- test: `pytest -q tests/a.py` ran after #1, outcome not shown", "untrue"),
    (PASSED, A_PASSED, "true"),
    (PASSED, A_FAILED, "untrue"),
    ((*FAILED, *PASSED), A_PASSED, "true"),
    ((*FAILED, *PASSED), A_FAILED, "untrue"),
    ((*PASSED, *FAILED), A_PASSED, "untrue"),
    ((*FAILED, *WIDER), A_FAILED, "untrue"),
    ((*FAILED, *OTHER), A_FAILED, "true"),
    ((*FAILED, *ELSEWHERE), A_FAILED, "true"),
    ((*PASSED, *OTHER), A_PASSED, "untrue"),
    ((*PASSED, *LINTED, *TYPED), A_PASSED, "true"),
    ((*PASSED, *LISTED), A_PASSED, "true"),
    ((*PASSED, *MISSING), A_PASSED, "true"),
    ((*PASSED, *STOPPED), A_PASSED, "true"),
    ((*PASSED, *EDITED), "- test: `pytest -q tests/a.py` passed after #1, files changed since", "true"),
    (PASSED, "- test: `pytest -q tests/a.py` passed after #1, files changed since", "unjudged"),
    ((*FAILED, *EDITED), "- test: `pytest -q tests/a.py` passed after #1, files changed since", "untrue"),
    (FAILED, "- test: `pytest -q tests/a.py` passed after #1, files changed since", "untrue"),
    (STOPPED, "- test: `pytest tests/c.py` ran after #1, outcome not shown", "unjudged"),
    (LINTED, "- lint: `ruff check tests` passed after #1", "true"),
    (LINTED, "- test: `ruff check tests` passed after #1", "untrue"),
    (TYPED, "- types: `mypy src` failed after #1", "true"),
    (TYPED, "- lint: `mypy src` failed after #1", "unjudged"),
    (HIDDEN, "- build: `make build` passed after #1", "unjudged"),
    (HIDDEN, "- build: `make build` failed after #1", "unjudged"),
    (HIDDEN, "- build: `make build` ran after #1, outcome not shown", "unjudged"),
    (PIPED, "- test: `pytest tests` passed after #1", "untrue"),
    (PIPED, "- test: `pytest tests` ran after #1, outcome not shown", "unjudged"),
    (BOTH, "- test: `ruff check src && pytest` failed after #1", "unjudged"),
    (TWO, A_PASSED, "unjudged"),
    (UNKNOWN, "- test: `make check` passed after #1", "unjudged"),
    (PASSED, "- tests: all of them passed", "untrue"),
    (PASSED, "- deploy: `pytest -q tests/a.py` passed after #1", "untrue"),
]


@pytest.mark.parametrize(("said", "line", "held"), CASES)
def test_a_check_is_told_as_its_newest_run_ended(said: Sequence[Said], line: str, held: str) -> None:
    assert verdict((u("go"), *said), STATE, line) == held


@pytest.mark.parametrize("shown", [[1 + len(PASSED)], [2 + len(PASSED)], [1]])
def test_a_newer_run_that_the_list_shows_takes_nothing_from_a_line(shown: list[int]) -> None:
    held = verdict((u("go"), *PASSED, *FAILED), STATE, A_PASSED, shown)
    assert held == ("untrue" if shown == [1] else "true")
    assert verdict((u("go"), *PASSED, *OTHER), STATE, A_PASSED, shown) == held
