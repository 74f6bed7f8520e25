"""Turns what a user names into recordings: a folder, a glob, a file, a Parquet file of recordings, an object store.

1. What a file is, its content tells: Parquet by its first bytes, recordings by their readers. Names decide nothing,
   but that hidden files in folders are passed over.
2. A Parquet file has a recording a row: a column `content` (bytes or text), and a `name` if it likes.
3. An object store is named by a URL (`s3://bucket/prefix`, `gs://`, `az://`, `file:///`): one object, those that a
   glob in its last part matches, or all below it. Credentials are those of its own environment variables. A Parquet
   file there is not read: it is one recording that says so.
4. Where a recording lies is its address, and anybody who can reach that can read it: a worker elsewhere, too.
5. The digest is of the content.
6. Recordings are handed on as they are found: nothing here holds them all, nor more of a Parquet file than a group
   of rows.
7. A Parquet file that holds no recordings, or is broken, is one recording that can not be read: it stops nothing.
"""

import fnmatch
import glob
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

PARQUET = b"PAR1"
CONTENT, NAME = "content", "name"
BATCH_ROWS = 64  # of a Parquet file that are made into Python's values at a time
BUFFER_BYTES = 1 << 20  # of a Parquet file's column that are read at a time
SCHEME = "://"
RETRIES = 6  # of a request to an object store: some 6 s


class SourceFault(Exception):
    """What was named is not there, or can not be listed; the text says which."""


class NoRecording(Exception):
    """What lies there holds none, whatever is tried; the text says why."""


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


def listed(sources: Sequence[str], without: Path | None = None) -> Iterator[ListedRecording]:
    """All recordings as they are found, but those in a folder of this machine that they are listed `without`; one
    that two sources name comes twice. Raises SourceFault."""
    for source in sources:
        yield from _objects(source, without) if SCHEME in source else _files(source, without)


def recording(of: ListedRecording) -> RecordingAddress:
    """Where a task finds it."""
    name = of.digest or digest(of.address.encode("utf-8", "surrogateescape"))
    return RecordingAddress(of.address, of.name, of.size_bytes, name)


def content(address: str) -> bytes:
    """The recording's bytes. Raises NoRecording, OSError."""
    if SCHEME in address:
        found = _object(address)
        if found.startswith(PARQUET):
            raise NoRecording("a Parquet file, which is not read from an object store")
        return found
    if row := _row_of(address):
        return _row(*row)
    if _is_parquet(Path(address)):
        raise NoRecording(f"a Parquet file that is broken, or has no column {CONTENT} of bytes or text")
    return Path(address).read_bytes()


def digest(found: bytes) -> str:
    return hashlib.sha256(found).hexdigest()


def digest_of(address: str) -> str:
    """Of what lies there; empty where it can not be read: its worker will say why."""
    try:
        if SCHEME in address:
            return digest(_object(address))
        if _row_of(address):
            return digest(content(address))
        with Path(address).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except Exception:  # noqa: BLE001  of a store, too
        return ""


def _files(source: str, without: Path | None) -> Iterator[ListedRecording]:
    is_empty = True
    for one in _paths(source):
        if without and one.resolve().is_relative_to(without.resolve()):
            continue
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


def _row_of(address: str) -> tuple[str, int] | None:
    """The Parquet file and the number, where it names a row of one."""
    path, sign, row = address.rpartition("#")
    return (path, int(row)) if sign and row.isdigit() and _is_parquet(Path(path)) else None


def _rows(path: Path) -> Iterator[ListedRecording]:
    """Read here once for their digests: their sizes are known only then. Then the file itself, where not all could
    be read (rule 7)."""
    import pyarrow as pa

    whole = str(path.resolve())
    number = 0
    try:
        for name, found in _contents(whole):
            named = name or f"{path.name}#{number}"
            yield ListedRecording(f"{whole}#{number}", named, len(found), "", digest(found))
            number += 1
    except (pa.ArrowException, OSError, KeyError):
        yield _file(path)


