"""Open tasks as the measure finds them, by patterns of its own."""

import pytest

from ctxmgr.model.compaction.plans import BranchMessage
from ctxmgr.model.compaction.plans import MessageContent as Shown
from ctxmgr.study.compare.retention.retained import retention
from ctxmgr.study.compare.retention.stated import open_tasks
from tests.notation import Said, a, talk, u


def messages(*said: Said) -> tuple[BranchMessage, ...]:
    return tuple(BranchMessage(one.raw, one.view, Shown(""), 0) for one in talk(*said))


TASKS = [
    ([a("- [ ] write the schema\n- [x] choose it")], ["write the schema"]),
    ([a("- [ ] write the schema"), a("- [x] write the schema")], []),
    (
        [a("**Remaining:**\n- measure the loader\n- publish it all\n\nGo?")],
        ["measure the loader", "publish it all"],
    ),
    ([a("Remaining:\n- measure the loader"), a("I measured the loader.")], ["measure the loader"]),
    ([a("Remaining:\n- measure the loader"), a("The loader: measure taken.")], []),
    ([a("Next steps:\n- first plan"), a("Next steps:\n- second plan")], ["second plan"]),
    ([u("- [ ] of the user")], []),
]


@pytest.mark.parametrize(("said", "expected"), TASKS)
def test_open_tasks(said: list[Said], expected: list[str]) -> None:
    assert open_tasks(messages(*said)) == expected


def test_what_a_summary_leaves_out_is_missed() -> None:
    said = messages(a("Remaining:\n- measure the big files"))
    rows = {row.what: row for row in retention(said, "nothing of it")}
    assert (rows["tasks"].retained_count, rows["tasks"].total_count) == (0, 1)
    held = {row.what: row for row in retention(said, "- measure the big files")}
    assert held["tasks"].share == 1.0
