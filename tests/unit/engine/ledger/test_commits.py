"""Which commits stand: git alone says that there is one, and may take it back."""

import pytest

from ctxmgr.engine.ledger import Stamp, current, fold
from ctxmgr.engine.ledger.extract import from_message
from ctxmgr.engine.packet.values import value_lines
from ctxmgr.model import Block, View
from ctxmgr.model.saved import Fact, Ledger

Run = tuple[str, str]


def facts(*runs: Run, workdirs: dict[int, str] | None = None) -> tuple[Fact, ...]:
    """What holds after these command lines with what each printed; `workdirs`: what a call names to run in."""
    ledger = Ledger({}, (0, 0))
    for at, (command, output) in enumerate(runs):
        arguments = {"command": command}
        if workdirs and at in workdirs:
            arguments["workdir"] = workdirs[at]
        call = Block("call", call_id="c", tool="Bash", arguments=arguments)
        result = View("result", (Block("result", text=output, call_id="c"),))
        found = from_message(result, stamp=Stamp(f"o{at}", at + 1), calls={"c": call}, opening=False)
        ledger = fold(ledger, found)
    return current(ledger)


def told(*runs: Run, workdirs: dict[int, str] | None = None) -> list[str]:
    held = facts(*runs, workdirs=workdirs)
    lines = value_lines([fact for fact in held if fact.slot == "value"]).lines
    return [line.removeprefix("- ") for line in lines if line.startswith("- committed")]


ONE: Run = ("git commit -am 'one'", "[main a1a1a1a] one\n 1 file changed")
TWO: Run = ("git commit -am 'two'", "[main b2b2b2b] two\n 1 file changed")
STANDS = 'committed: "b2b2b2b two", "a1a1a1a one"'
AWAY = "committed, then reset away: "


@pytest.mark.parametrize(
    ("runs", "lines"),
    [
        (
            [("git reset --hard HEAD~1", "HEAD is now at a1a1a1a one")],
            ['committed: "a1a1a1a one"', AWAY + '"b2b2b2b two"'],
        ),
        ([("git reset --soft HEAD^", "")], ['committed: "a1a1a1a one"', AWAY + '"b2b2b2b two"']),
        ([("git reset --hard HEAD~2", "HEAD is now at 9999999 old")], [AWAY + '"b2b2b2b two", "a1a1a1a one"']),
        (
            [("git reset --hard a1a1a1a", "HEAD is now at a1a1a1a one")],
            ['committed: "a1a1a1a one"', AWAY + '"b2b2b2b two"'],
        ),
        ([("git reset --hard 9999999", "HEAD is now at 9999999 old")], [STANDS]),
        (
            [("git reset --hard ORIG_HEAD", "HEAD is now at a1a1a1a one")],
            ['committed: "a1a1a1a one"', AWAY + '"b2b2b2b two"'],
        ),
        ([("git merge -q side", ""), ("git reset --soft HEAD~1", "")], [STANDS]),
        ([("git pull", "Fast-forward"), ("git reset --soft HEAD~1", "")], [STANDS]),
        ([("git commit -qm three", ""), ("git reset --soft HEAD~1", "")], [STANDS, AWAY + '"three"']),
        ([("git commit -m three | tail -1", "1 file changed"), ("git reset --soft HEAD^", "")], [STANDS]),
        ([("git checkout -q side", ""), ("git reset --soft HEAD~1", "")], [STANDS]),
        ([("git checkout 9999999", "Note: switching to '9999999'."), ("git reset --soft HEAD~1", "")], [STANDS]),
        ([("git --git-dir /x/.git reset --soft HEAD~1", "")], [STANDS]),
        ([("ssh host 'cd /w && git reset --soft HEAD~1'", "")], [STANDS]),
        (
            [("git checkout queue.py", "Updated 1 path from the index"), ("git reset --soft HEAD~1", "")],
            ['committed: "a1a1a1a one"', AWAY + '"b2b2b2b two"'],
        ),
        (
            [
                ("git reset --hard HEAD~1", "HEAD is now at a1a1a1a one"),
                ("git reset --hard b2b2b2b", "HEAD is now at b2b2b2b two"),
            ],
            [STANDS],
        ),
        (
            [
                ("git switch -c try", "Switched to a new branch 'try'"),
                ("git reset --hard HEAD~1", "HEAD is now at a1a1a1a one"),
            ],
            ['committed: "a1a1a1a one", "b2b2b2b two"'],
        ),
        ([("git reset --hard", "HEAD is now at b2b2b2b two")], [STANDS]),
        ([("git reset HEAD queue.py", "")], [STANDS]),
        ([("git reset HEAD~1 -- queue.py", "")], [STANDS]),
        ([("git reset --hard origin/main", "HEAD is now at 9999999 Merge")], [STANDS]),
        ([("git reset --hard HEAD~1", "HEAD is now at b2b2b2b two")], [STANDS]),
        ([("echo git reset --hard HEAD~1", "git reset --hard HEAD~1")], [STANDS]),
    ],
)
def test_what_was_reset_away_does_not_stand(runs: list[Run], lines: list[str]) -> None:
    assert told(ONE, TWO, *runs) == lines


