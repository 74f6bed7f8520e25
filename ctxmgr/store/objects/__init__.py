"""Object stores: the interface, folders and buckets that implement it, and the choice by address."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ctxmgr.extras import needs
from ctxmgr.store.objects.interface import (
    HEADS,
    Conflict,
    ListedObject,
    Missing,
    Objects,
    StoreFault,
    StoreUnreachable,
    cause,
)

__all__ = [
    "BadAddress",
    "Conflict",
    "HEADS",
    "ListedObject",
    "Missing",
    "Objects",
    "StoreFault",
    "StoreUnreachable",
    "cause",
    "opened",
]

BUCKETS = ("s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss")
SCHEMES = ("file", *BUCKETS)


class BadAddress(ValueError):
    """The address names no store. The text is a sentence without the address, which may hold a credential."""


def opened(url: str, may_make: bool = True) -> Objects:
    """Opens the store without sending a request. `may_make`: a folder that is not a store yet may become one.
    Raises BadAddress.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadAddress("the store's address is no address") from None
    if parts.scheme not in SCHEMES:
        raise BadAddress(f"a store's address begins with {'://, '.join(SCHEMES)}://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadAddress("a store's address holds no credentials: they come from the environment")
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost") or not parts.path.strip("/"):
            raise BadAddress("a folder's address is file:///and/its/path")
        from ctxmgr.store.objects.file_objects import FileObjects  # needs locks that Windows does not have

        return FileObjects(Path(unquote(parts.path)), may_make=may_make)
    if not parts.netloc:
        raise BadAddress(f"the address names no bucket: {parts.scheme}://bucket/folder")
    try:
        from ctxmgr.store.objects.obstore_objects import ObstoreObjects
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "obstore":
            raise
        raise BadAddress(f"this store {needs('store')}") from None
    try:
        return ObstoreObjects.of(url)
    except Exception:  # noqa: BLE001  what obstore says may hold the address
        raise BadAddress("the store's address, or what the environment says of it, is not understood") from None
