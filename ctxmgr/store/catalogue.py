"""Lists the sessions of a store and deletes them, for the command line."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import TypeVar

import msgspec

from ctxmgr.store import parts
from ctxmgr.store.driving import Sleep, driven, read_head, side_by_side
from ctxmgr.store.head import CLOCK, LEASE_MS, escaped, head_key, objects_prefix, unescaped
from ctxmgr.store.objects import HEADS, ListedObject, Objects, StoreFault, StoreUnreachable, opened
from ctxmgr.store.protocol import Away, Busy, End, take

AT_ONCE = 16  # requests
MEGABYTE = 1_000_000
MILLISECONDS_A_DAY = 86_400_000
Waits = Callable[[int], None]
Value = TypeVar("Value")


class StoredSession(msgspec.Struct, frozen=True):
    """`is_open`: a machine works on it, or was killed while it did. `saved_ms`: when it last changed, in
    milliseconds since the epoch by the store's clock. `fault`: why nothing is known of it.
    """

    session_id: str = ""
    event_count: int = 0
    size_bytes: int = 0
    epoch_number: int = 0
    is_open: bool = False
    saved_ms: int = 0
    fault: str | None = None


class PurgeLimits(msgspec.Struct, frozen=True):
    """`max_megabytes` None: no limit."""

    max_age_days: int
    max_megabytes: int | None = None


class Outdated(msgspec.Struct, frozen=True):
    """A session that is too old or does not fit. `size_bytes` is the size of its objects. `age_ms` by the store's
    clock. `fault`: why it was not deleted.
    """

    session: StoredSession
    age_ms: int
    fault: StoreFault | None = None


class StillOpen(StoreFault):
    """Another machine works on the session."""


def check(url: str) -> None:
    """Checks the address without asking the store. Raises BadAddress."""
    opened(url)


def sessions(url: str) -> list[StoredSession]:
    """All sessions, sorted by id. Raises BadAddress, StoreUnreachable."""
    return asyncio.run(listed(opened(url, may_make=False)))


def forget(url: str, session_id: str, ours: frozenset[str] = frozenset()) -> bool:
    """Deletes everything the store has of a session, except an empty head. That head tells machines that still have
    the session that it was deleted. Returns whether anything was there. `ours`: owner words of claims made from
    here. Waits for the lease if another machine has the session open. Raises BadAddress, StoreUnreachable,
    StillOpen.
    """
    return asyncio.run(deleted(opened(url, may_make=False), session_id, ours))


def purge(url: str, limits: PurgeLimits, dry_run: bool, waits: Waits) -> list[Outdated]:
    """Deletes what is outdated; with `dry_run` only reports it. Raises BadAddress, StoreUnreachable."""
    return asyncio.run(purged(opened(url, may_make=False), limits, dry_run, waits=waits))


async def purged(
    objects: Objects,
    limits: PurgeLimits,
    dry_run: bool,
    sleep: Sleep = asyncio.sleep,
    waits: Waits = lambda count: None,
) -> list[Outdated]:
    """Calls `waits` with the number of leases that must expire first, if there are any. Leases expire in parallel;
    only requests wait for each other.
    """
    gone = await outdated(objects, limits)
    count = sum(old.session.is_open for old in gone)
    if dry_run:
        return gone
    if count:
        waits(count)
    room = asyncio.Semaphore(AT_ONCE)

    async def apart(seconds: float) -> None:
        room.release()
        try:
            await sleep(seconds)
        finally:
            await room.acquire()

    async def delete_one(old: Outdated) -> Outdated:
        async with room:
            try:
                await deleted(objects, old.session.session_id, frozenset(), apart, "purged")
            except StoreFault as fault:
                return msgspec.structs.replace(old, fault=fault)
            return old

    return list(await asyncio.gather(*map(delete_one, gone)))


async def now_there(objects: Objects) -> int:
    """The store's clock, in milliseconds since the epoch. Puts an object, reads its time and deletes it."""
    key = CLOCK + secrets.token_hex(16)
    await objects.put(key, b"")
    try:
        return max(entry.saved_ms for entry in await objects.listed(CLOCK) if entry.key == key)
    except ValueError:
        raise StoreUnreachable("the store does not list what was put there") from None
    finally:
        with contextlib.suppress(StoreUnreachable):
            await objects.delete(key)


async def outdated(objects: Objects, limits: PurgeLimits) -> list[Outdated]:
    """Outdated sessions, oldest first. Never includes a session that changed within the last day, open or not, or
    one that cannot be read. Reads a session's objects only if it returns the session or a size limit is set.
    """

    async def sized(session: StoredSession) -> StoredSession:
        parts = await objects.listed(objects_prefix(session.session_id))
        return msgspec.structs.replace(session, size_bytes=sum(part.size_bytes for part in parts))

    sessions = [session for session in await listed(objects) if session.fault is None]
    sessions.sort(key=lambda session: (session.saved_ms, session.session_id))
    now_ms = await now_there(objects) if sessions else 0
    oldest_ms = now_ms - limits.max_age_days * MILLISECONDS_A_DAY
    over = 0
    if limits.max_megabytes is None:
        sessions = [session for session in sessions if session.saved_ms < oldest_ms]
    sessions = await side_by_side(sized, sessions, AT_ONCE)
    if limits.max_megabytes is not None:
        over = sum(session.size_bytes for session in sessions) - limits.max_megabytes * MEGABYTE
    gone = []
    for session in sessions:
        age_ms = now_ms - session.saved_ms
        if age_ms > MILLISECONDS_A_DAY and (over > 0 or session.saved_ms < oldest_ms):
            gone.append(Outdated(session, age_ms))
            over -= session.size_bytes
    return gone


async def listed(objects: Objects) -> list[StoredSession]:
    async def stored_session(entry: ListedObject) -> StoredSession | None:
        try:
            head = (await read_head(objects, entry.key)).head
        except StoreUnreachable:
            raise
        except StoreFault as fault:
            return StoredSession(fault=str(fault))
        if head is None or head.deleted:
            return None
        contents = head.contents
        name = unescaped(head.session)
        size, number = contents.size_bytes, head.epoch_number
        return StoredSession(name, contents.seq, size, number, head.is_open, entry.saved_ms)

    sessions = await side_by_side(stored_session, await objects.listed(HEADS), AT_ONCE)
    return sorted(filter(None, sessions), key=lambda session: session.session_id)


async def deleted(
    objects: Objects, session_id: str, ours: frozenset[str], sleep: Sleep = asyncio.sleep, end: End = "deleted"
) -> bool:
    there = (await read_head(objects, head_key(session_id))).head
    if there is None or (there.deleted and (end == "purged" or not there.is_purged)):
        return False
    steps = take(escaped(session_id), secrets.token_hex(12), ours, LEASE_MS, end=end)
    came = await driven(steps, objects, head_key(session_id), sleep)
    if isinstance(came, Away):
        raise StoreUnreachable(f"{came.cause or 'the store gives no clear answer'}: the session may be there yet")
    if isinstance(came, Busy):
        raise StillOpen("the session is open on another machine")
    await parts.delete(objects, session_id, await parts.names(objects, session_id))
    return not there.deleted
