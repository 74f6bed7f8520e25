"""Users: what a user said is there as it came, or a packet is there that tells it."""

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants.rule import Rule, Walk


class Users(Rule):
    """Tally: so many user messages left."""

    name = "users"
    tally = 0

    def left_out(self, tally: int, walk: Walk, run: range) -> int:
        messages = walk.conversation.messages
        return tally + sum(messages[at].view.role == "user" for at in run)

    def holds(self, tally: int, walk: Walk) -> bool:
        return not tally or bool(walk.packets)

    def may_leave_untold(self, conversation: ConversationIndex, message_index: int) -> bool:
        return conversation.messages[message_index].view.role != "user"
