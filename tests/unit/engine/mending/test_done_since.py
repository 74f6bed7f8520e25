"""What a draft tells as open, or as failing, that was done or worked since, in ordinary words."""

import pytest

from tests.notation import Said, u
from tests.unit.engine.mending.drafts import mend, ran

PUSHED = ran("git push -u origin HEAD", "To x\n * [new branch] HEAD -> idempotent-charge")
OPENED = [*PUSHED, *ran("gh pr create --fill", "https://github.com/a/b/pull/7")]
ASKED = [*PUSHED, *ran("glab mr create --fill --yes", "ok")]
CONFLICT = ran(
    "git merge origin/main",
    "CONFLICT (content): Merge conflict in app/views.py\nAutomatic merge failed",
    True,
)
MERGED = [*CONFLICT, *ran("git add -A && git commit --no-edit", "[topic 55d0e1f] Merge origin/main")]
REBASING = ran(
    "git rebase main", "CONFLICT (content): Merge conflict in a.py\nerror: could not apply 1234567", True
)
REBASED = [*REBASING, *ran("git rebase --continue", "Successfully rebased and updated refs/heads/topic.")]
ABORTED = [*CONFLICT, *ran("git merge --abort", ""), *ran("git commit -qam x", "[topic 55d0e1f] x")]
TYPED = ran("uv run mypy app", "app/a.py:1: error: x\nFound 1 error in 1 file", True)
BOTH = [*TYPED, *ran("uv run mypy app && uv run ruff check .", "Success: no issues found\nAll checks passed!")]
OTHER = [*TYPED, *ran("uv run mypy web && uv run ruff check .", "Success: no issues found\nAll checks passed!")]
FAILED = ran("pytest -q 2>&1 | tail -5", "FAILED a.py::test_a - assert 1\n1 failed, 3 passed in 0.1s")
PASSED = [*FAILED, *ran("pytest -q 2>&1 | tail -3", "4 passed in 0.1s")]
NARROW = [*PASSED, *ran("pytest -q tests/test_b.py", "1 passed in 0.1s")]

DONE: list[tuple[str, list[Said], str, bool]] = [
    ("a request", OPENED, "1. Open the pull request", True),
    ("in short", OPENED, "1. Create a PR", True),
    ("against its base", OPENED, "1. Open a PR against main", True),
    ("at another host", ASKED, "1. Open the merge request", True),
    ("told as not done", OPENED, "1. The pull request still has to be opened", True),
    ("of a name that no command has", OPENED, "1. Open the pull request for the docs", False),
    ("on a condition", OPENED, "1. Open the pull request once CI is green", False),
    ("none was opened", PUSHED, "1. Open the pull request", False),
    ("it failed", [*PUSHED, *ran("gh pr create", "aborted: boom", True)], "1. Open the pull request", False),
    ("of another branch", [*OPENED, *ran("git switch -c other", "")], "1. Open the pull request", False),
    ("one that was closed", [*OPENED, *ran("gh pr close 7", "ok")], "1. Open the pull request", False),
    ("a look at it", [*PUSHED, *ran("gh pr list", "none")], "1. Open the pull request", False),
    ("a conflict", MERGED, "1. Resolve the merge conflict in app/views.py", True),
    ("by its branch", MERGED, "1. Resolve the merge conflict with origin/main", True),
    ("the merge", MERGED, "1. Finish the merge of origin/main", True),
    ("as what blocks", MERGED, "1. Merge conflict in app/views.py", True),
    ("with another branch", MERGED, "1. Resolve the merge conflict with release-2", False),
    ("it stands", CONFLICT, "1. Resolve the merge conflict in app/views.py", False),
    ("given up", ABORTED, "1. Resolve the merge conflict in app/views.py", False),
    ("a rebase", REBASED, "1. Finish the rebase", True),
    ("a rebase that stands", REBASING, "1. Finish the rebase", False),
]


@pytest.mark.parametrize(("said", "line", "wrong"), [row[1:] for row in DONE], ids=[row[0] for row in DONE])
def test_what_was_done_since_is_told_so(said: list[Said], line: str, wrong: bool) -> None:
    found = mend(f"## Goal\nCharge once.\n\n## Next Steps\n{line}", u("Do it."), *said)
    assert (f"{line} [ctxmgr: done since: " in found.text) is wrong


def test_the_box_of_what_was_done_since_is_ticked() -> None:
    found = mend("## Progress\n### In Progress\n- [ ] Create a PR", u("Do it."), *OPENED)
    assert "- [x] Create a PR [ctxmgr: done since: " in found.text


MOVED = [*FAILED, *ran("pytest -q", "4 passed in 0.1s"), *ran("cd web && npm ci", "ok")]
WORKS: list[tuple[str, list[Said], str, bool]] = [
    ("a command of a line", BOTH, "- `uv run mypy app` fails", True),
    ("a part of a line", ran("cd web && npm ci", "ok") + BOTH[2:], "- `uv run mypy app` fails", True),
    ("a program of a line", BOTH, "- mypy fails in app/a.py", True),
    ("what it reports", BOTH, "- mypy reports 1 error", True),
    ("what it reports, in words", BOTH, "- mypy reports a missing annotation in app/a.py", True),
    ("of something else", OTHER, "- `uv run mypy app` fails", False),
    ("a program of something else", OTHER, "- mypy fails in app/a.py", False),
    ("a test", PASSED, "- test_a fails", True),
    ("so many tests", PASSED, "- 1 test fails", True),
    ("a test that stands failed", FAILED, "- test_a fails", False),
    ("a test, and a narrow run", NARROW, "- test_a fails", False),
    ("a check that fails nowhere", MOVED, "- `pytest -q` fails with an IntegrityError", True),
    ("tests that fail nowhere", MOVED, "- Tests are failing", True),
    ("a test somewhere", PASSED, "- test_a fails on Windows", False),
]


@pytest.mark.parametrize(("said", "line", "wrong"), [row[1:] for row in WORKS], ids=[row[0] for row in WORKS])
def test_what_worked_since_is_told_so(said: list[Said], line: str, wrong: bool) -> None:
    found = mend(f"## Progress\n### Blocked\n{line}", u("Do it."), *said)
    assert (f"{line} [ctxmgr: " in found.text) is wrong
