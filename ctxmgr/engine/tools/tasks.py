"""Finds the tasks that a call's arguments state, and those that a host's own task tool prints.

Rules:

1. A list of objects with a text and a state each is the complete task list, whatever the tool. An empty one counts
   if the tool's name says so. So does a checklist in text (`[x] done`) passed to a tool for plans.
2. A single task has a text, or the id that the tool gave it, which the call's result names.
3. A list with a row that is no task does not count.
4. A host prints one task per line with id, state and text (`#2 [pending] x`), or one task with its state below.
   What it waits for, behind the text, is not part of it.
"""

import re
from typing import Any

from ctxmgr.engine.tools.arguments import CallArguments
from ctxmgr.engine.tools.effects import Task, Tasks, TaskStatus
from ctxmgr.engine.tools.names import EffectKind
from ctxmgr.model import expression

_STATUSES: dict[str, TaskStatus] = {
    **dict.fromkeys(("completed", "done", "complete", "finished", "closed"), "done"),
    **dict.fromkeys(
        ("in_progress", "in-progress", "active", "doing", "inprogress", "started", "in progress"), "active"
    ),
    "blocked": "blocked",
    **dict.fromkeys(("cancelled", "canceled", "deleted", "removed", "skipped"), "dropped"),
}
_MARKS: dict[str, TaskStatus] = {
    "x": "done",
    "X": "done",
    "-": "active",
    "~": "active",
    "/": "active",
    ">": "active",
    " ": "open",
    "": "open",
}
_TEXTS = ("content", "text", "title", "step", "subject", "task", "description", "name")
_LISTING_TOOLS = ("todo", "plan", "task")  # in a tool's name
_LINE = expression(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?\[([ xX~/>-]?)\]\s+(\S.*)$")
_CREATED = expression(r"\bTask #(\w{1,40}) created\b")
_REFUSED = expression(  # by its beginning: no such task, or an error of the tool
    r"\W*(?:(?:error:? )?task\b[^\n]{0,60}\bnot (?:be )?found\b"
    r"|tool_use_error|(?:input)?validation ?error|errors?\b[\"']?\s*[:!](?!\s*(?:null|false|0|\"\"))"
    r"|(?:failed|unable) to\b|(?:cannot|can't|could not|couldn't)\b|invalid\b)",
    re.IGNORECASE,
)
_LISTED = expression(r"^#(\w{1,40}) \[(\w{1,40})\] (\S.*?)(?: \[blocked by [^\]]*\])?$")
_SHOWN = expression(r"Task #(\w{1,40}): (\S[^\n]*)\nStatus: (\w{1,40})\s*$", re.MULTILINE)
LINE_CHARACTERS = 500  # a longer line is no task
RESULT_CHARACTERS = 400  # of a result, searched for an id


def tasks_of(tool: str, kind: EffectKind, given: CallArguments) -> Tasks | None:
    """The tasks that a call states; None if it states none."""
    rows = next((value for value in given.values("tasks") if isinstance(value, list)), None)
    if rows is not None:
        tasks = [_row(row) for row in rows]
        listed = rows or any(word in tool.casefold() for word in _LISTING_TOOLS)
        return Tasks(tuple(task for task in tasks if task)) if listed and all(tasks) else None
    if kind != "plan":
        return None
    text = given.text("tasks", "content")
    if text is not None:
        lines = tuple(_checked(text))
        return Tasks(lines) if lines or not text.strip() else None
    return _single(given)


def created_id(result: str) -> str:
    """The id that a result gives the one task that its call created; "" for none."""
    head = _CREATED.search(result, 0, RESULT_CHARACTERS)
    return head[1] if head else ""


def refuses_task(result: str) -> bool:
    """Whether a result says that its call stated no task: the id is unknown, or the tool refused it."""
    return _REFUSED.match(result, 0, RESULT_CHARACTERS) is not None


def listed_tasks(result: str) -> tuple[Task, ...]:
    """The tasks that a host's own task tool prints (rule 4)."""
    shown = _SHOWN.match(result)
    if shown:
        return (Task(shown[2][:LINE_CHARACTERS], _status(shown[3]), shown[1]),)
    lines = (_LISTED.match(line) for line in result.splitlines() if len(line) <= LINE_CHARACTERS)
    return tuple(Task(line[3], _status(line[2]), line[1]) for line in lines if line)


def _single(given: CallArguments) -> Tasks | None:
    """Rule 2."""
    text, number = given.text("task") or "", given.text("task id") or ""
    if not text and not number:
        return None
    status = given.text("status")
    known = _status(status) if status else "" if number else "open"
    return Tasks((Task(text, known, number),), whole=False)


def _status(text: str) -> TaskStatus:
    return _STATUSES.get(text.casefold(), "open")


def _row(row: Any) -> Task | None:
    """One row of a list; None if it is no task."""
    if not isinstance(row, dict):
        return None
    text = next((row[key] for key in _TEXTS if isinstance(row.get(key), str) and row[key].strip()), "")
    if isinstance(row.get("status"), str):
        status = _status(row["status"])
    elif isinstance(done := row.get("done", row.get("completed")), bool):
        status = "done" if done else "open"
    else:
        return None
    return Task(text, status) if text else None


def _checked(text: str) -> list[Task]:
    lines = (_LINE.match(line) for line in text.splitlines() if len(line) <= LINE_CHARACTERS)
    return [Task(line[2].strip(), _MARKS[line[1]]) for line in lines if line]
