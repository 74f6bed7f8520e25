"""Turns what a head names back into the bytes of a snapshot and the rows of the archive."""

import asyncio
from collections.abc import Sequence

from ctxmgr.devices.snapshots import to_line
from ctxmgr.model import ArchiveRow
from ctxmgr.store import packs
from ctxmgr.store.head import Contents
from ctxmgr.store.keys import objects_prefix
from ctxmgr.store.objects import Missing, Objects

AT_ONCE = 8  # requests
_CHECKSUM = 9  # characters of a line, with the space


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
    found = tuple(line[_CHECKSUM:] for line in content.split(b"\n")[:-1])
    if b"".join(map(to_line, found)) != content:
        raise packs.Damaged("what the store holds is no snapshot")
    return found
