"""Searches originals that stand in no file, as `index` does those that do: what the disk did not take, and
tests."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator

from ctxmgr.devices.archive.database import ArchiveFault
from ctxmgr.devices.archive.file import ORIGINALS
from ctxmgr.devices.archive.index import find, index_some, make_index
from ctxmgr.model import ArchiveHit, ArchiveRow

SESSION = b""  # of all rows here
_PUT = (
    "INSERT OR REPLACE INTO originals (session, handle, key, call, at, size, text) VALUES (x'', ?, ?, ?, 0, ?, ?)"
)


def hits_among(rows: Iterable[ArchiveRow], query: str, limit: int) -> tuple[ArchiveHit, ...]:
    """Best first. ArchiveFault where this SQLite has no FTS5."""
    try:
        with indexed(rows) as connection:
            return tuple(one.hit for one in find(connection, SESSION, query, limit))
    except sqlite3.Error as fault:
        raise ArchiveFault(str(fault)) from fault


@contextlib.contextmanager
def indexed(rows: Iterable[ArchiveRow]) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in ORIGINALS:
            connection.execute(statement)
        make_index(connection)
        values = [
            (row.handle, row.key, _utf8(row.call_text), len(_utf8(row.text)), _utf8(row.text)) for row in rows
        ]
        connection.executemany(_PUT, values)
        while index_some(connection, None):
            pass
        yield connection
    finally:
        connection.close()


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
