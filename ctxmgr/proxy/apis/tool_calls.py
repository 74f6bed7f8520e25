"""The tools that a model calls in one answer, put together from the pieces in which they come.

A call is told when all of it has come, before the program has the bytes that end it: the program can not have made
it by then. What can not be read is no call.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ctxmgr.proxy.body import UNREADABLE

_decode = msgspec.json.Decoder().decode


class CalledTool(msgspec.Struct, frozen=True):
    """`name` as the program declared the tool."""

    name: str
    arguments: dict[str, Any]


class ToolCalls:
    """Of one answer. `tell` hears each call. `begun`: those that have not ended, by a key of their place in the
    answer: the name, and pieces of the arguments."""

    def __init__(self, tell: Callable[[CalledTool], None]) -> None:
        self._tell = tell
        self.begun: dict[Any, tuple[str, list[str]]] = {}

    def end(self, key: Any) -> None:
        """All of the call with this key has come, if there is one."""
        if key in self.begun:
            name, pieces = self.begun.pop(key)
            self.whole(name, "".join(pieces))

    def whole(self, name: Any, arguments: Any) -> None:
        """A call with its arguments, as an object or as its JSON."""
        if isinstance(arguments, str):
            try:
                arguments = _decode(arguments or "{}")
            except UNREADABLE:
                return
        if isinstance(name, str) and isinstance(arguments, dict):
            self._tell(CalledTool(name, arguments))


def object_of(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))
