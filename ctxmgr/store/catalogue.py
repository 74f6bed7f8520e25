"""What a store holds, session by session, and how one is deleted there. For people, by the command line."""

import asyncio
import secrets
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec

from ctxmgr.store import sweeping
from ctxmgr.store.driving import Sleep, driven, read_head
from ctxmgr.store.head import LEASE_MS
from ctxmgr.store.keys import HEADS, escaped, head_key, objects_prefix, unescaped
from ctxmgr.store.objects import Objects, StoreFault, StoreUnreachable, opened
from ctxmgr.store.protocol import Away, Busy, take

AT_ONCE = 16  # requests
Value = TypeVar("Value")


class StoredSession(msgspec.Struct, frozen=True):
    """`is_open`: a machine goes on with it, or was killed while it did. `fault`: why nothing is known of it."""

    session_id: str = ""
    event_count: int = 0
    size_bytes: int = 0
    epoch_number: int = 0
    is_open: bool = False
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


async def listed(objects: Objects) -> list[StoredSession]:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(key: str) -> StoredSession | None:
        async with room:
            try:
                head = (await read_head(objects, key)).head
            except StoreUnreachable:
                raise
            except StoreFault as fault:
                return StoredSession(fault=str(fault))
        if head is None or head.deleted:
            return None
        contents = head.contents
        name = unescaped(head.session)
        return StoredSession(name, contents.seq, contents.size_bytes, head.epoch_number, head.is_open)

    found = await asyncio.gather(*map(one, await objects.names(HEADS)))
    return sorted(filter(None, found), key=lambda session: session.session_id)


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
