"""What a summary tells to be so without a command, where the command that does it failed last, and where not."""

import pytest

from ctxmgr.engine.mending import Evidence, SummaryDraft, mended
from tests.notation import Said, quarters, u
from tests.unit.engine.mending.drafts import kinds, mend, ran

TESTED = ran("pytest -q", "FAILED tests/test_auth.py::test_expired\n1 failed, 9 passed in 1s", True)
LINTED = ran("npx eslint .", "✖ 3 problems (3 errors, 0 warnings)", True)
TYPED = ran("npx tsc --noEmit", "src/a.ts(1,2): error TS2322: x\nFound 1 error", True)
COMMITTED = ran("git commit -am 'jwt'", "[feat 99aa11b] jwt\n 1 file changed")
PUSHED = ran("git push", " ! [rejected] feat -> feat (fetch first)\nerror: failed to push some refs", True)
MERGED = ran("gh pr merge 77", "X Pull request #77 is not mergeable: conflicts", True)
PUBLISHED = ran("npm publish", "npm ERR! 403 Forbidden", True)
ALL = [*TESTED, *LINTED, *TYPED, *COMMITTED, *PUSHED, *MERGED, *PUBLISHED]

FALSE = [
    "Lint is clean",
    "The linter is green.",
    "No lint errors remain",
    "Type checks pass",
    "No failing tests remain",
    "There are no failing tests.",
    "0 failing tests left",
    "Fixed login; all tests pass",
    "Fixed the expiry of tokens — all tests pass now",
    "Resolved `login.py`. All tests pass.",
    "Fixed login; all tests pass (`pytest -q` is green).",
    "tests/test_auth.py::test_expired passes now",
    "`tests/test_auth.py::test_expired` passes now",
    "Pushed to origin",
    "Pushed the branch to the remote.",
    "All changes were pushed",
    "Merged PR #77.",
    "PR #77 was merged",
    "PR #77 has been merged",
    "Published the package to npm",
    "The package is published",
    "All unit tests pass.",
    "The test suite is fully green now.",
    "Pushed to origin/feat.",
    "**Tests**: ✅ all passing",
    "pytest passes (10/10)",
    "Tests pass (10/10)",
    "Everything builds, and all 10 tests pass.",
]

TRUE = [
    "All integration tests pass.",
    "pytest passes (9/10)",
    "pytest passed before",
    "**Tests**: ❌ not all passing",
    "pytest-xdist works",
    "Pushed to fork/feat",
    "Lint setup is done",
    "Linting of src/ is clean",
    "Lint clean-up",
    "No lint warnings remain",
    "No failing tests in web",
    "No failing tests remain in the lexer",
    "No failing tests were deleted",
    "No broken links remain",
    "Make sure no failing tests remain",
    "Fixed login; make all tests pass",
    "Fixed login; all tests should pass (`pytest -q` is green)",
    "Before: all tests pass (`pytest -q` was green)",
    "tests/test_auth.py::test_other passes now",
    "tests/test_auth.py::test_expired_twice passes now",
    "Pushed to origin/main",
    "Pushed back on the idea of Redis",
    "Pushed `feat`",
    "Pushed the parser into its own module",
    "Not pushed to origin",
    "Pushed to origin was rejected",
    "To be pushed to origin",
    "Merged PR #76",
    "Merged the two helpers into one",
    "Merged main into feat",
    "PR #77 was not merged",
    "PR #77 is merged when the tests are green",
    "PR #77 can be merged",
    "Published v1.2.2 to npm",
    "Published the docs",
    "Published to PyPI",
    "Committed as 99aa11b",
    "Committed the change",
    "Deployed to staging",
    "The user merged PR #77",
]


@pytest.mark.parametrize("line", FALSE)
def test_what_failed_last_is_told_where_a_line_says_it_is_done(line: str) -> None:
    found = mend(f"## Progress\n### Done\n- [x] {line}\n- rest", u("Mend it."), *ALL)
    assert "outcome" in kinds(found)
    assert f"- [x] {line} [ctxmgr: " in found.text
    assert " failed when last run: " in found.text or "[ctxmgr: failed when last run: " in found.text


@pytest.mark.parametrize("line", TRUE)
def test_a_line_that_may_be_true_stays_as_it_is(line: str) -> None:
    found = mend(f"## Progress\n### Done\n- [x] {line}\n- rest", u("Mend it."), *ALL)
    assert "outcome" not in kinds(found)
    assert f"- [x] {line}\n" in found.text


def test_what_is_still_to_do_claims_nothing() -> None:
    for line in ("- [ ] All tests pass", "- [ ] Merged PR #77", "- [~] Lint is clean"):
        assert "outcome" not in kinds(mend(f"## Progress\n{line}", u("Mend it."), *ALL))
    assert "outcome" not in kinds(mend("## Next Steps\n1. No failing tests remain", u("Mend it."), *ALL))
    assert "outcome" not in kinds(mend("## Goal\nPR #77 is merged", u("Mend it."), *ALL))


