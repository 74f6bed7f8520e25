"""Tasks that are stated one a call: known by the id that their tool gave them."""

from collections.abc import Iterable
from itertools import permutations

from ctxmgr.engine.ledger.extract import from_message
from ctxmgr.engine.ledger.fold import now_and_past
from ctxmgr.engine.ledger.statements import Stamp
from ctxmgr.model.messages import Block, View
from ctxmgr.model.saved.facts import Fact
from tests.unit.engine.ledger.test_fold import ledger, ran, summary


def created(number: str, text: str, at: int) -> tuple[Fact, ...]:
    view = View("result", (Block("result", text=f"Task #{number} created successfully: {text}", call_id="c"),))
    calls = {"c": Block("call", tool="TaskCreate", arguments={"subject": text, "description": "more"})}
    return from_message(view, stamp=Stamp(f"c{at}", at), calls=calls, opening=False)


def tasks(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    now, past = now_and_past(ledger(*facts))
    return [(fact.text, fact.status) for fact in (*now, *past) if fact.slot == "task"]


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
        told = summary(f"## Progress\n### In Progress\n{line}", 4)
        open_ = {("mend the build", "active"), ("write the page", "open")}
        assert set(tasks([*ONE_BY_ONE[:3], *told])) == open_
        for order_ in permutations([*ONE_BY_ONE, *told][-4:]):
            assert ("mend the build", "done") in tasks([*ONE_BY_ONE[:2], *order_])
            assert len(tasks([*ONE_BY_ONE[:2], *order_])) == 2


def test_a_summary_keeps_the_id_of_a_task_whose_message_left() -> None:
    told = summary("## Progress\n### In Progress\n- [ ] mend the build (task #1)", 4)
    assert tasks(told) == [("mend the build", "active")]
    assert tasks([*told, *ran("TaskUpdate", 5, taskId="1", status="completed")]) == [("mend the build", "done")]


def test_a_state_finds_its_text_in_whatever_order_they_are_seen() -> None:
    expected = tasks(ONE_BY_ONE)
    assert all(tasks(order_) == expected for order_ in permutations(ONE_BY_ONE))
