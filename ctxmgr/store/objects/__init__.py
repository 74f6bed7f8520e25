"""Stores of objects: what is asked of one, a folder and a bucket as such, and which of them an address means."""

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
from ctxmgr.store.objects.opening import BadAddress, opened

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
