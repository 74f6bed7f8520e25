"""Turns a list at the moment an epoch begins into what of it stays as it is, and which user messages leave.

1. A protected tool's calls and results stay as they are, and so do instructions within their budget: both also
   where pins can not.
2. User messages stay while all of them fit their share; beyond it the longest leave, of equally long ones the
   oldest first. What must stay does (`invariants`), and what holds more than text.
"""

from collections.abc import Callable, Container, Sequence

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.rewriting import is_among


class Protection(msgspec.Struct, frozen=True):
    """What stays as it is: calls of these `tools` with their results, what is `pinned`, or came back lately, by
    index, and `instructed`, messages with what others told the model; those are asked for only where an epoch
    begins."""

    tools: tuple[str, ...]
    pinned: Callable[[], frozenset[int]]
    instructed: Callable[[], frozenset[int]] = frozenset

    def messages(self, conversation: ConversationIndex) -> frozenset[int]:
        """All that stays, by index."""
        return self.pinned() | self.instructed() | protecting(conversation, self.tools)

    def results(self, conversation: ConversationIndex) -> frozenset[BlockRef]:
        """The results that are never pruned."""
        return protected(conversation, self.tools)

    def unpinned(self) -> "Protection":
        """The same without pins."""
        return msgspec.structs.replace(self, pinned=frozenset)


def summaries(conversation: ConversationIndex, digests: Container[str]) -> frozenset[int]:
    """The indices of user messages that a list begins anew with, known by these digests: no user wrote them, and
    they say what was before."""
    messages = conversation.messages
    return frozenset(
        at for at, message in enumerate(messages) if message.view.role == "user" and message.digest in digests
    )


def protecting(conversation: ConversationIndex, tools: Sequence[str]) -> frozenset[int]:
    """The indices of messages that call a protected tool (rule 1)."""
    asked_at = set(conversation.pairs.values()) if tools else ()
    return frozenset(
        at for at in asked_at if any(is_among(block.tool, tools) for block in conversation.messages[at].view.blocks)
    )


def protected(conversation: ConversationIndex, tools: Sequence[str]) -> frozenset[BlockRef]:
    """The results of protected tools."""
    results = conversation.pairs if tools else ()
    return frozenset(ref for ref in results if is_among(conversation.call_of(ref).tool, tools))


def over_share(
    conversation: ConversationIndex,
    users: Sequence[int],
    share: float,
    held: Container[int],
    rules: Invariants,
) -> frozenset[int]:
    """The user messages that leave (rule 2). `users`: the indices of all; `share` in tokens."""
    over = conversation.weight_of(users) - share
    leaving: set[int] = set()
    messages, must_stay = conversation.messages, rules.must_stay(conversation)
    for at in sorted(users, key=lambda at: (-messages[at].weight, at)):
        if over <= 0:
            break
        blocks = messages[at].view.blocks
        if (
            at not in held
            and at not in must_stay
            and all(block.kind == "text" and not block.media for block in blocks)
        ):
            leaving.add(at)
            over -= messages[at].weight
    return frozenset(leaving)
