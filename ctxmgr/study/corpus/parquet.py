"""Recordings in a Parquet file, here or in an object store: a recording a row, a column `content` of bytes or text,
and a `name` if it likes.

1. All rows are read once, in pieces: neither the file nor a group of its rows is ever held whole.
2. One row is read with its group, which is kept for the next, or, where the group is large, in pieces up to it.
3. Where a file is written anew, what was kept of it does not count.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from ctxmgr.study.corpus.objects import SCHEME, ObjectFile, ObjectVersion, version

PARQUET = b"PAR1"
CONTENT, NAME = "content", "name"
BATCH_ROWS = 64  # of a file that are made into Python's values at a time
BUFFER_BYTES = 1 << 20  # of a file's column that are read at a time
FETCHED_BYTES = 8 << 20  # the same of an object: a request each
GROUP_BYTES = 64 << 20  # of the rows of a group, as they are in memory: a larger one is not kept

State = ObjectVersion | int  # which content a file has: of one here, when it was written


def state(address: str) -> State | None:
    """None where it is no Parquet file. Raises Unfetched."""
    if SCHEME in address:
        there = version(address)
        return there if there and there.begins == PARQUET else None
    try:
        with Path(address).open("rb") as file:
            return Path(address).stat().st_mtime_ns if file.read(len(PARQUET)) == PARQUET else None
    except OSError:
        return None


def contents(address: str, of: State) -> Iterator[tuple[str, bytes]]:
    """Names, as far as there are any, and contents (rule 1). Raises KeyError where there is no such column,
    OSError, ArrowException."""
    import pyarrow as pa

    with _file(address, of) as file:
        columns = [one for one in (CONTENT, NAME) if one in file.schema_arrow.names]
        for group in range(file.num_row_groups):  # one at a time: all at once are held until the last is read
            for batch in _batches(file, group, columns):
                found = batch.column(CONTENT).cast(pa.large_binary()).to_pylist()
                names = batch.column(NAME) if NAME in columns else [None] * len(found)
                yield from zip(map(_said, names), (one or b"" for one in found), strict=True)
    pa.default_memory_pool().release_unused()


def row(address: str, of: State, number: int) -> bytes:
    """Rule 2. Raises OSError, KeyError, ArrowException."""
    footer = _footer(address, of)
    for group in range(footer.num_row_groups):
        about = footer.row_group(group)
        if number < about.num_rows:
            is_large = about.total_byte_size > GROUP_BYTES
            return _streamed(address, of, group, number) if is_large else _kept(address, of, group, number)
        number -= about.num_rows
    raise OSError(f"{address} has fewer rows")


def _kept(address: str, of: State, group: int, number: int) -> bytes:
    return bytes(_group(address, of, group)[number].as_py() or b"")


def _streamed(address: str, of: State, group: int, number: int) -> bytes:
    import pyarrow as pa

    with _file(address, of, _footer(address, of)) as file:
        for batch in _batches(file, group, [CONTENT]):
            if number < batch.num_rows:
                return bytes(batch.column(CONTENT).cast(pa.large_binary())[number].as_py() or b"")
            number -= batch.num_rows
    raise OSError(f"{address} has fewer rows")


def _batches(file: Any, group: int, columns: list[str]) -> Iterator[Any]:
    found: Iterator[Any] = file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False)
    return found


def _said(name: Any) -> str:
    """Of a scalar of any type; empty where there is none, or no text."""
    try:
        value = name and name.as_py()
    except UnicodeDecodeError:
        return ""
    return "" if value is None else str(value)


def _file(address: str, of: State, footer: Any = None) -> Any:
    """One of its own for each who reads: its place in the file is not shared."""
    import pyarrow.parquet as pq

    if isinstance(of, ObjectVersion):
        there = ObjectFile(address, of)
        return pq.ParquetFile(there, metadata=footer, pre_buffer=False, buffer_size=FETCHED_BYTES)
    return pq.ParquetFile(address, metadata=footer, pre_buffer=False, buffer_size=BUFFER_BYTES)


@lru_cache(maxsize=1)
def _footer(address: str, of: State) -> Any:
    with _file(address, of) as file:
        return file.metadata


@lru_cache(maxsize=1)
def _group(address: str, of: State, group: int) -> Any:
    """One group's contents: a worker often reads another row of it next."""
    import pyarrow as pa

    with _file(address, of, _footer(address, of)) as file:
        return file.read_row_group(group, columns=[CONTENT]).column(0).cast(pa.large_binary())