SINCE = [
    ("it worked then", "Pushed to origin", ran("git push", "   abc1234..def5678  feat -> feat")),
    ("another line did it", "Pushed to origin", ran("git pull --rebase && git push", "ok")),
    ("a script may have", "Pushed to origin", ran("./ship.sh", "ok")),
    ("a target may have", "Published the package to npm", ran("make everything", "ok")),
    ("the user did", "Pushed to origin", [u("I pushed it by hand, go on")]),
    ("the user merged", "Merged PR #77", [u("I have merged it on the site.")]),
    ("it was looked at", "Merged PR #77", ran("gh pr view 77 --json state", "MERGED")),
    ("in another place", "Pushed to origin", ran("cd web && npm test", "ok")),
    ("linted since", "Lint is clean", ran("npx eslint src", "")),
    ("tested since", "No failing tests remain", ran("python -m pytest -q", "10 passed")),
    ("tested since, by name", "tests/test_auth.py::test_expired passes now", ran("pytest -q", "10 passed")),
]


@pytest.mark.parametrize(("line", "since"), [row[1:] for row in SINCE], ids=[row[0] for row in SINCE])
def test_what_may_have_been_done_since_is_not_judged(line: str, since: list[Said]) -> None:
    draft = f"## Progress\n### Done\n- [x] {line}"
    assert "outcome" in kinds(mend(draft, u("Mend it."), *ALL))
    assert "outcome" not in kinds(mend(draft, u("Mend it."), *ALL, *since))


BEFORE = [
    ("pushed, and again", "Pushed to origin", [*ran("git push", "   abc1234..def5678  feat -> feat"), *PUSHED]),
    ("another branch", "Pushed to origin", [*ran("git push origin feat", "ok"), *PUSHED]),
    ("for show", "Published the package", ran("npm publish --dry-run", "npm ERR! 403", True)),
    ("what came after it failed", "Pushed to origin", ran("git push && npm publish", "npm ERR! 403", True)),
    ("done already", "Merged PR #77", ran("gh pr merge 77", "X Pull request #77 was already merged", True)),
    ("only the types failed", "Lint is clean", ran("npx eslint . && npx tsc", "a.ts(1,2): error TS1: x", True)),
    ("only the tests failed", "The build passes", ran("npm run build && npm test", "Tests: 1 failed", True)),
    ("no tests were there", "No failing tests remain", ran("pytest -q", "no tests ran in 0.01s", True)),
    ("merged by hand", "Merged feat", [*ran("git merge feat", "CONFLICT (content): a.py", True), *COMMITTED]),
]


@pytest.mark.parametrize(("line", "before"), [row[1:] for row in BEFORE], ids=[row[0] for row in BEFORE])
def test_a_failure_that_need_not_be_of_it_tells_nothing(line: str, before: list[Said]) -> None:
    assert "outcome" not in kinds(mend(f"## Progress\n### Done\n- [x] {line}", u("Mend it."), *before))


def test_another_request_that_was_merged_says_nothing_of_this_one() -> None:
    said = [*ran("gh pr merge 76", "✓ Merged pull request #76"), *MERGED]
    for line, wrong in (("Merged PR #77", True), ("Merged PR #76", False), ("Merged the PR", False)):
        found = mend(f"## Progress\n### Done\n- [x] {line}", u("Mend it."), *said)
        assert ("outcome" in kinds(found)) is wrong


COMMITS = [
    ("nobody made it", "- Commit deadbee contains the fix", True),
    ("in backticks", "- Fixed (commit `deadbee1`)", True),
    ("as it was made", "- Committed as deadbee", True),
    ("it was seen", "- Commit 99aa11b contains the fix", False),
    ("more letters than were seen", "- Commit 99aa11b0c contains the fix", False),
    ("a number", "- Commit 20261123 rows at once", False),
    ("a word", "- Commit feedback is in the tracker", False),
    ("a file", "- Commit deadbee.py to the branch", False),
    ("no commit", "- The colour is deadbee", False),
    ("code", "```\ncommit deadbee\n```", False),
]


@pytest.mark.parametrize(("line", "wrong"), [row[1:] for row in COMMITS], ids=[row[0] for row in COMMITS])
def test_a_commit_that_nothing_names_is_told_so(line: str, wrong: bool) -> None:
    draft = SummaryDraft(f"## Progress\n### Done\n{line}")
    seen = (lambda letters: letters in "99aa11b jwt", True), (lambda letters: letters in "99aa11b jwt", False)
    for (was_read, all_read), told in ((seen[0], wrong), (seen[1], wrong), ((None, True), False)):
        found = mended(draft, Evidence([], was_read=was_read, all_read=all_read), budget=0, weigh=quarters)
        assert ("[ctxmgr: no message names a commit deadbee" in found.text) is told
        assert (kinds(found) == ["git"]) is told


def test_a_false_line_of_the_summary_is_not_told_again_in_a_turns_context() -> None:
    line, other = "- [x] Merged PR #77", "- [x] Pushed to origin"
    head, turn = f"## Done\n{line}\n- rest", f"## Progress So Far\n{line}\n{other}\n- rest"
    draft = f"{head}\n\n---\n\n**Turn Context (split turn):**\n\n{turn}"
    found = mend(draft, u("Mend it."), *MERGED, *PUSHED, budget=0, end=len(head))
    assert found.text.count(line) == 1
    assert f"{line} [ctxmgr: " in found.text.partition("---")[0]
    assert f"{other} [ctxmgr: " in found.text.partition("---")[2]
    assert found.text.count("- rest") == 2, "what may be so stays"
