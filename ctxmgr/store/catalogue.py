"""What a store holds, session by session, and how one is deleted there. For people, by the command line."""

import asyncio
import secrets
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec

from ctxmgr.model import Archive as Limits
from ctxmgr.store import sweeping
from ctxmgr.store.driving import Sleep, driven, read_head
from ctxmgr.store.head import LEASE_MS
from ctxmgr.store.keys import HEADS, escaped, head_key, objects_prefix, unescaped
from ctxmgr.store.objects import ListedObject, Objects, StoreFault, StoreUnreachable, opened
from ctxmgr.store.protocol import Away, Busy, take

AT_ONCE = 16  # requests
MEGABYTE = 1_000_000
MILLISECONDS_A_DAY = 86_400_000
Value = TypeVar("Value")


class StoredSession(msgspec.Struct, frozen=True):
    """`is_open`: a machine goes on with it, or was killed while it did. `saved_ms`: when it was last heard of,
    since the epoch, by the store's clock. `fault`: why nothing is known of it."""

    session_id: str = ""
    event_count: int = 0
    size_bytes: int = 0
    epoch_number: int = 0
    is_open: bool = False
    saved_ms: int = 0
    fault: str | None = None


class StillOpen(StoreFault):
    """Another machine goes on with the session."""


def check(url: str) -> None:
    """BadAddress. Nothing is asked of it."""
    opened(url)


def sessions(url: str) -> list[StoredSession]:
    """By id. BadAddress, StoreUnreachable."""
    return _run(listed(opened(url)))


def forget(url: str, session_id: str, ours: frozenset[str] = frozenset()) -> bool:
    """Deletes all that is there of a session, but for a head that names nothing and nobody: by it a machine that
    still has the session learns of it. Whether there was any. `ours`: words by which it was claimed from here.
    Where another machine has it open this waits for its lease. BadAddress, StoreUnreachable, StillOpen."""
    return _run(deleted(opened(url), session_id, ours))


def purge(url: str, limits: Limits, now_ms: int, dry_run: bool) -> list[tuple[StoredSession, StoreFault | None]]:
    """Deletes what is outdated there, `dry_run`: tells it; each with its bytes there, and why it stayed.
    BadAddress, StoreUnreachable."""
    return _run(purged(opened(url), limits, now_ms, dry_run))


async def purged(
    objects: Objects, limits: Limits, now_ms: int, dry_run: bool, sleep: Sleep = asyncio.sleep
) -> list[tuple[StoredSession, StoreFault | None]]:
    gone = await outdated(objects, limits, now_ms)
    room = asyncio.Semaphore(AT_ONCE)

    async def delete_one(session: StoredSession) -> StoreFault | None:
        async with room:
            try:
                await deleted(objects, session.session_id, frozenset(), sleep)
            except StoreFault as fault:
                return fault
            return None

    faults = [None] * len(gone) if dry_run else await asyncio.gather(*map(delete_one, gone))
    return list(zip(gone, faults, strict=True))


async def outdated(objects: Objects, limits: Limits, now_ms: int) -> list[StoredSession]:
    """Sessions that are too old, or have no room, the oldest first; `size_bytes` of each is that of its objects.
    One that is open stays while its head is renewed; what can not be read stays."""
    room = asyncio.Semaphore(AT_ONCE)

    async def sized(session: StoredSession) -> StoredSession:
        async with room:
            parts = await objects.listed(objects_prefix(session.session_id))
        return msgspec.structs.replace(session, size_bytes=sum(part.size_bytes for part in parts))

    known = [one for one in await listed(objects) if one.fault is None]
    sessions = sorted(await asyncio.gather(*map(sized, known)), key=lambda one: (one.saved_ms, one.session_id))
    over = sum(one.size_bytes for one in sessions) - limits.max_megabytes * MEGABYTE
    oldest = now_ms - limits.max_age_days * MILLISECONDS_A_DAY
    gone = []
    for one in sessions:
        lives = one.is_open and one.saved_ms > now_ms - MILLISECONDS_A_DAY
        if not lives and (one.saved_ms < oldest or over > 0):
            gone.append(one)
            over -= one.size_bytes
    return gone


async def listed(objects: Objects) -> list[StoredSession]:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(found: ListedObject) -> StoredSession | None:
        async with room:
            try:
                head = (await read_head(objects, found.key)).head
            except StoreUnreachable:
                raise
            except StoreFault as fault:
                return StoredSession(fault=str(fault))
        if head is None or head.deleted:
            return None
        contents = head.contents
        name = unescaped(head.session)
        size, number = contents.size_bytes, head.epoch_number
        return StoredSession(name, contents.seq, size, number, head.is_open, found.saved_ms)

    sessions = await asyncio.gather(*map(one, await objects.listed(HEADS)))
    return sorted(filter(None, sessions), key=lambda session: session.session_id)


async def deleted(objects: Objects, session_id: str, ours: frozenset[str], sleep: Sleep = asyncio.sleep) -> bool:
    there = (await read_head(objects, head_key(session_id))).head
    if there is None or there.deleted:
        return False
    steps = take(escaped(session_id), secrets.token_hex(12), ours, LEASE_MS, delete=True)
    came = await driven(steps, objects, head_key(session_id), sleep)
    if isinstance(came, Away):
        raise StoreUnreachable(f"{came.cause or 'the store gives no clear answer'}: the session may be there yet")
    if isinstance(came, Busy):
        raise StillOpen("the session is open on another machine")
    prefix = objects_prefix(session_id)
    names = [key.removeprefix(prefix) for key in await objects.names(prefix)]
    await sweeping.delete(objects, session_id, names)
    return True


def _run(work: Coroutine[Any, Any, Value]) -> Value:
    return asyncio.run(work)
