"""Turns the newest steps and the tokens by which a list would not fit the window into what these steps lose.

1. Results alone leave, the oldest first, until the list fits or nothing is left to take.
2. Those of the newest step come last, and keep their start and end.
3. A result that would not weigh less stays as it is.
"""

from collections.abc import Sequence

from ctxmgr.engine.conversation import ConversationIndex, Step
from ctxmgr.engine.rewriting import LAST_RESORT_LENGTH, Rewrite
from ctxmgr.model import Decision


def squeezed(
    conversation: ConversationIndex, steps: Sequence[Step], over_tokens: float, rewrite: Rewrite
) -> dict[str, Decision]:
    """The decisions, by block key, that take `over_tokens` from the results of `steps`."""
    decisions: dict[str, Decision] = {}
    for step in steps:
        decision = Decision("distilled", LAST_RESORT_LENGTH) if step is steps[-1] else Decision("pruned")
        for message_index in step.result_indices:
            for ref, block in conversation.results(message_index):
                if over_tokens <= 0 or not block.can_edit:
                    continue
                weight = conversation.block_weight(ref)
                _, after = rewrite(ref, decision)
                if after < weight:
                    decisions[conversation.block_key(ref)] = decision
                    over_tokens -= weight - after
    return decisions
