"""Turns a list at the moment an epoch begins into what stays, what leaves, and the packet that stands for it.

Rules (design, sections 4 and 6):
1. What stays is chosen by worth (`select`) within the room of the zone (`room`). The choice is made twice: freely,
   to find where the prefix had best break (`epoch`); then again with what stands before that place as it is, so
   that nothing is kept that is shown there already.
2. One packet stands between what is old and the newest steps (`packet_placement`).
3. User messages stay as they came while they fit a tenth of what is usable; beyond it the longest leave for the
   packet, shortened. The newest stays, and so do all where no packet can tell of them.
4. The newest steps are lossless, but for what was cut to fit the window: that stays as it was cut.
5. Pins, what came back through `retrieve` lately, and calls of protected tools with their results stay. A call
   that left before its result came is back, with it.
6. In a step that stays, a failed call keeps its error, distilled where it is long; arguments that a later read or
   write covers are shortened, but in no message that holds anything signed.
7. The list starts with something a provider takes as a user message, if it came so: what it starts with stays where
   else a reply would be first.
8. Where nothing leaves, the model's notes come into view by a forced prune, or where most is written anew anyway.
9. A result that is cut competes by what is shown of it, and stays as it was cut.
"""

from collections.abc import Mapping, Sequence

import msgspec

from ctxmgr.engine.balanced import apply_decisions, cache_cost, protection
from ctxmgr.engine.balanced.apply_decisions import Layout
from ctxmgr.engine.balanced.budget import Budget
from ctxmgr.engine.balanced.cache_cost import NO_STEPS, PrefixBreak, PriceSteps, Row, arithmetic, best_break
from ctxmgr.engine.balanced.packet_placement import (
    NO_PACKET,
    PacketPlacement,
    PacketWriter,
    headless,
    packet_of,
    place_of,
)
from ctxmgr.engine.balanced.protection import Protection
from ctxmgr.engine.balanced.receipts import Original, evicted_paths, originals, projected_weights, receipt, summed
from ctxmgr.engine.balanced.reuse_value import stated, worths
from ctxmgr.engine.balanced.select import MARKER_TOKENS, Selection, SelectionProblem, Worth, select
from ctxmgr.engine.balanced.visible_text import visible_conversation
from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.packet import SMALLEST_TOKENS
from ctxmgr.engine.rewriting import ERRORS_OVER, LAST_RESORT_LENGTH, again
from ctxmgr.engine.staleness import superseded
from ctxmgr.model import Decision, Epoch, Message, Opening, Packet, Plan, Rates, Receipt, Zone

REPLACED: frozenset[Opening] = frozenset(("compaction", "tree"))  # the host may have put another list in place
MUST: frozenset[Opening] = frozenset(("pin", "undo", "compaction", "tree"))  # whatever they cost or bring back
LEAST_SAVED = 0.05  # of the list: less is not worth a prefix
LEAST_IN_RED, LEAST_IN_COMPACT = 0.3, 0.2  # where what is new and large leaves in a step or two by itself
KEPT_ABOVE = 1.1  # what an epoch kept beyond its room by chance (a huge newest step) may leave at the next


class EpochInputs(msgspec.Struct, frozen=True):
    """What an epoch is decided by, beside the list.

    `layout`: what is in force. `cached_count`: so many of the list's messages the provider may hold; 0 when its
    cache is cold. `protection`: rule 5. `step`: where requests become dearer.
    """

    zone: Zone
    layout: Layout
    budget: Budget
    rates: Rates
    cached_count: int
    protection: Protection
    writer: PacketWriter
    steps: PriceSteps = NO_STEPS

    @property
    def rules(self) -> Invariants:
        """What every projection promises."""
        return self.layout.rules


class EpochResult(msgspec.Struct, frozen=True):
    """What an epoch did. `remaining_tokens`: what its choice would keep again, in tokens; `originals` of what
    left; `cost` in tokens of uncached input; `read_paths`: the files of which a read left."""

    plan: Plan
    packet: Packet
    remaining_tokens: int
    receipt: Receipt
    originals: tuple[Original, ...]
    cost: float = 0.0
    read_paths: tuple[str, ...] = ()


