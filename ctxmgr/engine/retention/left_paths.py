"""Turns the steps that left into the packet's list of files: which their calls read or changed, newest first."""

from collections.abc import Container, Iterable, Sequence

from ctxmgr.engine.text import one_line
from ctxmgr.engine.tools import calls_of, paths
from ctxmgr.model import Message, Weigh

PATH_LENGTH = 200
PATHS_TOKENS = 300  # of the whole list
_TOUCHING = frozenset(("read", "write", "edit", "delete", "move"))


def left_paths(messages: Sequence[Message], dropped: Container[int], weigh: Weigh) -> tuple[str, tuple[str, ...]]:
    """The directory that nearly all are under, "" for none, and a line for each."""
    lines, room = [], PATHS_TOKENS
    found = list(_paths(messages, dropped))
    whole = paths.same(found)
    every = dict.fromkeys(whole.get(path, path) for path in found)
    root = paths.root_of(every)
    for path in every:
        line = f"- {one_line(path.removeprefix(root) or path, PATH_LENGTH)}"
        room -= weigh(line + "\n")
        if room < 0:
            break
        lines.append(line)
    return root, tuple(lines)


def _paths(messages: Sequence[Message], dropped: Container[int]) -> Iterable[str]:
    """Of files, newest call first."""
    for at in range(len(messages) - 1, -1, -1):
        if at in dropped:
            for call in calls_of(messages[at]):
                effects = call.effects if call is not None else ()
                yield from (paths.normal(one.path) for one in effects if one.path and one.kind in _TOUCHING)
