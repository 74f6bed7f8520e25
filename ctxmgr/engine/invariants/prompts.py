"""Prompts: each of them is there."""

from bisect import bisect_left

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants.rule import Rule, Walk


class Prompts(Rule):
    """Tally: did a prompt leave?"""

    name = "prompts"

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        prompts = walk.conversation.prompts
        number = bisect_left(prompts, run.start)
        return tally or (number < len(prompts) and prompts[number] < run.stop)

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        return frozenset(conversation.prompts)
