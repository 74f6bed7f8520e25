"""Commits that were printed and stand, files as they were changed last, tasks as the host's tool has them."""

from collections.abc import Sequence

import pytest

from ctxmgr.study.probes.precision.changes import Changes
from ctxmgr.study.probes.reading import history, turn
from tests.notation import Said, a, call, err, r, raws, u
from tests.unit.study.probes.precision.judged import NOW, STATE, bash, verdict

FIRST = (bash("git commit -m x"), r("[main abc1234] Raise the limit\n 1 file changed"))
SECOND = (bash("git commit -am y"), r("[main def5678] Mend the parser\n 1 file changed"))
AMENDED = (bash("git commit --amend --no-edit"), r("[main fed8765] Mend the parser\n 1 file changed"))
SQUASHED = (bash("git reset --soft HEAD~2 && git commit -m all"), r("[main aaa1111] All of it\n 1 file changed"))
DEF, ABC = '- commit def5678: "Mend the parser"', '- commit abc1234: "Raise the limit"'


def log(printed: str, options: str = "--oneline -5") -> tuple[Said, Said]:
    return bash(f"git log {options}"), r(printed)


COMMITS: list[tuple[Sequence[Said], str, str]] = [
    (FIRST, ABC, "true"),
    (FIRST, '- commit abc1234: "Raise … limit"', "true"),
    (FIRST, '- commit abc1234def: "Raise the limit"', "true"),
    (FIRST, '- commit abc1234: "Lower the limit"', "untrue"),
    (FIRST, '- commit abc9999: "Raise the limit"', "untrue"),
    ((*FIRST, *SECOND, *AMENDED), DEF, "untrue"),
    ((*FIRST, *SECOND, *AMENDED), '- commit fed8765: "Mend the parser"', "true"),
    ((*FIRST, *SECOND, *AMENDED), ABC, "true"),
    ((*FIRST, *SECOND, bash("git commit --amend"), err("nothing to amend")), DEF, "true"),
    ((*FIRST, *SECOND, bash("git reset --hard HEAD^"), r("HEAD is now at abc1234")), DEF, "untrue"),
    ((*FIRST, *SECOND, bash("git reset --hard HEAD^"), r("HEAD is now at abc1234")), ABC, "true"),
    ((*FIRST, *SECOND, bash("git reset abc1234"), r("")), DEF, "untrue"),
    ((*FIRST, *SECOND, bash("git reset src/a.py"), r("")), DEF, "true"),
    ((*FIRST, *SECOND, bash("git reset HEAD~1 -- src/a.py"), r("")), DEF, "true"),
    ((*FIRST, *SECOND, *AMENDED, bash("git reset --hard HEAD~2"), r("")), ABC, "untrue"),
    ((*FIRST, *SECOND, *SQUASHED), ABC, "untrue"),
    ((*FIRST, *SECOND, *SQUASHED), '- commit aaa1111: "All of it"', "true"),
    ((*FIRST, *SECOND, *log("abc1234 Raise the limit\n0000000 before")), DEF, "untrue"),
    ((*FIRST, *SECOND, *log("def5678 Mend the parser\nabc1234 Raise the limit")), DEF, "true"),
    ((*FIRST, *SECOND, *log("def5678 Mend the parser", "--oneline -1")), ABC, "true"),
    ((*FIRST, *SECOND, *log("abc1234 Raise the limit", "--oneline | grep Raise")), DEF, "true"),
    ((*FIRST, *SECOND, *log("0000000 of another place")), DEF, "true"),
    ((*FIRST, *SECOND, *log("abc1234 Raise the limit", "--oneline -- src/a.py")), DEF, "true"),
    ((*FIRST, *SECOND, bash("git checkout side"), r(""), *log("abc1234 Raise the limit")), DEF, "true"),
    ((bash("git log -1"), r("commit abc1234\n    Raise the limit")), ABC, "untrue"),
]


@pytest.mark.parametrize(("said", "line", "held"), COMMITS)
def test_a_commit_was_printed_and_nothing_took_it_back(said: Sequence[Said], line: str, held: str) -> None:
    assert verdict((u("go"), *said), STATE, line) == held


def test_what_the_list_shows_took_nothing_back() -> None:
    said = (u("go"), *FIRST, *SECOND, *AMENDED)
    assert verdict(said, STATE, DEF, shown=[6]) == "true"
    assert verdict(said, STATE, DEF, shown=[4]) == "untrue"


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
    (EDITED, A_DELETED, "untrue"),
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


@pytest.mark.parametrize(("said", "line", "held"), FILES)
def test_a_file_is_told_by_its_newest_change(said: Sequence[Said], line: str, held: str) -> None:
    assert verdict((u("go"), *said), STATE, line) == held


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
    (OPEN, "- [ ] raise … limit", "true"),
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


@pytest.mark.parametrize(("said", "line", "held"), TASKS)
def test_a_task_stands_as_the_hosts_own_tool_has_it(said: Sequence[Said], line: str, held: str) -> None:
    assert verdict((u("go"), *said), NOW, line) == held


def test_a_newer_list_that_is_shown_takes_nothing_from_a_line() -> None:
    said = (u("go"), *OPEN, *listed(mend_the_parser="completed"))
    assert verdict(said, NOW, "- [~] mend the parser", shown=[3]) == "true"
    assert verdict(said, NOW, "- [~] mend the parser", shown=[1]) == "untrue"


@pytest.mark.parametrize(
    ("path", "holds"), [("cli/src/a.py", True), ("/w/cli/src/a.py", True), ("web/src/a.py", False)]
)
def test_a_path_may_be_told_from_another_directory_than_the_sessions_own(path: str, holds: bool) -> None:
    of = history([turn(raw) for raw in raws(u("go"), *EDITED)], "/w/cli")
    assert Changes(of, "/w/cli").file_holds(("edited", path, "Edit"), 3, frozenset()) is holds
