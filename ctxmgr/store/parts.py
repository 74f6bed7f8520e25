"""The objects that a head names: turns parts of a snapshot and rows of the archive into objects and back, and
deletes objects that no head names any more.

1. The current owner deletes leftovers of older epochs. Their owners lost the session, so no head will ever name
   them.
2. Of its own epoch it deletes only objects that a confirmed head no longer names, or that belong to a session
   deleted in the meantime. Names are never reused, so a late delete hits nothing newer.
3. Objects are compressed (a snapshot shrinks to a fourth). Content is checked against the digest in its name before
   use.
"""

import contextlib
import zlib
from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.devices.snapshots import to_line
from ctxmgr.model import ArchiveRow
from ctxmgr.store.driving import side_by_side
from ctxmgr.store.head import Contents, SessionHead, digest, epoch_of, is_object_name, objects_prefix
from ctxmgr.store.objects import Missing, Objects, StoreFault

LEVEL = 6
_Rows = list[tuple[str, str, bytes, bytes]]
_encode = msgspec.msgpack.Encoder().encode
_rows = msgspec.msgpack.Decoder(_Rows).decode


class Damaged(StoreFault):
    """An object does not match the digest in its name."""


class _Line(msgspec.Struct):
    seq: int | None = None
    state: "_State | None" = None


class _State(msgspec.Struct):
    seq: int = 0


def lines_pack(content: bytes) -> bytes:
    return zlib.compress(content, LEVEL)


def rows_pack(rows: Sequence[ArchiveRow]) -> bytes:
    """Encoded as bytes, since a text may hold half of a surrogate pair."""
    flat = [(row.handle, row.key, _utf8(row.call_text), _utf8(row.text)) for row in rows]
    return zlib.compress(_encode(flat), LEVEL)


def rows_of(name: str, content: bytes) -> list[ArchiveRow]:
    """Raises Damaged."""
    try:
        flat = _rows(lines_of(name, content))
    except msgspec.MsgspecError:
        raise Damaged("an object of the store is not what its name says") from None
    return [ArchiveRow(handle, key, _text(call), _text(text)) for handle, key, call, text in flat]


def seq_of(content: bytes) -> int:
    """The number of the newest event in lines of a snapshot, or 0 if no line has one."""
    for line in reversed(content.split(b"\n")):
        try:
            record = msgspec.json.decode(line[9:], type=_Line)  # after the checksum and a space
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if record.seq is not None:
            return record.seq
        if record.state is not None:
            return record.state.seq
    return 0


def lines_of(name: str, content: bytes) -> bytes:
    """Raises Damaged."""
    if not name.endswith(digest(content)):
        raise Damaged("an object of the store is not what its name says")
    try:
        return zlib.decompress(content)
    except zlib.error:
        raise Damaged("an object of the store cannot be read") from None


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


_CHECKSUM = 9  # characters of a line, with the space
AT_ONCE = 8  # requests


async def snapshot(objects: Objects, session_id: str, contents: Contents) -> bytes:
    """Byte for byte as it was on the disk of the machine that stored it. Raises StoreUnreachable, Damaged."""
    parts = await _got(objects, session_id, contents.lines)
    return b"".join(lines_of(name, part) for name, part in zip(contents.lines, parts, strict=True))


async def rows(objects: Objects, session_id: str, contents: Contents) -> list[ArchiveRow]:
    """In the order in which they were removed; for a repeated key the later row wins. Raises StoreUnreachable,
    Damaged.
    """
    parts = await _got(objects, session_id, contents.rows)
    return [row for name, part in zip(contents.rows, parts, strict=True) for row in rows_of(name, part)]


async def _got(objects: Objects, session_id: str, wanted: Sequence[str]) -> list[bytes]:
    prefix = objects_prefix(session_id)

    async def get(name: str) -> bytes:
        try:
            return (await objects.get(prefix + name)).content
        except Missing:
            raise Damaged("an object that the session's head names is gone from the store") from None

    return await side_by_side(get, wanted, AT_ONCE)


def records(content: bytes) -> tuple[bytes, ...]:
    """The records of a snapshot, without checksums. Raises Damaged if it is not a whole snapshot."""
    bodies = tuple(line[_CHECKSUM:] for line in content.split(b"\n")[:-1])
    if b"".join(map(to_line, bodies)) != content:
        raise Damaged("what the store holds is no snapshot")
    return bodies


async def names(objects: Objects, session_id: str) -> list[str]:
    """The names of all objects of a session but its head. Raises StoreUnreachable."""
    prefix = objects_prefix(session_id)
    return [entry.key.removeprefix(prefix) for entry in await objects.listed(prefix)]


async def sweep(objects: Objects, session_id: str, head: SessionHead) -> int:
    """Rule 1. Returns how many were deleted. Raises StoreUnreachable."""
    named = head.contents.names
    old = [
        name
        for name in await names(objects, session_id)
        if is_object_name(name) and epoch_of(name) < head.epoch_number and name not in named
    ]
    await delete(objects, session_id, old)
    return len(old)


async def delete(objects: Objects, session_id: str, unwanted: Iterable[str]) -> None:
    """What cannot be deleted is swept later."""
    prefix = objects_prefix(session_id)

    async def delete_one(name: str) -> None:
        with contextlib.suppress(StoreFault):
            await objects.delete(prefix + name)

    await side_by_side(delete_one, unwanted, AT_ONCE)
