"""Checks are told as their newest run ended, commits as they were printed, files as they were changed last, tasks
as the host's tool has them."""

from collections.abc import Sequence

from ctxmgr.study.probes.checks import Deeds
from ctxmgr.study.probes.history import SessionHistory
from ctxmgr.study.probes.messages import read_message
from tests.notation import Said, a, call, err, r, raws, u
from tests.unit.study.probes.judged import NOW, STATE, bash, verdict

FAILED = (bash("pytest -q tests/a.py"), err("FAILED tests/a.py::test_b\n1 failed, 3 passed in 1s"))
PASSED = (bash("pytest -q tests/a.py"), r("4 passed in 1s"))
OTHER = (bash("pytest tests/b.py"), r("5 passed in 1s"))
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
    ((*FAILED, *OTHER), A_FAILED, "true"),
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
    (HIDDEN, "- build: `make build` ran after #1, outcome not shown", "unjudged"),
    (PIPED, "- test: `pytest tests` passed after #1", "untrue"),
    (PIPED, "- test: `pytest tests` ran after #1, outcome not shown", "unjudged"),
    (BOTH, "- test: `ruff check src && pytest` failed after #1", "unjudged"),
    (TWO, A_PASSED, "unjudged"),
    (UNKNOWN, "- test: `make check` passed after #1", "unjudged"),
    (PASSED, "- tests: all of them passed", "untrue"),
]


def test_a_check_is_told_as_its_newest_run_ended() -> None:
    for talk, line, held in CASES:
        assert verdict((u("go"), *talk), STATE, line) == held, (talk, line)


def test_a_newer_run_that_the_list_shows_takes_nothing_from_a_line() -> None:
    for shown in ([1 + len(PASSED)], [2 + len(PASSED)], [1]):
        held = verdict((u("go"), *PASSED, *FAILED), STATE, A_PASSED, shown)
        assert held == ("untrue" if shown == [1] else "true"), shown
        assert verdict((u("go"), *PASSED, *OTHER), STATE, A_PASSED, shown) == held, shown


# commits, files, tasks

FIRST = (bash("git commit -m x"), r("[main abc1234] Raise the limit\n 1 file changed"))
ABC = '- commit abc1234: "Raise the limit"'


COMMITS: list[tuple[Sequence[Said], str, str]] = [
    (FIRST, ABC, "true"),
    (FIRST, '- commit abc1234def: "Raise the limit"', "true"),
    (FIRST, '- commit abc1234: "Lower the limit"', "untrue"),
    (FIRST, '- commit abc9999: "Raise the limit"', "untrue"),
]


def test_a_commit_was_printed() -> None:
    for talk, line, held in COMMITS:
        assert verdict((u("go"), *talk), STATE, line) == held, (talk, line)


EDITED = (a(call("Edit", file_path="src/a.py", old_string="x", new_string="y")), r("ok"))
WRITTEN = (a(call("Write", file_path="src/a.py", content="y")), r("ok"))
NOT_EDITED = (a(call("Edit", file_path="src/a.py", old_string="x", new_string="y")), err("no match"))
DELETED = (bash("rm src/a.py"), r(""))
FORMATTED = (bash("prettier --write src/a.py"), r(""))
READ = (a(call("Read", file_path="src/a.py")), r("x"))
A_EDITED, A_DELETED = "- edited (Edit, after #1): `src/a.py`", "- deleted (Bash, after #1): `src/a.py`"
A_FORMATTED = "- edited (Bash, after #1): `src/a.py`"