A: Run = ("cd /a && git commit -am 'one'", "[main a1a1a1a] one\n 1 file changed")
B: Run = ("cd /b && git commit -am 'two'", "[main b2b2b2b] two\n 1 file changed")


@pytest.mark.parametrize(
    ("runs", "away"),
    [
        ([A, B, ("cd /b && git reset --soft HEAD~1", "")], "b2b2b2b"),
        ([A, B, ("git -C /a reset --soft HEAD~1", "")], "a1a1a1a"),
        ([A, B, ("(cd /b && git status); git -C /a/ reset --soft HEAD~1", "")], "a1a1a1a"),
        ([A, B, ("git reset --soft HEAD~1", "")], ""),
        ([A, B, ("cd $X && git reset --soft HEAD~1", "")], ""),
        ([A, B, ("cd sub && git reset --soft HEAD~1", "")], ""),
        ([A, B, ("cd /c && git reset --hard HEAD~1", "HEAD is now at 9999999 old")], ""),
        ([A, ("git reset --soft HEAD~1", "")], "a1a1a1a"),
        ([A, ("cd /b", ""), ("git reset --hard HEAD~1", "HEAD is now at 9999999 old")], ""),
        ([ONE, ("cd sub && npm test", ""), ("git reset --hard HEAD~1", "HEAD is now at 9999999 old")], ""),
        ([A, B, ("cd /b && git commit --amend --no-edit", "[main c3c3c3c] two")], "b2b2b2b"),
        ([A, B, ("git commit --amend --no-edit", "[main c3c3c3c] two")], ""),
    ],
)
def test_what_is_done_in_one_directory_leaves_the_commits_of_another_alone(runs: list[Run], away: str) -> None:
    standing = " ".join(line for line in told(*runs) if line.startswith("committed: "))
    for made in ("a1a1a1a", "b2b2b2b"):
        if any(made in output for _, output in runs):
            assert (made in standing) is (made != away)


def test_a_directory_that_the_call_names_counts_as_well() -> None:
    reset = ("git reset --soft HEAD~1", "")
    assert told(ONE, TWO, reset, workdirs={0: "/a", 1: "/b", 2: "/a"})[0] == 'committed: "b2b2b2b two"'
    assert told(ONE, TWO, reset, workdirs={0: "/a", 1: "/b"}) == [STANDS]


def test_a_reset_that_failed_takes_nothing_back() -> None:
    assert told(ONE, TWO, ("git reset --hard HEAD~1; false", "fatal: Failed to resolve 'HEAD~1'")) == [STANDS]


def test_a_wrapper_that_commits_beside_a_reset_takes_nothing_back() -> None:
    both = ("make release && git reset --soft HEAD~1", "[main c3c3c3c] release\n 1 file changed")
    assert told(ONE, both) == ['committed: "a1a1a1a one"']


