"""Objects of a store by their URLs: which there are, their bytes, and one as a file that is read in ranges.

1. Credentials are those of the store's own environment variables.
2. What a store raises becomes an `Unfetched` with a sentence: another time it may answer.
"""

import fnmatch
import glob
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import msgspec

SCHEME = "://"
RETRIES = 6  # of a request to an object store: some 6 s
BEGINNING = 4  # bytes: what tells a Parquet file


class Unfetched(OSError):
    """The store did not give it; the text says why, in words."""


class ObjectVersion(msgspec.Struct, frozen=True):
    """An object as it was found: `etag` is another one where its content is; `begins`: its first bytes."""

    size_bytes: int
    etag: str
    begins: bytes


def objects_at(url: str) -> Iterator[tuple[str, Any]]:
    """The URL of a folder, and an object in it, as obstore tells of it. One that is named whole is tried first: its
    name may hold the signs of a glob. Raises Unfetched."""
    with _in_words():
        yield from _found(url)


def _found(url: str) -> Iterator[tuple[str, Any]]:
    import obstore

    folder, _, last = url.rpartition("/")
    if last and "/" in url.partition(SCHEME)[2]:
        if one := _named(f"{folder}/", last):
            yield f"{folder}/", one
            return
        if glob.has_magic(last):
            match = re.compile(fnmatch.translate(last)).match
            for batch in obstore.list(store(f"{folder}/")):
                yield from ((f"{folder}/", one) for one in batch if "/" not in one["path"] and match(one["path"]))
            return
    base = f"{url.rstrip('/')}/"
    for batch in obstore.list(store(base)):
        yield from ((base, one) for one in batch)


def _named(folder: str, name: str) -> Any:
    """The object of this name; None where there is none, or who may list may not ask for it."""
    import obstore
    from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

    try:
        return obstore.head(store(folder), name)
    except (FileNotFoundError, PermissionDeniedError, UnauthenticatedError):
        return None


def pieces(address: str) -> Iterator[bytes]:
    """Its bytes, some MB at a time. Raises Unfetched."""
    import obstore

    base, name = _split(address)
    with _in_words():
        for piece in obstore.get(store(base), name).stream():
            yield bytes(piece)


def version(address: str) -> ObjectVersion | None:
    """None where there is no such object. Raises Unfetched."""
    import obstore

    base, name = _split(address)
    with _in_words():
        try:
            there = obstore.get(store(base), name, options={"range": (0, BEGINNING)})
        except FileNotFoundError:
            return None
        etag = str(there.meta.get("e_tag") or "")
        return ObjectVersion(int(there.meta["size"]), etag, bytes(there.bytes()))


class ObjectFile(io.RawIOBase):
    """One object as a file: what is asked of it is fetched, nothing else, as long as it stays as it was found.
    Reading raises Unfetched."""

    def __init__(self, address: str, of: ObjectVersion) -> None:
        super().__init__()
        self._base, self._name = _split(address)
        self._of = of
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._of.size_bytes}[whence]
        self._position = max(0, begin + offset)
        return self._position

    def readinto(self, into: Any) -> int:
        import obstore

        end = min(self._position + len(into), self._of.size_bytes)
        if end <= self._position:
            return 0
        options: dict[str, Any] = {"range": (self._position, end)}
        if self._of.etag:
            options["if_match"] = self._of.etag
        with _in_words():
            fetched = obstore.get(store(self._base), self._name, options=options).bytes()
            into[: len(fetched)] = memoryview(fetched)
        self._position += len(fetched)
        return len(fetched)


@lru_cache(maxsize=64)
def store(url: str) -> Any:
    from obstore.store import from_url

    return from_url(url, client_options={"allow_http": True}, retry_config={"max_retries": RETRIES})


def _split(address: str) -> tuple[str, str]:
    base, _, name = address.rpartition("/")
    return f"{base}/", name


@contextmanager
def _in_words() -> Iterator[None]:
    """Rule 2."""
    from obstore.exceptions import BaseError

    from ctxmgr.store.objects import cause

    try:
        yield
    except (BaseError, OSError) as fault:
        raise Unfetched(cause(fault, "read")) from None
