"""Which commits are told: git alone says that there is one, and may take it back. What is in doubt is not told."""

import pytest

from ctxmgr.engine.memory import current, fold
from ctxmgr.model.saved import Fact, Ledger
from tests.unit.engine.memory.packets import of_result

Run = tuple[str, str]


def facts(*runs: Run, failed: tuple[int, ...] = ()) -> tuple[Fact, ...]:
    """What holds after these command lines with what each printed; `failed`: the places of those that the host
    marks as errors."""
    ledger = Ledger({}, (0, 0))
    for at, (command, output) in enumerate(runs):
        ledger = fold(ledger, of_result("Bash", {"command": command}, output, at + 1, is_error=at in failed))
    return current(ledger)


def told(*runs: Run, failed: tuple[int, ...] = ()) -> list[str]:
    """The subjects of the commits that are told, oldest first."""
    held = facts(*runs, failed=failed)
    return [fact.text.partition(" ")[2] for fact in held if fact.kind == "value"]


ONE: Run = ("git commit -am 'one'", "[main a1a1a1a] one\n 1 file changed")
TWO: Run = ("git commit -am 'two'", "[main b2b2b2b] two\n 1 file changed")


@pytest.mark.parametrize(
    ("run", "standing"),
    [
        (("git reset --hard HEAD~1", "HEAD is now at a1a1a1a one"), []),
        (("git reset --soft HEAD^", ""), []),
        (("git reset @~", "Unstaged changes after reset:\nM\ta.py"), []),
        (("git reset --soft $BASE", ""), []),
        (("git rebase origin/main", "Successfully rebased and updated refs/heads/main."), []),
        (("git rebase -q next", ""), []),
        (("git pull --rebase", "Successfully rebased and updated refs/heads/main."), []),
        (("git commit --amend --no-edit", "[main c3c3c3c] two, mended\n Date: now\n 1 file changed"),
         ["one", "two, mended"]),
        (("git commit -q --amend -m zwei", ""), ["one"]),
        (("git reset --soft HEAD~2 && git commit -m all", "[main c3c3c3c] all\n 2 files changed"), ["all"]),
        (("git reset --hard HEAD~2 && git commit --amend -q", "HEAD is now at 9999999 base"), []),
        (("ssh host 'cd /w && git reset --soft HEAD~1'", ""), []),
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
    assert told(ONE, TWO, ("git reset --soft HEAD~1 && npm test", "1 failing"), failed=(2,)) == []


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
        made = of_result(tool, {"message": "git commit", "path": "a"}, "[main 7777abc] x\n 1 file changed")
        assert not [fact for fact in made if fact.kind == "value"]


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
