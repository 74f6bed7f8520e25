"""Objects in a folder, for `file://`: each a file, a head swapped under a lock of its own. obstore's local store
has no conditional update.

A file is written beside its name, carried to the disk, and renamed, so what a name means is always whole. Keys are
as in `interface`; the folders in one are made with the first file. Of the root, the folder itself:

1. A store has an id, in a file at its root. A folder without that file is no store, whatever lies in it.
2. A state directory remembers the id of the store at each path, links resolved, and so does a process. From then on
   only that store will do. Where it is not, its folder was moved or its file system is not mounted: nothing is made
   there, and nothing is read.
3. Where nothing is remembered a store is made
   - where there is no folder: it is made, but not the folders above it;
   - in a folder on which a file system is mounted;
   - in a folder with the heads of release 0.2, which gave no ids;
   - in a folder where somebody put an empty file for the id.
   In any other folder none is made: a mount that is away leaves just that.
4. Work is done by a descriptor of the folder whose id was read, so that nothing comes to lie in what takes its
   place, wherever it was moved meanwhile. What was done counts only if the folder is in its place afterwards.
5. Of two that make a store at once one wins, and the other uses that: a new folder is renamed to its path with the
   id in it, and in a folder that is there the id is written under a lock.
"""

import asyncio
import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from ctxmgr.devices import files, sync_directory
from ctxmgr.store.objects.interface import HEADS, Conflict, ListedObject, Missing, StoredObject, StoreUnreachable

LOCK_SECONDS = 5.0  # a file is written within milliseconds: who holds the lock for longer was stopped
OPEN_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def read_file(root: int, key: str) -> bytes:
    """OSError."""
    with open(os.open(key, os.O_RDONLY | os.O_CLOEXEC, dir_fd=root), "rb") as file:
        return file.read()


def write_file(root: int, key: str, content: bytes) -> None:
    """OSError, and then the name means what it did."""
    folder = _made(root, key)
    temporary = _beside(key, secrets.token_hex(8))
    made = files.create(temporary, content, root)
    with files.undone(made, temporary, root):
        os.replace(temporary, key, src_dir_fd=root, dst_dir_fd=root)
    os.close(made)
    files.sync_directory(folder, root)


def alone(root: int, key: str) -> AbstractContextManager[None]:
    """One process at a time, for as long as a file is written; LockedError where one is stopped meanwhile."""
    _made(root, key)
    return files.locked(_beside(key, "lock"), LOCK_SECONDS, root)


def keys_below(root: int, folder: str) -> list[str]:
    """The keys of what lies in it (`folder` ends in a slash); none where there is no such folder. OSError."""
    try:
        descriptor = os.open(folder, OPEN_FLAGS, dir_fd=root)
    except (FileNotFoundError, NotADirectoryError):
        return []
    try:
        return sorted(folder + name for name in os.listdir(descriptor) if not name.startswith("."))
    finally:
        os.close(descriptor)


def _made(root: int, key: str) -> str:
    """The folder in which the file lies, which is there now."""
    above = "."
    for part in key.split("/")[:-1]:
        folder = f"{above}/{part}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700, dir_fd=root)
            files.sync_directory(above, root)
        above = folder
    return above


def _beside(key: str, ending: str) -> str:
    folder, slash, name = key.rpartition("/")
    return f"{folder}{slash}.{name}.{ending}"


ID_FILE = "ctxmgr-store"
ID_BYTES = 16  # random: no two stores meet
DIGITS = 16  # of the path's sha256, in the name of what is remembered
NO_STORE = "there is no store in its folder"
AWAY = f"{NO_STORE}, which was moved or is not mounted"
OTHER = "another store than before is in its folder"
NEW = f"{NO_STORE} (if it is mounted, and the store is new, put an empty file {ID_FILE} there)"
NO_PARENT = "there is no store, and no folder to make it in"


