"""Serves one host: bytes in, effects out, and the runtime that carries out effects on devices.

`serve` is the front end on standard streams. Other front ends use `Runtime` in the same way. Nothing here decides
about a list.
"""

from ctxmgr.server import effects
from ctxmgr.server.config import ConnectionConfig, Setup
from ctxmgr.server.connection import Connection
from ctxmgr.server.effects import FindRows, GetRow, PutRows, SnapshotLoaded
from ctxmgr.server.runtime import Parts, Runtime
from ctxmgr.server.stdio_server import serve

__all__ = [
    "Connection",
    "ConnectionConfig",
    "FindRows",
    "GetRow",
    "Parts",
    "PutRows",
    "Runtime",
    "Setup",
    "SnapshotLoaded",
    "effects",
    "serve",
]
