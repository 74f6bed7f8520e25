"""Turns what an epoch took away into the one packet that stands for it, and finds the place where it stands.

1. The packet stands between what is old and the newest steps. What is before it is the prefix that later epochs
   try to keep: at the head of the list it would break all of it each time.
2. It goes before what was said right before those steps, so that no answer is parted from its question; but not
   before a summary that a list begins with.
3. It tells the ledger's facts, what the assistant decided and found that is not shown, user messages that left,
   what edits that left put into files, and the names in what else left, in the room that sentences leave of the
   index's; it never weighs more than what it stands for: what left, and what the host took away in a compaction or
   a move, as its budget allows. What does not fit goes from its end; that user messages left is told before all
   else.
4. Instructions that the host took away stand in it word for word, in a budget of their own.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from ctxmgr.engine.balanced import evicted_index, identifiers
from ctxmgr.engine.balanced.apply_decisions import drops
from ctxmgr.engine.balanced.budget import Budget
from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Steps
from ctxmgr.engine.invariants import Invariants, set_aside
from ctxmgr.engine.packet import PacketText, last_changes
from ctxmgr.engine.rewriting import handles
from ctxmgr.engine.text import scratchpad_in
from ctxmgr.model import PACKET_MARK, BlockEdit, Decision, Keep, Message, Packet, Plan

FOUND_SHARE = 0.67  # of the room of the index, for what the assistant decided and found: the rest is for names
FOUND_MOST = 0.25  # of what the packet stands for: after a host's compaction that is all there is room for
CHANGES_SHARE = 0.17  # of the room of the index, and beside it: for what edits whose calls left put into files
CHANGES_MOST = 0.1  # of what the packet stands for
NO_PACKET = Packet("", 0)


class PacketPlacement(msgspec.Struct, frozen=True):
    """Where old and new meet: `newest_step_index` is the number of the first lossless step. `values` of names."""

    conversation: ConversationIndex
    steps: Steps
    newest_step_index: int
    values: Mapping[str, float]
    rules: Invariants


class PacketWriter(msgspec.Struct, frozen=True):
    """Writes a packet out of the ledger. `budget_tokens` for its facts, `lean_tokens` in the smaller of it and one
    that does not resume; `allowance`: so many more than what left it may weigh. `resume`: where the work stood is
    told with them. `archives`: are originals kept anywhere? `absent`: rule 4, in at most so many tokens; "" for
    none."""

    text: PacketText
    budget_tokens: int
    lean_tokens: int
    allowance: int
    resume: bool
    archives: bool
    absent: Callable[[float], str]

    @property
    def most_allowed(self) -> int:
        """Tokens that the packet may weigh beyond what left, with rule 4."""
        told = self.absent(math.inf)
        return self.allowance + (self.weigh(told) if told else 0)

    def facts(
        self, stands_for: int, shown: Iterable[Message], listed: Iterable[Message], whole: Sequence[Message]
    ) -> str:
        """The ledger's facts, in no more tokens than these, beside what is `shown`, or shown `whole` of what is
        `listed`; "" where nothing fits."""
        budget = min(self.budget_tokens, stands_for)
        if self.resume:
            return self.text.resumed(budget, listed, whole)
        return self.text.within(budget, self.text.in_view(shown))

    def findings(self, budget: int, shown: Iterable[Message]) -> str:
        """What the assistant decided and found, in so many tokens, beside what is `shown`. Where the work stood is
        told with the facts."""
        return "" if self.resume else self.text.findings(budget, self.text.in_view(shown))

    def noted(self, text: str) -> str:
        """A whole packet with its note, where it is not small."""
        return self.text.noted(text, self.resume)

    def has_news(self, shown: Packet) -> bool:
        """Are the model's notes other than the packet that is shown tells them?"""
        return self.text.is_outdated(shown.text)

    def renews_notes(self, shown: Packet, packet: Packet) -> bool:
        """Does this packet tell other notes of the model than the one that is shown?"""
        return scratchpad_in(shown.text) != scratchpad_in(packet.text)

    def handle(self, key: str) -> str:
        """The name of an original in the archive; "" where there is none."""
        return handles.handle(key) if self.archives else ""

    def weigh(self, text: str) -> int:
        """In tokens."""
        return self.text.weigh(text)


def place_of(placement: PacketPlacement, decisions: Mapping[str, Decision]) -> int:
    """The index of the message that the packet stands before (rules 1 and 2)."""
    messages, steps = placement.conversation.messages, placement.steps.steps
    at = len(messages)
    if placement.newest_step_index < len(steps):
        at = min(steps[placement.newest_step_index].message_indices)
    fixed = frozenset(placement.steps.fixed_indices)
    while at - 1 in fixed and messages[at - 1].view.role in ("user", "note") and not messages[at - 1].view.summary:
        at -= 1
    while at < len(messages) and drops(placement.conversation, decisions, at):
        at += 1
    return min(at, len(messages) - 1)  # where no step is, it may be before the last thing that left


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


