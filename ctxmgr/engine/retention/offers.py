"""Finds what has outlived its worth in a list and its plan: each offer is a change that shortens the list.

Rules:
1. Nothing in the working set, nothing protected, and nothing that an invariant keeps is offered.
2. A result is offered when it is older than its kind and size are worth (`worth`), or at once if later calls made
   it outdated. A result that may be an error keeps its first, last and error lines.
3. Arguments of a call are offered when they are older than arguments are worth, if the message may be edited.
4. When words exceed their room, the oldest steps are one offer, down to a part of the room, together with user
   messages beyond their share. The offer covers everything in them.
5. Packets that came back are offered wherever they are.
6. An offer knows for how many calls it has been due: its age beyond its worth, divided by the list's growth per
   call; at most since the epoch began.
"""

from collections.abc import Collection, Container, Mapping, Sequence, Set

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step
from ctxmgr.engine.retention.layout import Layout, drops
from ctxmgr.engine.retention.prefix_cost import Offer
from ctxmgr.engine.retention.shown import MARKER_SIZE, Candidate, Shown
from ctxmgr.engine.retention.worth import WORDS_PART, Retention
from ctxmgr.engine.rewriting import LAST_RESORT_LENGTH
from ctxmgr.model import Decision, Plan

ERROR_SIZE = 500  # about what remains of a long error


class Growth(msgspec.Struct, frozen=True):
    """An epoch's progress: `calls` since it began, and the `tokens` of conversation per call."""

    calls: int
    tokens: float

    def calls_since(self, tokens: float) -> float:
        """How many calls ago the conversation was this much shorter (rule 6)."""
        return min(self.calls, max(0.0, tokens) / self.tokens)


class Situation(msgspec.Struct, frozen=True):
    """What offers are made by, beside the list. `shown`: what the plan shows of it. `working_set`: the index of its
    first message. `protected`: messages by index. `protected_results`: results. `leaving_users`: shown user
    messages beyond their share. `may_leave`: whether the invariants allow removing a step, by its number, as far as
    it was asked.
    """

    plan: Plan
    layout: Layout
    shown: Shown
    growth: Growth
    working_set: int
    protected: Set[int]
    protected_results: Container[BlockRef]
    leaving_users: Collection[int]
    may_leave: dict[int, bool] = {}


def offers(
    conversation: ConversationIndex,
    retention: Retention,
    index: Situation,
    stale: Mapping[BlockRef, str],
) -> list[Offer]:
    """All offers, newest first. `stale`: outdated results, with the reason. Takes time in proportion to what is old
    enough; with outdated content, to everything removable.
    """
    return _Offers(conversation, retention, index, stale).made()


