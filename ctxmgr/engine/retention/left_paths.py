"""Turns the steps that left into the packet's list of files: which their calls read or changed, newest first."""

from collections.abc import Container, Iterable, Sequence

from ctxmgr.engine.tools import calls_of, paths
from ctxmgr.model import Message

_TOUCHING = frozenset(("read", "write", "edit", "delete", "move"))


def left_paths(messages: Sequence[Message], dropped: Container[int]) -> tuple[str, ...]:
    """Each once."""
    found = list(_paths(messages, dropped))
    whole = paths.same(found)
    return tuple(dict.fromkeys(whole.get(path, path) for path in found))


def _paths(messages: Sequence[Message], dropped: Container[int]) -> Iterable[str]:
    """Of files, newest call first."""
    for at in range(len(messages) - 1, -1, -1):
        if at in dropped:
            for call in calls_of(messages[at]):
                effects = call.effects if call is not None else ()
                yield from (paths.normal(one.path) for one in effects if one.path and one.kind in _TOUCHING)
