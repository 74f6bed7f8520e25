"""Preset `balanced`: converts a state and a list to the input of `engine.retention`, and its epochs back to state.

1. The state holds what an epoch decided: the decisions, the packet and the message after it. So a session continues
   with the same bytes after a restart, and a known list needs no decision.
2. If the packet's position is gone, the cached prefix is gone too, so opening an epoch costs nothing extra.
3. While pruning is off, the list is unchanged. If it does not fit the window, the previous decisions still apply.
4. A call takes long if its list is long, and an epoch is due or the list is planned from scratch.
5. If the policy's `idle` is "prune" and the cache has expired, the list is cut to a fraction of itself: everything
   is written to the cache again anyway, so removing content is never cheaper.
"""

import math
from collections.abc import Container, Sequence
from functools import partial
from typing import ClassVar

import msgspec

from ctxmgr.engine import retention
from ctxmgr.engine.conversation import ConversationIndex, digest_of
from ctxmgr.engine.instructions import INSTRUCTIONS_SHARE, PLAN, Copies, Quoted, absent, leaving, quoted
from ctxmgr.engine.invariants import STEPS, Invariants
from ctxmgr.engine.memory import PacketText, packet_allowance, packet_budget
from ctxmgr.engine.presets.strategy import Incoming, Inputs, NeedsThread, Planned, PresetStrategy
from ctxmgr.engine.pressure import Gauge, Thresholds
from ctxmgr.engine.protection import Protection, protected_by_pins, summaries
from ctxmgr.engine.retention import (
    LEAST_PRESSED,
    NO_PACKET,
    BalancedResult,
    Layout,
    ListRoom,
    Original,
    PacketWriter,
    Worth,
    WorthInputs,
    WorthTerms,
    keep_tokens,
    rates_by,
    receipts,
    step_above,
)
from ctxmgr.engine.rewriting import marker, memoised, shortener
from ctxmgr.model import ArchiveRow, Opening, Packet, Plan, Zone, prices
from ctxmgr.model.saved import RenderedPacket, State

USER_SHARE = 0.1  # of the usable window: user messages in place
INLINE_WEIGHT = 20_000  # tokens; for a shorter list, an epoch takes less time than moving to another thread
COLD_SHARE = 0.2  # of a list; with what comes before it, this is under a quarter of its full cost (rule 5)
LEAST_COLD = 16_000  # tokens, twice the default working set; writing less than this is cheap


