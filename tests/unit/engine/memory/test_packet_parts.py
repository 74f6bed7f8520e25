"""What each part of a packet tells, in which order, and that nothing is told that the list shows."""

import pytest

from ctxmgr.engine.memory import PacketText, Removed
from tests.goldens import held
from tests.notation import Said, a, call, err, quarters, r, u
from tests.unit.engine.memory.packets import known, packet, part, summarised

TASKS = [{"content": "Lexer", "status": "completed"}, {"content": "Write docs", "status": "pending"}]
TURN = [
    u("Ship the parser. Never push."),
    a("I look.", call("read", path="/repo/src/a.py")),
    r("x"),
    a(call("edit", path="/repo/src/a.py", oldText="x", newText="y")),
    r("ok"),
    a(call("write", path="/repo/src/b.py", content="1")),
    r("ok"),
    a(call("TodoWrite", todos=TASKS)),
    r("ok"),
    a(call("bash", command="ruff check .")),
    r("All checks passed!"),
    a(call("bash", command="pytest -q")),
    err("FAILED t.py::test_x - assert 1 == 2\n1 failed, 3 passed in 0.1s"),
    a(call("bash", command="git commit -m 'Add the parser'")),
    r("[main abc1234] Add the parser\n 2 files changed"),
    a("The parser is there.\n\nOne test fails: the index is wrong."),
    u("Use tabs."),
    a(call("AskUserQuestion", questions=[{"question": "Which width?", "options": [{"label": "Four"}]}])),
    r('User has answered your questions: "Which width?"="Four". You can now continue with these answers in mind.'),
    a("Tabs are in."),
    u("And the docs?"),
]
BEFORE = """## Goal
Ship it

## Key Decisions
- **Streams**: no file is held whole

## Critical Context
- The port is 80."""


def test_a_whole_packet() -> None:
    removed = Removed(21, 8, ("/repo/src/c.py", "/repo/src/d.py"), True)
    text = packet(*TURN, notes="port is 9090", more=summarised(BEFORE), removed=removed)
    assert text == held("packet/whole.md", text)


SHOWN = [
    (1, '(#3): "And the docs?"'),
    (1, '- the assistant said before what follows: "Tabs are in."'),  # once a later turn is shown
    (3, '- "Which width?"'),
    (5, "Use tabs."),
    (6, "One test fails"),
    (7, "abc1234"),
    (9, "1 failed, 3 passed"),
    (11, "ruff check"),
    (13, "Write docs"),
    (15, "b.py"),
    (17, "a.py"),
    (21, "Never push."),
]


@pytest.mark.parametrize(("view", "told"), SHOWN)
def test_what_a_message_in_view_says_is_not_told_again(view: int, told: str) -> None:
    assert told in packet(*TURN, view=view - 1)
    assert told not in packet(*TURN, view=view)


def test_a_packet_beside_a_list_that_shows_all_says_nothing() -> None:
    assert packet(*TURN, view=len(TURN)) == ""


def test_the_last_request_is_whole_to_four_hundred_characters_and_then_by_how_it_begins_and_ends() -> None:
    whole = " ".join(f"word{at}" for at in range(50))
    assert f'"{whole}"' in packet(u(whole))
    long = f"Begin here. {'so and so ' * 100}End with this."
    told = part(packet(u(long)), "Now")[0]
    assert '"Begin here. ' in told
    assert told.endswith('End with this."')
    assert " … " in told
    assert len(told) < 450


def test_a_task_that_is_known_by_its_number_is_told_until_all_that_says_it_is_in_view() -> None:
    said = [
        u("Go."),
        a(call("TaskCreate", subject="mend it")),
        r("Task #1 created successfully: mend it"),
        u("Begin."),
        a(call("TaskUpdate", taskId="1", status="in_progress")),
        r("Updated task #1 status"),
    ]
    told = ["- [~] mend it (task #1)"]
    assert part(packet(*said), "Now")[-1:] == told
    assert part(packet(*said, view=3), "Now") == told  # its state alone is shown
    assert "mend it" not in packet(*said, view=5)


def test_a_check_is_told_by_its_last_run_with_how_it_ended() -> None:
    def ran(command: str, output: str, failed: bool = False) -> list[Said]:
        return [a(call("bash", command=command)), (err if failed else r)(output)]

    said = [
        u("Check it."),
        *ran("pytest -q", "1 failed, 2 passed in 1s", True),
        *ran("ruff check .", "Found 3 errors.", True),
        u("Again."),
        *ran("pytest -q", "3 passed in 1s"),
        *ran("make", "", False),
        *ran("grep -rn x .", "", True),
        *ran("pytest -q | tail -1", "see the log"),
    ]
    state = part(packet(*said), "State")
    assert '- lint: `ruff check .` failed after #1: "3 errors"' in state
    assert "- test: `pytest -q | tail -1` ran after #2, outcome not shown" in state
    assert not [line for line in state if "grep" in line or "1 failed" in line]
    assert [line for line in state if line.startswith("- build: `make` ")]


