"""Reads the session tree of the pi coding agent, and trees of messages in any format. Does not import the
engine.
"""

from ctxmgr.formats.pi_tree import branch, entries, view_branch
from ctxmgr.formats.pi_tree.entries import milliseconds

__all__ = ["branch", "entries", "milliseconds", "view_branch"]
