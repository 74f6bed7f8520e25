"""Conversations of programs: which one a list is of, and what ctxmgr makes of it."""

from ctxmgr.proxy.conversations.conversation import Listed, ProgramConversation
from ctxmgr.proxy.conversations.ends import ListEnds
from ctxmgr.proxy.conversations.registry import Conversations

__all__ = ["Conversations", "ListEnds", "Listed", "ProgramConversation"]
