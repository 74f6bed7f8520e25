"""Pairs: no call loses the result it had, no result the call it had.

1. Relative to what came in: a call without a result, or a result without a call, has no pair to lose.
2. A result belongs to the latest earlier call with its id; so of a pair the call comes first.
3. So that no result comes after its call has left, a step with a call that still waits does not leave.
"""

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step, is_waiting
from ctxmgr.engine.invariants.rule import Rule, Walk


class Pairs(Rule):
    """Tally: is a pair parted?"""

    name = "pairs"

    def included(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or (bool(walk.left_out.starts) and _parts(walk, run, parted_if_left_out=True))

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        # prompts and summaries make no calls: before another message is shown no call is
        return tally or (walk.first_index >= 0 and _parts(walk, run, parted_if_left_out=False))

    def may_cut_at(self, conversation: ConversationIndex, turn_number: int) -> bool:
        return conversation.turns[turn_number].separable

    def may_leave(self, conversation: ConversationIndex, step: Step) -> bool:
        return not step.bound and not is_waiting(conversation, step)


def _parts(walk: Walk, run: range, parted_if_left_out: bool) -> bool:
    """Has a result in this run its call on the other side?"""
    messages, pairs = walk.conversation.messages, walk.conversation.pairs
    for at in run:
        if messages[at].view.role in ("assistant", "prompt"):
            continue
        for number, block in enumerate(messages[at].view.blocks):
            asked_at = pairs.get(BlockRef(at, number), at) if block.kind == "result" else at
            if asked_at < run.start and (asked_at in walk.left_out) == parted_if_left_out:
                return True  # within a run nothing is parted
    return False
