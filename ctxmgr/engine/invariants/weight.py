"""Weight: a projection weighs what the plan says, and no more than what came in, but for a packet that stands for
what the host took away."""

from ctxmgr.engine.invariants.rule import Rule, Walk
from ctxmgr.model import BlockEdit


class Weight(Rule):
    """Tally: tokens of what is shown, without packets."""

    name = "weight"
    tally = 0

    def included(self, tally: int, walk: Walk, run: range) -> int:
        return tally + walk.conversation.weight_of(run)

    def edited(self, tally: int, walk: Walk, edit: BlockEdit) -> int:
        return tally + edit.after_tokens - walk.conversation.messages[edit.message_index].weights[edit.block_index]

    def holds(self, tally: int, walk: Walk) -> bool:
        weight, packets = walk.plan.weight, walk.packet_weight()
        most = walk.conversation.raw_weight + min(packets, walk.plan.allowance)
        return tally + packets == weight and weight <= most

    def may_stand_for(self, weight: int, replaced_weight: int) -> bool:
        return weight <= replaced_weight
