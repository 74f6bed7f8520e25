"""What is asked of an object store: objects by key, and one swap that only one of two can win.

1. `put_if_match` and `put_if_none_match` either took effect whole (the new tag is given), or did not (`Conflict`),
   or nobody knows (`StoreUnreachable`: the answer was lost; it may take effect yet).
2. A tag stands for content: who puts the same bytes gets the same tag.
3. The text of a fault is a sentence for people. It names no address, no key and no credential. What obstore says
   itself holds them, so `cause` passes none of it on. It loads no obstore: its faults are told by their names and
   texts.
"""

import re
from pathlib import Path
from typing import Protocol

import msgspec

HEADS = "heads/"  # where the objects lie that are swapped, by one owner at a time
NO_OBJECT = "there is no such object"
NO_BUCKET = "the store has no such bucket"
NO_FOLDER = "there is no such folder"
NO_STORE = "the address names no store that is known"
NO_CREDENTIALS = "there are no credentials for the store, neither in the environment nor of this machine"
NO_SERVER = "no server answers where the store should be: the network, or the endpoint in the environment"
OF_METADATA = ("169.254.169.254", "/latest/api/token", "/computeMetadata/")  # asked last for credentials
REFUSALS = ("PermissionDeniedError", "UnauthenticatedError")
_STATUS = re.compile(r"status code: (\d\d\d)")


class StoreFault(Exception):
    """What was asked of the store was not done, or nobody knows."""


class Conflict(StoreFault):
    """The condition did not hold: nothing was changed."""


class Missing(StoreFault):
    """There is no such object."""


class StoreUnreachable(StoreFault):
    """No answer, or one that does not say what was done."""


class StoredObject(msgspec.Struct, frozen=True):
    """An object's bytes, and the tag that stands for them."""

    content: bytes
    etag: str


class ListedObject(msgspec.Struct, frozen=True):
    """`saved_ms` since the epoch, by the store's own clock."""

    key: str
    size_bytes: int
    saved_ms: int


class Objects(Protocol):
    """Keys are of `a-z`, `0-9`, `-` and `/`. Each call raises StoreUnreachable, and what it says of itself."""

    def remembered_in(self, state_dir: Path) -> "Objects":
        """The same, for a machine with this state directory: a store that it has used once is not taken for a new
        one when it is away."""

    async def get(self, key: str) -> StoredObject:
        """Missing."""

    async def put(self, key: str, content: bytes) -> None:
        """Whatever is there. Only of objects whose name stands for their content."""

    async def put_if_match(self, key: str, content: bytes, tag: str) -> str:
        """In the place of what has this tag; the new tag. Conflict, also where there is nothing."""

    async def put_if_none_match(self, key: str, content: bytes) -> str:
        """Where there is nothing; the tag. Conflict."""

    async def names(self, prefix: str) -> list[str]:
        """All keys that begin so; the prefix ends in a slash."""

    async def listed(self, prefix: str) -> list[ListedObject]:
        """The same, with what the store says of each."""

    async def delete(self, key: str) -> None:
        """What is not there is gone already."""


def refused(deed: str) -> str:
    """`deed`: what was wanted there, as in "they read there"."""
    return f"the store refuses these credentials, or that they {deed} there"


def cause(fault: Exception, deed: str) -> str:
    """Whose fault it is. `deed`: "read" or "write"."""
    text = f"{fault}"
    match = _STATUS.search(text)
    status = match[1] if match else ""
    if any(sign in text for sign in OF_METADATA):
        return NO_CREDENTIALS
    for sign, sentence in (
        ("NoSuchBucket", NO_BUCKET),
        ("to canonicalize", NO_FOLDER),
        ("to recognise URL", NO_STORE),
    ):
        if sign in text:
            return sentence
    if isinstance(fault, FileNotFoundError):
        return NO_OBJECT
    if type(fault).__name__ in REFUSALS or status in ("401", "403"):
        return refused(deed)
    if status.startswith("5"):
        return f"the store's server has a fault ({status})"
    if "HTTP error" in text:
        return NO_SERVER
    return f"the store did not answer ({type(fault).__name__})"
