"""Turns a list and its plan into what has outlived its worth: each offer is a change that makes the list lighter.

Rules:
1. Nothing of the working set is offered, nothing protected, and nothing that a rule of every list holds.
2. A result is offered when it is older than its kind and size are worth (`worth`); one that later calls made
   out of date, at once. A result that may be an error keeps its first, last and error lines.
3. Arguments of a call are offered when they are older than arguments are worth, if the message may be edited.
4. Once the words are over their room, the oldest steps are one offer, down to a part of it, and with them go user
   messages beyond their share. It stands for all that they hold.
5. Packets that came back are offered wherever they stand.
6. An offer knows since how many calls it is due: by its age beyond what it was worth, and by how much the list
   grows with a call; never longer than the epoch has lasted.
"""

from collections.abc import Container, Mapping, Sequence

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step
from ctxmgr.engine.retention.layout import Layout, drops
from ctxmgr.engine.retention.prefix_cost import Offer
from ctxmgr.engine.retention.reuse_table import WORDS_PART, Kind
from ctxmgr.engine.retention.worth import Retention
from ctxmgr.engine.rewriting import ERRORS_OVER, LAST_RESORT_LENGTH, marker
from ctxmgr.engine.tools import calls_of, result_row
from ctxmgr.model import Decision, Message, Plan, once

MARKER_SIZE = 30  # about what a marker weighs
LIGHT_SIZE = 2 * MARKER_SIZE  # a result up to this is not worth one
ERROR_SIZE = 500  # about what is left of a long error
LONG_CHARACTERS = 800  # of a call's arguments: longer ones are cut


class Growth(msgspec.Struct, frozen=True):
    """How an epoch went so far: `calls` since it began, by `tokens` of conversation each."""

    calls: int
    tokens: float

    def calls_since(self, tokens: float) -> float:
        """So many calls ago the conversation was so much shorter (rule 6)."""
        return min(self.calls, max(0.0, tokens) / self.tokens)


class Situation(msgspec.Struct, frozen=True):
    """What offers are made by beside the list. `shown`: what the plan shows of it, tokens by index. `working_set`:
    the index of its first message. `protected` messages by index, `protected_results`; `leaving_users`: user
    messages beyond their share."""

    plan: Plan
    layout: Layout
    shown: Mapping[int, int]
    growth: Growth
    working_set: int
    protected: Container[int]
    protected_results: Container[BlockRef]
    leaving_users: Sequence[int]


def kind_of(conversation: ConversationIndex, ref: BlockRef) -> Kind:
    """The row of the table that a result belongs to."""
    asked_at = conversation.pairs.get(ref)
    if asked_at is None:
        return "command"
    return _kinds(conversation.messages[asked_at]).get(conversation.block(ref).call_id, "command")


@once
def _kinds(message: Message) -> dict[str, Kind]:
    """Of the results of its calls, by call id."""
    calls = zip(message.view.blocks, calls_of(message), strict=True)
    return {block.call_id: result_row(call) for block, call in calls if call is not None and block.kind == "call"}


