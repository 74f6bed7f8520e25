"""The interface of an object store: objects by key, and a swap that only one of two writers can win.

1. `put_if_match` and `put_if_none_match` take full effect and return the new tag, or do nothing and raise
   `Conflict`, or raise `StoreUnreachable`: the answer was lost, and the write may still take effect.
2. A tag identifies content: the same bytes get the same tag.
3. The text of a fault is a sentence for people. It names no address, key or credential. obstore's own messages do,
   so `cause` passes none of them on. It recognizes obstore's faults by name and text, without importing obstore.
"""

import re
from pathlib import Path
from typing import Protocol

import msgspec

HEADS = "heads/"  # objects that are swapped by one owner at a time
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
    """The request was not carried out, or its outcome is unknown."""


class Conflict(StoreFault):
    """The condition did not hold; nothing was changed."""


class Missing(StoreFault):
    """There is no such object."""


class StoreUnreachable(StoreFault):
    """There was no answer, or none that says what was done."""


class StoredObject(msgspec.Struct, frozen=True):
    """An object's bytes and their tag."""

    content: bytes
    etag: str


class ListedObject(msgspec.Struct, frozen=True):
    """`saved_ms`: milliseconds since the epoch, by the store's clock."""

    key: str
    size_bytes: int
    saved_ms: int


class Objects(Protocol):
    """Keys consist of `a-z`, `0-9`, `-` and `/`. Every call may raise StoreUnreachable besides the faults it
    lists.
    """

    def remembered_in(self, state_dir: Path) -> "Objects":
        """The same store, for a machine with this state directory. A store that it has used before is not created
        again when it is missing.
        """

    async def get(self, key: str) -> StoredObject:
        """Raises Missing."""

    async def put(self, key: str, content: bytes) -> None:
        """Writes unconditionally. Only for objects whose name identifies their content."""

    async def put_if_match(self, key: str, content: bytes, tag: str) -> str:
        """Replaces the object that has this tag, and returns the new tag. Raises Conflict, also if there is no
        object.
        """

    async def put_if_none_match(self, key: str, content: bytes) -> str:
        """Creates an object, and returns its tag. Raises Conflict."""

    async def listed(self, prefix: str) -> list[ListedObject]:
        """All objects whose keys have this prefix, which ends in a slash, sorted by key."""

    async def delete(self, key: str) -> None:
        """A missing object counts as deleted."""


def refused(deed: str) -> str:
    """`deed`: what was attempted, as in "they read there"."""
    return f"the store refuses these credentials, or that they {deed} there"


def cause(fault: Exception, deed: str) -> str:
    """Who is at fault. `deed`: "read" or "write"."""
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
