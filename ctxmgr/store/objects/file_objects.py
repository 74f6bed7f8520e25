"""Objects in a folder, for `file://`. Each object is a file. A head is replaced under a lock, since obstore's local
store has no conditional update.

A file is written beside its name, synced to disk and renamed, so a name always means a whole file. Keys are as in
`interface`; the folders in a key are made with the first file. For the folder itself:

1. A store has an id, in a file at its root. A folder without that file is not a store, whatever it holds.
2. A state directory remembers the id of the store at each path (with links resolved), and so does a process. From
   then on only that store is accepted. If it is missing, the folder was moved or its file system is not mounted,
   and nothing is written or read.
3. If no id is remembered, a store is created
- if there is no folder: it is created, but not its parents;
- in a folder that is a mount point;
- in a folder with heads of release 0.2, which had no ids;
- in a folder where somebody put an empty id file. In any other folder no store is created, because a missing mount
  leaves exactly such a folder.
4. All work goes through a descriptor of the folder whose id was read. Nothing can end up in a folder that takes its
   place. Work counts only if the folder is still in its place afterwards.
5. If two processes create a store at once, one wins and the other uses that one. A new folder is renamed to its
   path with the id in it; in an existing folder the id is written under a lock.
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

LOCK_SECONDS = 5.0  # writing a file takes milliseconds; a process that holds the lock longer was stopped
OPEN_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def read_file(root: int, key: str) -> bytes:
    """Raises OSError."""
    with open(os.open(key, os.O_RDONLY | os.O_CLOEXEC, dir_fd=root), "rb") as file:
        return file.read()


def write_file(root: int, key: str, content: bytes) -> None:
    """Raises OSError, and leaves the old content in place then."""
    folder = _made(root, key)
    temporary = _beside(key, secrets.token_hex(8))
    made = files.create(temporary, content, root)
    with files.undone(made, temporary, root):
        os.replace(temporary, key, src_dir_fd=root, dst_dir_fd=root)
    os.close(made)
    files.sync_directory(folder, root)


def alone(root: int, key: str) -> AbstractContextManager[None]:
    """Holds the lock while a file is written. Raises LockedError if another process was stopped while it held
    it.
    """
    _made(root, key)
    return files.locked(_beside(key, "lock"), LOCK_SECONDS, root)


def keys_below(root: int, folder: str) -> list[str]:
    """The keys below `folder`, which ends in a slash; none if there is no such folder. Raises OSError."""
    try:
        descriptor = os.open(folder, OPEN_FLAGS, dir_fd=root)
    except (FileNotFoundError, NotADirectoryError):
        return []
    try:
        return sorted(folder + name for name in os.listdir(descriptor) if not name.startswith("."))
    finally:
        os.close(descriptor)


def _made(root: int, key: str) -> str:
    """The folder for the file of `key`, created if needed."""
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
ID_BYTES = 16  # random; no two stores share one
DIGITS = 16  # of the path's sha256, in the name of the file that remembers the id
NO_STORE = "there is no store in its folder"
AWAY = f"{NO_STORE}, which was moved or is not mounted"
OTHER = "another store than before is in its folder"
NEW = f"{NO_STORE} (if it is mounted, and the store is new, put an empty file {ID_FILE} there)"
NO_PARENT = "there is no store, and no folder to make it in"


class StoreRoot:
    """`state_dir`: where the id is remembered; None: in this process only. `may_make` False: rule 3 creates
    nothing, and any store is accepted.
    """

    def __init__(self, folder: Path, state_dir: Path | None, may_make: bool) -> None:
        self._folder, self._state_dir, self._may_make = folder, state_dir, may_make
        digest = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()
        self._name = f"store-{digest[:DIGITS]}"
        self._id: str | None = None

    @contextlib.contextmanager
    def entered(self) -> Iterator[int]:
        """Rule 4. Raises StoreUnreachable, OSError."""
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
        """Makes an existing folder a store. Returns its id."""
        if not (asked_for or _has_heads(root) or os.path.ismount(os.path.realpath(self._folder))):
            raise StoreUnreachable(NEW)
        with alone(root, ID_FILE):
            id = _id_in(root)
            if not id:
                id = secrets.token_hex(ID_BYTES)
                _write_line(root, ID_FILE, id)
        return id

    def _make(self) -> None:
        """Rule 5, for a new folder."""
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
                return  # another process was faster
            raise
        sync_directory(self._folder.parent)

    def _in_place(self, root: int) -> bool:
        try:
            return os.path.samestat(os.stat(self._folder), os.fstat(root))
        except FileNotFoundError:
            return False

    # the only id to accept

    def _remembered(self) -> str | None:
        if self._id is None and self._state_dir is not None:
            with contextlib.suppress(FileNotFoundError):
                self._id = (self._state_dir / self._name).read_text("ascii", "replace").strip()
        return self._id

    def _remember(self, id: str) -> None:
        self._id = id
        if self._state_dir is not None:
            with contextlib.suppress(OSError):  # then only this process remembers it
                remember(self._state_dir, self._name, id)


def remember(state_dir: Path, name: str, id: str) -> None:
    """Raises OSError."""
    with _descriptor(state_dir) as folder:
        _write_line(folder, name, id)


def _id_in(root: int) -> str | None:
    """The id; empty if the file is empty, None if there is no file. Raises OSError."""
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

    async def listed(self, prefix: str) -> list[ListedObject]:
        return await self._done(lambda root: [*self._listed(root, prefix)])

    async def delete(self, key: str) -> None:
        await self._done(lambda root: self._delete(root, key))

    async def _done(self, work: Callable[[int], Value]) -> Value:
        """Runs `work` with a descriptor of the store's folder, and returns its result."""

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
            with contextlib.suppress(FileNotFoundError):  # deleted in the meantime
                status = os.stat(key, dir_fd=root)
                yield ListedObject(key, status.st_size, status.st_mtime_ns // 1_000_000)

    def _delete(self, root: int, key: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(key, dir_fd=root)


def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
