"""Turns a list and what was decided before into the plan of preset `balanced`: the same bytes until an epoch pays.

Rules (design, sections 4 and 6):
1. Between epochs the plan is the one before it and what came since (`held`). Nothing old changes.
2. An epoch begins when regret has reached its cost, when the cache is cold, in red, over the window, or when the
   prefix is lost for another reason (`epoch`); while nothing is cached, also where the model's notes are not in
   view as they are. What it does is decided in `epoch_start`. For the price alone the first one waits until the
   list is several times what it would keep, the longer the less reading costs: most sessions that end before have
   nothing to gain, and what left would be fetched again.
3. An epoch that would take nothing away is none. A choice that was not worth it is forgotten with its regret. But
   where the host has put another list in place of the old one, the epoch is over, whatever the new one holds.
4. A result that comes so late that its call has left brings it back, and with it an epoch: a provider refuses a
   parted pair. A list that holds it is not the one that was decided about.
"""

import math

import msgspec

from ctxmgr.engine.balanced import apply_decisions
from ctxmgr.engine.balanced.budget import USUAL
from ctxmgr.engine.balanced.cache_cost import regret
from ctxmgr.engine.balanced.epoch_start import REPLACED, EpochInputs, EpochResult, hidden, opened
from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.model import Epoch, Opening, Packet, Plan, Receipt

SLACK = 1.02  # a list so little above what a choice would keep is as good as chosen
FIRST_TIMES = 4.0  # what a first epoch would keep, at the usual price of reading: a shorter list is left alone
GROWN = 1.1  # in red: where an epoch could not leave it, the next call's could not either


class BalancedInputs(msgspec.Struct, frozen=True):
    """What a plan is asked for beside the list.

    `last_plan`: the plan before, and `last_count` the number of messages it was of, where this list goes on from
    it; else the decisions tell. `reopen`: an epoch is due for this reason whatever the price. `time_ms`: the
    call's time in milliseconds. `new_tokens`: the weight of what the provider does not hold yet; 0 where prices
    have no step. `epoch_inputs` is what an epoch is decided by.
    """

    epoch_inputs: EpochInputs
    epoch: Epoch
    reopen: Opening | None = None
    last_plan: Plan | None = None
    last_count: int = 0
    time_ms: int | None = None
    new_tokens: int = 0


class BalancedResult(msgspec.Struct, frozen=True):
    """The plan, the epoch in force, and what was opened now, None where nothing was."""

    plan: Plan
    epoch: Epoch
    epoch_result: EpochResult | None = None


def standing(conversation: ConversationIndex, ask: BalancedInputs) -> Plan:
    """The plan if nothing is decided now (rule 1)."""
    inputs = ask.epoch_inputs
    if ask.last_plan is not None:
        return apply_decisions.extended(ask.last_plan, conversation, ask.last_count, inputs.zone, inputs.layout)
    return apply_decisions.lay_out(conversation, inputs.zone, inputs.layout)


def due(ask: BalancedInputs, weight: int) -> Opening | None:
    """Why an epoch is to be opened over a plan of this weight, in tokens; None where it is not (rule 2)."""
    if ask.reopen is not None:
        return ask.reopen
    kept, inputs = _kept(ask), ask.epoch_inputs
    if weight > inputs.budget.window:
        return "red"
    if not inputs.cached_count and inputs.writer.has_news(inputs.layout.packet):
        return "cold"
    if weight <= kept * SLACK:
        return None
    if not ask.epoch_inputs.cached_count:
        return "cold"
    if ask.epoch_inputs.zone in ("red", "compact") and weight > kept * GROWN:
        return "red"
    if weight < _worth_a_first(ask):
        return None
    changing = kept * inputs.rates.cache_write - weight * inputs.rates.cache_read
    return "price" if _regret(ask, weight) >= max(changing, ask.epoch.needed) else None


def carried_on(conversation: ConversationIndex, ask: BalancedInputs) -> tuple[Plan, Opening | None]:
    """The plan if nothing is decided now, and why an epoch is to be opened over it, None where none is."""
    plan = standing(conversation, ask)
    if ask.reopen in ("pin", "undo"):
        stays = ask.epoch_inputs.protection.pinned()
        if not hidden(conversation.messages, plan, stays):  # nothing is to come back
            ask = msgspec.structs.replace(ask, reopen=None)
    new_from = ask.last_count if ask.last_plan is not None else 0
    if ask.reopen is None and apply_decisions.parted(conversation, plan.decisions, new_from):  # rule 4
        ask = msgspec.structs.replace(ask, reopen="rewritten")
    opening = due(ask, plan.weight)
    same = ask.last_count == conversation.size == ask.epoch_inputs.cached_count
    if same and opening in ("price", "red") and plan.weight <= ask.epoch_inputs.budget.window:
        opening = None  # the same list, asked for again
    return plan, opening


def decided(
    conversation: ConversationIndex, ask: BalancedInputs, plan: Plan, opening: Opening | None
) -> BalancedResult:
    """The plan for this list, of what `carried_on` gave. Pure but for the memo, which only saves time."""
    epoch = msgspec.structs.replace(
        ask.epoch, regret=_regret(ask, plan.weight), call_count=ask.epoch.call_count + 1, last_time_ms=ask.time_ms
    )
    if opening is None:
        return BalancedResult(plan, epoch)
    done = opened(conversation, ask.epoch_inputs, plan, epoch, opening)
    if done is None and ask.last_plan is None and ask.last_count and opening in REPLACED:
        done = unmoved(plan, epoch, opening, ask.epoch_inputs.layout.packet)
    if done is not None and opening == "price" and done.cost > epoch.regret:  # the estimate was too low
        return BalancedResult(plan, msgspec.structs.replace(epoch, needed=done.cost))
    if done is None:  # rule 3
        return BalancedResult(plan, Epoch(epoch.number, 0.0, epoch.call_count, plan.weight, ask.time_ms))
    return BalancedResult(done.plan, Epoch(epoch.number + 1, 0.0, 0, done.remaining_tokens, ask.time_ms), done)


def unmoved(plan: Plan, epoch: Epoch, opening: Opening, packet: Packet) -> EpochResult:
    """An epoch that begins with the list as it is."""
    told = f"{opening}: nothing more leaves"
    done = Receipt(epoch.number + 1, opening, plan.weight, plan.weight, told, time_ms=epoch.last_time_ms)
    return EpochResult(plan, packet, plan.weight, done, ())


def _worth_a_first(ask: BalancedInputs) -> float:
    """The weight from which on a price alone may open the first epoch, in tokens; 0 once there was one."""
    read = ask.epoch_inputs.rates.cache_read
    return FIRST_TIMES * _kept(ask) * math.sqrt(USUAL.cache_read / read) if read and not ask.epoch.number else 0.0


def _kept(ask: BalancedInputs) -> int:
    return ask.epoch_inputs.budget.remaining_tokens(ask.epoch.remaining_tokens)


def _regret(ask: BalancedInputs, weight: int) -> float:
    inputs = ask.epoch_inputs
    return ask.epoch.regret + regret(weight, _kept(ask), inputs.rates, inputs.steps, ask.new_tokens)
