"""Plans a list for preset `balanced`: the same bytes until an epoch pays.

Rules:
1. Between epochs the plan is the previous one plus what came since. Nothing old changes.
2. Worth decides *what* is removed (`worth`, `offers`); price decides *when* and *where* (`prefix_cost`): an epoch
   begins when what is due has cost as much as rewriting everything behind it. Decisions are final.
3. An epoch also begins when the prefix is lost anyway (a cold cache, a list the host rewrote, another model), and
   on request. Then everything due is removed.
4. Where a compaction would be requested, over the window or over a price step, worth counts less: `keep` shrinks
   until the list is well below the limit, or only the working set, what must stay, and a few words remain. If that
   removes little there is no epoch, since a compaction is better then. A cold cache may have a limit, too.
5. An epoch that would remove little does not happen. But if the host has replaced the list, the epoch is over,
   whatever the new list holds.
6. A result that arrives after its call was removed brings the call back, and so do pins and `undo`: an epoch.
7. Of 41 recorded sessions half were over by call 46, and the others continued for 50 more (the median). Until that
   call an epoch for its price may only spend what has been saved before, plus a small part of what the session's
   input would have cost unpruned. So pruning never makes a short session noticeably dearer.
8. If no packet can repeat them, user messages stay. A list starts with something a provider takes as a user
   message, if the input did.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, working_set_start
from ctxmgr.engine.retention import prefix_cost
from ctxmgr.engine.retention.epoch_writing import WORTH_A_PREFIX, EpochWriting, WorthInputs
from ctxmgr.engine.retention.layout import extended, lay_out, parted
from ctxmgr.engine.retention.offers import Growth, Situation, offers
from ctxmgr.engine.retention.prefix_cost import Offer, PrefixChange, best_change
from ctxmgr.engine.retention.receipts import MUST, REPLACED, BalancedResult, EpochResult, headless, hidden
from ctxmgr.engine.retention.shown import of_no_step, shown
from ctxmgr.engine.retention.worth import NOTHING, Retention
from ctxmgr.engine.staleness import superseded
from ctxmgr.model import Decision, Epoch, Opening, Plan

LEAST_PRESSED = 0.25  # of the list: the least that a pressed epoch removes if the list fits
PRESSED_SHARE = 0.7  # of the limit: a pressed epoch's goal
PRESSED_WORDS = 0.1  # of the limit: room for words, if what must stay takes more than that
SHORT_SESSION_CALLS = 46  # rule 7
MOST_DEARER = 0.02  # of what a short session's input would have cost unpruned: rule 7
PRESSED_STEPS = 12  # of `keep`, before only the working set stays


def drafted(conversation: ConversationIndex, call: WorthInputs) -> "EpochDraft":
    """The plan without new decisions, and why an epoch is opened over it."""
    return EpochDraft(conversation, call, standing(conversation, call))


def _noting(done: EpochResult, note: str) -> EpochResult:
    text = f"{done.receipt.arithmetic}; {note}"
    return msgspec.structs.replace(done, receipt=msgspec.structs.replace(done.receipt, arithmetic=text))


class EpochDraft:
    """One call while it is being decided. `plan`: what it would send without new decisions (rule 1)."""

    def __init__(self, conversation: ConversationIndex, call: WorthInputs, plan: Plan) -> None:
        self.conversation, self.call, self.terms, self.plan = conversation, call, call.terms, plan
        self.rates = call.terms.worth.rates
        terms, rules = call.terms, call.terms.layout.rules
        self.steps = rules.steps(conversation)
        self.working_set = working_set_start(conversation, terms.layout.newest)
        calls = call.epoch.call_count + 1
        grown = max(1.0, (conversation.raw_weight - call.epoch.raw_tokens) / calls)
        self.growth = Growth(calls, grown)
        self.shown = shown(conversation, plan, rules)
        self.late = self.shown.late
        self.protected = terms.protection.messages() | self.late
        self.leaving_users = self._users_over_share()
        self.situation = Situation(
            plan=plan,
            shown=self.shown,
            growth=self.growth,
            working_set=self.working_set,
            protected=self.protected,
            protected_results=terms.protection.results(),
            leaving_users=tuple(filter(self.shown.tokens.__contains__, self.leaving_users)),
            layout=terms.layout,
        )
        self.writing = EpochWriting(
            conversation, call, plan, self.steps, self.working_set, self.leaving_users, calls
        )

    def _users_over_share(self) -> frozenset[int]:
        """The user messages beyond their share. Those of the task have a budget of their own."""
        conversation, terms = self.conversation, self.terms
        outside = of_no_step(conversation, terms.layout.rules)
        task = outside.texts.indices & terms.protection.task().messages(conversation)
        over = outside.user_tokens - conversation.weight_of(task) - terms.room.users
        if over <= 0:
            return frozenset()
        held = self.protected.union(range(self.working_set, conversation.size))
        held |= terms.layout.rules.must_stay(conversation)
        return outside.texts.leaving(conversation, over, outside.texts.indices & held)

    def _behind(self, index: int) -> tuple[int, int]:
        """What is shown from this message on, with the packet, and the part that may be cached, in tokens."""
        terms, sums = self.terms, self.shown.sums
        layout, known = terms.layout, max(index, terms.cached_count)
        after, uncached = sums[-1] - sums[index], sums[-1] - sums[min(known, len(sums) - 1)]
        if layout.packet_index >= index and layout.packet_index in self.shown.tokens:
            after += layout.packet.weight
            uncached += layout.packet.weight if layout.packet_index >= terms.cached_count else 0
        return after, after - uncached

    # when

    @cached_property
    def opening(self) -> Opening | None:
        """Why an epoch is opened now; None if it is not."""
        conversation, call = self.conversation, self.call
        reopen = call.reopen
        if reopen in ("pin", "undo") and not hidden(
            conversation.messages, self.plan, call.terms.protection.pinned()
        ):
            reopen = None
        new_from = call.last_count if call.last_plan is not None else 0
        if reopen is None and parted(conversation, self.plan.decisions, new_from):  # rule 6
            reopen = "rewritten"
        same = call.last_count == conversation.size == call.terms.cached_count
        if reopen is None and same and self.plan.weight <= call.terms.room.window:
            return None  # the same list, requested again
        return reopen or self._due()

    def _due(self) -> Opening | None:
        """By price, a cold cache or lack of room (rules 2 to 4)."""
        weight, terms = self.plan.weight, self.terms
        if not terms.cached_count and terms.writer.has_news(terms.layout.packet):
            return "cold"
        if weight > terms.room.limit:
            saved = sum(offer.saved for offer in self._pressed({}))
            must = weight > terms.room.window or terms.pressed_by == "cold"
            return terms.pressed_by if saved > (0 if must else LEAST_PRESSED * weight) else None
        change = self._best
        if change is None or change.saved < WORTH_A_PREFIX * weight:
            return None
        if not terms.cached_count:
            return "cold"
        return "price" if change.gain >= 0 and change.cost <= self._afforded else None

    @property
    def _afforded(self) -> float:
        """What an epoch for its price may cost, in tokens of uncached input (rule 7)."""
        if self._session_calls > SHORT_SESSION_CALLS:
            return math.inf
        raw = self.conversation.raw_weight + self.terms.overhead
        unpruned = prefix_cost.session_cost(self._unpruned_tokens, raw, self.rates)
        return self._saved + MOST_DEARER * unpruned

    @property
    def _session_calls(self) -> int:
        return self.call.epoch.session_calls + 1

    @property
    def _unpruned_tokens(self) -> int:
        """What the session's calls, including this one, would have sent in total without pruning."""
        return self.call.epoch.unpruned_tokens + self.conversation.raw_weight + round(self.terms.overhead)

    @property
    def _saved(self) -> float:
        """What pruning has saved in the session, including this call without new decisions."""
        price = self.rates.cache_read if self.terms.cached_count else self.rates.cache_write
        return self.call.epoch.saved + price * (self.conversation.raw_weight - self.plan.weight)

    @cached_property
    def _best(self) -> PrefixChange | None:
        """The best change by price, ignoring outdated content, which goes with any epoch."""
        return self._best_of(self._offers(self.terms.worth.retention(), {}))

    def decided(self) -> BalancedResult:
        """The plan for this list. Pure except for the memo, which only saves time."""
        done = self._opened_or_unmoved(self.opening) if self.opening is not None else None
        if done is None:
            return BalancedResult(self.plan, self.epoch())
        shown(self.conversation, done.plan, self.terms.layout.rules)  # the next call continues from it
        number, raw = self.call.epoch.number + 1, self.conversation.raw_weight
        epoch = Epoch(
            number,
            remaining_tokens=self.least_tokens(),
            last_time_ms=self.call.time_ms,
            raw_tokens=raw,
            session_calls=self._session_calls,
            unpruned_tokens=self._unpruned_tokens,
            saved=self._saved - self.writing.came_to(done.plan).cost,
        )
        return BalancedResult(done.plan, epoch, done)

    def _opened_or_unmoved(self, opening: Opening) -> EpochResult | None:
        call, room = self.call, self.terms.room
        done = self.opened(opening)
        pins = self.terms.protection.pinned()
        if pins and (self.plan if done is None else done.plan).weight > room.window:
            unpinned_terms = msgspec.structs.replace(call.terms, protection=call.terms.protection.unpinned())
            again = msgspec.structs.replace(call, terms=unpinned_terms)
            unpinned = EpochDraft(self.conversation, again, self.plan).opened(opening)
            if unpinned is not None and (done is None or unpinned.plan.weight < done.plan.weight):
                done = _noting(unpinned, "pins are passed over, with them the list would not fit the window")
        if done is None and call.replaced and opening in REPLACED:
            done = self.writing.unmoved(opening)
        return done

    def epoch(self) -> Epoch:
        """The current epoch, one call later."""
        change = self._best
        accrued, needed = (change.accrued, max(0.0, change.cost)) if change is not None else (0.0, 0.0)
        return msgspec.structs.replace(
            self.call.epoch,
            regret=accrued,
            needed=needed,
            call_count=self.growth.calls,
            remaining_tokens=self.least_tokens(),
            last_time_ms=self.call.time_ms,
            session_calls=self._session_calls,
            unpruned_tokens=self._unpruned_tokens,
            saved=self._saved,
        )

    def least_tokens(self) -> int:
        """What an epoch cannot remove, in tokens: the working set, and what belongs to no step."""
        fixed = of_no_step(self.conversation, self.terms.layout.rules).tokens_before(self.working_set)
        return fixed + self.conversation.raw_weight - self.shown.raw_sums[self.working_set]

    # what

    def _offers(self, by: Retention, stale: Mapping[BlockRef, str]) -> list[Offer]:
        return offers(self.conversation, by, self.situation, stale)

    def _pressed(self, stale: Mapping[BlockRef, str]) -> list[Offer]:
        """Rule 4."""
        limit = min(self.terms.room.limit, self.terms.room.window)
        target = min(limit, max(PRESSED_SHARE * limit, self.least_tokens() + PRESSED_WORDS * limit))
        for steps in range(PRESSED_STEPS):
            due = self._offers(self.terms.worth.pressed(steps), stale)
            if self.plan.weight - sum(offer.saved for offer in due) <= target:
                return due
        return self._offers(NOTHING, stale)

    # where

    def _best_of(self, due: Sequence[Offer], every: bool = False) -> PrefixChange | None:
        return best_change(self._behind, due, self.rates, every)

    # an epoch

    def opened(self, opening: Opening) -> EpochResult | None:
        """What the epoch does; None if it removes nothing that is worth it."""
        stale, pressed = superseded(self.conversation), self.plan.weight > self.terms.room.limit
        due = self._pressed(stale) if pressed else self._offers(self.terms.worth.retention(), stale)
        every = pressed or opening not in ("price", "cold")
        change = self._best_of(due, every)
        taken = due[: change.count] if change is not None else []
        position = change.position if change is not None else self.conversation.size
        must = opening in MUST or bool(self.late)
        back = self._coming_back() if must else ()
        decisions = self._decisions(taken, back)
        plan, packet = self.writing.plan_and_packet(decisions, min((position, *back)), opening)
        if not packet.text and (untold := self.writing.untold()):  # rule 8
            decisions = {key: decision for key, decision in decisions.items() if key not in untold}
            plan, packet = self.writing.plan_and_packet(decisions, position, opening)
        if (head := headless(self.conversation, plan, self.terms.layout.rules)) >= 0:
            decisions.pop(self.conversation.key(head), None)
            plan, packet = self.writing.plan_and_packet(decisions, 0, opening)
        if plan.pieces == self.plan.pieces or not (must or self.writing.is_worth(plan, packet)):
            return None
        return self.writing.result(opening, plan, packet, change, taken)

    def _coming_back(self) -> tuple[int, ...]:
        """The messages of rule 6 with their steps, since no pair is parted."""
        back = set(hidden(self.conversation.messages, self.plan, self.protected))
        for step in self.steps.steps:
            if not back.isdisjoint(step.message_indices):
                back.update(step.message_indices)
        return tuple(sorted(back))

    def _decisions(self, taken: Sequence[Offer], back: Sequence[int]) -> dict[str, Decision]:
        """All decisions from now on: the previous ones, minus what comes back, plus what is removed now."""
        decisions = dict(self.plan.decisions)
        for offer in taken:
            decisions |= offer.decisions
        for index in back:
            blocks = range(len(self.conversation.messages[index].view.blocks))
            for key in (
                self.conversation.key(index),
                *(self.conversation.block_key(BlockRef(index, number)) for number in blocks),
            ):
                decisions.pop(key, None)
        return decisions


def standing(conversation: ConversationIndex, call: WorthInputs) -> Plan:
    """The plan without new decisions (rule 1)."""
    terms = call.terms
    if call.last_plan is not None:
        return extended(call.last_plan, conversation, call.last_count, terms.zone, terms.layout)
    return lay_out(conversation, terms.zone, terms.layout)
