"""The tasks that a call states, by its list, its text or a single task."""

from typing import Any

import pytest

from ctxmgr.engine.tools import tool_call
from ctxmgr.engine.tools.tasks import created_id


def tasks(tool: str, arguments: dict[str, Any]) -> list[tuple[str, str]] | None:
    found = tool_call(tool, arguments).tasks
    return None if found is None else [(one.text, one.status) for one in found.tasks]


ROWS = [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]


@pytest.mark.parametrize(
    ("tool", "arguments", "stated"),
    [
        ("TodoWrite", {"todos": ROWS}, [("a", "done"), ("b", "open")]),
        ("TodoWrite", {"todos": []}, []),
        ("TodoWrite", {"todos": [*ROWS, {"content": "c"}]}, None),
        ("TodoWrite", {"todos": [{"content": "c", "done": True}]}, [("c", "done")]),
        ("TodoWrite", {"todos": [{"content": "c", "done": False}]}, [("c", "open")]),
        ("update_todo_list", {"todos": "[x] a\n[ ] b"}, [("a", "done"), ("b", "open")]),
        ("update_todo_list", {"todos": "nothing of the kind"}, None),
        ("bash", {"command": "ls", "todos": "[x] a"}, None),
        ("write", {"path": "todo.md", "content": "- [x] a\n- [ ] b"}, None),
        ("edit", {"path": "todo.md", "todos": "- [x] a"}, None),
        ("read", {"path": "todo.md"}, None),
    ],
)
def test_what_a_call_states(tool: str, arguments: dict[str, Any], stated: list[tuple[str, str]] | None) -> None:
    assert tasks(tool, arguments) == stated


@pytest.mark.parametrize(("before", "found"), [(385, "7"), (386, "")])
def test_the_id_of_a_task_is_looked_for_in_400_characters(before: int, found: str) -> None:
    assert created_id("x" * (before - 1) + " Task #7 created") == found
    assert created_id("Task #7 was made") == ""
