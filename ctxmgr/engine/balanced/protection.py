"""Turns a list at the moment an epoch begins into what of it does not compete to stay, and why.

1. The newest steps are lossless: so many tokens of them, and the last two in any case.
2. A protected tool's calls and results stay as they are, and so do instructions within their budget: both also
   where pins can not.
3. User messages stay while all of them fit their share; beyond it the longest leave, of equally long ones the
   oldest first. What must stay does (`invariants`), and what holds more than text.
4. Arguments that a later read or write covers are shortened where their step stays and they may be edited.
5. A summary leaves when a packet of the usual size would say all of it that holds. One that left stays out.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import msgspec

from ctxmgr.engine.balanced.apply_decisions import drops
from ctxmgr.engine.balanced.budget import STEPS_LOSSLESS
from ctxmgr.engine.balanced.packet_placement import PacketWriter
from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.rewriting import Shorten, is_among
from ctxmgr.model import Decision


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


def first_lossless(conversation: ConversationIndex, steps: Sequence[Step], tokens: int) -> int:
    """The number of the first step of rule 1."""
    number, weight = len(steps), 0
    while number > 0:
        step = steps[number - 1]
        more = conversation.weight_of(step.message_indices)
        if len(steps) - number >= STEPS_LOSSLESS and weight + more > tokens:
            break
        number -= 1
        weight += more
    return number


def protecting(conversation: ConversationIndex, tools: Sequence[str]) -> frozenset[int]:
    """The indices of messages that call a protected tool (rule 2)."""
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
    """The user messages that leave (rule 3). `users`: the indices of all; `share` in tokens."""
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


def folded(
    conversation: ConversationIndex,
    fixed: Sequence[int],
    writer: PacketWriter,
    decisions: Mapping[str, Decision],
    held: Container[int],
) -> frozenset[int]:
    """The summaries among the `fixed` messages that leave (rule 5). `decisions` in force; `held`: what stays."""
    messages = conversation.messages
    summaries = [at for at in fixed if messages[at].view.role == "summary" and at not in held]
    if not summaries:
        return frozenset()
    said = writer.text.covered(writer.lean_tokens, (messages[at] for at in fixed if at not in summaries))
    gone = {at for at in summaries if drops(conversation, decisions, at)}
    return frozenset(at for at in summaries if at in gone or conversation.digest(at) in said)


def shortened(
    conversation: ConversationIndex,
    stale: Iterable[BlockRef],
    spoken_for: Container[int],
    shorten: Shorten,
    rules: Invariants,
) -> dict[BlockRef, int]:
    """The calls of rule 4, and what they weigh then, in tokens. `spoken_for`: messages that stay as they are."""
    found: dict[BlockRef, int] = {}
    for ref in stale:
        block, at = conversation.block(ref), ref.message_index
        if block.kind != "call" or not block.can_edit or at in spoken_for:
            continue
        if rules.may_edit(conversation, ref, "shortened") and (told := shorten(ref)) is not None:
            found[ref] = told[1]
    return found