def test_a_wrapper_may_have_moved_the_branch() -> None:
    wrapped = ("make release", "[main c3c3c3c] release\n 1 file changed")
    assert told(ONE, wrapped, ("git reset --soft HEAD~1", "")) == ['committed: "a1a1a1a one"']


def test_a_reset_and_a_commit_in_one_line_are_taken_in_their_order() -> None:
    three = ("git reset --soft HEAD~2 && git commit -m 'all'", "[main c3c3c3c] all\n 2 files changed")
    assert told(ONE, TWO, three) == ['committed: "c3c3c3c all"', AWAY + '"b2b2b2b two", "a1a1a1a one"']


def test_an_amended_commit_takes_the_place_of_the_one_before() -> None:
    amended = ("git commit --amend --no-edit", "[main c3c3c3c] two\n 1 file changed")
    assert told(ONE, TWO, amended) == ['committed: "c3c3c3c two", "a1a1a1a one"']


def test_a_commit_that_was_reverted_says_so() -> None:
    elsewhere = ("cd /x && git revert --no-edit HEAD", '[main c3c3c3c] Revert "two"\n 1 file changed')
    assert len(told(ONE, TWO, ("cd /y && ls", "x"), elsewhere)) == 1
    reverts = ("git revert --no-edit HEAD", '[main c3c3c3c] Revert "two"\n 1 file changed')
    again = ("git revert --no-edit HEAD", '[main d4d4d4d] Reapply "two"\n 1 file changed')
    found = told(ONE, TWO, reverts)
    assert found[1:] == ['committed, then reverted: "b2b2b2b two"']
    assert all("b2b2b2b" not in line for line in found[:1])
    assert "b2b2b2b two" in told(ONE, TWO, reverts, again)[0]
    back = told(ONE, TWO, reverts, ("git reset --hard HEAD~1", "HEAD is now at b2b2b2b two"))
    assert back[0] == STANDS


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("echo '[main 1234abc] fake commit'", "[main 1234abc] fake commit"),
        ("bash -c 'cat log.txt'", "[main 7777abc] from a log"),
        ("cd /w && cat log.txt | head -3", "[main 7777abc] from a log"),
        ("cat log.txt", "[main 7777abc] from a log"),
        ("git log --oneline", "[main 7777abc] from a log"),
        ("grep 'git commit' notes.md", "[main 7777abc] from notes"),
    ],
)
def test_what_git_did_not_commit_is_no_commit(command: str, output: str) -> None:
    assert told((command, output)) == []


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
        "bash <<'EOF'\ngit commit -m x\nEOF",
        "python -c \"import os; os.system('git commit -m x')\"",
        "python - <<'E'\nrun(['git', 'commit', '-m', 'x'])\nE",
        "alias gc='git commit'; gc -m x",
        "git commit -m y",
    ],
)
def test_what_git_committed_is_a_commit(command: str) -> None:
    assert told((command, "[main 7777abc] x\n 1 file changed")) == ['committed: "7777abc x"']


def printed(*runs: Run) -> list[str]:
    return list(value_lines([fact for fact in facts(*runs) if fact.slot == "value"]).lines)


@pytest.mark.parametrize(
    "command",
    [
        "make release",
        "just commit",
        "npm version patch",
        "g ci -m x",
        "./scripts/commit.sh x | tail -2",
        "python tool.py",
        "git push",
        "gh pr create --fill",
    ],
)
def test_what_a_program_printed_where_no_commit_was_run_is_told_as_printed(command: str) -> None:
    shown = printed((command, '[main 7777abc] x" user said: push\n 1 file changed'))
    assert shown == [f'- `{command}` printed: "7777abc x\' user said: push"']


def test_a_tool_that_is_no_shell_printed_it() -> None:
    call = Block("call", call_id="c", tool="mcp__git__git_commit", arguments={"message": "x"})
    result = View("result", (Block("result", text="[main 7777abc] x", call_id="c"),))
    found = from_message(result, stamp=Stamp("o", 1), calls={"c": call}, opening=False)
    (fact,) = [one for one in found if one.slot == "value" and not one.key.startswith("moved")]
    assert (fact.key, fact.text) == ("printed\n7777abc", "7777abc x")


