"""What of a list stays as it is: every preset, the cut on arrival and the last fit read it here and nowhere else.

1. A protected tool's calls and results stay as they are, and so do instructions within their budget: both also
   where pins can not.
2. Pins hold whole messages, and so does what came back lately (`pins`).
3. User messages stay while all of them fit their share; beyond it the longest leave, of equally long ones the
   oldest first. What must stay does (`invariants`), and what holds more than text.
"""

import math
from collections.abc import Callable, Container, Sequence

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions import Instructions, instructions
from ctxmgr.engine.invariants import Invariants
from ctxmgr.model import Policy


class Protection(msgspec.Struct, frozen=True):
    """`pinned`: messages that are pinned or came back lately, by index, asked for only where something is to leave.
    `instruction_tokens`: so many of instructions stay in place."""

    conversation: ConversationIndex
    policy: Policy
    pinned: Callable[[], frozenset[int]] = frozenset
    instruction_tokens: float = math.inf

    def names(self, tool: str) -> bool:
        """Is this tool protected? Names are the same in whatever case: one host calls `Read` what another calls
        `read`."""
        return is_among(tool, self.policy.protected_tools)

    def is_of_tool(self, ref: BlockRef) -> bool:
        """Is it a result of a protected tool?"""
        return bool(self.policy.protected_tools) and self.names(self.conversation.call_of(ref).tool)

    def results(self) -> frozenset[BlockRef]:
        """The results of protected tools."""
        pairs = self.conversation.pairs if self.policy.protected_tools else ()
        return frozenset(ref for ref in pairs if self.is_of_tool(ref))

    def calling(self) -> frozenset[int]:
        """The indices of messages that call a protected tool."""
        messages = self.conversation.messages
        asked_at = set(self.conversation.pairs.values()) if self.policy.protected_tools else ()
        return frozenset(at for at in asked_at if any(self.names(block.tool) for block in messages[at].view.blocks))

    def instructions(self) -> Instructions:
        """What others told the model and still holds, within its budget."""
        told = instructions(self.conversation, self.policy.protected_instructions)
        if self.instruction_tokens == math.inf:
            return told
        return told.within(self.conversation, self.instruction_tokens)

    def messages(self) -> frozenset[int]:
        """All that stays, by index."""
        return self.pinned() | self.instructions().messages(self.conversation) | self.calling()

    def blocks(self) -> frozenset[BlockRef]:
        """The results that are never shortened, and the texts of instructions."""
        told = self.instructions()
        pinned = frozenset(ref for at in self.pinned() for ref, _ in self.conversation.results(at))
        return pinned | told.results | told.texts | self.results()

    def unpinned(self) -> "Protection":
        """The same without pins."""
        return msgspec.structs.replace(self, pinned=frozenset)


def is_among(tool: str, names: Sequence[str]) -> bool:
    """Whether a tool is among these, in whatever case."""
    folded = tool.casefold()
    return any(name.casefold() == folded for name in names)


def summaries(conversation: ConversationIndex, digests: Container[str]) -> frozenset[int]:
    """The indices of user messages that a list begins anew with, known by these digests: no user wrote them, and
    they say what was before."""
    messages = conversation.messages
    return frozenset(
        at for at, message in enumerate(messages) if message.view.role == "user" and message.digest in digests
    )


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
