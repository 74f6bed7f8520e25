"""Turns an answered list into attributes: how large it came and left, by kind, what the provider has of it, what
left in an epoch.

1. The figures of an answer are those that its report told the host; weights are ctxmgr's own.
2. By kind: a message counts for its role where it stays as it came, all that was rewritten together as "edited",
   and what was put in as "packet".
3. An epoch that did not begin has one reason: pruning is "off", the preset "has none", or the "price" is not
   reached.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.model import EvictedItem, Keep, Receipt
from ctxmgr.model.api import Attribute, reports
from ctxmgr.model.saved import State
from ctxmgr.session.session import SessionCore
from ctxmgr.session.telemetry import names

Attributes = dict[str, Attribute]


class AnswerEnd(msgspec.Struct):
    """The end of an answer of `context`."""

    report: reports.Report


_decode = msgspec.json.Decoder(AnswerEnd).decode


def attributes(session: SessionCore, before: State, answer: Sequence[bytes | memoryview]) -> Attributes:
    """`before`: the state that the list came to; `answer`: its parts, without what it is enclosed in."""
    report = _decode(b"{%b}" % bytes(answer[-1]).lstrip(b","))
    found: Attributes = {
        names.PRESET: session.preset.name,
        names.ZONE: report.report.zone,
        "ctxmgr.list.answer": bytes(answer[0]).split(b'"', 2)[1].decode(),
        "ctxmgr.list.tokens_in": report.report.raw_tokens,
        "ctxmgr.list.tokens_out": report.report.tokens,
        "ctxmgr.list.tokens_cached": report.report.prefix_tokens or 0,
    }
    return found | epoch(session, before)


def by_kind(session: SessionCore) -> Attributes:
    """Rule 2, of the last projection."""
    messages, plan = session.projection.messages, session.plan
    came, kept = Counter[str](), Counter[str]()
    for message in messages:
        came[message.view.role] += message.weight
    for piece in plan.pieces:
        if isinstance(piece, Keep):
            for message in messages[piece.start : piece.end]:
                kept[message.view.role] += message.weight
    edited = max(0, plan.weight - plan.packet_weight - sum(kept.values()))
    kept |= {name: tokens for name, tokens in (("edited", edited), ("packet", plan.packet_weight)) if tokens}
    return _tokens("ctxmgr.list.tokens_in", came) | _tokens("ctxmgr.list.tokens_out", kept)


def epoch(session: SessionCore, before: State) -> Attributes:
    """Whether one began with this list, and why or why not (rule 3)."""
    opened = opened_epoch(session, before)
    now = session.state.epoch
    if opened is not None:
        reason: str = opened.opening
    elif not session.preset.is_active(session.state):
        reason = "off"
    else:
        reason = "price" if session.preset.keeps_prefix else "has none"
    return {
        "ctxmgr.epoch.number": now.number,
        "ctxmgr.epoch.started": opened is not None,
        "ctxmgr.epoch.reason": reason,
        "ctxmgr.epoch.regret_tokens": round(now.regret),
        "ctxmgr.epoch.needed_tokens": round(now.needed),
    }


def opened_epoch(session: SessionCore, before: State) -> Receipt | None:
    """The receipt of the epoch that this list began."""
    state = session.state
    newest = state.receipts[-1] if state.receipts else None
    if newest is None or newest.epoch_number <= before.epoch.number:
        return None
    return newest


def evicted(items: Iterable[EvictedItem], omitted_count: int) -> Attributes:
    """What left: how many things, and how much lighter the list is by each kind."""
    tokens, counts = Counter[str](), Counter[str]()
    for item in items:
        tokens[item.kind] += item.before_tokens - item.after_tokens
        counts[item.kind] += 1
    found: Attributes = {"ctxmgr.left.count": counts.total() + omitted_count, "ctxmgr.left.tokens": tokens.total()}
    found |= {f"ctxmgr.left.count.{kind}": count for kind, count in sorted(counts.items())}
    return found | _tokens("ctxmgr.left.tokens", tokens)


def _tokens(name: str, by: Counter[str]) -> Attributes:
    return {f"{name}.{kind}": tokens for kind, tokens in sorted(by.items())}