def test_a_check_that_ended_before_a_file_was_changed_says_so() -> None:
    ran = [a(call("bash", command="pytest -q")), r("3 passed in 1s")]
    edited = a(call("edit", path="a.py", old="1", new="2"))
    told = '- test: `pytest -q` passed after #1: "3 passed"'
    assert part(packet(u("Go."), edited, r("ok"), *ran), "State")[0] == told
    assert part(packet(u("Go."), *ran, a(call("read", path="a.py")), r("x")), "State") == [told]
    late = part(packet(u("Go."), *ran, edited, r("ok"), view=2), "State")  # the edit itself is in view
    assert late == ['- test: `pytest -q` passed after #1, files changed since: "3 passed"']


def test_a_packet_goes_as_far_as_the_newest_turn_of_which_anything_was_removed() -> None:
    said = [u("Go."), a("Done."), u("Now that."), a(call("read", path="a.py")), r("x"), a("I see.")]
    ledger = known(*said)
    seen = frozenset(fact.origin for fact in ledger if fact.time_ms != 4)  # the result alone is gone
    text = PacketText(ledger, "", quarters).within(1_000, seen, Removed(1, 1))
    assert "Up to the turn of the user's message #2: 1 message with 1 tool result was removed." in text


def test_of_earlier_turns_the_newest_three_are_told() -> None:
    said = [one for at in range(1, 8) for one in (u(f"Do number {at}."), a(f"The end of {at}."))]
    told = part(packet(*said, budget=2_000), "Said at the end")
    assert told == [f'- after #{at}: "The end of {at}."' for at in (4, 5, 6)]


def test_of_many_commits_the_newest_five_come_before_files_in_their_right_to_stay() -> None:
    made = [
        one
        for at in range(1, 31)
        for one in (
            a(call("bash", command="git commit -m x")),
            r(f"[main abc00{at:02}] Change {at}\n 1 file changed"),
        )
    ]
    said = [u("Go."), a(call("write", path="/repo/a.py", content="x")), r("ok"), *made]
    told = part(packet(*said, budget=220), "State")
    assert [line[:17] for line in told[:5]] == [f"- commit abc00{at}:" for at in (30, 29, 28, 27, 26)]
    assert "- written (write, after #1): `/repo/a.py`" in told
    assert len(told) < 31


def test_of_changed_files_the_directory_is_told_once_that_makes_their_paths_shortest() -> None:
    files = [*(f"/repo/web/src/{name}.ts" for name in "abc"), "/repo/web/test/a.ts", "/tmp/x"]
    said = [u("Go."), *(one for path in files for one in (a(call("write", path=path, content="x")), r("ok")))]
    text = packet(*said)
    assert "## State (files under `/repo/web/`)" in text
    assert part(text, "State")[-1] == (
        "- written (write, after #1): `src/a.ts`, `src/b.ts`, `src/c.ts`, `test/a.ts`, `/tmp/x`"
    )


def test_a_line_that_is_too_long_makes_way_for_those_behind_it() -> None:
    def write(path: str) -> list[Said]:
        return [a(call("write", path=path, content="x")), r("ok")]

    said = [
        u("Go."),
        *write("a.py"),
        u("And these."),
        *(one for at in range(8) for one in write(f"{'x' * 100}{at}")),
    ]
    assert part(packet(*said, budget=150), "State") == ["- written (write, after #1): `a.py`"]


def test_words_before_a_call_end_no_turn() -> None:
    said = [u("Do it."), a("Let me look at it:", call("read", path="a")), r("x"), u("Stop, do that."), a("Done.")]
    assert part(packet(*said), "Said at the end") == []
    assert "Let me look at it:" not in packet(*said, view=2)


def test_where_the_rest_is_tells_how_much_was_removed_and_how_to_get_it_only_where_the_host_can() -> None:
    removed = Removed(31, 22, ("/repo/src/a.py", "/repo/lib/c.py", "/repo/lib/d.py"))
    text = packet(*TURN, removed=removed)
    assert part(text, "Where the rest is") == [
        "Up to the turn of the user's message #3: 31 messages with 22 tool results were removed.",
        "- files in it, under `/repo/lib/`: `c.py` `d.py`",  # what State tells as changed is not told again
    ]
    assert part(packet(*TURN, removed=Removed(3, 1, ("lib/c.py",))), "Where")[1] == "- files in it: `lib/c.py`"
    asked = packet(*TURN, removed=Removed(1, 1, may_ask=True), view=3)
    assert part(asked, "Where the rest is") == [
        "Up to the turn of the user's message #2: 1 message with 1 tool result was removed. "
        "`search` finds what they said, `retrieve` gives it back."
    ]
    assert part(packet(*TURN, removed=Removed(2)), "Where")[0].endswith("#3: 2 messages were removed.")


def test_a_packet_goes_as_far_as_the_turn_of_the_newest_message_that_is_not_shown() -> None:
    """Though all that the user said is shown: what the assistant did in a later turn may be gone."""
    ledger = known(u("One."), a("Done one."), u("Two."), a("Done two."), u("Three."), a("Done three."))
    users = {fact.origin for fact in ledger if fact.kind == "request"}
    text = PacketText(ledger, "", quarters).within(1_000, users, Removed(4))
    assert part(text, "Where the rest is") == ["Up to the turn of the user's message #3: 4 messages were removed."]


def test_what_the_host_replies_in_the_assistants_name_ends_no_turn() -> None:
    said = [u("Look."), a("It is there."), u("/exit"), a("No response requested."), u("Now.")]
    text = packet(*said, view=1)
    assert "No response requested" not in text
    assert "It is there." in text
