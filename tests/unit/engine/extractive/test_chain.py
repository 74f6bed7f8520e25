"""What stands as done, as open and as newest in a summary without a model, and what of it after the next one."""

import pytest

from ctxmgr.engine.extractive import summary
from ctxmgr.engine.extractive.collecting.carry import LAST, LIKELY, PLANNED
from ctxmgr.model.compaction.plans import Format
from tests.notation import Said, a, call, err, note, quarters, r, u
from tests.unit.engine.extractive.conversations import FORMATS, conversation, told, under

PLAN = """## Goal
Ship the exporter

## Progress
### In Progress
- [ ] the writer of the archive

## Next Steps
1. Create directories: `src/utils/`, `src/core/`
2. measure it with large files"""


def test_a_carried_plan_is_no_current_one_once_work_followed() -> None:
    text = told(
        u("please go on with the exporter"),
        a("Moved all files to `utils/` and `core/` as planned."),
        previous=PLAN,
    )
    assert under(text, "### In Progress") == under(text, "## Next Steps") == []
    assert f"- {LIKELY}Create directories: `src/utils/`, `src/core/`" in text
    assert f"- {PLANNED}measure it with large files" in text
    assert f"- {PLANNED}the writer of the archive" in text
    assert told(previous=text) == text


def test_a_carried_plan_stays_where_nothing_followed() -> None:
    text = told(u("hello there my friend"), previous=PLAN)
    assert under(text, "## Next Steps") == [
        "1. Create directories: `src/utils/`, `src/core/`",
        "2. measure it with large files",
    ]


def test_likely_done_is_told_once_and_a_newer_plan_ends_an_older_one() -> None:
    first = told(u("please go on now"), a("Moved all files to `utils/` and `core/`."), previous=PLAN)
    second = told(u("please do the second part"), a("Added `writer.py` to the package."), previous=first)
    assert LIKELY not in second
    assert f"- {PLANNED}measure it with large files" in second
    third = told(u("please plan the rest of it"), a("Wrote the plan.\n- [ ] publish the crate"), previous=second)
    assert under(third, "## Next Steps") == ["1. publish the crate"]
    assert PLANNED not in third


def test_what_was_said_last_is_gone_with_the_next_words() -> None:
    prefix = conversation(
        u("please rename the store to archive"), a("Let me add it:", call("bash", command="ls")), r("ok")
    )
    first = summary.summary((), None, budget=2_000, weigh=quarters, prefix=prefix)
    assert f"{LAST}Let me add it" in first
    kept = told(previous=first)
    assert f"- [ ] {LAST}Let me add it" in kept
    assert told(previous=kept) == kept
    later = told(a("Renamed all of it to `archive_test`."), previous=first)
    assert LAST not in later
    assert under(later, "### Done")[0].endswith("Renamed all of it to `archive_test`.")


# name, conversation after the opening, what is done, what must not be done but must be told
NOT_DONE = [
    (
        "a finding",
        [u("why does the colour not change?"), a("The `Text` component doesn't implement `invalidate()` at all.")],
    ),
    (
        "a question without an answer",
        [u("any other such issues possibly?"), a(call("bash", command="ls")), r("ok")],
    ),
    ("an order that nothing came of", [u("please write the poem for me"), a("Let me think about it first.")]),
    ("a proposal", [u("how can we solve that one?"), a("We could add `showSelector` to the class.")]),
]


@pytest.mark.parametrize(("name", "said"), NOT_DONE, ids=[row[0] for row in NOT_DONE])
def test_that_the_user_went_on_makes_nothing_done(name: str, said: list[object]) -> None:
    text = told(u("please port the screen over"), a("Ported `Screen`."), *said, u("and now the next thing"))  # type: ignore[arg-type]
    assert [line for line in under(text, "### Done") if "Ported" not in line] == []
    asked = said[0].fields["content"]  # type: ignore[attr-defined]
    assert f'"{asked}"' in "\n".join(under(text, "## Critical Context"))


def test_a_fault_that_was_found_before_the_file_was_changed_is_not_told() -> None:
    said = [
        u("the colours are wrong after a switch"),
        a("The `Text` component doesn't implement `invalidate()` at all.", call("edit", path="tui/text.ts")),
        r("ok"),
        a("Added `invalidate()`, the build passes."),
        u("and now the next thing please"),
    ]
    assert "doesn't implement" not in told(*said)
    unchanged = [said[0], a("The `Text` component doesn't implement `invalidate()` at all."), said[-1]]
    first = told(*unchanged)
    assert "Found: " in first
    mended = told(a(call("edit", path="tui/text.ts")), r("ok"), previous=first)
    assert "doesn't implement" not in mended


