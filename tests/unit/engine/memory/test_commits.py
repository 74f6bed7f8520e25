"""Which commits are told: git alone says that there is one, and may take it back. What is in doubt is not told."""

import pytest

from ctxmgr.engine.memory import Stamp, current, fold
from ctxmgr.engine.memory.extract import from_message
from ctxmgr.model import Block, View
from ctxmgr.model.saved import Fact, Ledger

Run = tuple[str, str]


def facts(*runs: Run, workdirs: dict[int, str] | None = None, failed: tuple[int, ...] = ()) -> tuple[Fact, ...]:
    """What holds after these command lines with what each printed; `workdirs`: what a call names to run in;
    `failed`: the places of those that the host marks as errors."""
    ledger = Ledger({}, (0, 0))
    for at, (command, output) in enumerate(runs):
        arguments = {"command": command}
        if workdirs and at in workdirs:
            arguments["workdir"] = workdirs[at]
        call = Block("call", call_id="c", tool="Bash", arguments=arguments)
        result = View("result", (Block("result", text=output, call_id="c", is_error=at in failed),))
        found = from_message(result, stamp=Stamp(f"o{at}", at + 1), calls={"c": call}, opening=False)
        ledger = fold(ledger, found)
    return current(ledger)


def told(*runs: Run, workdirs: dict[int, str] | None = None, failed: tuple[int, ...] = ()) -> list[str]:
    """The subjects of the commits that are told, oldest first."""
    held = facts(*runs, workdirs=workdirs, failed=failed)
    return [fact.text.partition(" ")[2] for fact in held if fact.kind == "value"]


ONE: Run = ("git commit -am 'one'", "[main a1a1a1a] one\n 1 file changed")
TWO: Run = ("git commit -am 'two'", "[main b2b2b2b] two\n 1 file changed")


@pytest.mark.parametrize(
    ("run", "standing"),
    [
        (("git reset --hard HEAD~1", "HEAD is now at a1a1a1a one"), ["one"]),
        (("git reset --hard a1a1a1a", "HEAD is now at a1a1a1a one"), ["one"]),
        (("git reset --hard ORIG_HEAD", "HEAD is now at a1a1a1a one"), ["one"]),
        (("git reset --soft HEAD^", ""), ["one"]),
        (("git reset @~", "Unstaged changes after reset:\nM\ta.py"), ["one"]),
        (("git reset --soft HEAD~2", ""), []),
        (("git reset --hard HEAD~2", "HEAD is now at 9999999 old"), []),
        (("git reset --hard origin/main", "HEAD is now at 9999999 Merge"), []),
        (("git reset --soft $BASE", ""), []),
        (("git reset --soft origin/main", ""), []),
        (("git rebase origin/main", "Successfully rebased and updated refs/heads/main."), []),
        (("git rebase -q next", ""), []),
        (("git pull --rebase", "Successfully rebased and updated refs/heads/main."), []),
        (("git commit --amend --no-edit", "[main c3c3c3c] two, mended\n Date: now\n 1 file changed"),
         ["one", "two, mended"]),
        (("git commit -q --amend -m zwei", ""), ["one"]),
        (("git reset --soft HEAD~2 && git commit -m all", "[main c3c3c3c] all\n 2 files changed"), ["all"]),
        (("ssh host 'cd /w && git reset --soft HEAD~1'", ""), ["one"]),
        (("git checkout -B main origin/main", "Reset branch 'main'"), []),
        (("git switch -C main HEAD~1", "Reset branch 'main'"), []),
        (("git branch -f main HEAD~1", ""), []),
        (("git update-ref refs/heads/main 9999999", ""), []),
        (("git filter-branch --tree-filter 'rm -f key' HEAD", "Ref 'refs/heads/main' was rewritten"), []),
    ],
)  # fmt: skip
def test_a_commit_that_may_be_gone_is_not_told(run: Run, standing: list[str]) -> None:
    assert told(ONE, TWO, run) == standing


