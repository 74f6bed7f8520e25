"""A store in memory whose answers can be lost, refused and held back, one request at a time."""

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import Path

from ctxmgr.store.objects import Conflict, Missing, StoreUnreachable
from ctxmgr.store.objects.interface import ListedObject, StoredObject

Fault = Callable[[str, str], str | None]
"""Of a request's kind and key: what becomes of it. `lost before`: it never arrives; `lost after`: it takes effect,
and its answer is lost; `refused`: it is answered as a conflict; None: it is done."""


class MemoryObjects:
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.saved_ms: dict[str, int] = {}  # as a test says, else
        self.now_ms = 0
        self.requests: list[tuple[str, str]] = []
        self.fault: Fault = lambda kind, key: None
        self.held: asyncio.Event | None = None  # requests of a kind in `holds` wait for it; all where it is empty
        self.holds: set[str] = set()

    def remembered_in(self, state_dir: Path) -> "MemoryObjects":
        return self

    async def get(self, key: str) -> StoredObject:
        await self._answers("get", key)
        if key not in self.kept:
            raise Missing("there is no such object")
        return StoredObject(self.kept[key], tag(self.kept[key]))

    async def put(self, key: str, content: bytes) -> None:
        after = await self._answers("put", key)
        self.kept[key] = content
        after()

    async def put_if_match(self, key: str, content: bytes, tag: str) -> str:
        return await self._swap("swap", key, content, tag)

    async def put_if_none_match(self, key: str, content: bytes) -> str:
        return await self._swap("create", key, content, None)

    async def _swap(self, kind: str, key: str, content: bytes, wanted: str | None) -> str:
        after = await self._answers(kind, key)
        there = tag(self.kept[key]) if key in self.kept else None
        if there != wanted:
            raise Conflict("another head is there")
        self.kept[key] = content
        after()
        return tag(content)

    async def listed(self, prefix: str) -> list[ListedObject]:
        await self._answers("listed", prefix)
        return [
            ListedObject(key, len(self.kept[key]), self.saved_ms.get(key, self.now_ms))
            for key in sorted(self.kept)
            if key.startswith(prefix)
        ]

    async def delete(self, key: str) -> None:
        await self._answers("delete", key)
        self.kept.pop(key, None)

    async def _answers(self, kind: str, key: str) -> Callable[[], None]:
        self.requests.append((kind, key))
        if self.held is not None and (not self.holds or kind in self.holds):
            await self.held.wait()
        fault = self.fault(kind, key)
        if fault == "lost before":
            raise StoreUnreachable("the store did not answer")
        if fault == "refused":
            raise Conflict("another head is there")

        def after() -> None:
            if fault == "lost after":
                raise StoreUnreachable("the store did not answer")

        return after


def tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def down(kind: str, key: str) -> str | None:
    """The store cannot be reached."""
    return "lost before"


def up(kind: str, key: str) -> str | None:
    return None
