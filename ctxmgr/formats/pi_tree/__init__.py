"""The session tree of the pi coding agent, and trees of messages in any format. Knows no engine."""

from ctxmgr.formats.pi_tree import branch, entries, entry, view_branch
from ctxmgr.formats.pi_tree.entries import milliseconds
from ctxmgr.formats.pi_tree.entry import RawEntry

__all__ = ["RawEntry", "branch", "entries", "entry", "milliseconds", "view_branch"]
