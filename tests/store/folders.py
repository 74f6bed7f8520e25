"""The folder of a store, which tests take away and bring back."""

import os
from collections.abc import Callable
from pathlib import Path

from ctxmgr.store.objects import Objects, opened
from ctxmgr.store.objects.file_objects import ID_FILE
from tests.stdio.sidecar import Sidecar
from tests.store.test_serve import LEASE

Take = Callable[[], None]


class Folder:
    """The folder of a store, which a test takes away and brings back."""

    def __init__(self, path: Path) -> None:
        self.path, self.url, self._aside = path, path.as_uri(), path.with_name("aside")

    @property
    def id(self) -> str:
        return (self.path / ID_FILE).read_text().strip()

    def moved(self) -> None:
        self.path.rename(self._aside)

    def unmounted(self) -> None:
        """What is left is the folder that the file system was mounted on."""
        self.moved()
        self.path.mkdir()

    def untouched(self) -> bool:
        """Nothing was made where the store was."""
        return not self.path.exists() or not os.listdir(self.path)

    def back(self) -> None:
        if self.path.exists():
            self.path.rmdir()
        self._aside.rename(self.path)


def on(folder: Folder, state_dir: Path) -> Objects:
    """The store as a process sees it that has just started on this machine."""
    state_dir.mkdir(exist_ok=True)
    return opened(folder.url).remembered_in(state_dir)


def tree(path: Path) -> dict[str, bytes]:
    return {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}


def serving(state_dir: Path, folder: Folder) -> Sidecar:
    return Sidecar(state_dir, "--store", folder.url, *LEASE)
