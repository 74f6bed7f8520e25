"""Deletes objects that no head names any more.

1. Of older epochs: whoever holds the session now. Their owner was fenced, so no head will ever name what it put.
2. Of one's own epoch only what a confirmed head has ceased to name, and what was put for a session that was deleted
   meanwhile: a name is never used twice, so that a delete that comes late meets nothing newer.
"""

import asyncio
from collections.abc import Iterable

from ctxmgr.store.head import SessionHead
from ctxmgr.store.keys import epoch_of, is_object_name, objects_prefix
from ctxmgr.store.objects import Objects, StoreFault

AT_ONCE = 8  # requests


async def sweep(objects: Objects, session_id: str, head: SessionHead) -> int:
    """Rule 1; how many went. StoreUnreachable."""
    prefix = objects_prefix(session_id)
    names = [key.removeprefix(prefix) for key in await objects.names(prefix)]
    kept = head.contents.names
    old = [
        name for name in names if is_object_name(name) and epoch_of(name) < head.epoch_number and name not in kept
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
