"""The recordings that a user names: a folder, a glob, a file, a Parquet file of recordings, or an object store.

1. The content decides what a file or an object is: Parquet by its first bytes, recordings by their readers. Names
   do not matter, except that hidden files in folders are skipped.
2. A Parquet file holds one recording a row: a column `content` of bytes or text, and an optional column `name`. A
   broken file counts as one unreadable recording beside the rows before the fault, and does not stop the others.
3. A URL names an object store (`s3://bucket/prefix`, `gs://`, `az://`, `file:///`): one object, the objects that a
   glob in its last part matches, or all objects below it.
4. Whoever can reach a recording's address can read it, including a worker on another machine. Its digest is that of
   its content.

A store takes its credentials from its usual environment variables. Its errors become a `FileNotFoundError`, or an
`Unfetched` if a retry may succeed, each with a message.
"""

import fnmatch
import glob
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec

SCHEME = "://"
RETRIES = 6  # of a request to an object store: about 6 s


class Unfetched(OSError):
    """The store did not return the object. The text says why."""


class ObjectFile(io.RawIOBase):
    """An object as a file: a read fetches only the bytes it needs. Raises OSError."""

    def __init__(self, address: str) -> None:
        import obstore

        super().__init__()
        base, _, self.name = address.rpartition("/")
        self._position = 0
        with _faults_in_words():
            self._store = store(f"{base}/")
            meta = obstore.head(self._store, self.name)
        self.size = int(meta["size"])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        import obstore

        end = min(self._position + len(buffer), self.size)
        if end <= self._position:
            return 0
        with _faults_in_words():
            fetched = obstore.get_range(self._store, self.name, start=self._position, end=end)
            count = len(memoryview(fetched))
            buffer[:count] = memoryview(fetched)
        self._position += count
        return count


def opened(address: str) -> BinaryIO:
    """Opens what is at this address for reading. Raises OSError."""
    if SCHEME in address:
        return cast(BinaryIO, ObjectFile(address))
    return open(address, "rb")


def pieces(file: BinaryIO, piece_bytes: int) -> Iterator[bytes]:
    """The whole file in pieces, from its beginning."""
    file.seek(0)
    while piece := file.read(piece_bytes):
        yield piece


def listed_objects(url: str) -> Iterator[tuple[str, Any]]:
    """The URL of a folder, and each object in it as obstore describes it. Raises OSError."""
    import obstore
    from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

    parent, slash, name = url.rpartition("/")
    folder, match = f"{url.rstrip('/')}/", ""
    with _faults_in_words():
        if name and "/" in url.partition(SCHEME)[2]:
            with suppress(FileNotFoundError, PermissionDeniedError, UnauthenticatedError):
                # an object with exactly this name comes first, since a name may contain glob characters. Ignored:
                # there is no such object, or this user may list but not read
                yield parent + slash, obstore.head(store(parent + slash), name)
                return
            if glob.has_magic(name):
                folder, match = parent + slash, fnmatch.translate(name)
        for batch in obstore.list(store(folder)):
            yield from (
                (folder, meta)
                for meta in batch
                if not match or ("/" not in meta["path"] and re.match(match, meta["path"]))
            )


@lru_cache(maxsize=64)
def store(url: str) -> Any:
    from obstore.store import from_url

    return from_url(url, client_options={"allow_http": True}, retry_config={"max_retries": RETRIES})


@contextmanager
def _faults_in_words() -> Iterator[None]:
    from obstore.exceptions import BaseError

    from ctxmgr.store.objects import cause

    try:
        yield
    except FileNotFoundError as fault:
        raise FileNotFoundError(cause(fault, "read")) from None
    except (BaseError, OSError) as fault:
        raise Unfetched(cause(fault, "read")) from None


PARQUET = b"PAR1"
CONTENT, NAME = "content", "name"
NOT_READ = f"a Parquet file that is broken, or has no column {CONTENT} of bytes or text"
BATCH_ROWS = 64  # rows of a Parquet file that are converted to Python values at a time
PIECE_BYTES = 1 << 20  # read from a file at a time
FETCHED_BYTES = 8 << 20  # read from an object at a time: one request


class CorpusFault(Exception):
    """A source does not exist or cannot be used. The text says which."""


class NoRecording(Exception):
    """The content is no recording in any known format. The text says why."""


class SourceFile(msgspec.Struct, frozen=True):
    """A file or object that was listed but not read. `version` changes whenever its content does."""

    address: str
    name: str
    size_bytes: int
    version: str


class RecordingAddress(msgspec.Struct, frozen=True):
    """One recording. `digest`: of its content, or of its address if the content could not be read."""

    address: str
    name: str
    size_bytes: int
    digest: str


