"""What a plan shows of a list, and what that lacks."""

from collections.abc import Sequence

from ctxmgr.engine.balanced.receipts import projected_weights
from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants import Invariants, set_aside
from ctxmgr.model import Keep, Message, Packet, Plan


def hidden(messages: Sequence[Message], plan: Plan, held: frozenset[int]) -> tuple[int, ...]:
    """The indices of what is to stay and is not shown in full."""
    now = projected_weights(plan, messages) if held else {}
    return tuple(sorted(at for at in held if now.get(at, -1) < messages[at].weight))


def headless(conversation: ConversationIndex, plan: Plan, rules: Invariants) -> int:
    """The message that the list came with in front, where by this plan another would be first that may not be; -1
    where all is well."""
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            return -1
        start, end = (
            (piece.start, piece.end) if isinstance(piece, Keep) else (piece.message_index, piece.message_index + 1)
        )
        for at in range(start, end):
            if not set_aside(conversation, at):
                return -1 if rules.may_start_with(conversation, at) else conversation.turns[0].start
    return -1
