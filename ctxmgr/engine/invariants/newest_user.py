"""Newest user: the newest message that opens a turn stays, if one was sent."""

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants.rule import Rule, Walk


class NewestUser(Rule):
    """Which it is changes as the list grows: it is asked for at the end alone, without a tally."""

    name = "newest user"

    def holds(self, tally: bool, walk: Walk) -> bool:
        return walk.conversation.newest_user not in walk.left_out

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        newest = conversation.newest_user
        return frozenset((newest,) if newest >= 0 else ())
