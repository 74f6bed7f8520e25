"""Turns a file into a recording; its content decides which reader takes it.

One reader a kind of file, all to the same two structs. A new host's format is one more reader, one more row in
`READERS`, and one more line in `kind`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from ctxmgr.study import pi_events, pi_sessions
from ctxmgr.study.json_lines import members, objects
from ctxmgr.study.recordings import Recording, Stream, Unreadable

KINDS = "a pi session file, a stream of pi events, or a transcript of ctxmgr"


class Source(msgspec.Struct, frozen=True):
    """A file's content and how it begins: the members of its first JSON object."""

    name: str
    content: bytes
    head: dict[str, Any]


Kind = Literal["transcript", "session", "events"]


def source(path: Path) -> Source:
    """Raises Unreadable where the file can not be read or does not begin with a JSON object."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    for line, piece in objects(content, path.name):
        head = members(piece, path.name, line)
        return Source(path.name, content, {name: _small(value) for name, value in head.items()})
    raise Unreadable(f"{path.name} is empty; it should be {KINDS}")


def kind(found: Source) -> Kind:
    """What the file is, by its first object. Raises Unreadable."""
    head = found.head
    if "ctxmgr" in head or ("from" in head and head.keys() & {"message", "broken", "weigher", "restored"}):
        return "transcript"
    if head.get("type") == "session" or {"header", "entries"} <= head.keys():
        return "session"
    if "event" in head and "payload" in head:
        return "events"
    raise Unreadable(f"{found.name} is neither {KINDS}")


def read(found: Source) -> Recording | Stream:
    """The recording in a file that is no transcript. Raises Unreadable, with the line."""
    return READERS[kind(found)](found.name, found.content)


def _small(value: msgspec.Raw) -> Any:
    """Members are told apart by name; only short values are looked at."""
    return msgspec.json.decode(value) if len(bytes(value)) < 256 else None


READERS: dict[str, Callable[[str, bytes], Recording | Stream]] = {
    "session": pi_sessions.read,
    "events": pi_events.read,
}
