"""Start: the list starts with something a provider takes as a user message, if it came so; prompts aside."""

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants.rule import USER_LIKE, Rule, Walk

NOTHING, PACKET = -1, -2  # shown as yet; shown first


class Start(Rule):
    """Tally: the index of the first message that is shown and no prompt."""

    name = "start"
    tally = NOTHING

    def included(self, tally: int, walk: Walk, run: range) -> int:
        if tally != NOTHING:
            return tally
        messages = walk.conversation.messages
        return next((at for at in run if messages[at].view.role != "prompt"), NOTHING)

    def inserted(self, tally: int, walk: Walk) -> int:
        return PACKET if tally == NOTHING else tally

    def holds(self, tally: int, walk: Walk) -> bool:
        return tally < 0 or self.may_start_with(walk.conversation, tally)

    def may_start_with(self, conversation: ConversationIndex, message_index: int) -> bool:
        messages, turns = conversation.messages, conversation.turns
        came_so = not turns or messages[turns[0].start].view.role not in USER_LIKE
        return came_so or messages[message_index].view.role in USER_LIKE
