"""Turns what an epoch decided into its plan, its packet and its receipt.

1. The packet that is shown stays where it stands before what changes; else what left is told anew.
2. An epoch that takes little of the list away is not worth its prefix, unless it tells the model's notes anew,
   costs nothing, or the list would not fit.
"""

from collections.abc import Mapping, Sequence, Set
from functools import partial

import msgspec

from ctxmgr.engine.balanced import (
    NO_PACKET,
    EpochResult,
    Original,
    PrefixBreak,
    lay_out,
    receipts,
)
from ctxmgr.engine.conversation import ConversationIndex, Steps
from ctxmgr.engine.retention.breaks import Change, Offer, arithmetic
from ctxmgr.engine.retention.inputs import WorthInputs
from ctxmgr.engine.retention.packet_writing import packet_of, place_of
from ctxmgr.model import Decision, Opening, Packet, Plan, Receipt

WORTH_A_PREFIX = 0.05  # of the list: less is not worth a prefix


class EpochWriting(msgspec.Struct, frozen=True):
    """What an epoch of this list is written by. `before`: the plan if nothing were decided. `working_set`: the
    index of its first message; `leaving_users`: user messages beyond their share; `calls`: of the epoch before."""

    conversation: ConversationIndex
    ask: WorthInputs
    before: Plan
    steps: Steps
    working_set: int
    leaving_users: Set[int]
    calls: int

    def told(self, decisions: Mapping[str, Decision], position: int, opening: Opening) -> tuple[Plan, Packet]:
        """The plan with its packet (rule 1). `position`: the index of the first message that changes."""
        inputs = self.ask.terms
        layout, writer = inputs.layout, inputs.writer
        news = writer.has_news(layout.packet) and opening in ("forced", "cold")
        if layout.packet.text and layout.packet_index < position and not news:
            return self._laid_out(decisions, layout.packet, layout.packet_index), layout.packet
        bare = self._laid_out(decisions, NO_PACKET, 0)
        packet = packet_of(self.conversation, bare, writer, inputs.room, layout.rules)
        place = place_of(self.conversation, self.steps, decisions, self.working_set)
        return self._laid_out(decisions, packet, place), packet

    def _laid_out(self, decisions: Mapping[str, Decision], packet: Packet, place: int) -> Plan:
        inputs = self.ask.terms
        layout = msgspec.structs.replace(inputs.layout, decisions=decisions, packet=packet, packet_index=place)
        if packet.text:
            allowance = max(layout.allowance, inputs.writer.most_allowed)
            layout = msgspec.structs.replace(layout, allowance=allowance)
        return lay_out(self.conversation, inputs.zone, layout)

    def untold(self) -> set[str]:
        """The keys of user messages that may only leave where a packet tells of them."""
        rules, conversation = self.ask.terms.layout.rules, self.conversation
        return {conversation.key(at) for at in self.leaving_users if not rules.may_leave_untold(conversation, at)}

    def is_worth(self, plan: Plan, packet: Packet) -> bool:
        """Rule 2."""
        inputs = self.ask.terms
        saved, fits = self.before.weight - plan.weight, self.before.weight <= inputs.room.window
        if inputs.writer.has_news(inputs.layout.packet):
            return inputs.writer.renews_notes(inputs.layout.packet, packet) or saved > 0
        cost = self._came_to(plan).cost
        return saved > 0 if cost <= 0 or not fits else saved >= WORTH_A_PREFIX * self.before.weight

    def _came_to(self, plan: Plan) -> PrefixBreak:
        """The sum of what was done: the place was found by an estimate."""
        inputs = self.ask.terms
        messages, rates = self.conversation.messages, inputs.worth.rates
        return receipts.summed(self.before, plan, messages, inputs.cached_count, rates)

    def result(
        self, opening: Opening, plan: Plan, packet: Packet, place: Change | None, taken: Sequence[Offer]
    ) -> EpochResult:
        accrued = place.accrued if place is not None else 0.0
        sum_ = arithmetic(self._came_to(plan), self.ask.terms.worth.rates, accrued, self.calls)
        gone = receipts.originals(self.conversation, self.before, plan, self.ask.terms.writer.handle)
        why = {key: offer.why for offer in taken for key in offer.decisions}
        bare = self._receipt(opening, plan.weight, sum_)
        done = receipts.receipt(bare, gone, partial(self._why, why))
        paths = receipts.evicted_paths(self.conversation, gone)
        return EpochResult(plan, packet, done, gone, read_paths=paths)

    def unmoved(self, opening: Opening) -> EpochResult:
        """An epoch that begins with the list as it is."""
        weight = self.before.weight
        done = self._receipt(opening, weight, "nothing more leaves")
        return EpochResult(self.before, self.ask.terms.layout.packet, done, ())

    def _receipt(self, opening: Opening, weight: int, told: str) -> Receipt:
        number, time_ms = self.ask.epoch.number + 1, self.ask.time_ms
        return Receipt(number, opening, self.before.weight, weight, f"{opening}: {told}", time_ms=time_ms)

    def _why(self, why: Mapping[str, str], one: Original) -> str:
        """Why a block left, by itself or with its message."""
        at = one.ref.message_index
        if at in self.leaving_users:
            return "user messages over their share"
        return why.get(one.key) or why.get(self.conversation.key(at), "shown another way")