@pytest.mark.parametrize(
    "run",
    [
        ("git reset --hard", "HEAD is now at b2b2b2b two"),
        ("git reset HEAD queue.py", ""),
        ("git reset queue.py", ""),
        ("git reset .", ""),
        ("git reset HEAD~1 -- queue.py", ""),
        ("echo git reset --hard HEAD~1", "git reset --hard HEAD~1"),
        ("git rebase next", "Current branch main is up to date."),
        ("git rebase --abort", ""),
        ("git pull --rebase", "Already up to date."),
        ("git checkout -q side", ""),
        ("git push", "To x\n   a0a0a0a..b2b2b2b  main -> main"),
        ("git stash && git stash pop", "Saved working directory\nDropped refs/stash@{0}"),
        ("git revert --no-commit HEAD", ""),
    ],
)
def test_a_commit_stands_where_nothing_took_it_back(run: Run) -> None:
    assert told(ONE, TWO, run) == ["one", "two"]


def test_what_git_refused_takes_nothing_back() -> None:
    for line, output in (
        ("git reset --hard HEAD~9", "fatal: ambiguous argument 'HEAD~9'"),
        ("git rebase main", "error: cannot rebase: You have unstaged changes."),
        ("git commit --amend -m x", "fatal: You have nothing to amend."),
    ):
        assert told(ONE, TWO, (line, output), failed=(2,)) == ["one", "two"]


def test_a_reset_takes_back_also_where_what_follows_on_its_line_failed() -> None:
    assert told(ONE, TWO, ("git reset --soft HEAD~1 && npm test", "1 failing"), failed=(2,)) == ["one"]


A: Run = ("cd /a && git commit -am 'one'", "[main a1a1a1a] one\n 1 file changed")
B: Run = ("cd /b && git commit -am 'two'", "[main b2b2b2b] two\n 1 file changed")


@pytest.mark.parametrize(
    ("run", "standing"),
    [
        (("cd /b && git reset --soft HEAD~1", ""), ["one"]),
        (("git -C /a reset --soft HEAD~1", ""), ["two"]),
        (("(cd /b && git status); git -C /a/ reset --soft HEAD~1", ""), ["two"]),
        (("cd /c && git reset --hard HEAD~1", "HEAD is now at 9999999 old"), ["one", "two"]),
        (("cd /b && git commit --amend --no-edit", "[main c3c3c3c] drei\n Date: now"), ["one", "drei"]),
        (("cd /a/sub && git reset --soft HEAD~1", ""), ["two"]),
        (("git reset --hard a1a1a1a~1", "HEAD is now at a1a1a1a one"), ["one", "two"]),
        (("git reset --soft HEAD~1", ""), []),
        (("cd $X && git reset --soft HEAD~1", ""), []),
        (("cd /b && git status && git -C /a commit -m drei", "[main c3c3c3c] drei\n 1 file changed"),
         ["one", "two", "drei"]),
    ],
)  # fmt: skip
def test_what_is_done_in_one_directory_leaves_the_commits_of_another_alone(run: Run, standing: list[str]) -> None:
    assert told(A, B, run) == standing


def test_a_reset_where_the_shell_stands_may_be_of_the_directory_that_another_line_named() -> None:
    assert told(A, ("git reset --soft HEAD~1", "")) == []
    assert told(ONE, ("cd /repo && git reset --soft HEAD~1", "")) == []


def test_a_directory_that_the_call_names_counts_as_well() -> None:
    reset = ("git reset --soft HEAD~1", "")
    assert told(ONE, TWO, reset, workdirs={0: "/a", 1: "/b", 2: "/a"}) == ["two"]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("echo '[main 1234abc] fake commit'", "[main 1234abc] fake commit"),
        ("bash -c 'cat log.txt'", "[main 7777abc] from a log"),
        ("cd /w && cat log.txt | head -3", "[main 7777abc] from a log"),
        ("git log --oneline", "[main 7777abc] from a log"),
        ("grep 'git commit' notes.md", "[main 7777abc] from notes"),
        ("make release", "[main 7777abc] from a script\n 1 file changed"),
    ],
)
def test_what_only_looks_like_a_commit_is_none(command: str, output: str) -> None:
    assert told((command, output)) == []


