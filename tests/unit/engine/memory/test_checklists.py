"""Boxes of a summary that has no section of tasks are tasks, wherever they stand."""

import pytest

from ctxmgr.engine.memory import Stamp, from_summary


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- [ ] open one", [("open one", "open")]),
        ("* [x] done one\n  + [X] nested", [("done one", "done"), ("nested", "done")]),
        ("1. [~] started", [("started", "active")]),
        ("- [] no space in it", [("no space in it", "open")]),
        ("- [-] cancelled", []),
        ("- [link](x)", []),
        ("> - [ ] quoted", []),
        ("```\n- [ ] an example\n```", []),
        ("- [ ] " + "x" * 600, []),
        ("nothing to do", []),
    ],
)
def test_boxes_are_tasks(text: str, found: list[tuple[str, str]]) -> None:
    facts = from_summary(f"It goes on.\n\n{text}", kind="compaction", stamp=Stamp("o", 1))
    assert [(fact.text, fact.status) for fact in facts if fact.kind == "task"] == found
