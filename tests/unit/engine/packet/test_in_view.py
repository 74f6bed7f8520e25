"""What a list states by itself, in whatever words, so that a packet that completes it need not."""

import msgspec
import pytest

from ctxmgr.engine.packet.in_view import InView, in_view
from ctxmgr.model.saved.facts import Fact
from tests.notation import Said, a, r, summary, talk

FILES = ("src/parser.py", "src/lexer.py", "docs/lexer.py", "src/old.py")
CHOICE = Fact("decision", "t", "Use tables instead of lists for the rows", "assistant", 4, origin="a4")
CAUSE = Fact("finding", "l", "The lock in `pool.py` is never let go", "assistant", 5, origin="a5")
RULE = Fact("constraint", "s", "Never touch the schema.", "user", 1, origin="u1")
FAILED = Fact(
    "command",
    "bash\nmake part0",
    "make part0",
    "tool",
    6,
    status="failed",
    detail="\nno rule to make target",
    runs="make",
    origin="r6",
)
PASSED = Fact("command", "bash\npytest -q", "pytest -q", "tool", 7, status="ok", detail="41 passed", runs="pytest")
OPEN = Fact("task", "c", "Port the comments", "user", 3, status="open")
DONE = msgspec.structs.replace(OPEN, status="done")


def shown(text: str, *more: Said) -> InView:
    """A list that begins with this summary."""
    return in_view(talk(summary(text), *more), FILES)


def test_what_a_message_in_view_said_is_stated() -> None:
    said = a("Tables it is.")
    assert shown("", said).states(msgspec.structs.replace(CHOICE, origin=talk(summary(""), said)[1].digest))
    assert not shown("", said).states(CHOICE)


@pytest.mark.parametrize(
    ("fact", "says", "stated"),
    [
        (CHOICE, "- We use tables for the rows instead of lists", True),
        (CHOICE, "- We use lists for the rows instead of tables", False),
        (CHOICE, "- The rows are listed in a table", False),
        (CAUSE, "- Root cause: `pool.py` never let go of the lock", True),
        (CAUSE, "- The lock in `pool.py` is let go", False),
        (CAUSE, "- The lock in `queue.py` is never let go", False),
        (RULE, "- The user: never touch the schema", True),
        (RULE, "- Touch the schema", False),
    ],
)
def test_a_statement_is_stated_in_other_words_and_not_the_other_way_round(
    fact: Fact, says: str, stated: bool
) -> None:
    assert shown(f"## Notes\n{says}\n").states(fact) is stated


@pytest.mark.parametrize(
    ("fact", "says", "stated"),
    [
        (FAILED, "- `make part0` failed: no rule to make target", True),
        (FAILED, "- `make part0` failed", False),
        (FAILED, "- `make part0` works", False),
        (FAILED, "- `make part0` failed with no rule to make target, and works now", False),
        (PASSED, "- `pytest -q`: 41 passed", True),
        (PASSED, "- `pytest -q`: 40 passed", False),
        (PASSED, "- `pytest -q`: 41 passed, 3 failed", False),
        (PASSED, "- `pytest -q` failed", False),
        (PASSED, "- 41 rows were read", False),
    ],
)
def test_how_a_command_ended_is_stated_with_its_reason_or_its_counts(fact: Fact, says: str, stated: bool) -> None:
    assert shown(f"## Notes\n{says}\n").states(fact) is stated


@pytest.mark.parametrize(
    ("fact", "says", "stated"),
    [
        (OPEN, "## Next Steps\n1. Port the comments", True),
        (OPEN, "### Done\n- [x] Port the comments", False),
        (OPEN, "## Next Steps\n1. Port the comments and the strings of the lexer", True),
        (OPEN, "## Next Steps\n1. Port the strings", False),
        (DONE, "## Next Steps\n1. Port the comments", False),
        (DONE, "### Done\n- [x] Port the comments", True),
    ],
)
def test_a_task_is_stated_by_its_state(fact: Fact, says: str, stated: bool) -> None:
    assert shown(says).states(fact) is stated


@pytest.mark.parametrize(
    ("says", "stated"),
    [
        ("- [ ] Port the comments", False),
        ("- [ ] Port the comments (task #12)", False),
        ("- [ ] Port the comments (task #1)", True),
        ("- #1 Port the comments", True),
        ("- [x] Port the comments (task #1)", False),
    ],
)
def test_an_open_task_that_its_tool_knows_by_an_id_is_stated_with_that(says: str, stated: bool) -> None:
    by_id = msgspec.structs.replace(OPEN, key="task\n1")
    assert shown(f"## Next Steps\n{says}").states(by_id) is stated
    assert shown("### Done\n- [x] Port the comments").states(msgspec.structs.replace(by_id, status="done"))


@pytest.mark.parametrize(
    ("path", "status", "says", "stated"),
    [
        ("src/parser.py", "edited", "## Files changed\n- parser.py", True),
        ("src/parser.py", "edited", "<modified-files>\nsrc/parser.py\n</modified-files>", True),
        ("src/parser.py", "edited", "<read-files>\nsrc/parser.py\n</read-files>", False),
        ("src/parser.py", "read", "<read-files>\nsrc/parser.py\n</read-files>", True),
        ("src/lexer.py", "edited", "- Changed lexer.py", False),
        ("src/lexer.py", "edited", "- Changed src/lexer.py", True),
        ("src/old.py", "deleted", "- Changed old.py", False),
        ("src/old.py", "deleted", "- Removed old.py", True),
    ],
)
def test_a_file_is_stated_with_what_was_done_to_it(path: str, status: str, says: str, stated: bool) -> None:
    assert shown(f"{says}\n").states(Fact("file", path, path, "tool", 2, status=status)) is stated


def test_a_question_is_stated_with_its_answer() -> None:
    asked = Fact("question", "a6", "Which tree shall it be?", "user", 7, detail='"the red one"')
    assert shown("- Asked which tree it shall be: the red one").states(asked)
    assert not shown("- Asked which tree it shall be").states(asked)


def test_what_a_tool_printed_states_nothing_beyond_what_came_of_it() -> None:
    printed = r("Use tables instead of lists for the rows", "c1")
    assert not shown("", printed).states(CHOICE)


@pytest.mark.parametrize("said", ["", "Бла бла", "## 目标\n- 移植解析器", "```\n" * 3, "- \n- \n"])
def test_a_text_that_says_nothing_known_states_nothing(said: str) -> None:
    view = shown(said)
    assert [fact.slot for fact in (CHOICE, CAUSE, RULE, FAILED, PASSED, OPEN, DONE) if view.states(fact)] == []


def test_one_in_another_language_is_known_by_its_own_words() -> None:
    fact = Fact("decision", "p", "移植解析器", "assistant", 1)
    assert shown("## 目标\n- 移植解析器\n").states(fact)
    assert not shown("## 目标\n- 移植词法器\n").states(fact)
