"""Turns what a user names into recordings: a folder, a glob, a file, a Parquet file of recordings, an object store.

1. What a file is, its content tells: Parquet by its first bytes, recordings by their readers. Names decide nothing,
   but that hidden files in folders are passed over.
2. A Parquet file has a recording a row: a column `content` (bytes or text), and a `name` if it likes.
3. An object store is named by a URL (`s3://bucket/prefix`, `gs://`, `az://`, `file:///`): all objects below it.
   Credentials are those of its own environment variables.
4. Where a recording lies is its address, and anybody who can reach that can read it: a worker elsewhere, too.
5. The digest is of the content.
6. Recordings are handed on as they are found: nothing here holds them all.
"""

import glob
import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

PARQUET = b"PAR1"
CONTENT, NAME = "content", "name"
BATCH_ROWS = 64  # of a Parquet file that are in memory at a time
SCHEME = "://"


class SourceFault(Exception):
    """What was named is not there, or can not be read; the text says which."""


class ListedRecording(msgspec.Struct, frozen=True):
    """One recording before it is read. `version`: what changes where its content does; `digest` where listing had
    to read it anyway."""

    address: str
    name: str
    size_bytes: int
    version: str
    digest: str = ""


class RecordingAddress(msgspec.Struct, frozen=True):
    """One recording, by its content's digest; of one that could not be read, by its address's."""

    address: str
    name: str
    size_bytes: int
    digest: str


def listed(sources: Sequence[str]) -> Iterator[ListedRecording]:
    """All recordings as they are found; one that two sources name comes twice. Raises SourceFault."""
    for source in sources:
        yield from _listed(source)


def recording(of: ListedRecording) -> RecordingAddress:
    """Where a task finds it."""
    name = of.digest or digest(of.address.encode("utf-8", "surrogateescape"))
    return RecordingAddress(of.address, of.name, of.size_bytes, name)


def content(address: str) -> bytes:
    """The recording's bytes. Raises OSError, or what its store raises."""
    path, sign, row = address.rpartition("#")
    if sign and SCHEME not in address and row.isdigit() and _is_parquet(Path(path)):
        return _row(path, int(row))
    return _object(address) if SCHEME in address else Path(address).read_bytes()


def digest(found: bytes) -> str:
    return hashlib.sha256(found).hexdigest()


def digest_of(address: str) -> str:
    """Of what lies there; empty where it can not be read: its worker will say why."""
    try:
        return digest(content(address))
    except Exception:  # noqa: BLE001  of a store, too
        return ""


def _listed(source: str) -> Iterator[ListedRecording]:
    if SCHEME in source:
        yield from _objects(source)
        return
    is_empty = True
    for one in _paths(source):
        is_empty = False
        yield from _rows(one) if _is_parquet(one) else (_file(one),)
    if is_empty:
        raise SourceFault(f"no recordings: {source}")


def _paths(source: str) -> Iterator[Path]:
    path = Path(source)
    if path.is_dir():
        return (one for one in path.rglob("*") if one.is_file() and not _hidden(one.relative_to(path)))
    if path.is_file():
        return iter((path,))
    return (one for one in map(Path, glob.iglob(source, recursive=True)) if one.is_file())


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _file(path: Path) -> ListedRecording:
    found = path.stat()
    return ListedRecording(str(path.resolve()), path.name, found.st_size, str(found.st_mtime_ns))


# Parquet


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(PARQUET)) == PARQUET
    except OSError:
        return False


def _rows(path: Path) -> Iterator[ListedRecording]:
    """Read here once for their digests: their sizes are known only then."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = str(path.resolve())
    try:
        with pq.ParquetFile(whole) as file:
            names = [name for name in (CONTENT, NAME) if name in file.schema_arrow.names]
            if CONTENT not in names:
                raise SourceFault(f"{path} has no column {CONTENT}")
            number = 0
            for batch in file.iter_batches(BATCH_ROWS, columns=names):
                for row in batch.to_pylist():
                    found = _bytes(row[CONTENT])
                    name = row.get(NAME) or f"{path.name}#{number}"
                    yield ListedRecording(f"{whole}#{number}", str(name), len(found), "", digest(found))
                    number += 1
    except pa.ArrowException as fault:
        raise SourceFault(f"{path} can not be read: {fault}") from None


def _row(path: str, number: int) -> bytes:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if number < count:
                return _bytes(_group(path, group)[number].as_py())
            number -= count
    raise OSError(f"{path} has fewer rows")


@lru_cache(maxsize=1)
def _group(path: str, group: int) -> Any:
    """One group's contents: a worker often reads another row of it next."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return file.read_row_group(group, columns=[CONTENT]).column(0)


def _bytes(value: bytes | str | None) -> bytes:
    return value.encode() if isinstance(value, str) else value or b""


# object stores


def _objects(url: str) -> Iterator[ListedRecording]:
    import obstore

    base = url if url.endswith("/") else f"{url}/"
    count = 0
    try:
        for batch in obstore.list(_store(base)):
            for one in batch:
                count += 1
                path, version = str(one["path"]), str(one.get("e_tag") or one["last_modified"])
                yield ListedRecording(f"{base}{path}", path.rpartition("/")[2], int(one["size"]), version)
    except obstore.exceptions.BaseError as fault:
        raise SourceFault(f"{url}: {type(fault).__name__}") from None
    if not count:
        raise SourceFault(f"no recordings: {url}")


def _object(address: str) -> bytes:
    import obstore

    base, _, name = address.rpartition("/")
    return bytes(obstore.get(_store(f"{base}/"), name).bytes())


@lru_cache(maxsize=64)
def _store(url: str) -> Any:
    from obstore.store import from_url

    return from_url(url)
