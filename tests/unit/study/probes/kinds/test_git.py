"""Probes of what git did: branches, commits, what it refused; and of the directory that the work is in."""

import pytest

from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.reading import history, turn
from tests.notation import a, call, err, r, raws, u
from tests.unit.study.probes.built import answers, graded, probes_of


def test_main_is_no_branch_worth_asking() -> None:
    asked = probes_of(u("go"), a(call("bash", command="git status")), r("On branch main\nnothing to commit"))
    assert asked.of("env") == []


def test_who_went_back_to_main_is_on_no_branch() -> None:
    switch = a(call("bash", command="git checkout topic/limits"))
    back = a(call("bash", command="git checkout main"))
    said = (u("go"), switch, r("Switched to branch 'topic/limits'"), back, r("Switched to branch 'main'"))
    assert answers(probes_of(*said, end=3), "env") == ["topic/limits"]
    assert answers(probes_of(*said), "env") == []


@pytest.mark.parametrize(
    ("command", "branches"), [("git status -sb", ["topic"]), ("cat README.md", []), ("git show HEAD:a.md", [])]
)
def test_a_heading_of_a_file_is_no_branch(command: str, branches: list[str]) -> None:
    asked = probes_of(u("go"), a(call("bash", command=command)), r("## topic\ntext"))
    assert answers(asked, "env") == branches


def test_the_directory_of_the_session_is_asked_once_it_was_said() -> None:
    some = raws(
        u("go"), a(call("read", path="/w/app/a.ts")), r("x"), a(call("bash", cmd="ls", workdir="/tmp/x")), r("")
    )
    of = history([turn(raw) for raw in some], "/w/app")
    assert [[one.answer for one in probes(of, end) if one.kind == "env"] for end in (1, 2, 5)] == [
        [],
        ["/w/app"],
        ["/tmp/x"],
    ]


def test_a_commit_is_read_from_output_that_stands_in_a_record() -> None:
    printed = '{"exit_code":0,"output":"[topic/limits 1a2b3c4] Raise the limit\\n 1 file changed"}'
    asked = probes_of(
        u("go"), a(call("exec", input='await tools.exec_command({cmd:"git commit -m x"})')), r(printed)
    )
    assert answers(asked, "commits") == ["1a2b3c4"]
    assert graded(asked, "commits", r(printed)) == 1


@pytest.mark.parametrize(
    ("later", "stands"),
    [
        ("git commit --no-edit", 0),
        ("git add . && git merge b", 0),
        ("git push", 1),
        ("git status", 1),
        ("npm run merge", 1),
    ],
)
def test_what_git_refused_is_over_when_it_did_the_same_later(later: str, stands: int) -> None:
    refused = (u("go"), a(call("bash", command="git fetch && git merge a")), err("Automatic merge failed"))
    assert len(probes_of(*refused).of("errors")) == 1
    assert len(probes_of(*refused, a(call("bash", command=later)), r("done")).of("errors")) == stands
    again = (*refused, a(call("bash", command="git commit -m x")), err("error: no"))
    assert len(probes_of(*again).of("errors")) == 2


def test_a_file_that_git_took_back_is_not_asked_for() -> None:
    edited = (u("go"), a(call("edit", path="/w/src/a.py", oldText="x", newText="y")), r("ok"))
    back = (a(call("bash", command="git checkout -- src/a.py")), r(""))
    made = (a(call("bash", command="git commit -m x")), r("[main abc1234] x"))
    assert answers(probes_of(*edited), "files.modified") == ["changed"]
    assert answers(probes_of(*edited, *back), "files.modified") == []
    assert answers(probes_of(*edited, *made, *back), "files.modified") == ["changed"]
