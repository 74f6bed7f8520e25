"""Turns a tool result and its call into facts: files touched, commands and how they ended, task lists.

Rules:
1. A result's text is data: it is never parsed for headings, checklists or packets. Of a failed result one
   quoted line of at most 200 characters is kept, and nothing else.
2. Facts come from the result; a call whose result never came did nothing that is known of.
3. Reading and changing one path are two keys, so that a read after an edit does not hide the edit.
4. What failed is known by tool and telling argument, so that the same thing succeeding clears it. Of a shell
   command the argument is what it runs: `CI=1 npm test 2>&1 | tail -5` is `npm test`. Where it runs counts.
5. A task list is stated whole: its tasks carry the tool's listing, and one fact says when it was stated; so a
   task that a later list leaves out is closed, in whatever order the lists are seen.
"""

import re
from collections.abc import Mapping
from typing import Any

from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text.wording import key_of, plain, shorten
from ctxmgr.model.messages import Call

ERROR_CHARACTERS = 200
COMMAND_CHARACTERS = 240
EDGE_CHARACTERS = 20_000  # of a longer output only so much of its start and end is looked at for an error
ESSENTIAL_CHARACTERS = 2_000  # a longer command is a script: taken as it is
SHELL = "shell"  # one key for every shell tool and the user's own runs


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHELLS = _words(
    "bash sh shell exec execcommand runcommand runshellcommand runterminalcmd runinterminal terminal "
    "localshell executebash executecommand powershell"
)
_READS = _words("read readfile readfiles view viewfile openfile fileread")
_WRITES = _words("write writefile writetofile createfile create filewrite")
_EDITS = _words(
    "edit multiedit editfile strreplace strreplaceeditor strreplacebasededittool replace "
    "replaceinfile insert searchreplace notebookedit applydiff patch applypatch fileedit"
)
_EDITOR_COMMANDS = {"view": "read", "create": "written", "str_replace": "edited", "insert": "edited"}
_PATHS = ("path", "file_path", "filePath", "filename", "file", "notebook_path")
_TELLING = ("command", "cmd", *_PATHS, "pattern", "query", "url")
_LISTS = ("todos", "plan", "tasks", "items", "todo_list")
_TEXTS = ("content", "text", "title", "step", "subject", "task", "description", "name")
_LISTING_TOOL = re.compile(r"todo|plan|task", re.IGNORECASE)
_STATUSES = {"completed": "done", "done": "done", "complete": "done", "finished": "done", "closed": "done"}
_STATUSES |= {"in_progress": "active", "in-progress": "active", "active": "active", "doing": "active"}
_STATUSES |= {"inprogress": "active", "started": "active", "blocked": "blocked"}
_DROPPED = frozenset(("cancelled", "canceled", "deleted", "removed", "skipped"))

