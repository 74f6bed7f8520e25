"""A message list as an object: its messages, its turns, which call a result answers, and what decisions name it by.

Made once for each list and extended as the list grows. Knows no policy, no decision and no plan.
"""

from ctxmgr.engine.conversation.block_ref import BlockRef
from ctxmgr.engine.conversation.index import ConversationIndex, extend
from ctxmgr.engine.conversation.keys import digest_of

__all__ = ["BlockRef", "ConversationIndex", "digest_of", "extend"]
