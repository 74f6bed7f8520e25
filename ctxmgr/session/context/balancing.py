"""Turns a session's state and a new list into the plan of preset `balanced`, and its epochs back into state.

What an epoch decided lives in the state: the decisions, the packet and the message it stands before. So a restart
goes on with the same bytes, and a list that is known again needs no decision.
"""

from functools import partial
from typing import Any

import msgspec

from ctxmgr.engine.balanced import pins, receipts
from ctxmgr.engine.balanced.apply_decisions import Layout
from ctxmgr.engine.balanced.budget import room
from ctxmgr.engine.balanced.cache_cost import is_cold
from ctxmgr.engine.balanced.epoch_start import Want
from ctxmgr.engine.balanced.project import Ask, Projected, project, standing, stood
from ctxmgr.engine.balanced.protection import Protection
from ctxmgr.engine.conversation import BlockRef, ConversationIndex, digest_of
from ctxmgr.engine.pressure import meter
from ctxmgr.engine.rewriting.handles import handle
from ctxmgr.engine.rewriting.rewrite import memoised
from ctxmgr.engine.rewriting.shorten import shorten
from ctxmgr.engine.tools import Memo, tool_call
from ctxmgr.model.archive import ArchiveRow
from ctxmgr.model.epochs import Opening
from ctxmgr.model.policy import Zone
from ctxmgr.model.prices import in_force, rates
from ctxmgr.model.projection import Packet, Plan
from ctxmgr.model.state import Rendered, State
from ctxmgr.session.context.inputs import Setting, packet_budget, told

INLINE_WEIGHT = 20_000  # tokens: over a shorter list an epoch takes less than the way to another thread


class Choosing(Exception):
    """A long list has an epoch due, or is to be laid out anew: to be tried again where that holds nothing up."""


class Arrived(msgspec.Struct, frozen=True):
    """A list as it stands to what was shown before. `last`: the plan of the first `before` messages, where it goes
    on from it; `known`: so many messages are as they were in the last projection, whoever made it."""

    conversation: ConversationIndex
    known: int
    last: Plan | None = None
    before: int = 0


def projected(state: State, arrived: Arrived, zone: Zone, setting: Setting) -> Projected:
    """The plan. Raises Choosing where `setting` forbids to open an epoch here and one is due."""
    ask = _ask(state, arrived, zone, setting)
    long = is_long(arrived, setting)
    if long and ask.reopen is not None:  # to see whether anything comes back goes through the list, too
        raise Choosing
    as_is = stood(arrived.conversation, ask)
    if long and as_is.opening is not None:
        raise Choosing
    return project(arrived.conversation, ask, as_is)


def is_long(arrived: Arrived, setting: Setting) -> bool:
    """Would it hold others up to go through the whole list here?"""
    return not setting.may_choose and arrived.conversation.raw_weight > INLINE_WEIGHT


def as_decided(state: State, arrived: Arrived, zone: Zone, setting: Setting) -> Plan:
    """The plan by what was decided and nothing else: pruning is switched off, and the last list went as it came."""
    anew = msgspec.structs.replace(arrived, last=None)
    return standing(arrived.conversation, _ask(state, anew, zone, setting))


def after(state: State, arrived: Arrived, done: Projected) -> State:
    """The state with what was decided."""
    plan, opened = done.plan, done.opened
    totals = state.totals
    state = msgspec.structs.replace(state, epoch=done.epoch, resume=False, force_prune=False, reopen=None)
    if opened is None:
        return _unchanged(state, arrived, plan)
    edits = [one for one in opened.originals if one.kind != "dropped"]
    pruned = [one for one in opened.originals if one.kind == "pruned"]
    totals = msgspec.structs.replace(
        totals,
        results_distilled=totals.results_distilled + len(edits) - len(pruned),
        results_pruned=totals.results_pruned + len(pruned),
        tokens_pruned=totals.tokens_pruned + sum(one.before - one.after for one in opened.originals),
    )
    packet = opened.packet
    anchor = arrived.conversation.key(plan.floor) if packet.text and plan.floor else ""
    return msgspec.structs.replace(
        state,
        decisions=plan.decisions,
        packet=Rendered(f"epoch {done.epoch.number}", packet.text, packet.weight) if packet.text else None,
        anchor=anchor,
        receipts=receipts.filed(state.receipts, opened.receipt),
        totals=totals,
    )


def rows(done: Projected) -> tuple[ArchiveRow, ...]:
    """The originals of what left now."""
    if done.opened is None:
        return ()
    return tuple(ArchiveRow(one.handle, one.key, one.call, one.text) for one in done.opened.originals if one.handle)


def reads_gone(arrived: Arrived, done: Projected) -> tuple[str, ...]:
    """The files of which a read left now, so that a host can forget that its model has seen them."""
    found: set[str] = set()
    for one in done.opened.originals if done.opened is not None else ():
        for ref, _ in arrived.conversation.results(one.ref.message_index):
            if one.kind == "dropped" or one.ref == ref:
                call = arrived.conversation.call_of(ref)
                found.update(tool_call(call.tool, call.arguments).read_paths)
    return tuple(sorted(found))