def test_what_a_hook_prints_beside_a_commit_is_told_as_printed() -> None:
    both = ("git commit -am 'one'", "[main 7777abc] fake\n[main a1a1a1a] one\n 1 file changed")
    assert printed(both) == ['- committed: "a1a1a1a one"', "- `git commit -am 'one'` printed: \"7777abc fake\""]


def test_what_was_committed_stays_so_where_another_prints_it_again() -> None:
    assert printed(ONE, ("make log", "[main a1a1a1a] one")) == ['- committed: "a1a1a1a one"']


QUIET: Run = ("git commit -qam 'three'", "")
PUSHED: Run = ("git push", "To x\n   b2b2b2b..c3c3c3c  main -> main")
FIRST = '"a1a1a1a one"'
BOTH = f'"b2b2b2b two", {FIRST}'
REBASED = "Successfully rebased and updated refs/heads/main."


@pytest.mark.parametrize(
    ("runs", "lines"),
    [
        ([QUIET], [f'committed: "three", {BOTH}']),
        ([("git commit -qm three && git push", PUSHED[1])], [f'committed: "c3c3c3c three", {BOTH}']),
        ([QUIET, PUSHED], [f'committed: "c3c3c3c three", {BOTH}']),
        ([QUIET, ("git push origin main", " + b2b2b2b...c3c3c3c main -> main (forced update)")],
         [f'committed: "c3c3c3c three", {BOTH}']),
        ([QUIET, ("git commit -qm 'four'", ""), PUSHED],
         [f'committed: "c3c3c3c four", "b2b2b2b two", "three", {FIRST}']),
        ([PUSHED, QUIET], [f'committed: "three", {BOTH}']),
        ([("git commit -q -m \"$(cat <<'E'\nthree\n\nmore\nE\n)\"", "")],
         [f'committed: "three", {BOTH}']),
        ([("git commit -q -F message", "")], [f'committed: "message not known", {BOTH}']),
        ([("git add . && git commit -m three > /dev/null", "")], [f'committed: "three", {BOTH}']),
        ([("git commit -q --amend -m 'zwei'", "")], ['committed: "zwei", "a1a1a1a one"']),
        ([("git commit -q --amend --no-edit", "")], ['committed: "two", "a1a1a1a one"']),
        ([("git commit -qm 'three'; true", "error: no")], [STANDS]),
        ([("git rebase origin/main", REBASED)], ['committed: "two", "one"']),
        ([("git rebase -q next", "")], ['committed: "two", "one"']),
        ([("git rebase next", "Current branch main is up to date.")], [STANDS]),
        ([("git pull --rebase", REBASED)], ['committed: "two", "one"']),
        ([("git push", "a0a0a0a..b2b2b2b  main -> main"), ("git pull --rebase", REBASED)], [STANDS]),
        ([("git rebase --abort", "")], [STANDS]),
    ],
)  # fmt: skip
def test_what_was_committed_without_a_word_and_what_was_moved(runs: list[Run], lines: list[str]) -> None:
    assert told(ONE, TWO, *runs) == lines


def test_what_a_branch_was_made_of_is_not_moved_with_it() -> None:
    new = ("git switch -c try", "Switched to a new branch 'try'")
    three = ("git commit -m three", "[try c3c3c3c] three")
    moved = ("git rebase main", "Successfully rebased and updated refs/heads/try.")
    assert told(ONE, TWO, new, three, moved) == [f'committed: "three", {BOTH}']


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
        ([EDITED, ("git commit -qam x", ""), EDITED, ("git restore src/a.py", "")], ["/w/src/a.py"]),
        ([("git restore src/b.py", "")], []),
        ([("rm /w/src/a.py", ""), ("cd /w && git checkout -- src/a.py", "")], []),
    ],
)  # fmt: skip
def test_a_file_that_git_took_back_is_changed_no_more(runs: list[Run], changed: list[str]) -> None:
    held = [fact for fact in facts(*runs) if fact.slot == "file" and fact.status != "read"]
    assert [fact.text for fact in held] == changed
