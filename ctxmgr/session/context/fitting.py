"""Makes a preset's plan fit. Every list goes through this step, except lists that go out as they came. A `ListPlan`
is a list on its way to its answer, as one frozen value: each pass returns the next one.

1. If whole turns must be removed, the preset plans again from a later turn, so that removals are reported as usual.
2. Whatever is shown differently than before goes into the archive, if there is one. Every handle in a list can be
   retrieved, in every preset.
3. If a cut changes what was shown before, it is an epoch with a receipt, since the cache is lost. If an epoch's own
   list is cut at once, the epoch's receipt covers both.
4. What fits after a cut is kept from then on: a full window is no reason to open an epoch.
"""

import math
from collections.abc import Callable
from functools import partial

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, working_set_start
from ctxmgr.engine.fit import CutLast, FitInputs, MediaLimits, fitted
from ctxmgr.engine.instructions import INSTRUCTIONS_SHARE
from ctxmgr.engine.memory import packet_budget
from ctxmgr.engine.presets import Incoming, Inputs, Planned, PresetStrategy
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention import arithmetic, rates_by, receipts
from ctxmgr.engine.rewriting import marker
from ctxmgr.model import ArchiveRow, BlockEdit, Plan, Receipt
from ctxmgr.model.saved import State
from ctxmgr.session.context.arriving import Arrived
from ctxmgr.session.projection import NO_PLAN, Projection
from ctxmgr.session.reading import Reader


class Rejected(Exception):
    """This plan must not be sent. `checks` names the promises that it breaks."""

    def __init__(self, checks: tuple[str, ...]) -> None:
        super().__init__(", ".join(checks))
        self.checks = checks


class ListPlan(msgspec.Struct, frozen=True):
    """`arrived`: the list that was read, with the resulting state. `preset`, `inputs` and `reader` plan it;
    `incoming` is how it compares with the last one.

    `planned`: pieces and state as far as they are decided; `uncut`: the pieces before they were made to fit.
    `projection`: the answer. `only_grew`: it is the last answer with a longer end.
    """

    arrived: Arrived
    preset: PresetStrategy
    inputs: Inputs
    reader: Reader
    incoming: Incoming
    planned: Planned
    uncut: Plan = NO_PLAN
    projection: Projection = Projection()
    only_grew: bool = False

    @property
    def plan(self) -> Plan:
        """The pieces as far as they are decided."""
        return self.planned.plan

    @property
    def shared_count(self) -> int:
        """How many messages at the head are those of the last list."""
        return self.incoming.delta.shared_count

    @property
    def goes_on(self) -> bool:
        """Whether the list only adds to the last answer."""
        return self.incoming.last_plan is not None


OVERHEAD_TOKEN_BYTES = 4  # about what a token of prompt and tools takes in the request
TOO_LARGE = "did not fit the window"
TURNS_TRIES = 4  # removing turns adds to the packet, so more turns may have to be removed; at most this often


def fit(plan: ListPlan) -> ListPlan:
    """Cuts what does not fit, and archives what that removes."""
    if not plan.preset.is_active(plan.arrived.state):
        return plan
    planned = _fitted(plan)
    if plan.inputs.keeps_originals:
        rows = {row.key: row for row in (*plan.planned.originals, *planned.originals)}
        rows |= _rewritten(plan.incoming.conversation, planned, plan.arrived.state)
        planned = msgspec.structs.replace(planned, originals=tuple(rows.values()))
    return msgspec.structs.replace(plan, planned=planned)


def _fitted(plan: ListPlan) -> Planned:
    conversation, inputs, planned = plan.incoming.conversation, plan.inputs, plan.planned
    ask = _fit_inputs(plan)
    cut = fitted(conversation, planned.plan, ask)
    for tries_left in reversed(range(TURNS_TRIES)):
        if not cut.turns_from:
            break
        planned = _from_turn(plan, msgspec.structs.replace(cut.plan, floor=cut.turns_from))  # rule 1
        ask = msgspec.structs.replace(ask, turns_stay=not tries_left)
        cut = fitted(conversation, planned.plan, ask)
    if cut.plan is planned.plan:
        return planned
    gone = receipts.originals(conversation, planned.plan, cut.plan, ask.handle)
    rows = tuple(
        ArchiveRow(marker.handle(original.key), original.key, original.call_text, original.text)
        for original in gone
        if original.text and inputs.keeps_originals
    )
    epoch = msgspec.structs.replace(planned.state.epoch, remaining_tokens=cut.plan.weight)  # rule 4
    state = msgspec.structs.replace(planned.state, decisions=cut.plan.decisions, epoch=epoch)
    planned = msgspec.structs.replace(planned, plan=cut.plan, state=state, originals=(*planned.originals, *rows))
    return planned if planned.receipt is None else _with_cuts(planned, planned.receipt, gone)


