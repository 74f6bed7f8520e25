"""Turns JSON records into checksummed lines, and the bytes of a snapshot back into records. Pure: no files.

A line is `<8 hex digits of crc32> <json>\\n`. What a state or an event holds is not known here; of the first
line, the base, three members are: `{"kind": "base", "version": 1, "sessionId": ..., ...}`.

1. Reading stops at the first bad line: what follows a damaged event may build on it.
2. The checksum is compared as text, not as a number: one record has one spelling, so a flipped bit in the
   digits (`a` to `A`) is a bad line like any other.
3. The version alone decides that a file is newer; nothing else of a newer base is assumed.
"""

import json
import zlib
from typing import Any

import msgspec

VERSION = 1
"""The version written into a base and the newest one read. Raised by an incompatible change only."""

_DIGITS = 8  # crc32 is 32 bits: 8 hexadecimal digits, then one space
_BODY_AT = _DIGITS + 1
_BROKEN = "its first line is broken"


class SnapshotRecords(msgspec.Struct, frozen=True):
    """What a snapshot holds: records without checksums, base first; how many bytes follow the last good line;
    and why no state may be taken from it (the records may be looked at even so), None when one may."""

    bodies: tuple[bytes, ...] = ()
    torn_bytes: int = 0
    fault: str | None = None


class _Head(msgspec.Struct):
    """The members of a base that are looked at. Untyped: a newer version may spell the others its own way."""

    kind: Any = None
    version: Any = None
    sessionId: Any = None


def to_line(body: bytes) -> bytes:
    """The line of one record. A newline in JSON is white space between tokens: it becomes a space."""
    if b"\n" in body:
        body = body.replace(b"\n", b" ")
    return b"%08x %b\n" % (zlib.crc32(body), body)


def from_lines(content: bytes, session_id: str | None) -> SnapshotRecords:
    """The longest good beginning of `content` (rules 4 and 5), judged as that session's; None: as anyone's.

    No content at all is a snapshot that has not begun: no records and no fault.
    """
    bodies: list[bytes] = []
    start = 0
    while (end := content.find(b"\n", start)) >= 0:
        body = content[start + _BODY_AT : end]
        if content[start : start + _BODY_AT] != b"%08x " % zlib.crc32(body):
            break
        bodies.append(body)
        start = end + 1
    fault = base_fault(bodies[0], session_id) if bodies else (_BROKEN if content else None)
    return SnapshotRecords(tuple(bodies), len(content) - start, fault)


def base_fault(body: bytes, session_id: str | None) -> str | None:
    """Why `body` can not be the base of that session (of any session when None), None when it can."""
    head = _head(body)
    if head is None or type(head.version) is not int or head.version < 1:
        return _BROKEN
    if head.version > VERSION:
        return f"it was written by a newer ctxmgr (snapshot version {head.version}, known is {VERSION})"
    if head.kind != "base" or not isinstance(head.sessionId, str):
        return _BROKEN
    if session_id is not None and head.sessionId != session_id:
        return "it belongs to another session"
    return None


def _head(body: bytes) -> _Head | None:
    """The head of a base, None where it is no JSON object."""
    try:
        return msgspec.json.decode(body, type=_Head)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass  # msgspec refuses unpaired surrogates, which a session id may hold; json takes them
    try:
        base = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(base, dict):
        return None
    return _Head(base.get("kind"), base.get("version"), base.get("sessionId"))
