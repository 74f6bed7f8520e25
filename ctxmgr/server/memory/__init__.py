"""What sessions hold in memory, bounded by bytes and by time: lists that are read at once, lists that are kept, and
sessions that nobody asks for; and how a session comes (back) into memory."""

from ctxmgr.server.memory.idle_sessions import IdleSessions, Release
from ctxmgr.server.memory.list_memory import ListMemory
from ctxmgr.server.memory.loading import SessionLoader, Snapshot
from ctxmgr.server.memory.reading_gate import FREE_BYTES, ReadingGate, Room

__all__ = [
    "FREE_BYTES",
    "ListMemory",
    "IdleSessions",
    "ReadingGate",
    "Release",
    "Room",
    "SessionLoader",
    "Snapshot",
]
