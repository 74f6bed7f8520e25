"""Turns a task that its tool knows by an id into a summary's line of it, and back.

The id stays with the task where the message that gave it left: later calls, and their facts, name the task by it
alone.
"""

import re

from ctxmgr.engine.memory.wording import key_of

KEY = "task\n"  # before the id, in the key of a fact

_TOLD = re.compile(r"\s*\(task #(\w{1,40})\)\s*$")


def id_key(number: str) -> str:
    """The key of the task with this id."""
    return f"{KEY}{number}"


def with_id(text: str, key: str) -> str:
    """A task's text, with its id where it is known by one."""
    return f"{text} (task #{key.removeprefix(KEY)})" if key.startswith(KEY) else text


def stated(text: str) -> tuple[str, str]:
    """The key and the text of a task as a summary tells it."""
    found = _TOLD.search(text)
    return (id_key(found[1]), text[: found.start()]) if found else (key_of(text), text)
