"""Keeps sessions in an object store, so that another machine can continue them. Each session has one head object,
and one owner at a time may replace it.

This package knows snapshots as lines and archives as rows. It does not know states or decisions. `protocol` decides
without IO, `keeping` does the work. The names below are loaded on first use.
"""

from typing import TYPE_CHECKING

from ctxmgr.late import late_members

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
    __getattr__ = late_members(
        __name__,
        beginning="Begun Claims",
        catalogue="PurgeLimits check forget purge sessions",
        objects="BadAddress StoreFault",
        store="SessionStore",
    )