class _Offers:
    def __init__(
        self,
        conversation: ConversationIndex,
        retention: Retention,
        situation: Situation,
        stale: Mapping[BlockRef, str],
    ) -> None:
        self.conversation, self.retention, self.situation, self.stale = conversation, retention, situation, stale
        self.shown, self.rules = situation.shown, situation.layout.rules

    def made(self) -> list[Offer]:
        blocks = self._blocks()
        every = [*self._packets(), *blocks, *self._oldest(blocks)]
        return sorted(every, key=lambda offer: -offer.position)

    def _blocks(self) -> list[Offer]:
        least = 0.0 if self.stale else self.retention.least_age
        total, sums = self.conversation.raw_weight, self.shown.raw_sums
        newest = total - sums[self.situation.working_set]
        block_offers: list[Offer] = []
        for candidate in self.shown.candidates:
            age = total - candidate.sum_after
            if age <= least or candidate.ref.message_index >= self.situation.working_set:
                break  # those behind it are younger
            if candidate.ref.message_index not in self.situation.protected:
                make = self._arguments if candidate.kind == "arguments" else self._result
                block_offers += make(candidate, age, newest)
        return sorted(block_offers, key=lambda offer: -offer.position)

    def _result(self, candidate: Candidate, age: int, newest: int) -> list[Offer]:
        """Rule 2."""
        ref, weight = candidate.ref, candidate.weight
        stale = self.stale.get(ref, "")
        worth = 0.0 if stale else self.retention.age(candidate.kind, weight)
        if age <= worth or ref in self.situation.protected_results:
            return []
        left = min(weight, ERROR_SIZE) if candidate.failed else MARKER_SIZE
        decision = Decision("distilled", LAST_RESORT_LENGTH) if candidate.failed else Decision("pruned")
        if self.conversation.block(ref).media:  # it stays
            left = self.situation.layout.rewrite(ref, decision)[1]
            if weight - left <= MARKER_SIZE:
                return []
        why = stale or f"result of a {candidate.kind}, {age:,} tokens old"
        return [self._offer(ref, weight - left, age - max(worth, newest), decision, why)]

    def _arguments(self, candidate: Candidate, age: int, newest: int) -> list[Offer]:
        """Rule 3."""
        ref, worth = candidate.ref, self.retention.age("arguments", 0)
        if age <= worth or not self.rules.may_edit(self.conversation, ref, "shortened"):
            return []
        shorter = self.situation.layout.shorten(ref)
        saved = candidate.weight - shorter[1] if shorter is not None else 0
        why = f"long arguments, {age:,} tokens old"
        return [self._offer(ref, saved, age - max(worth, newest), Decision("shortened"), why)] if saved > 0 else []

    def _offer(self, ref: BlockRef, saved: int, overdue: float, decision: Decision, why: str) -> Offer:
        due = self.situation.growth.calls_since(overdue)
        return Offer(ref.message_index, saved, due, {self.conversation.block_key(ref): decision}, why)

    def _packets(self) -> list[Offer]:
        """Rule 5."""
        due, why, tokens = self.situation.growth.calls, "a packet that came back", self.shown.tokens
        return [
            Offer(index, tokens[index], due, {self.conversation.key(index): Decision("dropped")}, why)
            for index in self.shown.packets
        ]

    # whole steps

    def _oldest(self, blocks: Sequence[Offer]) -> list[Offer]:
        """Rule 4, as one offer from the first removed message on; the packet is replaced too, since it reports
        them.
        """
        leaving, over = self._steps()
        indices = sorted(
            {index for step in leaving for index in step.message_indices}.union(self.situation.leaving_users)
        )
        decisions = self.situation.plan.decisions
        if decisions:
            indices = [index for index in indices if not drops(self.conversation, decisions, index)]
        if not indices:
            return []
        apart = {offer.position: 0 for offer in blocks}
        for offer in blocks:
            apart[offer.position] += offer.saved
        tokens = self.shown.tokens
        saved = sum([tokens.get(index, 0) - apart.get(index, 0) for index in indices])
        dropped = {self.conversation.key(index): Decision("dropped") for index in indices}
        due = self.situation.growth.calls_since(over / WORDS_PART)
        first = (
            min(indices[0], self.situation.layout.packet_index) if self.situation.layout.packet.text else indices[0]
        )
        return [Offer(first, saved, due, dropped, "words over their room")]

    def _steps(self) -> tuple[list[Step], float]:
        """The oldest steps to remove, and by how many tokens the words exceed their room."""
        words = self.shown.words_before(self.situation.working_set)
        over = words - self.retention.words_tokens
        if over <= 0:
            return [], 0.0
        steps = self.rules.steps(self.conversation).steps
        staying = self.situation.protected | self.rules.must_stay(self.conversation)
        leaving: list[Step] = []
        for number, weight in self.shown.old_steps(self.situation.working_set):
            if words <= self.retention.words_left:
                break
            words -= weight
            step = steps[number]
            free = staying.isdisjoint(step.message_indices) and not (
                self.retention.keeps_media
                and any(self.conversation.messages[index].media_count for index in step.message_indices)
            )
            if free and self._may_leave(number, step):
                leaving.append(step)
        return leaving, over

    def _may_leave(self, number: int, step: Step) -> bool:
        known = self.situation.may_leave
        if number not in known:
            known[number] = self.rules.may_leave(self.conversation, step)
        return known[number]
