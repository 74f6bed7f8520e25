"""The root of a store in a folder: turns its path into a descriptor of the store, while the store is there.

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
   place. What was done counts only if the folder is in its place afterwards.
5. Of two that make a store at once one wins, and the other uses that: a new folder is renamed to its path with the
   id in it, and in a folder that is there the id is written under a lock.
"""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from ctxmgr.devices import sync_directory
from ctxmgr.store.head import HEADS
from ctxmgr.store.objects import files
from ctxmgr.store.objects.interface import StoreUnreachable

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
            return os.open(self._folder, files.OPEN_FLAGS)
        except FileNotFoundError:
            if self._remembered() is not None:
                raise StoreUnreachable(AWAY) from None
            if not self._may_make:
                raise StoreUnreachable(NO_STORE) from None
        self._make()
        return os.open(self._folder, files.OPEN_FLAGS)

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
        with files.alone(root, ID_FILE):
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
        return files.read(root, ID_FILE).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None


def _has_heads(root: int) -> bool:
    try:
        os.stat(HEADS, dir_fd=root)
    except FileNotFoundError:
        return False
    return True


def _write_line(folder: int, name: str, text: str) -> None:
    files.write(folder, name, f"{text}\n".encode())


@contextlib.contextmanager
def _descriptor(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, files.OPEN_FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
