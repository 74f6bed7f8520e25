"""Keeps sessions in an object store, so that another machine can continue them. Each session has one head object,
and one owner at a time may replace it.

This package knows snapshots as lines and archives as rows. It does not know states or decisions. `protocol` decides
without IO, `keeping` does the work. The names below are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "BadAddress",
    "Begun",
    "Claims",
    "PurgeLimits",
    "SessionStore",
    "StoreFault",
    "check",
    "forget",
    "purge",
    "sessions",
]

if TYPE_CHECKING:
    from ctxmgr.store.beginning import Begun, Claims
    from ctxmgr.store.catalogue import PurgeLimits, check, forget, purge, sessions
    from ctxmgr.store.objects import BadAddress, StoreFault
    from ctxmgr.store.store import SessionStore
else:
    _MODULES = {
        "Begun": "beginning",
        "PurgeLimits": "catalogue",
        "check": "catalogue",
        "forget": "catalogue",
        "purge": "catalogue",
        "sessions": "catalogue",
        "Claims": "beginning",
        "StoreFault": "objects",
        "BadAddress": "objects",
        "SessionStore": "store",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