def _unchanged(state: State, arrived: Arrived, plan: Plan) -> State:
    """The packet that is shown stays, and what is no longer in the list needs no memory."""
    packet = plan.packet if state.packet is None else None
    if packet is not None:
        at = arrived.conversation.key(plan.floor) if plan.floor else ""
        rendered = Rendered(f"epoch {state.epoch.number}", packet.text, packet.weight)
        state = msgspec.structs.replace(state, packet=rendered, anchor=at)
    decided = plan.decisions
    if decided is state.decisions or decided == state.decisions:  # == looks at each key
        return state
    return msgspec.structs.replace(state, decisions=decided)


def _ask(state: State, arrived: Arrived, zone: Zone, setting: Setting) -> Ask:
    at, conversation = setting.at, arrived.conversation
    usable = meter.weight_at(state.meter, setting.model, at.usable, setting.overhead)
    place, packet, lost = _packet(state, arrived)
    model = state.model
    moment = setting.moment
    ttl = model.cache_ttl if model.cache_ttl is not None else setting.policy.cache_ttl_ms
    cold = is_cold(moment, state.epoch.last_at, ttl)
    window = meter.weight_at(state.meter, setting.model, at.limit, setting.overhead)
    want = Want(
        zone=zone,
        layout=Layout(
            decisions=arrived.last.decisions if arrived.last is not None else state.decisions,
            packet=packet,
            place=place,
            rewrite=memoised(conversation, setting.weigh, setting.archive, setting.memo),
            shorten=partial(_shortened, conversation, setting),
        ),
        room=room(setting.policy.cost_versus_recall, usable, zone, window),
        rates=rates(in_force(model.prices, setting.policy.prices)),
        cached=0 if cold or state.reopen == "model" else arrived.known,
        protection=Protection(setting.policy.protected_tools, partial(_held, state, conversation, setting.memo)),
        writer=_Writer(state, zone, setting),
        memo=setting.memo,
    )
    last_at = moment if moment is not None else state.epoch.last_at
    reopen = state.reopen or ("forced" if state.force_prune else None) or lost
    return Ask(want, state.epoch, reopen, arrived.last, arrived.before, last_at)


class _Writer:
    """What the packet of an epoch is written by."""

    def __init__(self, state: State, zone: Zone, setting: Setting) -> None:
        self._state, self._setting = state, setting
        self._budget = packet_budget(setting.policy, zone, state.resume)
        self.weigh = setting.weigh

    def facts(self, stands_for: int) -> str:
        resume = self._state.resume
        return told(self._state, self._setting, min(self._budget, stands_for), resume, asked=resume)

    def handle(self, key: str) -> str:
        return handle(key) if self._setting.archive else ""


def _packet(state: State, arrived: Arrived) -> tuple[int, Packet, Opening | None]:
    """Where the packet stands, and the packet. Where its place is gone, so is the prefix: an epoch may as well be
    opened."""
    held_by = state.packet
    if arrived.last is not None:  # what is shown is the truth, whatever was reset since
        return arrived.last.floor, arrived.last.packet or Packet("", 0), None
    rewritten: Opening | None = "rewritten" if state.decisions and arrived.known < arrived.before else None
    if held_by is None or not held_by.text:
        return 0, Packet("", 0), rewritten
    packet = Packet(held_by.text, held_by.weight)
    digest = digest_of(state.anchor)
    if not state.anchor:
        return 0, packet, rewritten
    if digest in arrived.conversation.seen:
        for at, message in enumerate(arrived.conversation.messages):
            if message.digest == digest and arrived.conversation.key(at) == state.anchor:
                return at, packet, rewritten
    return 0, packet, "rewritten"


def _held(state: State, conversation: ConversationIndex, memo: Memo) -> frozenset[int]:
    """Pins, and what came back lately."""
    if not state.pins and not state.returned:
        return frozenset()
    return pins.pinned(conversation, state.pins, memo) | pins.returned_positions(
        conversation, state.returned, state.epoch.number + 1
    )


def _shortened(
    conversation: ConversationIndex, setting: Setting, ref: BlockRef
) -> tuple[dict[str, Any], int] | None:
    """A call with its long texts shortened, and the weight of that."""
    at = ("shortened", conversation.digest(ref.message_index), ref.block_index)
    if at not in setting.memo:
        unit = conversation.block(ref)
        arguments = shorten(unit.tool, unit.arguments or {})
        text = f"{unit.tool} {msgspec.json.encode(arguments).decode()}"
        setting.memo[at] = None if arguments is None else (arguments, setting.weigh(text))
    found: tuple[dict[str, Any], int] | None = setting.memo[at]
    return found
