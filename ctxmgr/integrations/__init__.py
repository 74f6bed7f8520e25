"""Frameworks that build agents: one file each, which turns its messages into one of the formats and back.

What ctxmgr keeps comes back as the very objects that were given; only what it changed is new. Each needs the
library of its name, and imports it: nothing else does. Knows the client, and nothing that the client stands before.
"""

from ctxmgr.integrations.conversations import FrameworkSessions

__all__ = ["FrameworkSessions"]
