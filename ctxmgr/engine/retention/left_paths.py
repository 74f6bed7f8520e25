"""Turns the steps that left into the packet's list of files: which paths their calls named, newest first."""

from collections.abc import Container, Iterable, Sequence

from ctxmgr.engine.text import one_line
from ctxmgr.engine.tools import calls_of
from ctxmgr.model import Message, Weigh

PATH_LENGTH = 200
PATHS_TOKENS = 300  # of the whole list


def left_paths(messages: Sequence[Message], dropped: Container[int], weigh: Weigh) -> tuple[str, ...]:
    """A line for each."""
    lines, room = [], PATHS_TOKENS
    for path in dict.fromkeys(_paths(messages, dropped)):
        line = f"- {one_line(path, PATH_LENGTH)}"
        room -= weigh(line + "\n")
        if room < 0:
            break
        lines.append(line)
    return tuple(lines)


def _paths(messages: Sequence[Message], dropped: Container[int]) -> Iterable[str]:
    """Of files, newest call first."""
    for at in range(len(messages) - 1, -1, -1):
        if at in dropped:
            for call in calls_of(messages[at]):
                yield from (one.path for one in (call.effects if call is not None else ()) if one.path)
