"""What probes read of a message (pi's format): who, the text, the calls and what each does, the result.

The lines of a message are searched: each text by its lines; a call as one line with its tool and its short
arguments, then each long argument by its lines. String literals of a program come again, unescaped; of a list of
records each is one line.

What a call does is read from the call alone, by the words of the tool's name and the roles of its arguments; no
tool is known by its whole name. Rules:
1. An argument with a path's name is a path. With new content beside it, or a word of writing in the tool's name,
   the call changes it; with a word of deleting it deletes it; else it looks at it.
2. An argument with a command's name is run; so is a string in a program that starts with a program's name.
3. A patch changes what it names, wherever it is.
4. A list of records with a text and a state is the list of tasks; so is one record, if the tool's name says task.
"""

import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

import msgspec

from ctxmgr.study.observations import strings
from ctxmgr.study.probes.commands import (
    BEGIN,
    PROGRAMS,
    Change,
    changes,
    command_line,
    is_path,
    literals,
    simple_commands,
)
from ctxmgr.study.probes.wording import word_set

PATHS = word_set(
    """path file_path filePath filename file target_file TargetFile absolute_path notebook_path
    relative_path"""
)
CONTENT = word_set("content contents file_text text new_string newString new_str newText code_edit new_source")
COMMANDS = word_set("command cmd script commandLine CommandLine")
CODE = word_set("input code")
EDITOR_COMMANDS = word_set("view create str_replace insert undo_edit")  # of an editing tool; no shell runs them
WRITING = word_set("write edit create replace insert update patch modify append multiedit save")
DELETING = word_set("delete remove rm unlink")
LISTING = word_set("ls list glob find tree")
SEARCHING = word_set("grep search rg")
TASK_LISTS = ("todos", "plan", "tasks", "items", "todo_list")
TASK_TEXT = ("content", "step", "subject", "title", "task", "description", "text")
TASK_STATE = ("status", "state", "completed", "done")
TASK_ID = ("id", "taskId", "task_id")
DONE = word_set("done completed complete finished true cancelled canceled deleted")
ACTIVE = word_set("in_progress in-progress inprogress active doing started")
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WAITED_FOR = re.compile(r"session_id:\s*(\d+)")
SHORT_CHARACTERS = 400  # of an argument on the line of its call

_decode = msgspec.json.Decoder().decode


class TaskChange(msgspec.Struct, frozen=True):
    """`id` "" if the list has none; `text` "" if only the state of a known one is set; `done` None: unchanged.
    `is_about`: the text is its subject, which does not replace an existing text. `active`: it is under way.
    """

    id: str
    text: str
    done: bool | None
    is_about: bool = False
    active: bool = False


class Did(msgspec.Struct, frozen=True):
    """What one call does. `whole_list`: its tasks are all there are. `waits_for`: ids of what it waits for."""

    looked_at: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    commands: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    tasks: tuple[TaskChange, ...] = ()
    whole_list: bool = False
    waits_for: tuple[str, ...] = ()


class SessionCall(msgspec.Struct, frozen=True):
    id: str
    name: str
    arguments: dict[str, Any]
    did: Did


class SessionMessage(msgspec.Struct, frozen=True, dict=True):
    """One message. `text` without thinking. `call_id` of a result. `failed`: as the host flagged it."""

    role: str
    text: str
    thinking: str = ""
    calls: tuple[SessionCall, ...] = ()
    call_id: str = ""
    failed: bool = False

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Everything that a model reads of it."""
        parts = [*self.text.split("\n"), *self.thinking.split("\n")]
        for call in self.calls:
            parts += _lines(call.arguments, call.name)
            for name, value in call.arguments.items():
                if name in CODE and isinstance(value, str):
                    parts += (line for text in literals(value) for line in text.split("\n"))
        return tuple(part for part in parts if part.strip())


def read_message(raw: bytes) -> SessionMessage:
    fields = _decode(raw)
    content = fields.get("content")
    content = content if isinstance(content, list) else [{"type": "text", "text": content}]
    blocks = [block for block in content if isinstance(block, dict)]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    texts += [fields[name] for name in ("summary", "command", "output") if isinstance(fields.get(name), str)]
    text = "\n".join(texts)
    if '"output":"' in text:  # a result that is a JSON record: its lines are lines
        text = text.replace("\\n", "\n").replace('"output":"', '"output":"\n')
    return SessionMessage(
        role=str(fields.get("role", "")),
        text=text,
        thinking="\n".join(block["thinking"] for block in blocks if isinstance(block.get("thinking"), str)),
        calls=tuple(_call(block) for block in blocks if block.get("type") == "toolCall"),
        call_id=str(fields.get("toolCallId", "")),
        failed=bool(fields.get("isError")),
    )


def _call(block: dict[str, Any]) -> SessionCall:
    given = block.get("arguments")
    arguments = given if isinstance(given, dict) else {}
    name = str(block.get("name", ""))
    return SessionCall(str(block.get("id", "")), name, arguments, did(name, arguments))


def _lines(value: Any, head: str = "") -> Iterator[str]:
    """A record's short values are one line, behind `head`; everything else by lines."""
    if isinstance(value, dict):
        short = {name: " ".join(str(part).split()) for name, part in value.items() if _is_short(part)}
        yield " ".join([head, *(f"{name} {part}" for name, part in short.items())])
        for name, part in value.items():
            if name not in short or "\n" in str(part):
                yield from _lines(part)
    elif isinstance(value, list):
        for part in value:
            yield from _lines(part)
    else:
        yield from str(value).split("\n")


