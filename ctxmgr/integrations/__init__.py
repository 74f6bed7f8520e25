"""Integrations with agent frameworks: one file each, which converts its messages to one of the formats and back.

Kept messages come back as the same objects; only changed ones are new. Each integration imports the library of its
name, and nothing else does. Knows the client, but not the sidecar behind it.
"""

from ctxmgr.integrations.conversations import FrameworkSessions

__all__ = ["FrameworkSessions"]
