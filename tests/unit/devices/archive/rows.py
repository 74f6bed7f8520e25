"""Rows of an archive for tests, and archives that are closed again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ctxmgr.devices.archive.database import ArchiveDatabase
from ctxmgr.model.epochs import ArchiveRow

DAY = 86_400.0
SECRET = "the-owl-flies-at-nine"


def row(name: str, text: str = "text", handle: str = "") -> ArchiveRow:
    return ArchiveRow(handle or f"h{name}", f"k{name}", f'read path="{name}"', text)


@contextmanager
def held(directory: Path, clock: Callable[[], float] = lambda: 1_000.0) -> Iterator[ArchiveDatabase]:
    archive = ArchiveDatabase(directory, clock)
    try:
        yield archive
    finally:
        archive.close()


def texts(archive: ArchiveDatabase, names: Sequence[str], session_id: str = "s") -> list[str | None]:
    found = [archive.get(session_id, f"h{name}") for name in names]
    return [one.text if one else None for one in found]
