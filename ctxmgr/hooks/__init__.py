"""Hooks that Claude Code and Codex call at their own events, for people who want no proxy.

The program waits for a hook, so only the standard library is imported until there is something to do.
"""

from ctxmgr.hooks.command import IN_RUN, plain, run

__all__ = ["IN_RUN", "plain", "run"]
