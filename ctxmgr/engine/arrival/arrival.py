"""Decides which new tool results are too long and cuts them.

1. A result of more than `maxResultTokens` is shown in that many tokens from its first call on: its start, its end,
   error lines, and an outline of the rest (`outline`), which are the lines that define things, or the listed items,
   counted. One line says how much is missing, and how to get it.
2. This is decided once, before any provider was sent the result, so nothing cached is rewritten. The decision
   remembers the text, which is sent again unchanged.
3. Never cut: results of protected tools, pinned results, what `retrieve` returned, text of other sources
   (`engine.instructions`), results with pictures, and results whose text the format cannot replace.
4. A line of the outline has its position in front: the offset for `retrieve` if the original can be retrieved by
   its handle, otherwise the line number, and then the marker names the call to repeat.
"""

from collections.abc import Callable
from functools import partial

import msgspec

from ctxmgr.engine.arrival.outline import counts, outline
from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.protection import Protection, protected_by_pins
from ctxmgr.engine.rewriting import Gap, cut, marker
from ctxmgr.engine.tools import tool_call
from ctxmgr.model import Block, Call, Decision, Message, Policy, Weigh
from ctxmgr.model.saved import State


class ArrivalInputs(msgspec.Struct, frozen=True):
    """What decides. `archives`: whether markers may contain handles."""

    policy: Policy
    weigh: Weigh
    rules: Invariants
    archives: bool


class Arrival(msgspec.Struct, frozen=True):
    """`decisions` by key, and the tokens they save."""

    decisions: dict[str, Decision] = {}
    saved_tokens: int = 0


def arriving(conversation: ConversationIndex, first_index: int, state: State, inputs: ArrivalInputs) -> Arrival:
    """Decisions about the messages from `first_index` on, which no provider was sent. Pure."""
    most = inputs.policy.max_result_tokens
    if most is None:
        return Arrival()
    long = [
        ref
        for index in range(first_index, conversation.size)
        if conversation.messages[index].weight > most
        for ref, _ in conversation.results(index)
        if _may_be_cut(conversation, ref, most, inputs.rules)
    ]
    pinned = partial(protected_by_pins, conversation, state.pins, state.returned, state.epoch.number)
    stays = Protection(conversation, inputs.policy, pinned).blocks() if long else frozenset[BlockRef]()  # rule 3
    made, saved = dict[str, Decision](), 0
    for ref in long:
        key = conversation.block_key(ref)
        if ref in stays or key in state.decisions:
            continue
        decision = _cut(conversation, ref, most, inputs)
        if decision is not None:
            made[key] = decision
            saved += conversation.block_weight(ref) - decision.weight
    return Arrival(made, saved)


def arriving_weight(message: Message, policy: Policy) -> int:
    """About how many tokens a message will count in the next list. Sees what rule 3 keeps."""
    most = policy.max_result_tokens
    if most is None or message.weight <= most:
        return message.weight
    over = (
        weight - most
        for block, weight in zip(message.view.blocks, message.weights, strict=True)
        if block.kind == "result" and _is_long(block, weight, most)
    )
    return message.weight - sum(over)


def _is_long(block: Block, weight: int, most: int) -> bool:
    bare = not any(item.is_shown for item in block.media)
    return weight > most and block.can_edit and bare and not marker.is_marker(block.text)


def _may_be_cut(conversation: ConversationIndex, ref: BlockRef, most: int, rules: Invariants) -> bool:
    weight = conversation.block_weight(ref)
    return _is_long(conversation.block(ref), weight, most) and rules.may_edit(conversation, ref, "cut")


def _cut(conversation: ConversationIndex, ref: BlockRef, most: int, inputs: ArrivalInputs) -> Decision | None:
    """Rule 1; None if the result would not get shorter."""
    block, whole = conversation.block(ref), conversation.block_weight(ref)
    text, beside = block.text, whole - inputs.weigh(block.text) if block.media else 0
    whole -= beside
    call, listed = conversation.call_of(ref), counts(text)
    handle = marker.handle(conversation.block_key(ref)) if inputs.archives else ""
    position = str if inputs.archives else line_numbers(text)

    def line(left: int, start: int, end: int) -> str:
        last = end if inputs.archives else end - 1  # a line that is shown from its start is not missing
        shown = marker.arrived(whole, left, _where(position(start), position(last), handle, call))
        there = listed(start, end)
        return f"{shown}\n{there}" if there else shown

    gap = Gap(line, outline(text), lambda offset: f"@{position(offset)} ")
    done = cut(text, whole, most - beside, inputs.weigh, gap)
    return Decision("cut", most, done.parts, done.weight + beside) if done is not None else None


def _where(start: str, end: str, handle: str, call: Call) -> str:
    """Rule 4."""
    if handle:
        return f"characters {start} to {end}; @: a line's offset | retrieve {handle}"
    reads = tool_call(call.tool, call.arguments, call.declared).kind == "read"
    return (
        f"lines {start} to {end}; @: a line's number | {marker.call(call)}{', a range of lines' if reads else ''}"
    )


def line_numbers(text: str) -> Callable[[int], str]:
    """The number of the line at an offset, from 1."""
    known: dict[int, str] = {}

    def number(position: int) -> str:
        if position not in known:
            known[position] = str(text.count("\n", 0, position) + 1)
        return known[position]

    return number
