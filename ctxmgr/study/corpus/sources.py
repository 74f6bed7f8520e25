"""Turns what a user names into recordings: a folder, a glob, a file, a Parquet file of recordings, an object store.

1. What a file or an object is, its content tells: Parquet by its first bytes, recordings by their readers. Names
   decide nothing, but that hidden files in folders are passed over.
2. A Parquet file has a recording a row (`parquet`).
3. An object store is named by a URL (`s3://bucket/prefix`, `gs://`, `az://`, `file:///`): one object, those that a
   glob in its last part matches, or all below it (`objects`). An object is listed without a look into it; `read`
   gives its digest, or the rows in its place.
4. Where a recording lies is its address, and anybody who can reach that can read it: a worker elsewhere, too.
5. The digest is of the content.
6. Recordings are handed on as they are found: nothing here holds them all, nor more of a Parquet file than a piece.
7. A Parquet file that holds no recordings, or is broken, is one recording that can not be read: it stops nothing.
"""

import glob
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ctxmgr.study.corpus import objects, parquet
from ctxmgr.study.corpus.objects import SCHEME, Unfetched
from ctxmgr.study.corpus.parquet import CONTENT, PARQUET

NOT_READ = f"a Parquet file that is broken, or has no column {CONTENT} of bytes or text"


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
    if row := _row_of(address):
        return parquet.row(*row)
    if SCHEME in address:
        return _object(address)
    if parquet.state(address):
        raise NoRecording(NOT_READ)
    return Path(address).read_bytes()


def read(of: ListedRecording) -> Iterator[ListedRecording]:
    """It with its digest, empty where it can not be read: its worker will say why. In the place of a Parquet file
    in a store its rows, and after them the file where not all could be read (rule 7)."""
    try:
        yield msgspec.structs.replace(of, digest=digest_of(of.address))
    except _ManyRecordings:
        yield from _rows(of)


def digest(found: bytes) -> str:
    return hashlib.sha256(found).hexdigest()


def digest_of(address: str) -> str:
    """Of what lies there; empty where it can not be read. Raises _ManyRecordings."""
    try:
        if _row_of(address):
            return digest(content(address))
        if SCHEME in address:
            return _digest_of_object(address)
        with Path(address).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except _ManyRecordings:
        raise
    except Exception:  # noqa: BLE001  of a store, too
        return ""


def _files(source: str, without: Path | None) -> Iterator[ListedRecording]:
    is_empty = True
    for one in _paths(source):
        if without and one.resolve().is_relative_to(without.resolve()):
            continue
        is_empty = False
        yield from _rows(_file(one)) if parquet.state(str(one)) else (_file(one),)
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


def _row_of(address: str) -> tuple[str, parquet.State, int] | None:
    """The Parquet file and the number, where it names a row of one."""
    path, sign, row = address.rpartition("#")
    of = parquet.state(path) if sign and row.isdecimal() else None
    return (path, of, int(row)) if of else None


def _rows(file: ListedRecording) -> Iterator[ListedRecording]:
    """Read here once for their digests: their sizes are known only then. Then the file itself, where not all could
    be read (rule 7)."""
    import pyarrow as pa

    number = 0
    try:
        if of := parquet.state(file.address):
            for name, found in parquet.contents(file.address, of):
                address, named = f"{file.address}#{number}", name or f"{file.name}#{number}"
                yield ListedRecording(address, named, len(found), file.version, digest(found))
                number += 1
    except (pa.ArrowException, OSError, KeyError):
        yield file


# object stores


def _objects(url: str, without: Path | None) -> Iterator[ListedRecording]:
    """Rule 3."""
    inside = f"{without.resolve().as_uri()}/" if without else ""
    is_empty = True
    try:
        for base, one in objects.objects_at(url):
            path, version = str(one["path"]), str(one.get("e_tag") or one["last_modified"])
            if inside and f"{base}{path}".startswith(inside):
                continue
            is_empty = False
            yield ListedRecording(f"{base}{path}", path.rpartition("/")[2], int(one["size"]), version)
    except Unfetched as fault:
        raise SourceFault(f"{url}: {fault}") from None
    if is_empty:
        raise SourceFault(f"no recordings: {url}")


def _digest_of_object(address: str) -> str:
    """Raises _ManyRecordings, Unfetched."""
    found = hashlib.sha256()
    for piece in _pieces(address):
        found.update(piece)
    return found.hexdigest()


def _object(address: str) -> bytes:
    """Raises NoRecording, Unfetched. A Parquet file is one whose rows could not all be read when it was listed:
    they are read again to find why."""
    import pyarrow as pa

    try:
        return b"".join(_pieces(address))
    except _ManyRecordings:
        of = parquet.state(address)
    try:
        for _ in parquet.contents(address, of) if of else ():
            pass
    except Unfetched:
        raise
    except (pa.ArrowException, OSError, KeyError):
        raise NoRecording(NOT_READ) from None
    raise Unfetched("its rows can be read now: run again")


def _pieces(address: str) -> Iterator[bytes]:
    """Of one recording. Raises _ManyRecordings before any where it holds more, Unfetched."""
    for number, piece in enumerate(objects.pieces(address)):
        if not number and piece.startswith(PARQUET):
            raise _ManyRecordings
        yield piece


class _ManyRecordings(Exception):
    """What lies there is a Parquet file."""
