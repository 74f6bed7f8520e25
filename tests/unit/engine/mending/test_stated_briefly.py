"""Lines that state one thing in few words, which the conversation contradicts, and those that it does not."""

import pytest

from ctxmgr.engine.extractive.collecting import collect
from ctxmgr.engine.ledger import fold, now_and_past
from ctxmgr.engine.mending import Evidence, SummaryDraft, mended
from ctxmgr.model.saved import Ledger
from tests.notation import Said, a, call, quarters, r, u
from tests.unit.engine.extractive.conversations import conversation
from tests.unit.engine.mending.drafts import kinds, mend, ran

TESTED = ran("pytest tests", "FAILED tests/test_a.py::test_a - x\n1 failed, 3 passed in 1s", True)
BUILT = ran("npm run build", "src/x.ts(3,5): error TS2322: bad", True)
LINTED = ran("ruff check .", "All checks passed!")
COMMITTED = ran("git commit -am wip", "[main abc1234] wip\n 1 file changed")
EDITED = [a(call("edit", path="src/b.py", oldText="a", newText="b")), r("ok")]
LOOKED = [a(call("read", path="src/only.py")), r("x = 1")]
ALL = [*LOOKED, *EDITED, *TESTED, *BUILT, *LINTED, *COMMITTED]


def judged(line: str, *said: Said) -> list[str]:
    """The kinds of what was corrected: a note stands on the line, and on no other."""
    found = mend(f"## Progress\n### Done\n{line}\n- the rest", u("Mend it."), *said)
    corrected = [one.kind for one in found.mends if one.corrected]
    assert (f"{line} [ctxmgr: " in found.text) is bool(corrected)
    return corrected


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("- The whole test suite is green", "outcome"),
        ("- Tests: passing", "outcome"),
        ("- The build succeeds (`npm run build`)", "outcome"),
        ("- npm run build succeeds", "outcome"),
        ("- **Build OK**", "outcome"),
        ("- Build: ok", "outcome"),
        ("- TypeScript compiles cleanly", "outcome"),
        ("- [x] Type checking passes", "outcome"),
        ("- ruff reports 12 errors", "outcome"),
        ("- `ruff` still reports 2 issues", "outcome"),
        ("- Lint is failing", "outcome"),
        ("- Nothing has been committed yet", "git"),
        ("- No commits so far", "git"),
        ("- `git commit` is still pending", "git"),
        ("- Still to do: commit the changes", "git"),
        ("- HEAD is def5678", "git"),
        ("- HEAD: `def5678`", "git"),
    ],
)
def test_what_a_line_states_in_few_words_is_judged(line: str, kind: str) -> None:
    assert judged(line, *ALL) == [kind]


@pytest.mark.parametrize(
    "line",
    [
        "- The unit tests pass in web",
        "- Tests of the lexer: passing",
        "- Tests pass except one",
        "- The build was OK before the edit",
        "- Build OK once the types are mended",
        "- The build succeeds (`npm run docs`)",
        "- ruff reported 12 errors at first",
        "- mypy reports 12 errors",
        "- ruff reports no errors",
        "- Lint is clean",
        "- Tests are failing",
        "- TypeScript is used in src",
        "- Nothing else has been committed",
        "- HEAD is abc1234",
        "- HEAD was def5678 before",
        "- src/b.py was edited",
        "- Edited src/b.py",
        "- Use spaces rather than tabs",
    ],
)
def test_what_nothing_contradicts_is_never_marked(line: str) -> None:
    assert judged(line, *ALL) == []


@pytest.mark.parametrize(
    ("line", "since"),
    [
        ("- Tests: passing", ran("pytest", "4 passed in 1s")),
        ("- Build OK", ran("npm run build", "built")),
        ("- TypeScript compiles cleanly", ran("npx tsc --noEmit", "")),
        ("- ruff reports 12 errors", ran("ruff check src", "Found 12 errors.", True)),
        ("- `git commit` is still pending", [a(call("edit", path="c.py", oldText="a", newText="b")), r("ok")]),
        ("- Nothing has been committed yet", ran("git reset --soft HEAD~1", "")),
        ("- HEAD is def5678", ran("git checkout other", "Switched to branch 'other'")),
    ],
)
def test_what_became_so_since_is_not_marked(line: str, since: list[Said]) -> None:
    assert judged(line, *ALL) != []
    assert judged(line, *ALL, *since) == []


def test_a_file_that_was_read_alone_was_not_edited_where_nothing_ran_that_changes_files() -> None:
    assert judged("- src/only.py was edited", *LOOKED, *TESTED, *COMMITTED) == ["file"]
    assert judged("- Edited `src/only.py`", *LOOKED) == ["file"]
    assert judged("- src/only.py was edited", *LOOKED, *ran("./format.sh", "ok")) == []


def test_a_file_that_nothing_names_was_not_edited() -> None:
    facts = now_and_past(fold(Ledger(), collect(conversation(u("Mend it."), *ALL), opened=True).facts))
    for line, wrong in (("- src/migrations/001.sql was edited", True), ("- Edited src/c.py", False)):
        by = Evidence(*facts, was_read=lambda letters: letters in "we looked at src/c.py")
        found = mended(SummaryDraft(f"## Progress\n### Done\n{line}"), by, budget=10_000, weigh=quarters)
        assert ("[ctxmgr: nothing names src/migrations/001.sql]" in found.text) is wrong


RULE = u("Actually, use Postgres rather than SQLite.")


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("- Use Postgres rather than SQLite", True),
        ("- Use SQLite rather than Postgres", False),
        ("- Use SQLite instead of Postgres", False),
        ("- Use SQLite, not Postgres", False),
        ("- Instead of Postgres, SQLite: use it", False),
    ],
)
def test_a_rule_that_a_summary_turns_round_is_not_held(line: str, held: bool) -> None:
    found = mend(f"## Constraints\n{line}", u("Mend it."), RULE, *COMMITTED)
    assert ("correction" in kinds(found)) is not held
