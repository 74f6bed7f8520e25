"""The objects that a head names: turns them back into the bytes of a snapshot and the rows of the archive, and
deletes those that no head names any more.

1. Of older epochs whoever holds the session now deletes what is left. Their owner was fenced, so no head will ever
   name what it put.
2. Of one's own epoch only that goes which a confirmed head has ceased to name, or which was put for a session that
   was deleted meanwhile. A name is never used twice, so that a delete that comes late meets nothing newer.
"""

import asyncio
from collections.abc import Iterable, Sequence

from ctxmgr.devices.snapshots import to_line
from ctxmgr.model import ArchiveRow
from ctxmgr.store import packs
from ctxmgr.store.head import Contents, SessionHead, epoch_of, is_object_name, objects_prefix
from ctxmgr.store.objects import Missing, Objects, StoreFault

_CHECKSUM = 9  # characters of a line, with the space
AT_ONCE = 8  # requests


async def snapshot(objects: Objects, session_id: str, contents: Contents) -> bytes:
    """Byte for byte as it lay on the disk of who stored it. StoreUnreachable, Damaged."""
    parts = await _got(objects, session_id, contents.lines)
    return b"".join(packs.lines_of(name, part) for name, part in zip(contents.lines, parts, strict=True))


async def rows(objects: Objects, session_id: str, contents: Contents) -> list[ArchiveRow]:
    """In the order in which they left; of two under one key the later holds. StoreUnreachable, Damaged."""
    parts = await _got(objects, session_id, contents.rows)
    return [row for name, part in zip(contents.rows, parts, strict=True) for row in packs.rows_of(name, part)]


async def _got(objects: Objects, session_id: str, names: Sequence[str]) -> list[bytes]:
    room = asyncio.Semaphore(AT_ONCE)
    prefix = objects_prefix(session_id)

    async def get(name: str) -> bytes:
        async with room:
            try:
                return (await objects.get(prefix + name)).content
            except Missing:
                raise packs.Damaged("an object that the session's head names is gone from the store") from None

    return await asyncio.gather(*map(get, names))


def records(content: bytes) -> tuple[bytes, ...]:
    """Of a snapshot, without their checksums. Damaged where it is no whole snapshot."""
    bodies = tuple(line[_CHECKSUM:] for line in content.split(b"\n")[:-1])
    if b"".join(map(to_line, bodies)) != content:
        raise packs.Damaged("what the store holds is no snapshot")
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
    """What can not be deleted now is swept later."""
    room = asyncio.Semaphore(AT_ONCE)
    prefix = objects_prefix(session_id)

    async def delete_one(name: str) -> None:
        async with room:
            await objects.delete(prefix + name)

    for fault in await asyncio.gather(*map(delete_one, names), return_exceptions=True):
        if fault is not None and not isinstance(fault, StoreFault):
            raise fault
