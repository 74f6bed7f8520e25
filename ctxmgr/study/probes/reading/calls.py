"""Turns one call of a tool into what it does: looks at, changes, runs, and the tasks that it sets.

Read from the call alone, by the words of the tool's name and the roles of its arguments; no tool is known by its
whole name. Rules:
1. An argument named as paths are is a path. With new content beside it, or a word of writing in the name, the call
   changes it; with a word of deleting it deletes it; else it looks at it.
2. An argument named as commands are is run; so is a string in a program that starts with a program's name.
3. A patch changes what it names, wherever it stands.
4. A list of records with a text and a state is the list of tasks; one record, where the name says task, is one.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from ctxmgr.study.metrics import strings
from ctxmgr.study.probes.reading.patches import BEGIN, Change, changes, literals
from ctxmgr.study.probes.reading.programs import CHECKS, READERS, RUNNERS, SEARCHERS, effects, is_path
from ctxmgr.study.probes.reading.wording import word_set

PATHS = word_set(
    """
    path file_path filePath filename file target_file TargetFile absolute_path notebook_path
    relative_path
"""
)
CONTENT = word_set(
    """
    content contents file_text text new_string newString new_str newText code_edit new_source
"""
)
COMMANDS = word_set(
    """
    command cmd script commandLine CommandLine
"""
)
PROGRAMS = frozenset(("input", "code"))
WRITING = word_set(
    """
    write edit create replace insert update patch modify append multiedit save
"""
)
DELETING = frozenset(("delete", "remove", "rm", "unlink"))
LISTING = word_set(
    """
    ls list glob find tree
"""
)
SEARCHING = frozenset(("grep", "search", "rg"))
TASK_LISTS = ("todos", "plan", "tasks", "items", "todo_list")
TASK_TEXT = ("content", "step", "subject", "title", "task", "description", "text")
TASK_STATE = ("status", "state", "completed", "done")
TASK_ID = ("id", "taskId", "task_id")
DONE = word_set(
    """
    done completed complete finished true cancelled canceled deleted
"""
)
ACTIVE = frozenset(("in_progress", "in-progress", "inprogress", "active", "doing", "started"))
SHELLS = frozenset(("bash", "sh", "zsh"))
_EDITOR = word_set(
    """
    view create str_replace insert undo_edit
"""
)  # commands of an editing tool, run by no shell
_NAME_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_FIRST_WORD = re.compile(r"\s*(?:cd\s|(?:[A-Z_]+=\S+\s+)*([\w.-]+)(?:\s|$))")
_STARTS = (
    READERS
    | SEARCHERS
    | CHECKS
    | RUNNERS
    | word_set(
        """
    git gh ls find rm mv cp tee touch curl mkdir
"""
    )
)


class TaskChange(msgspec.Struct, frozen=True):
    """`id` "" where the list has none; `text` "" where only the state of a known one is set; None: as it was.
    `is_about`: the text is what it is about, which a task that has a text does not take for it. `active`: it is
    under way."""

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


@cache
def name_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _NAME_WORDS.findall(name))


def did(name: str, arguments: dict[str, Any]) -> Did:
    words = name_words(name)
    looked: list[str] = []
    changed = [change for text in strings(arguments) for change in changes(text)]
    commands = tuple(_commands(arguments))
    directories = [str(arguments[one]) for one in ("workdir", "cwd") if arguments.get(one)]
    for command in commands:
        effect = effects(command)
        looked += effect.looked_at
        changed += effect.changes
        directories += [effect.directory] if effect.directory.startswith("/") else []
    if not commands:
        for path in _paths(arguments):
            change = _changed(words, path, arguments)
            if change is not None:
                changed.append(change)
            elif not words & LISTING and (not words & SEARCHING or (is_path(path) and "." in path[-6:])):
                looked.append(path)
    tasks, whole = _tasks(words, arguments)
    waits = tuple(str(value) for one, value in arguments.items() if one in ("session_id", "cell_id"))
    waits += tuple(re.findall(r"session_id:\s*(\d+)", str(arguments.get("input", ""))))
    return Did(tuple(dict.fromkeys(looked)), tuple(changed), commands, tuple(directories), tasks, whole, waits)


def _commands(arguments: dict[str, Any]) -> Iterator[str]:
    """Rule 2."""
    for one, value in arguments.items():
        if one in COMMANDS and isinstance(value, str) and value not in _EDITOR:
            yield value
        elif one in COMMANDS and isinstance(value, list) and all(isinstance(word, str) for word in value):
            is_shell = len(value) > 2 and value[0].rpartition("/")[2] in SHELLS and value[1].startswith("-")
            yield value[2] if is_shell else " ".join(value)
        elif one in PROGRAMS and isinstance(value, str):
            yield from _commands_in(value)


def _commands_in(program: str) -> Iterator[str]:
    for text in literals(program):
        first = _FIRST_WORD.match(text)
        if first and BEGIN not in text and (first[1] is None or first[1].rpartition("/")[2] in _STARTS):
            yield text


def _paths(arguments: dict[str, Any]) -> Iterator[str]:
    for one, value in arguments.items():
        if one in PATHS and isinstance(value, str) and value.strip() and "\n" not in value:
            yield value.removeprefix("@")


def _changed(words: frozenset[str], path: str, arguments: dict[str, Any]) -> Change | None:
    """Rule 1; the editing tool that is told by an argument what to do is asked that."""
    acts = arguments.get("command")
    doing = words | name_words(acts) if isinstance(acts, str) and acts in _EDITOR else words
    if acts == "view":
        return None
    if doing & DELETING:
        return Change(path, "deleted")
    new = tuple(line for text in _content(arguments) for line in text.split("\n"))
    return Change(path, "changed", new) if new or doing & WRITING else None


def _content(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one, part in value.items():
            if one in CONTENT and isinstance(part, str):
                yield part
            else:
                yield from _content(part)
    elif isinstance(value, list):
        for part in value:
            yield from _content(part)


def _tasks(words: frozenset[str], arguments: dict[str, Any]) -> tuple[tuple[TaskChange, ...], bool]:
    """Rule 4: the tasks, and whether they are the whole list."""
    for one in TASK_LISTS:
        records = arguments.get(one)
        if isinstance(records, list) and records and all(isinstance(record, dict) for record in records):
            found = [_task(record) for record in records]
            if all(task.text for task in found):
                return tuple(found), True
    if words & {"task", "todo"} and words & (WRITING | {"add", "set"}):
        task = _task(arguments)
        return ((task,), False) if task.text or task.id else ((), False)
    return (), False


def _task(record: dict[str, Any]) -> TaskChange:
    said = next((one for one in TASK_TEXT if record.get(one)), "")
    text = str(record[said]) if said else ""
    state = next((str(record[one]).lower() for one in TASK_STATE if record.get(one) is not None), None)
    id = next((str(record[one]) for one in TASK_ID if record.get(one)), "")
    done = None if state is None else state in DONE
    return TaskChange(id, text, done, bool(id) and said == "description", state in ACTIVE)