class Balanced(PresetStrategy):
    """Keeps what is shown, and its packet, until an epoch pays."""

    name = "balanced"
    summary = "removes old steps and results when that is cheaper than keeping them"
    policy_keys = frozenset(
        ("cacheTtlMs", "idle", "keep", "packetTokens", "prices", "protectedTools", "resumeTokens")
    )
    invariants: ClassVar[Invariants] = STEPS
    keeps_prefix = True

    def project(self, incoming: Incoming, state: State, inputs: Inputs) -> Planned:
        """The plan for this list, and the state with what was decided."""
        conversation, gauge = incoming.conversation, inputs.gauge
        takes_long = not inputs.may_take_long and conversation.raw_weight > INLINE_WEIGHT
        if incoming.last_plan is None and takes_long:
            raise NeedsThread
        weight = 0
        if incoming.last_projection is None:
            weight = self._as_decided(incoming, state, inputs, "green").weight
        tokens = gauge.tokens(incoming.outgoing_weight(weight))
        zone = gauge.zone_at(tokens)
        if not self.is_active(state):
            fits = gauge.tokens(conversation.raw_weight) <= gauge.thresholds.limit
            if fits or not state.decisions:
                return Planned(incoming.untouched(zone, state.decisions), state, tokens)
            return Planned(self._as_decided(incoming, state, inputs, zone), state, tokens)
        call = _call(incoming, state, inputs, zone, self.invariants)
        if takes_long and call.reopen is not None:  # checking whether anything comes back reads the whole list
            raise NeedsThread
        draft = retention.drafted(conversation, call)
        if takes_long and draft.opening is not None:
            raise NeedsThread
        done = draft.decided()
        anchor = conversation.key(done.plan.floor) if done.plan.floor else ""
        after, epoch = with_epoch(state, done, anchor, conversation), done.epoch_result
        if epoch is None:
            return Planned(done.plan, after, tokens)
        rows = originals(epoch.originals) if inputs.keeps_originals else ()
        return Planned(done.plan, after, tokens, epoch.receipt, rows, epoch.read_paths)

    def target_weight(self, gauge: Gauge) -> float:
        """The start of yellow. At the window's end, a host compacts by itself, and what that removes is lost."""
        return gauge.weight_at(gauge.thresholds.yellow)

    def promised_weight(self, gauge: Gauge) -> float:
        """The point at which a compaction would be requested, for the same reason."""
        return gauge.weight_at(gauge.thresholds.late)

    def asking_tokens(self, thresholds: Thresholds) -> float:
        """As late as possible: an epoch keeps more of the list than a summary does, and costs less."""
        return thresholds.late

    def leavable_weight(self, state: State, plan: Plan, answered: bool, inputs: Inputs) -> float:
        """Everything except what must stay. 0 if that is too little for an epoch, or if the last list could not be
        brought below the limit.
        """
        if plan.weight > _room(inputs).limit:
            return 0.0
        if not answered and state.last_projection is not None:
            return math.inf  # no list since the restart: the first one may be pruned
        leaves = state.outgoing_tokens - state.epoch.remaining_tokens
        return leaves if leaves >= LEAST_PRESSED * state.outgoing_tokens else 0.0

    def packet_outdated(self, state: State) -> State:
        """Unchanged: what is shown stays until the next epoch."""
        return state

    def moved(self, state: State) -> State:
        """Unchanged: the move opens an epoch, and what is shown stays until then."""
        return state

    def switched(self, state: State) -> State:
        """Starts a new epoch number, because what is shown changes."""
        epoch = msgspec.structs.replace(state.epoch, number=state.epoch.number + 1)
        return msgspec.structs.replace(state, epoch=epoch)

    def undone(self, state: State, keys: object) -> State:
        """Unchanged: the pins open an epoch, which brings the content back."""
        return state

    def _as_decided(self, incoming: Incoming, state: State, inputs: Inputs, zone: Zone) -> Plan:
        """The plan from earlier decisions only."""
        anew = msgspec.structs.replace(incoming, last_plan=None)
        return retention.standing(incoming.conversation, _call(anew, state, inputs, zone, self.invariants))


def _call(incoming: Incoming, state: State, inputs: Inputs, zone: Zone, rules: Invariants) -> WorthInputs:
    conversation, gauge = incoming.conversation, inputs.gauge
    writer = _writer(conversation, state, inputs, zone)
    packet_index, packet, lost = _packet(incoming, state, writer)
    unsent = state.last_projection is None and writer.has_news(packet)  # no list was sent yet
    room, is_pressed_cold = _room(inputs), inputs.policy.idle == "prune" and _is_cold(state, inputs)
    if is_pressed_cold:
        cold = max(LEAST_COLD, COLD_SHARE * conversation.raw_weight)
        room = msgspec.structs.replace(room, limit=min(room.limit, cold))
    terms = WorthTerms(
        zone=zone,
        layout=Layout(
            decisions=incoming.last_plan.decisions if incoming.last_plan is not None else state.decisions,
            packet=packet,
            packet_index=packet_index,
            rewrite=memoised(conversation, inputs.weigh, inputs.archives, inputs.memo),
            shorten=shortener(conversation, inputs.weigh, inputs.memo),
            rules=rules,
            allowance=max(packet.weight, writer.allowance),  # an existing packet was checked when it was written
            newest=inputs.policy.working_set,
        ),
        room=room,
        worth=Worth(
            keep_tokens(inputs.policy, gauge.usable_weight), rates_by(gauge.terms.cache, gauge.terms.prices)
        ),
        cached_count=0 if unsent or _is_lost(state, inputs) else incoming.delta.unchanged_count,
        protection=_protection(conversation, state, inputs, state.epoch.number + 1),
        writer=writer,
        overhead=max(0.0, -gauge.weight_at(0)),
        pressed_by="cold" if is_pressed_cold else "red",
    )
    reopen = state.reopen or ("forced" if state.force_prune else None) or lost
    time_ms = inputs.time_ms if inputs.time_ms is not None else state.epoch.last_time_ms
    replaced = _is_replaced(incoming, state)
    return WorthInputs(terms, state.epoch, reopen, incoming.last_plan, _before(state), time_ms, replaced)


