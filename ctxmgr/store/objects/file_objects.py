"""Objects in a folder, for `file://`: each a file, a head swapped under a lock of its own.

obstore's local store has no conditional update. `root` says whether the store is there; `files` writes.
"""

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from ctxmgr.store.objects import files
from ctxmgr.store.objects.interface import Conflict, ListedObject, Missing, StoredObject, StoreUnreachable
from ctxmgr.store.objects.root import StoreRoot

Value = TypeVar("Value")


class FileObjects:
    """`state_dir` and `may_make` as in `StoreRoot`."""

    def __init__(self, folder: Path, state_dir: Path | None = None, may_make: bool = True) -> None:
        self._folder, self._root = folder, StoreRoot(folder, state_dir, may_make)
        self._by_state_dir: dict[Path, FileObjects] = {}

    def remembered_in(self, state_dir: Path) -> "FileObjects":
        if state_dir not in self._by_state_dir:
            self._by_state_dir[state_dir] = FileObjects(self._folder, state_dir)
        return self._by_state_dir[state_dir]

    async def get(self, key: str) -> StoredObject:
        return await self._done(lambda root: self._get(root, key))

    async def put(self, key: str, content: bytes) -> None:
        await self._done(lambda root: files.write(root, key, content))

    async def put_if_match(self, key: str, content: bytes, tag: str) -> str:
        return await self._done(lambda root: self._swap(root, key, content, tag))

    async def put_if_none_match(self, key: str, content: bytes) -> str:
        return await self._done(lambda root: self._swap(root, key, content, None))

    async def names(self, prefix: str) -> list[str]:
        return await self._done(lambda root: files.names(root, prefix))

    async def listed(self, prefix: str) -> list[ListedObject]:
        return await self._done(lambda root: [*self._listed(root, prefix)])

    async def delete(self, key: str) -> None:
        await self._done(lambda root: self._delete(root, key))

    async def _done(self, work: Callable[[int], Value]) -> Value:
        """What it came to in the store's folder, which `work` gets a descriptor of."""

        def work_there() -> Value:
            with self._root.entered() as root:
                return work(root)

        try:
            return await asyncio.to_thread(work_there)
        except OSError as fault:
            raise StoreUnreachable(
                f"the store's folder can not be used ({fault.strerror or f'locked by {fault}'})"
            ) from fault

    def _get(self, root: int, key: str) -> StoredObject:
        try:
            content = files.read(root, key)
        except (FileNotFoundError, NotADirectoryError):
            raise Missing("there is no such object") from None
        return StoredObject(content, _tag(content))

    def _swap(self, root: int, key: str, content: bytes, tag: str | None) -> str:
        with files.alone(root, key):
            try:
                there: str | None = self._get(root, key).etag
            except Missing:
                there = None
            if there != tag:
                raise Conflict("another head is there")
            files.write(root, key, content)
        return _tag(content)

    def _listed(self, root: int, prefix: str) -> Iterator[ListedObject]:
        for key in files.names(root, prefix):
            with contextlib.suppress(FileNotFoundError):  # deleted since
                status = os.stat(key, dir_fd=root)
                yield ListedObject(key, status.st_size, status.st_mtime_ns // 1_000_000)

    def _delete(self, root: int, key: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(key, dir_fd=root)


def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