def listed(sources: Sequence[str], without: Path | None = None) -> Iterator[SourceFile]:
    """What the sources name, except for what is in the folder `without`. Raises CorpusFault if a source names
    nothing.
    """
    for source in sources:
        is_empty = True
        for file in _objects(source, without) if SCHEME in source else _files(source, without):
            is_empty = False
            yield file
        if is_empty:
            raise CorpusFault(f"no recordings: {source}")


def recordings_in(file: SourceFile) -> tuple[list[RecordingAddress], bool]:
    """The recordings in a file: the file itself, or one for each row of a Parquet file (rule 2); and whether all of
    it could be read.
    """
    import pyarrow as pa

    recordings: list[RecordingAddress] = []
    try:
        with opened(file.address) as stream:
            if stream.read(len(PARQUET)) == PARQUET:
                for number, (name, content) in enumerate(_rows(stream)):
                    name = name or f"{file.name}#{number}"
                    address = f"{file.address}#{number}"
                    recordings.append(RecordingAddress(address, name, len(content), digest(content)))
            else:
                sha = hashlib.sha256()
                for piece in pieces(stream, _piece_bytes(stream)):
                    sha.update(piece)
                recordings.append(RecordingAddress(file.address, file.name, file.size_bytes, sha.hexdigest()))
    except (OSError, pa.ArrowException, KeyError):
        stand_in = digest(file.address.encode("utf-8", "surrogateescape"))
        return [*recordings, RecordingAddress(file.address, file.name, file.size_bytes, stand_in)], False
    return recordings, True


def content(address: str) -> bytes:
    """The recording's bytes. Raises NoRecording, OSError."""
    path, sign, row = address.rpartition("#")
    if sign and row.isdecimal() and _is_parquet(path):
        return _row(path, int(row))
    with opened(address) as stream:
        whole = b"".join(pieces(stream, _piece_bytes(stream)))
    if whole.startswith(PARQUET):
        raise NoRecording(NOT_READ)
    return whole


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# listing


def _files(source: str, without: Path | None) -> Iterator[SourceFile]:
    folder = Path(source)
    paths: Iterable[Path]
    if folder.is_dir():
        paths = (path for path in folder.rglob("*") if not _is_hidden(path.relative_to(folder)))
    else:
        paths = [folder] if folder.is_file() else map(Path, glob.iglob(source, recursive=True))
    for path in paths:
        if path.is_file() and not (without and path.resolve().is_relative_to(without.resolve())):
            stat = path.stat()
            yield SourceFile(str(path.resolve()), path.name, stat.st_size, str(stat.st_mtime_ns))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _objects(url: str, without: Path | None) -> Iterator[SourceFile]:
    inside = f"{without.resolve().as_uri()}/" if without else None
    try:
        for base, meta in listed_objects(url):
            address = f"{base}{meta['path']}"
            if not (inside and address.startswith(inside)):
                name, version = address.rpartition("/")[2], str(meta.get("e_tag") or meta["last_modified"])
                yield SourceFile(address, name, int(meta["size"]), version)
    except OSError as fault:
        raise CorpusFault(f"{url}: {fault}") from None


# Parquet files


def _is_parquet(address: str) -> bool:
    try:
        with opened(address) as stream:
            return stream.read(len(PARQUET)) == PARQUET
    except FileNotFoundError:
        return False


def _piece_bytes(stream: BinaryIO) -> int:
    return FETCHED_BYTES if isinstance(stream, ObjectFile) else PIECE_BYTES


def _parquet(stream: BinaryIO) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(stream, pre_buffer=False, buffer_size=_piece_bytes(stream))


def _rows(stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Name and content of each row. Raises KeyError if a column is missing, OSError, ArrowException."""
    file = _parquet(stream)
    columns = [name for name in (CONTENT, NAME) if name in file.schema_arrow.names]
    # one at a time: read together they all stay in memory until the last is read
    for group in range(file.num_row_groups):
        yield from _group(file, group, columns)


def _group(file: Any, group: int, columns: list[str]) -> Iterator[tuple[str, bytes]]:
    """A group of rows, in pieces, so that it is never in memory as a whole."""
    for batch in file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False):
        names = batch.column(NAME) if NAME in columns else [None] * batch.num_rows
        yield from zip(map(_name, names), _contents(batch.column(CONTENT)), strict=True)


def _contents(column: Any) -> list[bytes]:
    import pyarrow as pa

    return [content or b"" for content in column.cast(pa.large_binary()).to_pylist()]


def _name(value: Any) -> str:
    """The text of a scalar of any type; "" if there is none or it is no text."""
    try:
        value = value and value.as_py()
    except UnicodeDecodeError:
        return ""
    return "" if value is None else str(value)


def _row(address: str, number: int) -> bytes:
    """One row's content, read from the start of its group. Raises OSError, KeyError, ArrowException."""
    with opened(address) as stream:
        file = _parquet(stream)
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if number < rows:
                return next(islice(_group(file, group, [CONTENT]), number, None))[1]
            number -= rows
    raise OSError(f"{address} has fewer rows")