_NOT_NAME = re.compile(r"[^a-z0-9]+")
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_BEFORE = re.compile(r"^\s*(?:export\s+)?[A-Z_][A-Z0-9_]*=\S*(?:\s*(?:&&|;))?\s+")
_AFTER = re.compile(
    r"\s*(?:2>&1|2>\s*/dev/null|\|\s*(?:tail|head|less|cat|tee)\b[^|;&]*"
    r"|(?:\|\||;)\s*(?:true|echo\b[^|;&]*))\s*$"
)
_STRONG = re.compile(
    r"\berror\b\s*(?:TS\d+|\[\w+\])?\s*:|\b\w*(?:Error|Exception)\b(?:\s\[\w+\])?:"
    r"|^fatal:|^FAIL|\bpanicked at\b"
)
_WEAK = re.compile(
    r"\b(?:errors?|failed|failure|cannot|can't|could not|couldn't|not found|no such|denied|invalid|unexpected"
    r"|expected|undefined|unable|refused|timed out|aborted|exited with)\b|[✗✘×]",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(
    r"\b(?:0|no) (?:errors?|failed|failures?)\b|^\s*>\s|^\s*\d+ \||^npm (?:error|ERR!)", re.IGNORECASE
)


def from_result(text: str, is_error: bool, call: Call, into: Statements) -> None:
    """Add the facts of one tool result and the call that it answers."""
    name = _NOT_NAME.sub("", call.tool.rsplit(".", 1)[-1].casefold())
    arguments = call.arguments
    touched = [] if name in _SHELLS else _touched(name, arguments)
    if not is_error:
        for action, path in touched:
            key = "read" if action == "read" else "changed"
            into.add("file", f"{key}\n{path}", path, "tool", action)
        _task_list(name, arguments, into)
    telling = _telling(arguments) or (touched[0][1] if touched else "")
    if telling and name in _SHELLS:
        _command(SHELL, essential(telling), telling, is_error, text, into)
    elif telling:
        _command(name, telling, f"{call.tool} {telling}", is_error, text, into)


def from_shell(text: str, command: str, is_error: bool, into: Statements) -> None:
    """Add the facts of the user's own shell run; `text` is the command, a line end and the output."""
    _command(SHELL, essential(command), command, is_error, text.removeprefix(command), into)


def essential(command: str) -> str:
    """Return what a shell command runs, without variables before it and cut output after it."""
    before = command if len(command) > ESSENTIAL_CHARACTERS else None
    while before != command:
        before = command
        command = _AFTER.sub("", _BEFORE.sub("", command))
    return command.strip()


def error_line(text: str) -> str:
    """Return the one line of a failed result that says most, clean and at most 200 characters; "" if none."""
    if len(text) > 2 * EDGE_CHARACTERS:
        text = f"{text[:EDGE_CHARACTERS]}\n{text[-EDGE_CHARACTERS:]}"
    lines = [line for line in map(plain, text.splitlines()) if line and line != "(no output)"]
    telling = [line for line in lines if not _NO_ERROR.search(line)]
    for pattern in (_STRONG, _WEAK):
        for line in telling:
            if pattern.search(line):
                return shorten(line, ERROR_CHARACTERS)
    return shorten((telling or lines or [""])[-1], ERROR_CHARACTERS)


def _command(tool: str, argument: str, shown: str, is_error: bool, output: str, into: Statements) -> None:
    into.add(
        "command",
        f"{tool}\n{key_of(argument) if len(argument) > COMMAND_CHARACTERS else argument}",
        shorten(plain(shown), COMMAND_CHARACTERS),
        "tool",
        "failed" if is_error else "ok",
        error_line(output) if is_error else "",
    )


def _touched(name: str, arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (status, path) of each file that a call read or changed."""
    patch = next((text for text in arguments.values() if _is_patch(text)), None)
    if patch is not None:
        statuses = {"Add": "written", "Update": "edited", "Delete": "deleted"}
        return [(statuses[verb], plain(path)) for verb, path in _PATCHED.findall(patch)]
    action = "read" if name in _READS else "written" if name in _WRITES else "edited" if name in _EDITS else ""
    if action == "edited":
        action = _EDITOR_COMMANDS.get(str(arguments.get("command", "")), action)
    path = next((plain(arguments[key]) for key in _PATHS if isinstance(arguments.get(key), str)), "")
    return [(action, path)] if action and path else []


def _is_patch(value: object) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("*** Begin Patch")


def _telling(arguments: Mapping[str, Any]) -> str:
    """Return the argument that says what a call did: of an editor the path."""
    editor = str(arguments.get("command")) in _EDITOR_COMMANDS
    for key in _PATHS if editor else _TELLING:
        value = arguments.get(key)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _task_list(name: str, arguments: Mapping[str, Any], into: Statements) -> None:
    """Add the tasks of a whole list that the model handed to a task-list tool, and when it did."""
    rows = next((arguments[key] for key in _LISTS if isinstance(arguments.get(key), list)), None)
    if rows is None or not (rows or _LISTING_TOOL.search(name)):
        return
    tasks = [_task(row) for row in rows]
    if not all(tasks):
        return
    listing = f"tool:{name}"
    into.add("listing", listing, "", "assistant", listing=listing)
    for task in tasks:
        if task and task[1] not in _DROPPED:
            into.add("task", key_of(task[0]), plain(task[0]), "assistant", task[1], listing=listing)


def _task(row: object) -> tuple[str, str] | None:
    """Read one row as (text, status), or None where the list is no task list."""
    if not isinstance(row, dict):
        return None
    text = next((row[key] for key in _TEXTS if isinstance(row.get(key), str) and row[key].strip()), "")
    if isinstance(row.get("status"), str):
        status = row["status"].casefold()
        status = _STATUSES.get(status, status if status in _DROPPED else "open")
    elif isinstance(done := row.get("done", row.get("completed")), bool):
        status = "done" if done else "open"
    else:
        return None
    return (text, status) if text else None
