"""Lines of a summary by a model that the conversation contradicts, and those that it does not."""

import pytest

from ctxmgr.engine.mending import Mended
from tests.notation import Said, a, call, r, u
from tests.unit.engine.mending.drafts import ERROR, FAILED, PASSED, kinds, mend, ran, todos

RUN = "pytest tests/test_login.py -q"
SAYS = [
    ("passes, but failed last", "- `pytest tests/test_login.py -q` passes", True),
    ("with a filter", "- `CI=1 pytest tests/test_login.py -q 2>&1 | tail -3`: all green", True),
    ("in a directory that is not known", "- `cd /work && pytest tests/test_login.py -q`: all green", False),
    ("somewhere else", "- `pytest tests/test_login.py -q` in web passes", False),
    ("a directory before it", "- packages/web: `pytest tests/test_login.py -q` passes", False),
    ("a mark, and no errors", "- `pytest tests/test_login.py -q` ✅ no errors", True),
    ("no errors alone", "- `pytest tests/test_login.py -q`: no errors", True),
    ("none that failed", "- `pytest tests/test_login.py -q`: 3 passed, 0 failed", True),
    ("failed before, now green", "- Fixed `pytest tests/test_login.py -q` (it failed with boom), now green", True),
    ("what shall be now", "- `pytest tests/test_login.py -q` failed, it should be now green", False),
    ("of something else now", "- `pytest tests/test_login.py -q` failed, the linter passes now", False),
    ("a test of it passes", "- `test_login_expires` passes now", True),
    ("another command", "- `pytest tests/test_logout.py -q` passes", False),
    ("a word that ends as a denial", "- `pytest tests/test_login.py -q` passes, the client is clean", True),
    ("a denial without its mark", "- `pytest tests/test_login.py -q` passes, but dont trust it", False),
    ("what shall be", "- make `pytest tests/test_login.py -q` pass", False),
    ("what is not", "- `pytest tests/test_login.py -q` does not pass", False),
    ("both", "- `pytest tests/test_login.py -q` failed first and passes", False),
    ("both, and when", "- `pytest tests/test_login.py -q` failed first and passes now", True),
    ("of what stands before it", "- all green by `pytest tests/test_login.py -q`", False),
    ("code", "```\n`pytest tests/test_login.py -q` passes\n```", False),
]


@pytest.mark.parametrize(("line", "wrong"), [row[1:] for row in SAYS], ids=[row[0] for row in SAYS])
def test_a_line_that_says_it_works_is_told_that_it_failed(line: str, wrong: bool) -> None:
    draft = f"## Goal\nx\n\n## Progress\n### Done\n{line}\n- the rest\n\n### Blocked\n- test_login_expires"
    found = mend(draft, u("Mend it."), *ran(RUN, PASSED), *ran(RUN, FAILED, failed=True))
    assert kinds(found) == (["outcome"] if wrong else [])
    told = f' [ctxmgr: failed when last run: 1 failed, 8 passed; "{ERROR}"]'
    assert found.text == (draft.replace(line, line + told) if wrong else draft)


BUILD = "npm run build"
BOOM = ran(BUILD, "npm ERR! boom", failed=True)
BUILT = ran(f"{BUILD} && npm test", "Tests: 3 passed, 3 total")
TOLD = ' [ctxmgr: failed when last run: "npm ERR! boom"]'


PLACES = [
    ("below a bullet", "- [x] edit login.py\n  `npm run build` passes", f"`npm run build` passes{TOLD}"),
    ("a table below a bullet", "- [x] edit\n| a | b |\n| `npm run build` | passes |", f"passes{TOLD} |"),
    ("the first line", "- `npm run build` passes\n  more of it", f"passes{TOLD}\n"),
    ("another line than the command's", "- `npm run build`\n  passes", ""),
]