def _room(inputs: Inputs) -> ListRoom:
    """A list is under pressure at the size at which a compaction would be requested, or the host would compact by
    itself; in a host that does neither, where the window ends; and at which a price tier begins.
    """
    gauge = inputs.gauge
    is_compacted = inputs.may_ask or inputs.policy.host_reserve > 0
    late = gauge.weight_at(gauge.thresholds.late) if is_compacted else gauge.fit_weight
    dearer = step_above(gauge.terms.prices, gauge.weight_at)
    return ListRoom(min(late, dearer, gauge.fit_weight), gauge.fit_weight, USER_SHARE * gauge.usable_weight)


def _is_lost(state: State, inputs: Inputs) -> bool:
    """Whether the provider's cache has nothing of the last list. It never caches a list below the minimum
    length.
    """
    cache, last = inputs.gauge.terms.cache, state.last_projection
    if cache.kind == "none" or state.reopen == "model":
        return True
    short = last is not None and inputs.gauge.tokens(last.weight) < cache.least_tokens
    return short or _is_cold(state, inputs)


def _is_cold(state: State, inputs: Inputs) -> bool:
    """Whether the cache entry of the last list has expired since its call."""
    return prices.is_cold(state.epoch.last_time_ms, inputs.time_ms, inputs.gauge.terms.cache.lifetime_ms)


def _protection(conversation: ConversationIndex, state: State, inputs: Inputs, epoch: int) -> Protection:
    """`epoch`: the number of the epoch to protect for."""
    pinned, share = partial(_staying, conversation, state, epoch), INSTRUCTIONS_SHARE * inputs.gauge.usable_weight
    return Protection(conversation, inputs.policy, pinned, share, state.newest_summary)


def _staying(conversation: ConversationIndex, state: State, epoch: int) -> frozenset[int]:
    """What stays unchanged in this epoch: pins, recently returned content, and a summary at the start of the
    list.
    """
    held = protected_by_pins(conversation, state.pins, state.returned, epoch)
    return held | summaries(conversation, {summary.digest for summary in state.summaries[-1:]})


def _quoted(
    conversation: ConversationIndex, state: State, inputs: Inputs, tokens: float, dropped: Container[int]
) -> Quoted:
    """Quotes the instructions that the host removed and those in dropped messages, the parts of the task that the
    host removed, and a plan that was too long to stay. Takes at most `tokens`, and at most what those in place
    leave of their budgets. Requests that were too long are already among the user's words.
    """
    protection = _protection(conversation, state, inputs, state.epoch.number)
    copies = absent(state.instructions, conversation, inputs.policy.protected_instructions)
    gone = protection.whole_task().leaving(conversation, dropped)
    copies += Copies(
        leaving(conversation, protection.all_instructions(), dropped),
        tuple(copy for copy in gone if copy.source == PLAN),
    )
    return quoted(copies, protection.in_place(dropped), tokens, inputs.weigh) if copies else Quoted()


def _writer(conversation: ConversationIndex, state: State, inputs: Inputs, zone: Zone) -> PacketWriter:
    text = PacketText.of(state, inputs.ledger, inputs.weigh)
    budget = packet_budget(inputs.policy, zone, state.resume)
    return PacketWriter(
        text=text,
        budget_tokens=budget,
        allowance=packet_allowance(state, budget),
        archives=inputs.archives,
        quoted=partial(_quoted, conversation, state, inputs),
    )


