"""Stores of objects: what is asked of one, a folder and a bucket as such, and which of them an address means."""

from ctxmgr.store.objects.interface import Conflict, Found, Missing, Objects, StoreFault, Unreachable
from ctxmgr.store.objects.opening import BadAddress, opened

__all__ = ["BadAddress", "Conflict", "Found", "Missing", "Objects", "StoreFault", "Unreachable", "opened"]