def test_what_stands_beside_a_commit_is_none() -> None:
    both = ("cat log.txt; git commit -am 'one'", "[main 7777abc] from a log\n[main a1a1a1a] one\n 1 file changed")
    assert told(both) == ["one"]


def test_no_other_tool_than_a_shell_commits() -> None:
    for tool in ("mcp__git__git_commit", "Read"):
        call = Block("call", call_id="c", tool=tool, arguments={"message": "git commit", "path": "a"})
        result = View("result", (Block("result", text="[main 7777abc] x\n 1 file changed", call_id="c"),))
        found = from_message(result, stamp=Stamp("o", 1), calls={"c": call}, opening=False)
        assert not [fact for fact in found if fact.kind == "value"]


@pytest.mark.parametrize(
    "command",
    [
        "cd /w && git -C sub commit -qm x",
        "git -c user.name=a commit -m x",
        "bash -c 'git commit -m x'",
        "for one in a b; do git commit -m $one; done",
        "git cherry-pick 1a2b3c4",
        "git merge --continue",
        "GIT_EDITOR=true git rebase --continue",
        "ssh host git commit -m x",
        "git add -A && git commit -m x | tail -3",
        "git commit -q -m \"$(cat <<'E'\nthree\n\nmore\nE\n)\"",
    ],
)
def test_what_git_committed_is_told_by_its_hash_and_subject(command: str) -> None:
    held = facts((command, "[main 7777abc] x\n 1 file changed"))
    assert [fact.text for fact in held if fact.kind == "value"] == ["7777abc x"]


EDITED: Run = ("sed -i s/a/b/ /w/src/a.py", "")
NEW: Run = ("cd /w && echo x > src/new.py", "")


@pytest.mark.parametrize(
    ("runs", "changed"),
    [
        ([EDITED], ["/w/src/a.py"]),
        ([EDITED, ("git checkout -- src/a.py", "")], []),
        ([EDITED, ("git checkout HEAD -- src/a.py", "")], []),
        ([EDITED, ("cd /w && git restore src/a.py", "")], []),
        ([EDITED, ("cd /w/src && git checkout a.py", "Updated 1 path from the index")], []),
        ([EDITED, NEW, ("cd /w && git checkout -- src", "")], ["/w/src/new.py"]),
        ([EDITED, NEW, ("git restore .", "")], ["/w/src/new.py"]),
        ([EDITED, ("git checkout -- src/a.py", ""), EDITED], ["/w/src/a.py"]),
        ([EDITED, ("git restore --staged src/a.py", "")], ["/w/src/a.py"]),
        ([EDITED, ("git restore src/b.py", "")], ["/w/src/a.py"]),
        ([EDITED, ONE, EDITED, ("git restore src/a.py", "")], ["/w/src/a.py"]),
        ([("git restore src/b.py", "")], []),
        ([("rm /w/src/a.py", ""), ("cd /w && git checkout -- src/a.py", "")], []),
    ],
)  # fmt: skip
def test_a_file_that_git_took_back_is_changed_no_more(runs: list[Run], changed: list[str]) -> None:
    held = [fact for fact in facts(*runs) if fact.kind == "file" and fact.status != "read"]
    assert [fact.text for fact in held] == changed


def test_a_file_is_taken_back_in_the_directory_that_the_call_names() -> None:
    back = ("git checkout -- a.py", "")
    for workdir, changed in (("/w/src", []), ("/w/other", ["/w/src/a.py"])):
        held = [fact for fact in facts(EDITED, back, workdirs={1: workdir}) if fact.kind == "file"]
        assert [fact.text for fact in held] == changed