def opened(
    conversation: ConversationIndex, inputs: EpochInputs, plan: Plan, epoch: Epoch, opening: Opening
) -> EpochResult | None:
    """The epoch after this one, `plan` being what would be sent without it; None where it takes nothing away."""
    done = _Draft(conversation, inputs, plan).opened(epoch, opening)
    if done is None or done.plan.weight <= inputs.budget.window or not inputs.protection.pinned():
        return done
    pinless = msgspec.structs.replace(inputs, protection=inputs.protection.unpinned())
    bare = _Draft(conversation, pinless, plan).opened(epoch, opening)
    if bare is None or bare.plan.weight >= done.plan.weight:
        return done
    told = f"{bare.receipt.arithmetic}; pins are passed over, with them the list would not fit the window"
    return msgspec.structs.replace(bare, receipt=msgspec.structs.replace(bare.receipt, arithmetic=told))


def hidden(messages: Sequence[Message], plan: Plan, held: frozenset[int]) -> tuple[int, ...]:
    """The indices of what is to stay and is not shown in full."""
    now = projected_weights(plan, messages) if held else {}
    return tuple(sorted(at for at in held if now.get(at, -1) < messages[at].weight))


class _Draft:
    """One epoch while it is being decided."""

    def __init__(self, conversation: ConversationIndex, inputs: EpochInputs, plan: Plan) -> None:
        self.conversation, self.messages = conversation, conversation.messages
        self.inputs, self.old_plan = inputs, plan
        must_stay, every = inputs.rules.must_stay(conversation), inputs.rules.steps(conversation)
        self.late = late = apply_decisions.parted(conversation, plan.decisions)
        self.protected = held = inputs.protection.messages(conversation) | late
        self.visible = visible_conversation(conversation, plan, held)  # rule 9
        self.all_steps, self.steps, fixed = every, every.steps, every.fixed_indices
        self.worth = worths(conversation, self.steps)
        self.stale: Mapping[BlockRef, str] = superseded(conversation)
        self.newest = protection.first_lossless(self.visible, self.steps, inputs.budget.newest)
        in_place = apply_decisions.in_place(conversation, self.steps[: self.newest], plan.decisions)
        self.old_worth = Worth(self.worth, stated(self.messages, self.steps), *in_place)
        self.lossless = frozenset(at for step in self.steps[self.newest :] for at in step.message_indices)
        spoken_for, shorten = self.lossless | held | must_stay, inputs.layout.shorten
        self.shorter = protection.shortened(conversation, self.stale, spoken_for, shorten, inputs.rules)
        users, share = [at for at in fixed if self.messages[at].view.role == "user"], inputs.budget.users
        self.shortened_users = protection.over_share(conversation, users, share, held, inputs.rules)
        self.folded = protection.folded(conversation, fixed, inputs.writer, plan.decisions, held)
        self.leaving = self.shortened_users | self.folded

    def opened(self, epoch: Epoch, opening: Opening) -> EpochResult | None:
        done, shown = self._opened(epoch, opening, opening in MUST or bool(self.late)), self.inputs.layout.packet
        if done is not None or not self.inputs.writer.has_news(shown):
            return done
        done = self._opened(epoch, opening, must=True)  # rule 8
        by = self._came_to(0, done.plan if done is not None else self.old_plan)
        may = opening == "forced" or 2 * by.cached_tokens <= by.before_tokens
        return done if done is not None and may and self.inputs.writer.renews_notes(shown, done.packet) else None

    def _opened(self, epoch: Epoch, opening: Opening, must: bool) -> EpochResult | None:
        choice = self._choose(0)
        found = self._break(choice, epoch, must)
        if found is None or (opening == "rewritten" and found[1].cost > 0 and not must):
            return None
        cut, sums = found
        if cut:
            choice = self._choose(cut)
        decisions = again(self._decisions(choice, cut), self.inputs.layout.decisions)
        plan, packet = self._told(decisions)
        if not packet.text and (untold := self._untold()):  # rule 3
            decisions = {key: one for key, one in decisions.items() if key not in untold}
            plan, packet = self._told(decisions)
        if (head := headless(self.conversation, plan, self.inputs.rules)) >= 0:  # rule 7
            decisions.pop(self.conversation.key(head), None)
            plan, packet = self._told(decisions)
        if plan.pieces == self.old_plan.pieces or not (must or self._is_worth(plan, sums)):
            return None
        done_by = self._came_to(sums.row_index, plan)
        sum_of = f"{opening}: " + arithmetic(done_by, self.inputs.rates, epoch.regret, epoch.call_count)
        gone = originals(self.conversation, self.old_plan, plan, self.inputs.writer.handle)
        bare = Receipt(
            epoch.number + 1, opening, self.old_plan.weight, plan.weight, sum_of, time_ms=epoch.last_time_ms
        )
        done = receipt(bare, gone, self._why)
        files = evicted_paths(self.conversation, gone)
        return EpochResult(plan, packet, self._kept(plan), done, gone, done_by.cost, files)

    def _told(self, decisions: Mapping[str, Decision]) -> tuple[Plan, Packet]:
        """The plan with its packet."""
        placement = PacketPlacement(self.conversation, self.all_steps, self.newest, self.worth, self.inputs.rules)
        packet = packet_of(placement, self._plan(decisions), self.inputs.writer, self.inputs.budget)
        return self._plan(decisions, packet, place_of(placement, decisions)), packet

    def _untold(self) -> set[str]:
        """The keys of what may only leave where a packet tells of it: user messages, summaries."""
        rules, conversation = self.inputs.rules, self.conversation
        leaving = (at for at in self.shortened_users if not rules.may_leave_untold(conversation, at))
        return {conversation.key(at) for at in (*leaving, *self.folded)}

    def _came_to(self, place: int, plan: Plan) -> PrefixBreak:
        """The sum of what was done: the place was found by an estimate."""
        done = summed(self.old_plan, plan, self.messages, self.inputs.cached_count, self.inputs.rates)
        return msgspec.structs.replace(done, row_index=place)

    def _is_worth(self, plan: Plan, sums: PrefixBreak) -> bool:
        """Is it worth a break, or needed to fit?"""
        saved, fits = self.old_plan.weight - plan.weight, self.old_plan.weight <= self.inputs.budget.window
        least = {"red": LEAST_IN_RED, "compact": LEAST_IN_COMPACT}.get(self.inputs.zone, LEAST_SAVED)
        return saved > 0 if sums.cost <= 0 or not fits else saved >= least * self.old_plan.weight

    def _why(self, one: Original) -> str:
        at = one.ref.message_index
        if at in self.shortened_users:
            return "user messages over their share"
        if at in self.folded:
            return "folded into the ledger"
        ref = BlockRef(at, 0) if one.kind == "dropped" else one.ref
        return self.stale.get(ref, "worth less than its place")

    def _kept(self, plan: Plan) -> int:
        room = self.inputs.budget
        fixed = self.conversation.weight_of(self.all_steps.fixed_indices)
        return min(plan.weight, round(KEPT_ABOVE * (fixed + room.newest + room.old + plan.packet_weight)))

    def _plan(self, decisions: Mapping[str, Decision], packet: Packet = NO_PACKET, place: int = 0) -> Plan:
        layout = msgspec.structs.replace(self.inputs.layout, decisions=decisions, packet=packet, packet_index=place)
        if packet.text:
            allowance = max(layout.allowance, self.inputs.writer.most_allowed)
            layout = msgspec.structs.replace(layout, allowance=allowance)
        return apply_decisions.lay_out(self.conversation, self.inputs.zone, layout)

    # the choice

    def _choose(self, cut: int) -> Selection:
        """What stays; what stands before the message `cut` does so as it is (rule 1)."""
        held_now, gone_now, stale = set(self.protected | self.lossless), set[int](), set(self.stale)
        stale -= {ref for ref in stale if ref.message_index in self.protected}
        budget = self.inputs.budget.old
        for step in self.steps:
            if min(step.message_indices) >= cut:
                continue
            for at in step.message_indices:
                if apply_decisions.drops(self.conversation, self.old_plan.decisions, at):
                    gone_now.add(at)
                    continue
                held_now.add(at)
                budget -= self.visible.messages[at].weight
                for ref, _ in self.conversation.results(at):
                    if apply_decisions.is_pruned(self.conversation, self.old_plan.decisions, ref):
                        stale.add(ref)
                        budget += self.visible.block_weight(ref)
        problem = SelectionProblem(
            budget_tokens=max(0, budget),
            protected=held_now,
            evicted=gone_now,
            worth=self.old_worth,
            stale=stale,
            protected_results=self.inputs.protection.results(self.conversation),
            shortened_weights=self.shorter,
        )
        return select(self.visible, self.all_steps, problem, self.inputs.rules)

    # where the prefix breaks

    def _break(self, choice: Selection, epoch: Epoch, must: bool) -> tuple[int, PrefixBreak] | None:
        """The message from which on the choice holds, and its sum. The packet there is goes with it, and so does
        what is to come back: the break can not be after either. Nor can it part a step."""
        inputs = self.inputs
        now = projected_weights(self.old_plan, self.messages)
        shown = inputs.layout.packet
        packet_at = inputs.layout.packet_index if shown.text else len(self.messages)
        at_most = min((packet_at, *hidden(self.messages, self.old_plan, self.protected)))
        inside = {at for step in self.steps for at in step.message_indices if at != min(step.message_indices)}
        rows: list[Row] = []
        for at in sorted(now):
            here = shown.weight if at == packet_at else 0
            start = not rows or (at <= at_most and at not in inside)
            rows.append(Row(at, now[at] + here, self._then(choice, at, now[at]), at < inputs.cached_count, start))
        inserted = shown.weight or inputs.budget.index + SMALLEST_TOKENS
        weight, kept = self.old_plan.weight, inputs.budget.remaining_tokens(epoch.remaining_tokens)
        pressed = inputs.zone in ("red", "compact") or weight > inputs.budget.window
        pressed = pressed or inputs.steps.parts(weight, kept)
        rates = cache_cost.pressed_rates(inputs.rates) if pressed else inputs.rates
        found = best_break(rows, inserted, epoch.call_count, rates, must)
        if found is None:
            return None
        cut = rows[found.row_index].message_index
        return (cut if cut <= at_most else 0), found  # before the first shown stands only what left

    def _then(self, choice: Selection, at: int, now: int) -> int:
        """About what the choice leaves of a message, in tokens."""
        if at in choice.dropped_messages or at in self.leaving or self.messages[at].view.role == "packet":
            return 0
        left = self.visible.messages[at].weight
        for number, weight in enumerate(self.visible.messages[at].weights):
            ref = BlockRef(at, number)
            if ref in choice.pruned_results:
                left -= weight - MARKER_TOKENS
            elif ref in self.shorter:
                left -= weight - self.shorter[ref]
        return min(now, left)

    # decisions

    def _decisions(self, choice: Selection, cut: int) -> dict[str, Decision]:
        """All in force from now on: before the cut as they were, from it on as was chosen."""
        decisions: dict[str, Decision] = {}
        for at, message in enumerate(self.messages):
            refs = [BlockRef(at, number) for number in range(len(message.view.blocks))]
            if at < cut:
                keys = (self.conversation.block_key(ref) for ref in refs or (BlockRef(at, 0),))
                decisions |= {one: self.old_plan.decisions[one] for one in keys if one in self.old_plan.decisions}
                continue
            if at in choice.dropped_messages or at in self.leaving or message.view.role == "packet":
                decisions[self.conversation.key(at)] = Decision("dropped")
                continue
            for ref in refs:
                decision = self._for_block(choice, ref)
                if decision is not None:
                    decisions[self.conversation.block_key(ref)] = decision
        return decisions

    def _for_block(self, choice: Selection, ref: BlockRef) -> Decision | None:
        """What is done to one block of a message that stays (rule 6)."""
        block, at = self.conversation.block(ref), ref.message_index
        if block.kind == "result" and ref in choice.pruned_results:
            return Decision("pruned")
        old = self.old_plan.decisions.get(self.conversation.block_key(ref))
        if old is not None and old.kind == "cut" and at not in self.protected:
            return old
        if at in self.lossless or at in self.protected:
            return None
        if block.kind == "result" and block.can_edit and (block.is_error or block.doubtful):
            return Decision("distilled", LAST_RESORT_LENGTH) if len(block.text) > ERRORS_OVER else None
        return Decision("shortened") if ref in self.shorter else None
