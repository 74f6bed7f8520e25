"""Writes an epoch's plan, its packet and its receipt, from the list and the inputs that decide it.

Rules:
1. The current packet stays if it is before what changes; otherwise it is written again.
2. An epoch that removes little of the list is not worth its prefix, unless it renews the model's notes or the
   quotes, costs nothing, or the list would not fit.
"""

from collections.abc import Mapping, Sequence, Set
from functools import partial

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, Steps
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention import receipts
from ctxmgr.engine.retention.layout import Layout, drops, lay_out, with_packet
from ctxmgr.engine.retention.packet_writing import NO_PACKET, ListRoom, PacketWriter, packet_of, place_of
from ctxmgr.engine.retention.prefix_cost import Offer, PrefixBreak, PrefixChange, arithmetic
from ctxmgr.engine.retention.receipts import EpochResult, Original
from ctxmgr.engine.retention.worth import Worth
from ctxmgr.model import Decision, Epoch, Opening, Packet, Plan, Receipt, Zone


class WorthTerms(msgspec.Struct, frozen=True):
    """What decides an epoch, beside the list.

    `layout`: the current one. `pressed_by`: why a list over its limit is pressed. `cached_count`: how many of the
    list's messages the provider may have cached; 0 if its cache is cold. `overhead`: what the host adds to each
    list, unseen, in tokens.
    """

    zone: Zone
    layout: Layout
    room: ListRoom
    worth: Worth
    cached_count: int
    protection: Protection
    writer: PacketWriter
    overhead: float = 0.0
    pressed_by: Opening = "red"


class WorthInputs(msgspec.Struct, frozen=True):
    """What a plan is computed from, beside the list.

    `last_plan`: the previous plan, and `last_count` its number of messages, if this list continues that one;
    otherwise the decisions count. `replaced`: the list does not continue the last one. `reopen`: why an epoch is
    due whatever the price. `time_ms`: the call's time in milliseconds. `terms`: what decides an epoch.
    """

    terms: WorthTerms
    epoch: Epoch
    reopen: Opening | None = None
    last_plan: Plan | None = None
    last_count: int = 0
    time_ms: int | None = None
    replaced: bool = False


WORTH_A_PREFIX = 0.05  # of the list; removing less is not worth a prefix


class EpochWriting(msgspec.Struct, frozen=True):
    """Writes what one epoch does.

    `before`: the plan without new decisions. `working_set`: the index of its first message. `leaving_users`: user
    messages beyond their share. `calls`: of the previous epoch.
    """

    conversation: ConversationIndex
    call: WorthInputs
    before: Plan
    steps: Steps
    working_set: int
    leaving_users: Set[int]
    calls: int

    def plan_and_packet(
        self, decisions: Mapping[str, Decision], position: int, opening: Opening
    ) -> tuple[Plan, Packet]:
        """The plan with its packet (rule 1). `position`: the index of the first message that changes."""
        terms = self.call.terms
        layout, writer = terms.layout, terms.writer
        news = opening == "tree" or (writer.has_news(layout.packet) and opening in ("forced", "cold", "rewritten"))
        if layout.packet.text and layout.packet_index < position and not news:
            return self._laid_out(decisions, layout.packet, layout.packet_index), layout.packet
        bare = self._laid_out(decisions, NO_PACKET, 0)
        packet = packet_of(self.conversation, bare, writer, terms.room, layout.rules)
        if not packet.text:
            return bare, packet
        packet_index = place_of(self.conversation, self.steps, decisions, self.working_set)
        left = partial(drops, self.conversation, decisions)
        packet_index = layout.rules.packet_index(self.conversation, packet_index, left)
        return with_packet(self._allowing(bare), packet, packet_index), packet

    def _laid_out(self, decisions: Mapping[str, Decision], packet: Packet, packet_index: int) -> Plan:
        terms = self.call.terms
        layout = msgspec.structs.replace(
            terms.layout, decisions=decisions, packet=packet, packet_index=packet_index
        )
        plan = lay_out(self.conversation, terms.zone, layout)
        return self._allowing(plan) if packet.text else plan

    def _allowing(self, plan: Plan) -> Plan:
        """The plan, with the packet size that the writer allows."""
        allowance = max(plan.allowance, self.call.terms.writer.most_allowed)
        return msgspec.structs.replace(plan, allowance=allowance)

    def untold(self) -> set[str]:
        """The keys of user messages that may only be removed if a packet repeats them, and what goes with them."""
        rules, conversation = self.call.terms.layout.rules, self.conversation
        paired = self.steps.steps if rules.packet_inside else ()
        return {
            conversation.key(index)
            for indices in (*((index,) for index in self.leaving_users), *(step.message_indices for step in paired))
            if not all(rules.may_leave_untold(conversation, index) for index in indices)
            for index in indices
        }

    def is_worth(self, plan: Plan, packet: Packet) -> bool:
        """Rule 2."""
        terms = self.call.terms
        saved, fits = self.before.weight - plan.weight, self.before.weight <= terms.room.window
        if terms.writer.has_news(terms.layout.packet):
            return terms.writer.renews(terms.layout.packet, packet) or saved > 0
        cost = self.came_to(plan).cost
        return saved > 0 if cost <= 0 or not fits else saved >= WORTH_A_PREFIX * self.before.weight

    def came_to(self, plan: Plan) -> PrefixBreak:
        """The actual cost arithmetic; the place was found by an estimate."""
        terms = self.call.terms
        messages, rates = self.conversation.messages, terms.worth.rates
        return receipts.summed(self.before, plan, messages, terms.cached_count, rates)

    def result(
        self, opening: Opening, plan: Plan, packet: Packet, change: PrefixChange | None, taken: Sequence[Offer]
    ) -> EpochResult:
        accrued = change.accrued if change is not None else 0.0
        waited = f"what is due has cost {accrued:,.0f} in {self.calls} calls"
        sum_ = self.came_to(plan)
        text = arithmetic(sum_, self.call.terms.worth.rates, waited)
        gone = receipts.originals(self.conversation, self.before, plan, self.call.terms.writer.handle)
        why = {key: offer.why for offer in taken for key in offer.decisions}
        bare = self._receipt(opening, plan.weight, text, sum_.pays_after)
        done = receipts.receipt(bare, gone, partial(self._why, why))
        paths = receipts.evicted_paths(self.conversation, gone)
        return EpochResult(plan, packet, done, gone, read_paths=paths)

    def unmoved(self, opening: Opening) -> EpochResult:
        """An epoch that begins with the list unchanged."""
        weight = self.before.weight
        done = self._receipt(opening, weight, "nothing more leaves")
        return EpochResult(self.before, self.call.terms.layout.packet, done, ())

    def _receipt(
        self, opening: Opening, weight: int, text: str, pays_after: int | msgspec.UnsetType = msgspec.UNSET
    ) -> Receipt:
        return Receipt(
            self.call.epoch.number + 1,
            opening,
            self.before.weight,
            weight,
            f"{opening}: {text}",
            time_ms=self.call.time_ms,
            pays_after=pays_after,
        )

    def _why(self, why: Mapping[str, str], original: Original) -> str:
        """Why a block was removed, alone or with its message."""
        index = original.ref.message_index
        if index in self.leaving_users:
            return "user messages over their share"
        return why.get(original.key) or why.get(self.conversation.key(index), "shown another way")