def _before(state: State) -> int:
    """The number of messages in the last projection."""
    return state.last_projection.message_count if state.last_projection is not None else 0


def _is_replaced(incoming: Incoming, state: State) -> bool:
    """Whether the list does not continue the last one, of this process or the previous one."""
    return incoming.last_plan is None and incoming.delta.unchanged_count < _before(state)


def _packet(incoming: Incoming, state: State, writer: PacketWriter) -> tuple[int, Packet, Opening | None]:
    """The packet's index, the packet, and the reason why opening an epoch costs nothing extra (rule 2)."""
    last, conversation = incoming.last_plan, incoming.conversation
    if last is not None:  # the last plan is what is shown, even if the state was reset since
        return last.floor, last.packet or NO_PACKET, None
    packet = Packet(state.packet.text, state.packet.weight) if state.packet is not None else NO_PACKET
    due = _is_replaced(incoming, state) and (state.decisions or writer.has_news(packet))
    rewritten: Opening | None = "rewritten" if due else None
    # a packet cannot come before a summary at the start of a list
    head = int(conversation.size > 1 and bool(conversation.messages[0].view.summary))
    if not state.anchor or not packet.text:
        return head, packet, rewritten
    digest = digest_of(state.anchor)
    if digest in conversation.digest_counts:
        for index, message in enumerate(conversation.messages):
            if message.digest == digest and conversation.key(index) == state.anchor:
                return index, packet, rewritten
    return head, packet, "rewritten"


def with_epoch(state: State, done: BalancedResult, anchor: str, conversation: ConversationIndex) -> State:
    """The state with what was decided. `anchor`: the key of the message after the packet, or "" if the packet is at
    the start.
    """
    plan, opened = done.plan, done.epoch_result
    totals = state.totals
    state = msgspec.structs.replace(state, epoch=done.epoch, resumed=state.resume, force_prune=False, reopen=None)
    if opened is None:
        return _unchanged(state, plan, anchor)
    edits = [original for original in opened.originals if original.kind != "dropped"]
    pruned = [original for original in opened.originals if original.kind == "pruned"]
    scanned, shown = receipts.result_tokens(conversation, plan)
    totals = msgspec.structs.replace(
        totals,
        scanned_tokens=scanned,
        protected_tokens=shown,
        prunable_tokens=scanned - shown,
        results_distilled=totals.results_distilled + len(edits) - len(pruned),
        results_pruned=totals.results_pruned + len(pruned),
        pruned_tokens=totals.pruned_tokens
        + sum(original.before_tokens - original.after_tokens for original in opened.originals),
    )
    packet = opened.packet
    return msgspec.structs.replace(
        state,
        decisions=plan.decisions,
        packet=RenderedPacket(f"epoch {done.epoch.number}", packet.text, packet.weight) if packet.text else None,
        anchor=anchor if packet.text else "",
        receipts=receipts.filed(state.receipts, opened.receipt),
        totals=totals,
    )


def _unchanged(state: State, plan: Plan, anchor: str) -> State:
    """Keeps the packet that is shown. Decisions for messages that are no longer in the list are removed."""
    packet = plan.packet if state.packet is None else None
    if packet is not None:
        rendered = RenderedPacket(f"epoch {state.epoch.number}", packet.text, packet.weight)
        state = msgspec.structs.replace(state, packet=rendered, anchor=anchor)
    if plan.decisions is state.decisions or plan.decisions == state.decisions:  # == compares each key
        return state
    return msgspec.structs.replace(state, decisions=plan.decisions)


def originals(left: Sequence[Original]) -> tuple[ArchiveRow, ...]:
    """The removed originals as archive rows under their handles, even if no marker names them."""
    return tuple(
        ArchiveRow(marker.handle(original.key), original.key, original.call_text, original.text)
        for original in left
    )
