"""Turns messages into the facts they state, for a summary: times are places in the list, and no entry is known."""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.extractive.collecting import carry
from ctxmgr.engine.findings import Asked
from ctxmgr.engine.ledger import Stamp, extract
from ctxmgr.engine.text import plain
from ctxmgr.engine.tools import ToolCall, call_of_block, outcome
from ctxmgr.model import Block
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.model.saved import Fact


class SessionFacts(msgspec.Struct):
    """`file_effects` maps a call's id to "read" or "changed", a newline and the path of each file of which it did
    either; `path_moves` to the (old, new) paths of what it took away. `branch_statements` is what summaries of left
    branches say, a statement each."""

    facts: list[Fact] = []
    file_effects: dict[str, tuple[str, ...]] = {}
    path_moves: dict[str, tuple[tuple[str, str], ...]] = {}
    branch_statements: list[str] = []


def collect(messages: Sequence[BranchMessage], *, opened: bool) -> SessionFacts:
    """The facts of messages, oldest first. `opened`: the session's goal is known already.

    A result belongs to the latest earlier call with its id. A compaction's summary that stands in the list
    counts as said there.
    """
    heard = SessionFacts()
    calls: dict[str, Block] = {}
    asked: Asked | None = None
    for at, message in enumerate(messages):
        view = message.view
        if view.role == "summary" or (view.role == "user" and view.summary):
            text = view.summary_text if view.role == "user" else "\n".join(block.text for block in view.blocks)
            carried = carry.read(text, at)
            if view.summary == "compaction":
                heard.facts += carried.facts
                opened = opened or any(fact.slot == "goal" for fact in carried.facts)
            else:
                heard.branch_statements += [*(fact.text for fact in carried.facts), *carried.findings]
        if view.role == "summary":
            continue
        for block in view.blocks:
            if block.kind == "call":
                calls[block.call_id] = block
            elif block.kind == "result" and (call := _done(calls.get(block.call_id), block)) is not None:
                heard.path_moves[block.call_id] = call.moved
                heard.file_effects[block.call_id] = _touched(call)
        opening = view.opens_turn and not opened
        facts = extract.from_message(view, stamp=Stamp(str(at), at), calls=calls, opening=opening, asked=asked)
        asked = extract.asked_by(view, str(at), asked)
        opened = opened or any(fact.slot == "goal" for fact in facts)
        heard.facts += facts
    return heard


def _done(call: Block | None, result: Block) -> ToolCall | None:
    """What a call did that a result answers; None where it failed, or is not known."""
    made = call_of_block(call) if call is not None else None
    if made is None or outcome(made, result.text, result.is_error, result.doubtful) == "failed":
        return None
    return made


def _touched(call: ToolCall) -> tuple[str, ...]:
    """What a call read, wrote and edited, but not what it took away."""
    kinds = {"read": "read", "write": "changed", "edit": "changed"}
    return tuple(
        f"{kinds[effect.kind]}\n{plain(effect.path)}"
        for effect in call.effects
        if effect.path and effect.kind in kinds
    )


def moved_or_deleted(messages: Sequence[BranchMessage]) -> frozenset[str]:
    """The paths that calls of these messages moved or deleted."""
    calls: dict[str, Block] = {}
    found: set[str] = set()
    for message in messages:
        for block in message.view.blocks:
            if block.kind == "call":
                calls[block.call_id] = block
            elif block.kind == "result" and (call := _done(calls.get(block.call_id), block)) is not None:
                found.update(old for old, _ in call.moved)
    return frozenset(found)
