"""Which commits are told: git alone says that there is one, and may take it back. What is in doubt is not told."""

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


def test_a_commit_that_may_be_gone_is_not_told() -> None:
    for run, standing in (
        (("git reset --hard HEAD~1", "HEAD is now at a1a1a1a one"), []),
        (("git reset --soft $BASE", ""), []),
        (("git rebase origin/main", "Successfully rebased and updated refs/heads/main."), []),
        (("git rebase -q next", ""), []),
        (("git commit -q --amend -m zwei", ""), ["one"]),
        (("git update-ref refs/heads/main 9999999", ""), []),
    ):
        assert told(ONE, TWO, run) == standing, run


def test_a_commit_stands_where_nothing_took_it_back() -> None:
    for run in (
        ("git reset --hard", "HEAD is now at b2b2b2b two"),
        ("git reset HEAD queue.py", ""),
        ("git reset queue.py", ""),
        ("git rebase next", "Current branch main is up to date."),
        ("git checkout -q side", ""),
        ("git stash && git stash pop", "Saved working directory\nDropped refs/stash@{0}"),
    ):
        assert told(ONE, TWO, run) == ["one", "two"], run


def test_a_reset_takes_back_also_where_what_follows_on_its_line_failed() -> None:
    assert told(ONE, TWO, ("git reset --soft HEAD~1 && npm test", "1 failing"), failed=(2,)) == []


def test_what_only_looks_like_a_commit_is_none() -> None:
    for command, output in (
        ("bash -c 'cat log.txt'", "[main 7777abc] from a log"),
        ("git log --oneline", "[main 7777abc] from a log"),
        ("make release", "[main 7777abc] from a script\n 1 file changed"),
    ):
        assert told((command, output)) == [], command


def test_what_git_committed_is_told_by_its_hash_and_subject() -> None:
    for command in (
        "git -c user.name=a commit -m x",
        "bash -c 'git commit -m x'",
        "GIT_EDITOR=true git rebase --continue",
        "ssh host git commit -m x",
    ):
        held = facts((command, "[main 7777abc] x\n 1 file changed"))
        assert [fact.text for fact in held if fact.kind == "value"] == ["7777abc x"], command