def test_continue_is_never_done_nor_asked() -> None:
    text = told(
        u("please port the screen over"),
        a(call("read", path="a.ts")),
        r("x"),
        u("continue"),
        a("Ok."),
        u("continue"),
    )
    again = told(a("Ported `Screen` to it."), previous=text)
    assert "continue" not in text + again


MOVES = [
    ("cd /p/src && git mv old.py new.py", "`/p/src/new.py` (changed 2)", "old.py"),
    ("rm /p/src/old.py", "", "old.py"),
    ("mv /p/src/old.py lib/", "`lib/old.py` (changed 2)", "src/old.py"),
    ("mv src/old.py src/new.py", "`/p/src/new.py` (changed 2)", "old.py"),
    ("rm -rf *.py", "`/p/src/old.py` (changed 2)", "new.py"),
]


@pytest.mark.parametrize(("command", "there", "gone"), MOVES, ids=[row[0] for row in MOVES])
def test_a_file_that_was_moved_or_deleted_is_not_worked_on(command: str, there: str, gone: str) -> None:
    edits = [a(call("edit", path="/p/src/old.py")), r("ok"), a(call("edit", path="/p/src/old.py")), r("ok")]
    move = [a(call("bash", command=command)), r("")]
    text = told(u("please do it all today"), *edits, *move, a("ok"), budget=20_000)
    files = next((line for line in text.splitlines() if "Files worked on" in line), "")
    assert there in files
    assert gone not in files
    if gone == "old.py":
        first = told(u("please do it all today"), *edits, a("ok"), budget=20_000)
        assert "old.py" in first
        assert "old.py" not in told(*move, previous=first, budget=20_000).partition("Files worked on")[2]


def test_a_move_that_failed_moved_nothing() -> None:
    edits = [a(call("edit", path="/p/old.py")), r("ok"), a(call("edit", path="/p/old.py")), r("ok")]
    text = told(
        u("please do it all today"), *edits, a(call("bash", command="rm /p/old.py")), err("denied"), a("ok")
    )
    assert "`/p/old.py` (changed 2)" in text


def test_the_newest_request_is_that_of_the_split_turn() -> None:
    history = conversation(
        u("please do the first thing"),
        a("Added it all."),
        u("now the second one please"),
        a("Added `b` to the list."),
    )
    prefix = conversation(u("and the third one at last"), a("Let me see:", call("read", path="a")), r("x"))
    text = summary.summary(history, None, budget=4_000, weigh=quarters, prefix=prefix)
    assert "Latest request: and the third one at last" in text
    assert text.count("Latest request: ") == 1
    assert under(text, "## Original Request") == ["and the third one at last"]
    assert '- [x] "now the second one please" → Added `b` to the list.' in text


def test_a_hosts_instructions_are_no_request() -> None:
    rules = "## Your Capabilities\n\nYou are **m-1**.\n\n## Required\n\nYou must plan.\n\n## Models\n\n- a\n"
    history = conversation(
        u("please port the screen over"), a("Ported `Screen`."), u("is it loaded by the library?")
    )
    for text in (rules, f"{rules}\n## Task\n\nis it loaded by the library?\n"):
        prefix = conversation(note(text), a("Let me see:", call("read", path="a")), r("x"))
        found = summary.summary(history, None, budget=4_000, weigh=quarters, prefix=prefix)
        assert under(found, "## Original Request") == ["is it loaded by the library?"]
        assert "Capabilities" not in found
        assert "not answered yet" not in found


def test_a_long_request_keeps_its_end() -> None:
    long = "The log of it is here. " * 120 + "Please find out why the third line is wrong."
    text = told(u("please do the first thing"), a("ok"), *[u("\n\n".join([long[:900], long[-900:]]))])
    assert "Please find out why the third line is wrong." in text


DECIDED = [
    ([a("I wrote two. Should we store the index in sqlite?"), u("yes")], '"Should we store the index in sqlite?"'),
    ([a("Want me to remove the old loader as well?"), u("no, leave it")], 'The user: "no, leave it"'),
    ([a("Option A: a table\nOption B: one file a session\n\nWhich one?"), u("option b")], "one file a session"),
    ([a("Hm."), u("let's go with the table")], "let's go with the table"),
    ([a("I'll keep the parser because the tests rely on it.")], "I'll keep the parser because"),
    ([a("Instead of stripping dates everywhere, we make the id stable.")], "we make the id stable"),
    ([a("## Key decisions\n- one file a session, no index")], "one file a session"),
]
UNDECIDED = [
    [a("Should I continue with the next part of it?"), u("yes")],
    [a("Should we store the index in sqlite?"), u("what would that cost us in the end?")],
    [a("I'll use grep to look because it is fast.")],
    [a("If we go with the table it is slow.")],
    [u("please choose a store for it")],
    [a("It is stored in sqlite."), u("yes")],
]