def _fit_inputs(plan: ListPlan) -> FitInputs:
    conversation, preset, gauge = plan.incoming.conversation, plan.preset, plan.inputs.gauge
    return FitInputs(
        limit=gauge.fit_weight,
        weigh=plan.reader.weigh,
        rules=preset.invariants,
        handle=_handle(plan.inputs),
        media=_media(plan.inputs, plan.reader),
        target_tokens=preset.target_weight(gauge),
        has_packets=packet_budget(plan.inputs.policy, plan.plan.zone, plan.arrived.state.resume) > 0,
        last=CutLast(
            partial(_cut_last, conversation, plan.arrived.state, plan.inputs),
            partial(working_set_start, conversation, plan.inputs.policy.working_set),
            preset.promised_weight(gauge),
        ),
    )


def _from_turn(plan: ListPlan, last: Plan) -> Planned:
    """Plans the list again, from this plan's floor on."""
    incoming = msgspec.structs.replace(plan.incoming, last_plan=last)
    state = msgspec.structs.replace(plan.arrived.state, decisions=last.decisions)
    return plan.preset.project(incoming, state, plan.inputs)


def _rewritten(conversation: ConversationIndex, planned: Planned, state: State) -> dict[str, ArchiveRow]:
    """Rule 2: the blocks that this list rewrites, by key."""
    rows = {}
    for piece in planned.plan.pieces:
        if isinstance(piece, BlockEdit) and state.decisions.get(piece.key) != planned.state.decisions.get(
            piece.key
        ):
            ref = BlockRef(piece.message_index, piece.block_index)
            text = conversation.block(ref).text
            if text:
                line = receipts.block_line(conversation, ref)
                rows[piece.key] = ArchiveRow(marker.handle(piece.key), piece.key, line, text)
    return rows


def _with_cuts(planned: Planned, receipt: Receipt, gone: tuple[receipts.Original, ...]) -> Planned:
    """An epoch whose list was cut at once: its receipt covers both, and what was sent."""
    cuts = receipts.receipt(receipt, gone, lambda original: TOO_LARGE)
    evicted = (*receipt.evicted, *cuts.evicted)
    done = msgspec.structs.replace(
        receipt,
        after_tokens=planned.plan.weight,
        arithmetic=f"{receipt.arithmetic}; then cut to fit the window: {planned.plan.weight:,} tokens are sent",
        evicted=evicted[: receipts.LISTED],
        omitted_count=receipt.omitted_count + cuts.omitted_count + max(0, len(evicted) - receipts.LISTED),
    )
    filed = (*planned.state.receipts[:-1], done)
    return msgspec.structs.replace(
        planned, receipt=done, state=msgspec.structs.replace(planned.state, receipts=filed)
    )


def announced(plan: ListPlan) -> ListPlan:
    """Rule 3: earlier content is shown differently, so an epoch begins, with a receipt."""
    planned, whole, inputs, conversation = plan.planned, plan.uncut, plan.inputs, plan.incoming.conversation
    state, cut, rates = planned.state, planned.plan, rates_by(inputs.gauge.terms.cache, inputs.gauge.terms.prices)
    cached = plan.incoming.delta.unchanged_count
    change = receipts.summed(whole, cut, conversation.messages, cached, rates)
    waited = f"regret of {state.epoch.call_count} calls {state.epoch.regret:,.0f}"
    sums = arithmetic(change, rates, waited)
    number = state.epoch.number + 1
    bare = Receipt(
        number,
        "fit",
        whole.weight,
        cut.weight,
        f"fit: {sums}",
        time_ms=inputs.time_ms,
        pays_after=change.pays_after,
    )
    gone = receipts.originals(conversation, whole, cut, _handle(inputs))
    receipt = receipts.receipt(bare, gone, lambda original: TOO_LARGE)
    saved = state.epoch.saved - change.cost
    epoch = msgspec.structs.replace(state.epoch, number=number, regret=0.0, call_count=0, needed=0.0, saved=saved)
    state = msgspec.structs.replace(state, epoch=epoch, receipts=receipts.filed(state.receipts, receipt))
    return msgspec.structs.replace(plan, planned=msgspec.structs.replace(planned, state=state, receipt=receipt))


def _media(inputs: Inputs, reader: Reader) -> MediaLimits:
    policy, most = inputs.policy, reader.rules.most_images
    count = policy.max_images if policy.max_images is not None else math.inf if most is None else most
    size = policy.max_request_bytes - OVERHEAD_TOKEN_BYTES * inputs.gauge.overhead
    return MediaLimits(size, count, reader.media_tokens)


def _cut_last(conversation: ConversationIndex, state: State, inputs: Inputs) -> frozenset[BlockRef]:
    """The blocks that are cut last: instructions and the task, as much of them as may stay in place."""
    share = INSTRUCTIONS_SHARE * inputs.gauge.usable_weight
    return Protection(conversation, inputs.policy, share_tokens=share, summary=state.newest_summary).told()


def _handle(inputs: Inputs) -> Callable[[str], str]:
    return marker.handle if inputs.archives else lambda key: ""