FILES: list[tuple[Sequence[Said], str, str]] = [
    (EDITED, A_EDITED, "true"),
    (EDITED, "- edited (Edit): `src/a.py`", "true"),
    (EDITED, "- edited (Edit, after #1): `a.py`", "true"),
    (EDITED, "- edited (Edit, after #1): `b.py`", "untrue"),
    (EDITED, "- edited: `src/a.py`", "true"),
    (EDITED, "- edited (after #1): `src/a.py`", "true"),
    (EDITED, "- deleted (after #1): `src/a.py`", "untrue"),
    (EDITED, "- written (Write, after #1): `src/a.py`", "untrue"),
    ((*EDITED, *WRITTEN), "- written (Write, after #1): `src/a.py`", "true"),
    ((*EDITED, *WRITTEN), A_EDITED, "untrue"),
    ((*EDITED, *DELETED), A_DELETED, "true"),
    ((*EDITED, *DELETED), A_EDITED, "untrue"),
    ((*DELETED, *WRITTEN), A_DELETED, "untrue"),
    ((*EDITED, *READ), A_EDITED, "true"),
    (NOT_EDITED, A_EDITED, "untrue"),
    (READ, A_EDITED, "untrue"),
    (FORMATTED, A_FORMATTED, "unjudged"),
    ((*EDITED, *FORMATTED), A_FORMATTED, "unjudged"),
    ((*FORMATTED, *EDITED), A_FORMATTED, "untrue"),
    (EDITED, "- changed src/a.py", "untrue"),
]


def test_a_file_is_told_by_its_newest_change() -> None:
    for talk, line, held in FILES:
        assert verdict((u("go"), *talk), STATE, line) == held, (talk, line)


def test_a_newer_change_that_the_list_shows_takes_nothing_from_a_line() -> None:
    assert verdict((u("go"), *EDITED, *DELETED), STATE, A_EDITED, shown=[3]) == "true"
    assert verdict((u("go"), *EDITED, *DELETED), STATE, A_EDITED, shown=[1]) == "untrue"


def listed(**states: str) -> tuple[Said, Said]:
    todos = [{"content": text.replace("_", " "), "status": state} for text, state in states.items()]
    return a(call("TodoWrite", todos=todos)), r("ok")


OPEN = listed(mend_the_parser="in_progress", raise_the_limit="pending", read_it="completed")
ONE_BY_ONE = (
    a(call("TaskCreate", subject="mend the parser")),
    r("Task #1 created"),
    a(call("TaskUpdate", taskId="1", status="in_progress")),
    r("Updated task #1"),
    a(call("TaskUpdate", taskId="1", subject="mend the parser")),
    r("Updated task #1"),
)

TASKS: list[tuple[Sequence[Said], str, str]] = [
    (OPEN, "- [~] mend the parser", "true"),
    (OPEN, "- [ ] raise the limit", "true"),
    (OPEN, "- [ ] raise the limit (task #2)", "true"),
    (OPEN, "- [ ] mend the parser", "untrue"),
    (OPEN, "- [~] raise the limit", "untrue"),
    (OPEN, "- [ ] read it", "untrue"),
    (OPEN, "- [ ] write the docs", "untrue"),
    (OPEN, "- [x] read it", "untrue"),
    ((*OPEN, *listed(raise_the_limit="pending")), "- [~] mend the parser", "untrue"),
    ((*OPEN, *listed(mend_the_parser="completed")), "- [~] mend the parser", "untrue"),
    (ONE_BY_ONE[:2], "- [ ] mend the parser", "true"),
    (ONE_BY_ONE, "- [~] mend the parser", "true"),
    ((a("- [ ] mend the parser"),), "- [ ] mend the parser", "untrue"),
]


def test_a_task_stands_as_the_hosts_own_tool_has_it() -> None:
    for talk, line, held in TASKS:
        assert verdict((u("go"), *talk), NOW, line) == held, (talk, line)


def test_a_newer_list_that_is_shown_takes_nothing_from_a_line() -> None:
    talk = (u("go"), *OPEN, *listed(mend_the_parser="completed"))
    assert verdict(talk, NOW, "- [~] mend the parser", shown=[3]) == "true"
    assert verdict(talk, NOW, "- [~] mend the parser", shown=[1]) == "untrue"


def test_a_path_may_be_told_from_another_directory_than_the_sessions_own() -> None:
    history = SessionHistory([read_message(raw) for raw in raws(u("go"), *EDITED)], "/w/cli")
    for path, holds in (("cli/src/a.py", True), ("/w/cli/src/a.py", True), ("web/src/a.py", False)):
        assert Deeds(history).file_holds(("edited", path, "Edit"), 3, frozenset()) is holds, path
