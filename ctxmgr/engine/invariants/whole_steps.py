"""Step: items that together are one assistant's message are there together, or none of them."""

from ctxmgr.engine.conversation import ConversationIndex, goes_on
from ctxmgr.engine.invariants.rule import Rule, Walk


class WholeSteps(Rule):
    """Tally: is an item parted from the one before it?"""

    name = "step"

    def included(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or self._parts(walk, run.start, parted_if_left_out=True)

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or self._parts(walk, run.start, parted_if_left_out=False)

    def is_one_with_previous(self, conversation: ConversationIndex, message_index: int) -> bool:
        return message_index > 0 and goes_on(conversation.messages, message_index)

    def _parts(self, walk: Walk, at: int, parted_if_left_out: bool) -> bool:
        """Within a run nothing is parted: only its first message may be."""
        one = self.is_one_with_previous(walk.conversation, at)
        return one and (at - 1 in walk.left_out) == parted_if_left_out
