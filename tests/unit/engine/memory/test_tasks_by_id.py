"""Tasks that are stated one a call: known by the id that their tool gave them."""

from collections.abc import Iterable
from itertools import permutations

from ctxmgr.engine.memory.ledger import now_and_past
from ctxmgr.model.saved.facts import Fact
from tests.unit.engine.memory.packets import of_result
from tests.unit.engine.memory.test_fold import ledger, ran, summary


def told(tool: str, at: int, text: str, **arguments: object) -> tuple[Fact, ...]:
    return of_result(tool, arguments, text, at)


def created(number: str, text: str, at: int) -> tuple[Fact, ...]:
    return told("TaskCreate", at, f"Task #{number} created successfully: {text}", subject=text, description="more")


def tasks(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    now, past = now_and_past(ledger(*facts))
    return [(fact.text, fact.status) for fact in (*now, *past) if fact.kind == "task"]


ONE_BY_ONE = [
    *created("1", "mend the build", 1),
    *created("2", "write the page", 2),
    *ran("TaskUpdate", 3, taskId="1", status="in_progress"),
    *ran("TaskUpdate", 4, taskId="2", addBlockedBy=["1"]),
    *ran("TaskUpdate", 5, taskId="1", status="completed"),
]


def test_tasks_that_are_stated_one_a_call() -> None:
    assert tasks(ONE_BY_ONE[:3]) == [("mend the build", "active"), ("write the page", "open")]
    assert tasks(ONE_BY_ONE) == [("write the page", "open"), ("mend the build", "done")]
    assert tasks([*ONE_BY_ONE, *ran("TaskUpdate", 6, taskId="2", status="deleted")]) == [("mend the build", "done")]
    assert tasks([*ONE_BY_ONE, *ran("TaskUpdate", 6, taskId="2", subject="write two", status="pending")])[0] == (
        "write two",
        "open",
    )
    assert tasks(ran("TaskUpdate", 6, taskId="9", status="completed")) == []
    assert tasks([*ONE_BY_ONE, *ran("TaskUpdate", 6, failed=True, taskId="2", status="completed")])[0][1] == "open"


def test_a_task_that_its_tool_closed_is_open_in_no_summary() -> None:
    for line in ("- [ ] Mend the build", "- [ ] mend the build (task #1)"):
        stated = summary(f"## Progress\n### In Progress\n{line}", 4)
        open_ = {("mend the build", "active"), ("write the page", "open")}
        assert set(tasks([*ONE_BY_ONE[:3], *stated])) == open_
        for order_ in permutations([*ONE_BY_ONE, *stated][-4:]):
            assert ("mend the build", "done") in tasks([*ONE_BY_ONE[:2], *order_])
            assert len(tasks([*ONE_BY_ONE[:2], *order_])) == 2


def test_a_summary_keeps_the_id_of_a_task_whose_message_left() -> None:
    for number in ("1", "12"):
        stated = summary(f"## Progress\n### In Progress\n- [ ] mend the build (task #{number})", 4)
        assert tasks(stated) == [("mend the build", "active")]
        ended = ran("TaskUpdate", 5, taskId=number, status="completed")
        assert tasks([*stated, *ended]) == [("mend the build", "done")]


REFUSALS = (
    "Error: too many tasks",
    "error: invalid subject",
    "<tool_use_error>InputValidationError: subject is missing</tool_use_error>",
    '{"error": "no room"}',
    "Failed to create the task",
    "Invalid arguments: subject",
    "Could not write the list",
)


def test_a_task_that_its_tool_did_not_take_is_none_also_where_no_flag_says_so() -> None:
    for text in REFUSALS:
        assert tasks(told("TaskCreate", 1, text, subject="never there", description="x")) == []
        assert tasks(told("TodoWrite", 1, text, todos=[{"content": "never there", "status": "pending"}])) == []
        update = told("TaskUpdate", 6, text, taskId="2", status="completed")
        assert tasks([*ONE_BY_ONE, *update])[0] == ("write the page", "open")


OPENED = [*created("1", "mend the build", 1), *ran("TaskUpdate", 2, taskId="1", status="in_progress")]


def test_a_task_that_is_renamed_without_a_state_is_told_by_its_new_text_in_the_state_it_had() -> None:
    renamed = ran("TaskUpdate", 3, taskId="1", subject="mend the build and its cache")
    assert tasks([*OPENED, *renamed]) == [("mend the build and its cache", "active")]
    closed = ran("TaskUpdate", 4, taskId="1", status="completed")
    for order_ in permutations([*OPENED, *renamed, *closed]):
        assert tasks(order_) == [("mend the build and its cache", "done")]
    dropped = ran("TaskUpdate", 4, taskId="1", status="deleted")
    for order_ in permutations([*OPENED, *renamed, *dropped]):
        assert tasks(order_) == []
    assert tasks(renamed) == [("mend the build and its cache", "open")]


LISTED = """#1 [completed] mend the build
#2 [in_progress] write the page (again)
#7 [pending] release it [blocked by #2]"""


def test_the_list_that_the_task_tool_prints_is_the_state_of_its_tasks() -> None:
    facts = told("TaskList", 3, LISTED)
    assert tasks(facts) == [
        ("write the page (again)", "active"),
        ("release it", "open"),
        ("mend the build", "done"),
    ]
    assert tasks([*OPENED, *facts])[-1] == ("mend the build", "done")
    later = ran("TaskUpdate", 4, taskId="7", status="completed")
    assert ("release it", "done") in tasks([*facts, *later])
    one = told("TaskGet", 3, "Task #2: write the page\nStatus: in_progress\nDescription: all of it", taskId="2")
    assert tasks(one) == [("write the page", "active")]