def _is_short(value: Any) -> bool:
    return not isinstance(value, list | dict) and len(str(value)) <= SHORT_CHARACTERS


# what a call does


@cache
def name_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _NAME_WORD.findall(name))


def did(name: str, arguments: dict[str, Any]) -> Did:
    looked: list[str] = []
    changed = [change for text in strings(arguments) for change in changes(text)]
    commands = tuple(_commands(arguments))
    directories = [str(arguments[key]) for key in ("workdir", "cwd") if arguments.get(key)]
    for command in map(command_line, commands):
        looked += command.looked_at
        changed += command.changes
        directories += [command.directory] if command.directory.startswith("/") else []
    if not commands:
        words = name_words(name)
        for path in _paths(arguments):
            change = _changed(words, path, arguments)
            if change is not None:
                changed.append(change)
            elif not words & LISTING and (not words & SEARCHING or (is_path(path) and "." in path[-6:])):
                looked.append(path)
    tasks, whole = _tasks(name_words(name), arguments)
    waits = [str(value) for key, value in arguments.items() if key in ("session_id", "cell_id")]
    waits += _WAITED_FOR.findall(str(arguments.get("input", "")))
    return Did(
        tuple(dict.fromkeys(looked)), tuple(changed), commands, tuple(directories), tasks, whole, tuple(waits)
    )


def _commands(arguments: dict[str, Any]) -> Iterator[str]:
    """Rule 2."""
    for name, value in arguments.items():
        if name in COMMANDS and isinstance(value, str) and value not in EDITOR_COMMANDS:
            yield value
        elif name in COMMANDS and isinstance(value, list):
            words = list(map(str, value))
            yield words[2] if len(words) > 2 and words[1].startswith("-") else " ".join(words)  # `bash -lc`
        elif name in CODE and isinstance(value, str):
            for text in literals(value):
                first = next(simple_commands(text), None)
                if first and BEGIN not in text and not PROGRAMS.isdisjoint(first.words[:1]):
                    yield text


def _paths(arguments: dict[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        if name in PATHS and isinstance(value, str) and value.strip() and "\n" not in value:
            yield value.removeprefix("@")


def _changed(words: frozenset[str], path: str, arguments: dict[str, Any]) -> Change | None:
    """Rule 1; for an editing tool with a command argument, that argument decides."""
    command = str(arguments.get("command"))
    if command == "view":
        return None
    doing = words | name_words(command) if command in EDITOR_COMMANDS else words
    if doing & DELETING:
        return Change(path, "deleted")
    new = tuple(line for text in _content(arguments) for line in text.split("\n"))
    return Change(path, "changed", new) if new or doing & WRITING else None


def _content(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from [part] if name in CONTENT and isinstance(part, str) else _content(part)
    elif isinstance(value, list):
        for part in value:
            yield from _content(part)


def _tasks(words: frozenset[str], arguments: dict[str, Any]) -> tuple[tuple[TaskChange, ...], bool]:
    """Rule 4: the tasks, and whether they are the whole list."""
    for name in TASK_LISTS:
        records = arguments.get(name)
        if isinstance(records, list) and records and all(isinstance(record, dict) for record in records):
            tasks = tuple(map(_task, records))
            if all(task.text for task in tasks):
                return tasks, True
    if words & {"task", "todo"} and words & (WRITING | {"add", "set"}):
        task = _task(arguments)
        return ((task,), False) if task.text or task.id else ((), False)
    return (), False


def _task(record: dict[str, Any]) -> TaskChange:
    named = next((name for name in TASK_TEXT if record.get(name)), "")
    state = next((str(record[name]).lower() for name in TASK_STATE if record.get(name) is not None), None)
    id = next((str(record[name]) for name in TASK_ID if record.get(name)), "")
    done = None if state is None else state in DONE
    return TaskChange(id, str(record.get(named, "")), done, bool(id) and named == "description", state in ACTIVE)