class StoreRoot:
    """`state_dir`: where the id is remembered; None: in this process alone. `may_make` False: rule 3 makes nothing,
    and any store will do."""

    def __init__(self, folder: Path, state_dir: Path | None, may_make: bool) -> None:
        self._folder, self._state_dir, self._may_make = folder, state_dir, may_make
        digest = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
        self._name = f"store-{digest[:DIGITS]}"
        self._id: str | None = None

    @contextlib.contextmanager
    def entered(self) -> Iterator[int]:
        """Rule 4. StoreUnreachable, OSError."""
        root = self._opened()
        try:
            self._check(root)
            yield root
            if not self._in_place(root):
                raise StoreUnreachable(AWAY)
        finally:
            os.close(root)

    def _opened(self) -> int:
        try:
            return os.open(self._folder, OPEN_FLAGS)
        except FileNotFoundError:
            if self._remembered() is not None:
                raise StoreUnreachable(AWAY) from None
            if not self._may_make:
                raise StoreUnreachable(NO_STORE) from None
        self._make()
        return os.open(self._folder, OPEN_FLAGS)

    def _check(self, root: int) -> None:
        """Rules 2 and 3."""
        id, expected = _id_in(root), self._remembered()
        if expected is not None:
            if id != expected:
                raise StoreUnreachable(OTHER if id else AWAY)
        elif self._may_make:
            self._remember(id or self._adopted(root, id is not None))
        elif not id and not _has_heads(root):
            raise StoreUnreachable(NO_STORE)

    def _adopted(self, root: int, asked_for: bool) -> str:
        """A folder that is there becomes a store; its id."""
        if not (asked_for or _has_heads(root) or os.path.ismount(os.path.realpath(self._folder))):
            raise StoreUnreachable(NEW)
        with alone(root, ID_FILE):
            id = _id_in(root)
            if not id:
                id = secrets.token_hex(ID_BYTES)
                _write_line(root, ID_FILE, id)
        return id

    def _make(self) -> None:
        """Rule 5, where there is no folder."""
        made = self._folder.with_name(f".{self._folder.name}.{secrets.token_hex(8)}")
        try:
            os.mkdir(made, 0o700)
        except FileNotFoundError:
            raise StoreUnreachable(NO_PARENT) from None
        try:
            with _descriptor(made) as root:
                _write_line(root, ID_FILE, secrets.token_hex(ID_BYTES))
            os.rename(made, self._folder)
        except BaseException as fault:
            with contextlib.suppress(OSError):
                (made / ID_FILE).unlink(missing_ok=True)
                made.rmdir()
            if isinstance(fault, OSError) and self._folder.is_dir():
                return  # another was faster
            raise
        sync_directory(self._folder.parent)

    def _in_place(self, root: int) -> bool:
        try:
            return os.path.samestat(os.stat(self._folder), os.fstat(root))
        except FileNotFoundError:
            return False

    # the id that will do

    def _remembered(self) -> str | None:
        if self._id is None and self._state_dir is not None:
            with contextlib.suppress(FileNotFoundError):
                self._id = (self._state_dir / self._name).read_text("ascii", "replace").strip()
        return self._id

    def _remember(self, id: str) -> None:
        self._id = id
        if self._state_dir is not None:
            with contextlib.suppress(OSError):  # then this process remembers it alone
                remember(self._state_dir, self._name, id)


def remember(state_dir: Path, name: str, id: str) -> None:
    """OSError."""
    with _descriptor(state_dir) as folder:
        _write_line(folder, name, id)


def _id_in(root: int) -> str | None:
    """Empty where the file is; None where there is none. OSError."""
    try:
        return read_file(root, ID_FILE).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None


def _has_heads(root: int) -> bool:
    try:
        os.stat(HEADS, dir_fd=root)
    except FileNotFoundError:
        return False
    return True


def _write_line(folder: int, name: str, text: str) -> None:
    write_file(folder, name, f"{text}\n".encode())


@contextlib.contextmanager
def _descriptor(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, OPEN_FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


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
        await self._done(lambda root: write_file(root, key, content))

    async def put_if_match(self, key: str, content: bytes, tag: str) -> str:
        return await self._done(lambda root: self._swap(root, key, content, tag))

    async def put_if_none_match(self, key: str, content: bytes) -> str:
        return await self._done(lambda root: self._swap(root, key, content, None))

    async def names(self, prefix: str) -> list[str]:
        return await self._done(lambda root: keys_below(root, prefix))

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
                f"the store's folder cannot be used ({fault.strerror or f'locked by {fault}'})"
            ) from fault

    def _get(self, root: int, key: str) -> StoredObject:
        try:
            content = read_file(root, key)
        except (FileNotFoundError, NotADirectoryError):
            raise Missing("there is no such object") from None
        return StoredObject(content, _tag(content))

    def _swap(self, root: int, key: str, content: bytes, tag: str | None) -> str:
        with alone(root, key):
            try:
                there: str | None = self._get(root, key).etag
            except Missing:
                there = None
            if there != tag:
                raise Conflict("another head is there")
            write_file(root, key, content)
        return _tag(content)

    def _listed(self, root: int, prefix: str) -> Iterator[ListedObject]:
        for key in keys_below(root, prefix):
            with contextlib.suppress(FileNotFoundError):  # deleted since
                status = os.stat(key, dir_fd=root)
                yield ListedObject(key, status.st_size, status.st_mtime_ns // 1_000_000)

    def _delete(self, root: int, key: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(key, dir_fd=root)


def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