def packet_of(placement: PacketPlacement, bare: Plan, writer: PacketWriter, room: Budget) -> Packet:
    """The packet for what the plan `bare` leaves out, and what the host took away (rule 3)."""
    gone = placement.conversation.raw_weight - bare.weight
    stands_for = max(gone, int(min(gone + writer.most_allowed, room.window - bare.weight)))
    if stands_for <= 0:
        return NO_PACKET
    dropped = {at for at in range(placement.conversation.size) if drops(placement.conversation, bare.decisions, at)}
    users = [
        at
        for at in placement.steps.fixed_indices
        if at in dropped and placement.conversation.messages[at].view.role == "user"
    ]
    said = ["\n".join(block.text for block in placement.conversation.messages[at].view.blocks) for at in users]
    every = enumerate(placement.conversation.messages)
    told = [one for at, one in every if at not in dropped or one.view.role == "user"]  # shown, or quoted below
    counted = evicted_index.counted(len(said)) if said else ""
    spare = stands_for - sum(writer.weigh(one) + 2 for one in (PACKET_MARK, counted) if one)
    instructed = writer.absent(spare)
    found = writer.findings(int(min(FOUND_SHARE * room.index, FOUND_MOST * stands_for)), told)
    beside = sum(writer.weigh(one) + 2 for one in (instructed, found) if one)
    facts = (
        writer.facts(stands_for - beside, told, placement.conversation.messages, _whole(placement, bare))
        or PACKET_MARK
    )
    if gone <= 0 and facts == PACKET_MARK and not beside:
        return NO_PACKET
    users_said = evicted_index.quotations(said, int(room.users), writer.weigh)
    changed = last_changes(
        placement.conversation.messages,
        _in_place(bare),
        int(min(CHANGES_SHARE * room.index, CHANGES_MOST * stands_for)),
        writer.weigh,
    )
    names_held = evicted_index.index_of(
        _lost(placement, bare, dropped, writer),
        _shown(placement, bare) | identifiers.names("\n".join((facts, users_said, found, changed))),
        placement.values,
        room.index - (writer.weigh(found) + 2 if found else 0),
        writer.weigh,
    )
    for head, *parts in _ever_less(facts, users_said, (found, changed, names_held), counted):
        bare_text = "\n\n".join(part for part in (head, instructed, *parts) if part)
        for text in dict.fromkeys((writer.noted(bare_text), bare_text)):
            weight = writer.weigh(text)
            if placement.rules.may_stand_for(weight, stands_for):
                return Packet(text, weight)
    return NO_PACKET


def _ever_less(facts: str, said: str, left: tuple[str, str, str], counted: str) -> Iterator[tuple[str, ...]]:
    """What the packet may tell, the most first. `left`: what was found, what edits put there, the index."""
    found, changed, index = left
    yield facts, found, said, changed, index
    yield facts, found, said, changed
    yield facts, found, said
    yield facts, said
    if counted:
        yield facts, counted
        yield PACKET_MARK, said
        yield PACKET_MARK, counted


def _lost(
    placement: PacketPlacement, bare: Plan, dropped: set[int], writer: PacketWriter
) -> list[evicted_index.Evicted]:
    edits = (piece for piece in bare.pieces if isinstance(piece, BlockEdit))
    pruned = {BlockRef(edit.message_index, edit.block_index) for edit in edits if edit.kind == "pruned"}

    def handle(ref: BlockRef) -> str:
        return writer.handle(placement.conversation.block_key(ref))

    return evicted_index.losses(placement.conversation.messages, placement.steps.steps, dropped, pruned, handle)


def _shown(placement: PacketPlacement, bare: Plan) -> set[str]:
    """The names in what is kept as it came."""
    return set().union(*(identifiers.whole(message) for message in _whole(placement, bare)))


def _in_place(bare: Plan) -> frozenset[int]:
    """The indices of what is kept as it came."""
    kept = (piece for piece in bare.pieces if isinstance(piece, Keep))
    return frozenset(at for piece in kept for at in range(piece.start, piece.end))


def _whole(placement: PacketPlacement, bare: Plan) -> list[Message]:
    """What is kept as it came."""
    messages, kept = placement.conversation.messages, (piece for piece in bare.pieces if isinstance(piece, Keep))
    return [messages[at] for piece in kept for at in range(piece.start, piece.end)]