@pytest.mark.parametrize(("said", "decision"), DECIDED, ids=[row[1] for row in DECIDED])
def test_a_decision_is_told(said: list[object], decision: str) -> None:
    text = told(u("please build the archive now"), *said)  # type: ignore[arg-type]
    assert decision in "\n".join(under(text, "## Key Decisions"))
    assert told(previous=text) == text


@pytest.mark.parametrize("said", UNDECIDED, ids=[str(number) for number in range(len(UNDECIDED))])
def test_what_decides_nothing_is_none(said: list[object]) -> None:
    text = told(u("please build the archive now"), *said)  # type: ignore[arg-type]
    assert under(text, "## Key Decisions") == []


def test_a_move_in_the_split_turn_counts_for_the_history() -> None:
    edits = [a(call("edit", path="/p/old.py")), r("ok"), a(call("edit", path="/p/old.py")), r("ok")]
    history = conversation(u("please do it all today"), *edits, a("ok"))
    prefix = conversation(u("and now rename it please"), a(call("bash", command="mv /p/old.py /p/new.py")), r(""))
    text = summary.summary(history, None, budget=20_000, weigh=quarters, prefix=prefix)
    assert "old.py` (changed" not in text
    assert "old.py` (changed" in summary.summary(history, None, budget=20_000, weigh=quarters)


@pytest.mark.parametrize("before", [[], [note("The model was changed.")]])
def test_the_request_of_a_turn_that_was_cut_is_the_goal_where_nothing_was_asked_before(before: list[Said]) -> None:
    asked = "please write the parser of the small language"
    prefix = conversation(u(asked), a("Reading.", call("ls")), r("ok"))
    first = summary.summary(conversation(*before), None, budget=2_000, weigh=quarters, prefix=prefix)
    assert first.startswith(f"## Goal\n{asked}\n") or not before
    later = conversation(a("Wrote `parser.py`."), u("and now the lexer of it"), a("Wrote `lexer.py`."))
    for next_prefix in ([], conversation(u("and then the docs"), a("Reading.", call("ls")), r("ok"))):
        second = summary.summary(later, first, budget=2_000, weigh=quarters, prefix=next_prefix)
        assert second.startswith(f"## Goal\n{asked}\n")


def test_a_goal_that_was_told_before_a_cut_turn_stays_the_goal() -> None:
    opened = conversation(u("please write the parser"), a("Wrote `parser.py`."))
    prefix = conversation(u("now mend the lexer of it"), a("Reading.", call("ls")), r("ok"))
    first = summary.summary(opened, None, budget=2_000, weigh=quarters, prefix=prefix)
    later = conversation(a("Mended `lexer.py`."), u("and now the docs of it"), a("Wrote `docs.md`."))
    second = summary.summary(later, first, budget=2_000, weigh=quarters)
    assert second.startswith("## Goal\nplease write the parser\n")


def test_what_was_asked_stays_where_the_fault_that_was_found_is_likely_mended() -> None:
    asked = "look through the notes in `notes.md`, some of it might be outdated"
    fault = "The part on the lexer is missing in `notes.md`."
    first = told(u("please write the parser"), a("Wrote it."), u(asked), a(fault), u("what is a lexer?"))
    assert f'- Found: "{asked}" → {fault}' in first
    added = (u("add it to the notes"), a(call("edit", path="notes.md")), r("ok"), a("Added the part to the notes."))
    second = told(*added, previous=first)
    assert fault not in second
    assert f'- Asked: "{asked}"' in second
    assert told(previous=second) == second


@pytest.mark.parametrize("format", FORMATS)
def test_a_task_that_its_tool_knows_by_an_id_stays_open_until_the_tool_closes_it(format: Format) -> None:
    made = (a(call("TaskCreate", subject="mend the build", description="all")), r("Task #7 created successfully"))
    first = told(u("please plan the work on the build"), *made, a("Planned it."), format=format)
    assert first.count("mend the build (task #7)") == 1
    second = told(u("what is next then?"), a("The build is next."), previous=first, format=format)
    assert "mend the build (task #7)" in second
    assert told(previous=second, format=format) == second
    closing = (a(call("TaskUpdate", taskId="7", status="completed")), r("Updated task #7 status"))
    third = told(*closing, a("I mended it."), previous=second, format=format)
    assert "task #7" not in third
    assert "mend the build" in third
    assert told(previous=third, format=format) == third
