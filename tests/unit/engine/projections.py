"""Asks and answers of projections for tests: how a plan is asked for, and what leaves by it."""

import math
from typing import Any

import msgspec

from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.presets.turns.packets import Folding, LeftOut
from ctxmgr.engine.presets.turns.project import TurnsInputs, project
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.rewriting.rewrite import rewriter
from ctxmgr.formats import pi
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import BlockEdit, Decision, Keep, Packet, Piece, Plan
from tests.notation import indexed, quarters

MARK = "[ctxmgr packet]"
LEAST, MOST = 20, 50  # tokens of the packet in these tests


def rendered(left: LeftOut) -> tuple[str, int]:
    """A packet of all that it may weigh up to MOST tokens; nothing under LEAST."""
    if left.most_tokens < LEAST:
        return "", 0
    text = MARK.ljust(4 * min(left.most_tokens, MOST), ".")
    return text, quarters(text)


def ask(messages: tuple[Message, ...], **keys: Any) -> TurnsInputs:
    """Green, all summaries folded, characters / 4, and a packet; keys say what differs."""
    keys = {
        "zone": "green",
        "policy": Policy(),
        "floor": 0,
        "decisions": {},
        "folded": lambda at: messages[at].view.role == "summary",
        "rewrite": rewriter(indexed(messages), quarters),
        "packet": rendered,
        "rules": TURNS,
        **keys,
    }
    if keys["policy"].working_set == WorkingSet():  # all of most lists here
        keys["policy"] = msgspec.structs.replace(keys["policy"], working_set=WorkingSet(0, 0))
    keys["protection"] = Protection(indexed(messages), keys.pop("policy"))
    window = keys.pop("window_limit", math.inf)
    folding = Folding(keys.pop("packet"), keys.pop("folded"), keys.pop("allowance", 0), window)
    limit = keys.pop("newest_limit", None)
    limit = math.inf if limit is None else limit
    pruned = {target.key: Decision("pruned") for target in keys.pop("targets", ())}
    decisions = {**keys.pop("decisions"), **pruned}
    drops = keys.pop("drop_turns", True)
    return TurnsInputs(**keys, decisions=decisions, folding=folding, newest_limit=limit if drops else None)


def planned(messages: tuple[Message, ...], **keys: Any) -> Plan:
    return project(indexed(messages), ask(messages, **keys))


def plan_of(messages: tuple[Message, ...], *pieces: Piece, off: int = 0) -> Plan:
    """A plan of these pieces that says what they weigh, but for `off` tokens."""
    weight = off
    for piece in pieces:
        if isinstance(piece, Keep):
            weight += sum(message.weight for message in messages[piece.start : piece.end])
        elif isinstance(piece, Packet):
            weight += piece.weight
        else:
            weight += messages[piece.message_index].weight - piece.before_tokens + piece.after_tokens
    raw = sum(message.weight for message in messages)
    return Plan(pieces, "green", 0, weight, raw, {})


def sent(messages: tuple[Message, ...], plan: Plan, form: Any = pi) -> list[bytes]:
    """The messages that leave."""
    out: list[bytes] = []
    edits: dict[int, list[BlockEdit]] = {}
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            out.append(form.packet(piece.text, 0))
        elif isinstance(piece, Keep):
            out.extend(message.raw for message in messages[piece.start : piece.end])
        else:
            some = edits.setdefault(piece.message_index, [])
            some.append(piece)
            out[len(out) - (len(some) > 1) :] = [_rewritten(messages[piece.message_index].raw, some, form)]
    return out


def _rewritten(raw: bytes, edits: list[BlockEdit], form: Any) -> bytes:
    arguments = {edit.block_index: edit.arguments for edit in edits if edit.arguments is not None}
    if arguments:
        return bytes(form.set_arguments(raw, arguments))
    return bytes(form.set_text(raw, {edit.block_index: edit.text for edit in edits}))


def kept(plan: Plan) -> list[int]:
    """The indices of the messages that stay, edited or not, in the order they leave."""
    out: list[int] = []
    for piece in plan.pieces:
        if isinstance(piece, Keep):
            out.extend(range(piece.start, piece.end))
        elif isinstance(piece, BlockEdit) and piece.message_index not in out[-1:]:
            out.append(piece.message_index)
    return out


def edited(plan: Plan) -> dict[int, str]:
    """Index to kind of edit."""
    return {piece.message_index: piece.kind for piece in plan.pieces if isinstance(piece, BlockEdit)}
