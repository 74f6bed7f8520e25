"""The objects that a head names: turns parts of a snapshot, and rows of the archive, into objects and back, and
deletes those that no head names any more.

1. Of older epochs whoever holds the session now deletes what is left. Their owner was fenced, so no head will ever
   name what it put.
2. Of one's own epoch only that goes which a confirmed head has ceased to name, or which was put for a session that
   was deleted meanwhile. A name is never used twice, so that a delete that comes late meets nothing newer.
3. An object is compressed (a snapshot is JSON: a fourth of it is left). What is read is checked by the digest in
   its name before anything is made of it.
"""

import asyncio
import zlib
from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.devices.snapshots import to_line
from ctxmgr.model import ArchiveRow
from ctxmgr.store.head import Contents, SessionHead, digest, epoch_of, is_object_name, objects_prefix
from ctxmgr.store.objects import Missing, Objects, StoreFault

LEVEL = 6
_Rows = list[tuple[str, str, bytes, bytes]]
_encode = msgspec.msgpack.Encoder().encode
_rows = msgspec.msgpack.Decoder(_Rows).decode


class Damaged(StoreFault):
    """An object is not what its name says."""


class _Line(msgspec.Struct):
    seq: int | None = None
    state: "_State | None" = None


class _State(msgspec.Struct):
    seq: int = 0


def lines_pack(content: bytes) -> bytes:
    return zlib.compress(content, LEVEL)


def rows_pack(rows: Sequence[ArchiveRow]) -> bytes:
    """A text may hold half of a surrogate pair: it goes as bytes."""
    flat = [(row.handle, row.key, _utf8(row.call_text), _utf8(row.text)) for row in rows]
    return zlib.compress(_encode(flat), LEVEL)


def rows_of(name: str, content: bytes) -> list[ArchiveRow]:
    """Damaged."""
    try:
        flat = _rows(lines_of(name, content))
    except msgspec.MsgspecError:
        raise Damaged("an object of the store is not what its name says") from None
    return [ArchiveRow(handle, key, _text(call), _text(text)) for handle, key, call, text in flat]


def seq_of(content: bytes) -> int:
    """The newest event's number in lines of a snapshot; 0 where none says one."""
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
    """Damaged."""
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
    """Byte for byte as it lay on the disk of who stored it. StoreUnreachable, Damaged."""
    parts = await _got(objects, session_id, contents.lines)
    return b"".join(lines_of(name, part) for name, part in zip(contents.lines, parts, strict=True))


async def rows(objects: Objects, session_id: str, contents: Contents) -> list[ArchiveRow]:
    """In the order in which they left; of two under one key the later holds. StoreUnreachable, Damaged."""
    parts = await _got(objects, session_id, contents.rows)
    return [row for name, part in zip(contents.rows, parts, strict=True) for row in rows_of(name, part)]


async def _got(objects: Objects, session_id: str, names: Sequence[str]) -> list[bytes]:
    room = asyncio.Semaphore(AT_ONCE)
    prefix = objects_prefix(session_id)

    async def get(name: str) -> bytes:
        async with room:
            try:
                return (await objects.get(prefix + name)).content
            except Missing:
                raise Damaged("an object that the session's head names is gone from the store") from None

    return await asyncio.gather(*map(get, names))


def records(content: bytes) -> tuple[bytes, ...]:
    """Of a snapshot, without their checksums. Damaged where it is no whole snapshot."""
    bodies = tuple(line[_CHECKSUM:] for line in content.split(b"\n")[:-1])
    if b"".join(map(to_line, bodies)) != content:
        raise Damaged("what the store holds is no snapshot")
    return bodies


async def sweep(objects: Objects, session_id: str, head: SessionHead) -> int:
    """Rule 1; how many went. StoreUnreachable."""
    prefix = objects_prefix(session_id)
    names = [key.removeprefix(prefix) for key in await objects.names(prefix)]
    named = head.contents.names
    old = [
        name for name in names if is_object_name(name) and epoch_of(name) < head.epoch_number and name not in named
    ]
    await delete(objects, session_id, old)
    return len(old)


async def delete(objects: Objects, session_id: str, names: Iterable[str]) -> None:
    """What cannot be deleted now is swept later."""
    room = asyncio.Semaphore(AT_ONCE)
    prefix = objects_prefix(session_id)

    async def delete_one(name: str) -> None:
        async with room:
            await objects.delete(prefix + name)

    for fault in await asyncio.gather(*map(delete_one, names), return_exceptions=True):
        if fault is not None and not isinstance(fault, StoreFault):
            raise fault