@pytest.mark.parametrize(("lines", "becomes"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
def test_a_note_stands_on_the_line_that_says_it(lines: str, becomes: str) -> None:
    found = mend(f"## Progress\n### Done\n{lines}\n", u("Mend it."), *BOOM)
    assert found.text.count("[ctxmgr: ") == bool(becomes)
    assert becomes in found.text


def test_of_two_commands_on_a_line_the_note_names_its_own() -> None:
    line = "- `npm run lint` and `npm run build` both pass. No open failures."
    found = mend(f"## Progress\n{line}", u("Mend it."), *BOOM)
    assert f'{line} [ctxmgr: `npm run build` failed when last run: "npm ERR! boom"]' in found.text


def test_a_later_run_of_a_line_that_holds_the_command_counts() -> None:
    draft = "## Progress\n### Done\n- `npm run build` passes"
    assert mend(draft, u("Mend it."), *BOOM, *BUILT) == Mended(draft)
    failed = ran(f"{BUILD} && npm test", "npm ERR! Test failed", failed=True)
    found = mend("## Progress\n- `npm run build` fails", u("Mend it."), *ran(BUILD, "ok"), *failed)
    assert "outcome" not in kinds(found)


def test_a_failure_in_one_directory_says_nothing_of_another() -> None:
    said = [u("Mend it."), *ran("cd api && npm run build", "npm ERR! boom", failed=True)]
    for line in ("- `npm run build` in web passes", "- web: `npm run build` passes", "- `npm run build` passes"):
        assert kinds(mend(f"## Progress\n{line}", *said)) == ["failure"]
    found = mend("## Progress\n- `cd api && npm run build` passes", *said)
    assert kinds(found) == ["outcome", "failure"]


def test_where_all_ran_in_one_directory_a_line_needs_to_name_none() -> None:
    said = [u("Mend it."), *ran("cd /repo && npm run build", "npm ERR! boom", failed=True)]
    for line, wrong in (
        ("- `npm run build` passes", True),
        ("- `npm run build` failed because of x; it passes now", True),
        ("- `npm run build` passes in web", False),
        ("- web: `npm run build` passes", False),
        ("- `cd /other && npm run build` passes", False),
    ):
        assert ("outcome" in kinds(mend(f"## Progress\n{line}", *said))) is wrong


def test_after_a_change_of_directory_it_is_not_known_where_a_command_ran() -> None:
    found = mend("## Progress\n- `npm run build` passes", u("Mend it."), *ran("cd api", ""), *BOOM)
    assert kinds(found) == ["failure"]


NO_FAILURE = [
    "- `npm run build` ✅ no errors",
    "- `npm run build`: 3 passed, 0 failed",
    "- Fixed `npm run build` (it failed with boom), now green",
    "- `npm run build` failed earlier because of x; it passes now",
    "- `npm run build` was run and passed without errors",
    "- `npm run build` and `npm test` both pass. No open failures.",
    "- `npm run build` passes, `npm run lint` fails",
    "- npm run build no longer fails",
]


@pytest.mark.parametrize("line", NO_FAILURE)
def test_a_success_is_no_failure_that_is_told(line: str) -> None:
    found = mend(f"## Progress\n### Done\n{line}", u("Mend it."), *BOOM)
    assert kinds(found)[-1:] == ["failure"]
    assert '- `npm run build`: "npm ERR! boom"' in found.text


def test_a_line_that_says_it_fails_is_told_that_it_worked() -> None:
    draft = "## Progress\n### Blocked\n- `pytest tests/test_login.py -q` fails with an AssertionError\n- more"
    found = mend(draft, u("Mend it."), *ran(RUN, FAILED, failed=True), *ran(RUN, PASSED))
    line = "- `pytest tests/test_login.py -q` fails with an AssertionError"
    assert found.text == draft.replace(line, f"{line} [ctxmgr: worked when last run: 9 passed]")
    assert kinds(found) == ["outcome"]


def test_what_a_command_mended_is_no_failure_of_it() -> None:
    draft = "## Progress\n### Done\n- **Push rejected**: ended by `pytest tests/test_login.py -q`"
    assert mend(draft, u("Mend it."), *ran(RUN, PASSED)) == Mended(draft)


def test_what_ended_differently_in_two_directories_is_not_judged() -> None:
    said = [*ran("cd a && npm test", "1 passing", False), *ran("cd b && npm test", "1 failing\n1) x", True)]
    draft = "## Progress\n### Done\n- `npm test` passes\n### Blocked\n- `npm test` fails"
    assert mend(draft, u("Mend it."), *said) == Mended(draft)


OPEN = [
    ("a box", "- [ ] Write the changelog", "- [x] Write the changelog [ctxmgr: done, by the task list]"),
    ("begun", "- [~] **Write the changelog**", "- [x] **Write the changelog** [ctxmgr: done, by the task list]"),
    ("a next step", "1. Write the changelog", "1. Write the changelog [ctxmgr: done, by the task list]"),
    ("another task", "- [ ] Write the changelog of the client", ""),
    ("done", "- [x] Write the changelog", ""),
]


@pytest.mark.parametrize(("line", "becomes"), [row[1:] for row in OPEN], ids=[row[0] for row in OPEN])
def test_what_is_told_as_open_and_is_done_is_corrected(line: str, becomes: str) -> None:
    draft = f"## Goal\nx\n\n## Next Steps\n{line}\n2. Rest"
    found = mend(draft, u("Do it."), a(todos(("Write the changelog", "completed"), ("Rest", "pending"))), r("ok"))
    assert found.text == (draft.replace(line, becomes) if becomes else draft)
    assert kinds(found) == (["task"] if becomes else [])


TICKED = [
    ("ticked", "- [x] Write the changelog", "- [x] Write the changelog [ctxmgr: open, by the task list]"),
    ("begun, and done since", "- [x] Mend the parser", ""),
    ("another task", "- [x] Write the changelog of the client", ""),
    ("done", "- [x] Read the log", ""),
    ("no box", "- Write the changelog", ""),
]


@pytest.mark.parametrize(("line", "becomes"), [row[1:] for row in TICKED], ids=[row[0] for row in TICKED])
def test_what_is_ticked_and_nobody_began_is_told_to_be_open(line: str, becomes: str) -> None:
    draft = f"## Goal\nx\n\n## Progress\n### Done\n{line}\n- Write the changelog, mend the parser, read the log"
    tasks = [("Write the changelog", "pending"), ("Mend the parser", "in_progress"), ("Read the log", "completed")]
    found = mend(draft, u("Do it."), a(todos(*tasks)), r("ok"))
    assert found.text == (draft.replace(line, becomes, 1) if becomes else draft)


OTHER = [
    ("a proof", "- [x] Die Tests laufen alle durch (`pytest tests/test_login.py -q`)", True),
    ("of wide brackets", "- [x] 所有测试通过（`pytest tests/test_login.py -q`）。", True),
    ("no box", "- Die Tests laufen alle durch (`pytest tests/test_login.py -q`)", False),
    ("an open box", "- [ ] Die Tests laufen alle durch (`pytest tests/test_login.py -q`)", False),
    ("no proof", "- [x] Skript `pytest tests/test_login.py -q` eingebaut", False),
    ("another command", "- [x] Die Tests laufen alle durch (`pytest tests/test_logout.py -q`)", False),
    ("a place", "- [x] Die Tests laufen durch in web/ (`pytest tests/test_login.py -q`)", False),
    ("a mark of failure", "- [x] Tests ✗ (`pytest tests/test_login.py -q`)", False),
    ("English", "- [x] Reproduced it (`pytest tests/test_login.py -q`)", False),
    ("English of now", "- [x] Run tests (`pytest tests/test_login.py -q`)", False),
]


@pytest.mark.parametrize(("line", "told"), [row[1:] for row in OTHER], ids=[row[0] for row in OTHER])
def test_in_another_language_the_end_of_a_proof_is_told(line: str, told: bool) -> None:
    said = [u("Mend it."), *ran(RUN, FAILED, failed=True)]
    found = mend(f"## Progress\n{line}", *said)
    assert (f'{line} [ctxmgr: failed when last run: 1 failed, 8 passed; "{ERROR}"]' in found.text) is told
    assert "outcome" not in kinds(mend(f"## Progress\n{line}", *said, *ran(RUN, PASSED)))


COMMIT = "git commit -m 'Parse it'"
DONE = "[main abc1234] Parse it\n 1 file changed"
MERGED = ran("git merge topic/login", "Merge made by the 'ort' strategy.")
RESET = ran("git reset --hard HEAD~1", "HEAD is now at aaaa111 x")
PUSHED = ran("git push origin feature", "   abc1234..def5678  feature -> feature")
EDIT = [a(call("edit", path="src/parser.py", oldText="a", newText="b")), r("ok")]
GIT = [
    (
        "committed since",
        [*EDIT, *ran(COMMIT, DONE)],
        "1. Commit the change",
        True,
    ),
    (
        "changed after",
        [*ran(COMMIT, DONE), *EDIT],
        "1. Commit the change",
        False,
    ),
    ("it failed", [*EDIT, *ran(COMMIT, "error: hook declined", True)], "1. Commit the change", False),
    ("merged", MERGED, "1. Merge topic/login", True),
    (
        "merged another",
        MERGED,
        "1. Merge topic/logout",
        False,
    ),
    (
        "uncommitted",
        [*EDIT, *ran(COMMIT, DONE)],
        "1. The edit is uncommitted",
        True,
    ),
    ("a commit that was undone", [*EDIT, *ran(COMMIT, DONE), *RESET], "1. Commit the change", False),
    ("a merge that was undone", [*MERGED, *RESET], "1. Merge topic/login", False),
    ("a merge into another", MERGED, "1. Merge topic/login into release", False),
    ("pushed", PUSHED, "1. Push the branch", True),
    ("the branch pushed", PUSHED, "1. Push `feature` to origin", True),
    ("another branch pushed", PUSHED, "1. Push main to production remote", False),
    ("pushed, and undone", [*PUSHED, *RESET], "1. Push the branch", False),
    ("pushed for show", ran("git push --dry-run", "ok"), "1. Push the branch", False),
]


@pytest.mark.parametrize(("said", "line", "wrong"), [row[1:] for row in GIT], ids=[row[0] for row in GIT])
def test_what_git_did_since_is_told(said: list[Said], line: str, wrong: bool) -> None:
    draft = f"## Goal\nparser.py, git failed: `{COMMIT}` fails\n\n## Next Steps\n{line}"
    found = mend(draft, u("Do it."), *said)
    assert [one for one in kinds(found) if one == "git"] == (["git"] if wrong else [])
    assert ("[ctxmgr: done since:" in found.text.split("\n")[4]) is wrong


TESTED = [*BOOM, *ran(RUN, FAILED, failed=True)]


def test_each_false_claim_on_a_line_is_told() -> None:
    line = "- `npm run build` and `pytest tests/test_login.py -q` both pass"
    found = mend(f"## Progress\n{line}\n### Blocked\n- test_login_expires", u("Mend it."), *TESTED)
    assert kinds(found)[:2] == ["outcome", "outcome"]
    assert f'{line} [ctxmgr: `npm run build` failed when last run: "npm ERR! boom"]' in found.text
    assert "[ctxmgr: `pytest tests/test_login.py -q` failed when last run: 1 failed, 8 passed" in found.text


UNQUOTED = [
    ("as it was run", "- [x] npm run build succeeds", True),
    ("with its files", "- [x] pytest tests/test_login.py -q passes: 9 passed", True),
    ("all tests", "- [x] All tests pass", True),
    ("the tests", "- The tests are green", True),
    ("the build", "- [x] The build passes now", True),
    ("some tests", "- Tests of the lexer pass", False),
    ("tests in a place", "- All tests pass in web/", False),
    ("what shall be", "- Make sure that all tests pass", False),
    ("what is to be", "- All tests should pass", False),
    ("not all", "- All tests pass but one", False),
    ("a longer command", "- npm run build:docs succeeds", False),
    ("an option more", "- npm run build --docs succeeds", False),
    ("it fails", "- npm run build fails with boom", False),
]


@pytest.mark.parametrize(("line", "wrong"), [row[1:] for row in UNQUOTED], ids=[row[0] for row in UNQUOTED])
def test_a_claim_without_backticks_is_judged_too(line: str, wrong: bool) -> None:
    found = mend(f"## Progress\n### Done\n{line}\n", u("Mend it."), *TESTED)
    assert ("outcome" in kinds(found)) is wrong
    assert (f"{line} [ctxmgr: " in found.text) is wrong


def test_all_tests_pass_where_the_newest_run_of_any_did() -> None:
    draft = "## Progress\n### Done\n- All tests pass\n"
    assert "outcome" not in kinds(mend(draft, u("Mend it."), *TESTED, *ran("npm test", "3 passed")))
    assert "outcome" not in kinds(mend(draft, u("Mend it."), *BOOM)), "a build is no test"
    assert "outcome" not in kinds(mend(draft, u("Mend it."), *ran("cd api", ""), *TESTED)), "run who knows where"
