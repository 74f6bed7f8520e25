"""What each part of a packet tells, in which order, and that nothing is told that the list shows."""

from ctxmgr.engine.memory import Removed
from tests.goldens import held
from tests.notation import Said, a, call, err, r, u
from tests.unit.engine.memory.packets import packet, part, summarised

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
    (5, "Use tabs."),
    (9, "1 failed, 3 passed"),
    (21, "Never push."),
]


def test_what_a_message_in_view_says_is_not_told_again() -> None:
    for view, told in SHOWN:
        assert told in packet(*TURN, view=view - 1), told
        assert told not in packet(*TURN, view=view), told


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
