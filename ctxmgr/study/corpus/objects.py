"""Files and objects by their addresses: a path here, or a URL of an object store (`s3://bucket/name`).

Credentials are those of the store's own environment variables. What a store raises becomes a `FileNotFoundError`,
or an `Unfetched` where it may answer another time, with a sentence.
"""

import fnmatch
import glob
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, BinaryIO, cast

SCHEME = "://"
RETRIES = 6  # of a request to an object store: some 6 s


class Unfetched(OSError):
    """The store did not give it; the text says why, in words."""


class ObjectFile(io.RawIOBase):
    """One object as a file: a read fetches the bytes that it asks for, no others. Raises OSError."""

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
    """What lies there, for reading. Raises OSError."""
    if SCHEME in address:
        return cast(BinaryIO, ObjectFile(address))
    return open(address, "rb")


def pieces(file: BinaryIO, piece_bytes: int) -> Iterator[bytes]:
    """The whole file from its beginning."""
    file.seek(0)
    while piece := file.read(piece_bytes):
        yield piece


def listed_objects(url: str) -> Iterator[tuple[str, Any]]:
    """The URL of a folder, and an object in it as obstore describes it. Raises OSError."""
    import obstore
    from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

    parent, slash, name = url.rpartition("/")
    folder, match = f"{url.rstrip('/')}/", ""
    with _faults_in_words():
        if name and "/" in url.partition(SCHEME)[2]:
            with suppress(FileNotFoundError, PermissionDeniedError, UnauthenticatedError):
                # an object of exactly this name goes first: its name may hold the signs of a glob. None, or this
                # user may list and not read
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
