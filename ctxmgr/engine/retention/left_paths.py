"""Turns the steps that left into the packet's list of files: which paths their calls named, newest first."""

from collections.abc import Container, Iterable, Sequence

from ctxmgr.engine.text import one_line
from ctxmgr.engine.tools import calls_of
from ctxmgr.model import Message, Weigh

HEADING = "## Files in what left"
PATH_LENGTH = 200
PATHS_TOKENS = 300  # of the whole list


def left_paths(messages: Sequence[Message], dropped: Container[int], shown: str, weigh: Weigh) -> str:
    """The list, "" where nothing is to be told; a path that the text `shown` holds is not told again."""
    paths = dict.fromkeys(path for path in _paths(messages, dropped) if path not in shown)
    lines, room = [HEADING], PATHS_TOKENS - weigh(HEADING)
    for path in paths:
        line = f"- {one_line(path, PATH_LENGTH)}"
        room -= weigh(line + "\n")
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines) if len(lines) > 1 else ""


def _paths(messages: Sequence[Message], dropped: Container[int]) -> Iterable[str]:
    """Of files, newest call first."""
    for at in range(len(messages) - 1, -1, -1):
        if at in dropped:
            for call in calls_of(messages[at]):
                yield from (one.path for one in (call.effects if call is not None else ()) if one.path)
