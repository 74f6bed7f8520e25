"""Objects in a folder, for `file://`: each a file, a head swapped under a lock of its own.

obstore's local store has no conditional update. A file is written beside its name, carried to the disk, and
renamed, so what a name means is always whole.
"""

import asyncio
import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from ctxmgr.store.objects.interface import Conflict, ListedObject, Missing, StoredObject, StoreUnreachable

LOCK_SECONDS = 5.0  # a file is written within milliseconds: who holds the lock for longer was stopped
RETRY_SECONDS = 0.005
Value = TypeVar("Value")


class FileObjects:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, key: str) -> StoredObject:
        return await self._done(lambda: self._get(key))

    async def put(self, key: str, content: bytes) -> None:
        await self._done(lambda: self._write(key, content))

    async def put_if_match(self, key: str, content: bytes, tag: str) -> str:
        return await self._done(lambda: self._swap(key, content, tag))

    async def put_if_none_match(self, key: str, content: bytes) -> str:
        return await self._done(lambda: self._swap(key, content, None))

    async def names(self, prefix: str) -> list[str]:
        return await self._done(lambda: self._names(prefix))

    async def listed(self, prefix: str) -> list[ListedObject]:
        return await self._done(lambda: [*self._listed(self._names(prefix))])

    async def delete(self, key: str) -> None:
        await self._done(lambda: (self._folder / key).unlink(missing_ok=True))

    async def _done(self, work: Callable[[], Value]) -> Value:
        try:
            return await asyncio.to_thread(work)
        except OSError as fault:
            raise StoreUnreachable(f"the store's folder can not be used ({fault.strerror})") from fault

    def _get(self, key: str) -> StoredObject:
        try:
            content = (self._folder / key).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise Missing("there is no such object") from None
        return StoredObject(content, _tag(content))

    def _swap(self, key: str, content: bytes, tag: str | None) -> str:
        with self._alone(key):
            try:
                there: str | None = self._get(key).etag
            except Missing:
                there = None
            if there != tag:
                raise Conflict("another head is there")
            self._write(key, content)
        return _tag(content)

    def _write(self, key: str, content: bytes) -> None:
        path = self._folder / key
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        made = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(made, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(path.parent)

    def _names(self, prefix: str) -> list[str]:
        try:
            found = os.listdir(self._folder / prefix)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(prefix + name for name in found if not name.startswith("."))

    def _listed(self, keys: Iterable[str]) -> Iterator[ListedObject]:
        for key in keys:
            with contextlib.suppress(FileNotFoundError):  # deleted since
                status = (self._folder / key).stat()
                yield ListedObject(key, status.st_size, status.st_mtime_ns // 1_000_000)

    @contextlib.contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """One process at a time, for as long as a file is written; BlockingIOError where one is stopped meanwhile.
        The lock's file stays: who unlinks it would let a third in beside a second."""
        import fcntl

        path = self._folder / key
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            until = time.monotonic() + LOCK_SECONDS
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise
                    time.sleep(RETRY_SECONDS)
            yield
        finally:
            os.close(lock)


def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