def offers(
    conversation: ConversationIndex,
    retention: Retention,
    index: Situation,
    stale: Mapping[BlockRef, str],
) -> list[Offer]:
    """All of them, newest first. `stale`: results that are out of date, with the reason. Linear in the list."""
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
        block_offers: list[Offer] = []
        age = self.conversation.weight_of(range(self.situation.working_set, self.conversation.size))
        newest = age
        for position in range(self.situation.working_set - 1, -1, -1):
            message = self.conversation.messages[position]
            if position in self.shown and position not in self.situation.protected:
                for number, block in enumerate(message.view.blocks):
                    ref = BlockRef(position, number)
                    if not block.can_edit or self.conversation.block_key(ref) in self.situation.plan.decisions:
                        continue
                    if block.kind == "result":
                        block_offers += self._result(ref, age, newest)
                    elif block.kind == "call" and len(block.text) > LONG_CHARACTERS:
                        block_offers += self._arguments(ref, age, newest)
            age += message.weight
        return block_offers

    def _result(self, ref: BlockRef, age: int, newest: int) -> list[Offer]:
        """Rule 2."""
        block, weight = self.conversation.block(ref), self.conversation.block_weight(ref)
        if weight <= LIGHT_SIZE or ref in self.situation.protected_results or marker.is_marker(block.text):
            return []
        failed = block.is_error or block.doubtful
        stale, kind = self.stale.get(ref, ""), kind_of(self.conversation, ref)
        worth = 0.0 if stale else self.retention.age(kind, weight)
        if age <= worth or (failed and len(block.text) <= ERRORS_OVER):
            return []
        left = min(weight, ERROR_SIZE) if failed else MARKER_SIZE
        decision = Decision("distilled", LAST_RESORT_LENGTH) if failed else Decision("pruned")
        why = stale or f"result of a {kind}, {age:,} tokens old"
        return [self._offer(ref, weight - left, age - max(worth, newest), decision, why)]

    def _arguments(self, ref: BlockRef, age: int, newest: int) -> list[Offer]:
        """Rule 3."""
        worth = self.retention.age("arguments", 0)
        if age <= worth or not self.rules.may_edit(self.conversation, ref, "shortened"):
            return []
        shorter = self.situation.layout.shorten(ref)
        saved = self.conversation.block_weight(ref) - shorter[1] if shorter is not None else 0
        why = f"long arguments, {age:,} tokens old"
        return [self._offer(ref, saved, age - max(worth, newest), Decision("shortened"), why)] if saved > 0 else []

    def _offer(self, ref: BlockRef, saved: int, overdue: float, decision: Decision, why: str) -> Offer:
        due = self.situation.growth.calls_since(overdue)
        return Offer(ref.message_index, saved, due, {self.conversation.block_key(ref): decision}, why)

    def _packets(self) -> list[Offer]:
        """Rule 5."""
        messages, due, why = self.conversation.messages, self.situation.growth.calls, "a packet that came back"
        back = (index for index in self.shown if messages[index].view.role == "packet")
        return [
            Offer(index, self.shown[index], due, {self.conversation.key(index): Decision("dropped")}, why)
            for index in back
        ]

    # whole steps

    def _oldest(self, blocks: Sequence[Offer]) -> list[Offer]:
        """Rule 4, as one offer from the first that leaves on; the packet goes with it, for it tells of them."""
        leaving, over = self._steps()
        indices = sorted(
            {index for step in leaving for index in step.message_indices}.union(self.situation.leaving_users)
        )
        indices = [index for index in indices if not drops(self.conversation, self.situation.plan.decisions, index)]
        if not indices:
            return []
        apart = {offer.position: 0 for offer in blocks}
        for offer in blocks:
            apart[offer.position] += offer.saved
        saved = sum(self.shown.get(index, 0) - apart.get(index, 0) for index in indices)
        decisions = {self.conversation.key(index): Decision("dropped") for index in indices}
        due = self.situation.growth.calls_since(over / WORDS_PART)
        first = (
            min(indices[0], self.situation.layout.packet_index) if self.situation.layout.packet.text else indices[0]
        )
        return [Offer(first, saved, due, decisions, "words over their room")]

    def _steps(self) -> tuple[list[Step], float]:
        """The oldest steps that leave, and by how many tokens the words are over their room."""
        steps = self.rules.steps(self.conversation).steps
        old = [
            (step, self._words(step))
            for step in steps
            if step.message_indices[0] in self.shown and max(step.message_indices) < self.situation.working_set
        ]
        words = sum(weight for _, weight in old)
        over = words - self.retention.words_tokens
        if over <= 0:
            return [], 0.0
        must_stay = self.rules.must_stay(self.conversation)
        leaving: list[Step] = []
        for step, weight in old:
            if words <= self.retention.words_left:
                break
            words -= weight
            free = all(
                index not in self.situation.protected and index not in must_stay for index in step.message_indices
            )
            if free and self.rules.may_leave(self.conversation, step):
                leaving.append(step)
        return leaving, over

    def _words(self, step: Step) -> int:
        """What a step weighs with markers for its results, in tokens."""
        spoken = sum(self.shown.get(index, 0) for index in step.assistant_indices)
        results = (min(self.shown.get(index, 0), MARKER_SIZE) for index in step.result_indices)
        return spoken + sum(results)
