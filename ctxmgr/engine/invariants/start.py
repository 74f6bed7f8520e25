"""Start: the list starts with something a provider takes as a user message, if it came so.

Prompts before it are set aside where the list came with one in front. Where it came with a user's message in front,
its provider takes prompts inside a list alone, and none may be first.
"""

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants.rule import USER_LIKE, Rule, Walk

NOTHING, PACKET = -1, -2  # shown as yet; shown first


def set_aside(conversation: ConversationIndex, message_index: int) -> bool:
    """Is this a prompt that may stand before what the list starts with?"""
    messages = conversation.messages
    return messages[message_index].view.role == "prompt" == messages[0].view.role


class Start(Rule):
    """Tally: the index of the first message that is shown and may not be set aside."""

    name = "start"
    tally = NOTHING

    def included(self, tally: int, walk: Walk, run: range) -> int:
        if tally != NOTHING:
            return tally
        return next((at for at in run if not set_aside(walk.conversation, at)), NOTHING)

    def inserted(self, tally: int, walk: Walk) -> int:
        return PACKET if tally == NOTHING else tally

    def holds(self, tally: int, walk: Walk) -> bool:
        return tally < 0 or self.may_start_with(walk.conversation, tally)

    def may_start_with(self, conversation: ConversationIndex, message_index: int) -> bool:
        messages, turns = conversation.messages, conversation.turns
        came_so = not turns or messages[turns[0].start].view.role not in USER_LIKE
        may_be_first = messages[message_index].view.role in USER_LIKE or set_aside(conversation, message_index)
        return came_so or may_be_first