def _contents(path: str) -> Iterator[tuple[str, bytes]]:
    """Names, as far as there are any, and contents. Raises KeyError where there is no such column, OSError,
    ArrowException."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER_BYTES) as file:
        columns = [one for one in (CONTENT, NAME) if one in file.schema_arrow.names]
        for group in range(
            file.num_row_groups
        ):  # one at a time: all groups at once are held until the last is read
            batches = file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False)
            for batch in batches:
                contents = batch.column(CONTENT).cast(pa.large_binary()).to_pylist()
                names = batch.column(NAME) if NAME in columns else [None] * len(contents)
                yield from zip(map(_said, names), (one or b"" for one in contents), strict=True)
    pa.default_memory_pool().release_unused()


def _said(name: Any) -> str:
    """Of a scalar of any type; empty where there is none, or no text."""
    try:
        value = name and name.as_py()
    except UnicodeDecodeError:
        return ""
    return "" if value is None else str(value)


def _row(path: str, number: int) -> bytes:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if number < count:
                return bytes(_group(path, group, Path(path).stat().st_mtime_ns)[number].as_py() or b"")
            number -= count
    raise OSError(f"{path} has fewer rows")


@lru_cache(maxsize=1)
def _group(path: str, group: int, version: int) -> Any:
    """One group's contents: a worker often reads another row of it next. `version`: a file may be written anew."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return file.read_row_group(group, columns=[CONTENT]).column(0).cast(pa.large_binary())


# object stores


def _objects(url: str, without: Path | None) -> Iterator[ListedRecording]:
    """Rule 3. One that is named whole is tried first: its name may hold the signs of a glob."""
    from obstore.exceptions import BaseError

    inside = f"{without.resolve().as_uri()}/" if without else ""
    is_empty = True
    try:
        for base, one in _found(url):
            path, version = str(one["path"]), str(one.get("e_tag") or one["last_modified"])
            if inside and f"{base}{path}".startswith(inside):
                continue
            is_empty = False
            yield ListedRecording(f"{base}{path}", path.rpartition("/")[2], int(one["size"]), version)
    except (BaseError, OSError) as fault:
        raise SourceFault(f"{url}: {_cause(fault)}") from None
    if is_empty:
        raise SourceFault(f"no recordings: {url}")


def _found(url: str) -> Iterator[tuple[str, Any]]:
    """The URL of a folder, and an object in it, as obstore tells of it."""
    import obstore

    folder, _, last = url.rpartition("/")
    if last and "/" in url.partition(SCHEME)[2]:
        if one := _named(f"{folder}/", last):
            yield f"{folder}/", one
            return
        if glob.has_magic(last):
            match = re.compile(fnmatch.translate(last)).match
            for batch in obstore.list(_store(f"{folder}/")):
                yield from ((f"{folder}/", one) for one in batch if "/" not in one["path"] and match(one["path"]))
            return
    base = f"{url.rstrip('/')}/"
    for batch in obstore.list(_store(base)):
        yield from ((base, one) for one in batch)


def _named(folder: str, name: str) -> Any:
    """The object of this name; None where there is none, or who may list may not ask for it."""
    import obstore
    from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

    try:
        return obstore.head(_store(folder), name)
    except (FileNotFoundError, PermissionDeniedError, UnauthenticatedError):
        return None


def _object(address: str) -> bytes:
    """Raises OSError with a sentence."""
    import obstore
    from obstore.exceptions import BaseError

    base, _, name = address.rpartition("/")
    try:
        return bytes(obstore.get(_store(f"{base}/"), name).bytes())
    except (BaseError, OSError) as fault:
        raise OSError(_cause(fault)) from None


def _cause(fault: Exception) -> str:
    from ctxmgr.store.objects import cause

    return cause(fault, "read")


@lru_cache(maxsize=64)
def _store(url: str) -> Any:
    from obstore.store import from_url

    return from_url(url, client_options={"allow_http": True}, retry_config={"max_retries": RETRIES})
