"""What a session did, as events for monitoring: numbers, and words of ours. Knows no wire and no clock.

1. An event contains nothing that somebody wrote: no text, no path, no tool name, no id except those of session and
   model, no error message. Of a fault it has the class only.
2. Events are computed from the session before and after a call: nothing is stored for them, and they decide
   nothing.
3. A list's figures are those of the report to the host; token counts are ctxmgr's own.
4. By kind: an unchanged message counts for its role, all rewritten ones together as "edited", and what was inserted
   as "packet".
5. An epoch that did not begin has one reason: pruning is "off", the preset "has none", or the "price" is not
   reached.

OpenTelemetry names follow its semantic conventions for generative AI, in development (schema 1.42):
https://github.com/open-telemetry/semantic-conventions-genai
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ctxmgr.model import EvictedItem, Keep, Receipt, Usage
from ctxmgr.model.api import Attribute, TelemetryEvent, lifecycle, reports
from ctxmgr.model.saved import State
from ctxmgr.session.session import SessionCore

__all__ = ["call_events", "job_event"]

REPLY = "gen_ai.client.inference.operation.details"
LIST, EPOCH, COMPACTION, FALLBACK = "ctxmgr.list", "ctxmgr.epoch", "ctxmgr.compaction", "ctxmgr.fallback"

CONVERSATION, MODEL, PROVIDER = "gen_ai.conversation.id", "gen_ai.request.model", "gen_ai.provider.name"
OPERATION = "gen_ai.operation.name"
INPUT, OUTPUT = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
CACHE_READ, CACHE_WRITTEN = "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_creation.input_tokens"
ERROR = "error.type"

LATENCY, PRESET, ZONE = "ctxmgr.latency_ms", "ctxmgr.preset", "ctxmgr.zone"

Attributes = dict[str, Attribute]
Parts = Sequence[bytes | memoryview]

WRITTEN = (
    "compact",
    "session_before_compact",
    "summarizeBranch",
    "session_before_tree",
)  # jobs that end in a summary
APPLIED = {"session_compact": "applied", "session_compact_failed": "failed"}


def call_events(
    session: SessionCore, method: str, params: Any, before: State | None, answer: Parts = ()
) -> list[TelemetryEvent]:
    """Of an event or a query. `before`: None if this call started the session. `answer`: of `context`, its parts
    without the enclosing braces.
    """
    was = before or State(session.state.session_id, session.state.model)
    whose = _whose(session)
    return [TelemetryEvent(name, whose | more) for name, more in _happened(session, method, params, was, answer)]


def job_event(
    session: SessionCore | None, session_id: str | None, method: str, value: Any, fault: BaseException | None
) -> TelemetryEvent | None:
    """Of a long call that ended with a value or a fault; None if it writes nothing."""
    if method not in WRITTEN:
        return None
    attributes: Attributes = {"ctxmgr.compaction.phase": "written", "ctxmgr.compaction.method": method}
    if fault is not None:
        attributes |= {"ctxmgr.compaction.phase": "failed", ERROR: type(fault).__name__}
    else:
        details = _details(value)
        if details is None:
            attributes["ctxmgr.compaction.phase"] = "left to the host"
        else:
            attributes["ctxmgr.compaction.by_model"] = "fallback" not in details
    whose: Attributes = {} if session_id is None else {CONVERSATION: session_id}
    return TelemetryEvent(COMPACTION, (whose if session is None else _whose(session)) | attributes)


def _happened(
    session: SessionCore, method: str, params: Any, before: State, answer: Parts
) -> Iterator[tuple[str, Attributes]]:
    if method == "context":
        yield from _listed(session, before, answer)
    elif method == "turn_end":
        yield from _replied(session, params, before)
    elif method in APPLIED:
        attributes: Attributes = {"ctxmgr.compaction.phase": APPLIED[method]}
        if isinstance(params, lifecycle.SessionCompactParams):
            attributes["ctxmgr.compaction.by_host"] = not params.from_extension
            attributes["ctxmgr.compaction.tokens_after"] = session.state.outgoing_tokens
        yield COMPACTION, attributes


def _listed(session: SessionCore, before: State, answer: Parts) -> Iterator[tuple[str, Attributes]]:
    attributes = _list_attributes(session, before, answer)
    if session.state.totals.fallbacks > before.totals.fallbacks:
        yield FALLBACK, {ERROR: session.last_fault, "ctxmgr.fallback.in_a_row": session.failure_count}
        yield LIST, {**attributes, "ctxmgr.list.fallback": True}
        return
    receipt = _opened_epoch(session, before)
    left = _evicted((), 0) if receipt is None else _evicted(receipt.evicted, receipt.omitted_count)
    yield LIST, {**attributes, **_by_kind(session), **left, "ctxmgr.list.fallback": False}
    if receipt is not None:
        weights: Attributes = {
            "ctxmgr.epoch.tokens_before": receipt.before_tokens,
            "ctxmgr.epoch.tokens_after": receipt.after_tokens,
        }
        yield EPOCH, {PRESET: session.preset.name, **_epoch_attributes(session, before), **weights, **left}


def _replied(session: SessionCore, params: Any, before: State) -> Iterator[tuple[str, Attributes]]:
    usage = _usage(session, params)
    if usage is not None:
        attributes: Attributes = {
            OPERATION: "chat",
            INPUT: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            OUTPUT: usage.output_tokens,
            CACHE_WRITTEN: usage.cache_write_tokens,
        }
        if usage.has_cache_read:
            attributes[CACHE_READ] = usage.cache_read_tokens
        yield REPLY, attributes
    if session.state.totals.compactions_requested > before.totals.compactions_requested:
        asked: Attributes = {"ctxmgr.compaction.phase": "requested", "ctxmgr.compaction.tokens": session.tokens()}
        yield COMPACTION, asked


def _usage(session: SessionCore, params: Any) -> Usage | None:
    """As the provider reported it, from the event or else its message."""
    if params.usage is not None:
        given: Usage | None = session.fmt.usage(params.usage)
        return given
    read: Usage | None = session.fmt.view(bytes(params.message)).usage
    return read


def _details(value: Any) -> dict[str, Any] | None:
    """What ctxmgr reports of a summary that it wrote, or None."""
    written = getattr(value, "compaction", None) or getattr(value, "summary", None)
    details = getattr(written, "details", None)
    return dict(details.get("ctxmgr") or {}) if isinstance(details, dict) else None


def _whose(session: SessionCore) -> Attributes:
    model = session.state.model
    attributes: Attributes = {CONVERSATION: session.state.session_id, MODEL: model.id}
    if model.provider:
        attributes[PROVIDER] = model.provider
    return attributes


class AnswerEnd(msgspec.Struct):
    """The end of an answer of `context`."""

    report: reports.Report


_decode = msgspec.json.Decoder(AnswerEnd).decode


def _list_attributes(session: SessionCore, before: State, answer: Sequence[bytes | memoryview]) -> Attributes:
    """`before`: the state that received the list. `answer`: its parts, without the enclosing braces."""
    report = _decode(b"{%b}" % bytes(answer[-1]).lstrip(b","))
    attributes: Attributes = {
        PRESET: session.preset.name,
        ZONE: report.report.zone,
        "ctxmgr.list.answer": bytes(answer[0]).split(b'"', 2)[1].decode(),
        "ctxmgr.list.tokens_in": report.report.raw_tokens,
        "ctxmgr.list.tokens_out": report.report.tokens,
        "ctxmgr.list.tokens_cached": report.report.prefix_tokens or 0,
    }
    return attributes | _epoch_attributes(session, before)


def _by_kind(session: SessionCore) -> Attributes:
    """Rule 4, of the last projection."""
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


def _epoch_attributes(session: SessionCore, before: State) -> Attributes:
    """Whether an epoch began with this list, and why or why not (rule 5)."""
    opened = _opened_epoch(session, before)
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


def _opened_epoch(session: SessionCore, before: State) -> Receipt | None:
    """The receipt of the epoch that this list began."""
    state = session.state
    newest = state.receipts[-1] if state.receipts else None
    if newest is None or newest.epoch_number <= before.epoch.number:
        return None
    return newest


def _evicted(items: Iterable[EvictedItem], omitted_count: int) -> Attributes:
    """What was removed: how many items, and how many tokens the list lost by each kind."""
    tokens, counts = Counter[str](), Counter[str]()
    for item in items:
        tokens[item.kind] += item.before_tokens - item.after_tokens
        counts[item.kind] += 1
    attributes: Attributes = {
        "ctxmgr.left.count": counts.total() + omitted_count,
        "ctxmgr.left.tokens": tokens.total(),
    }
    attributes |= {f"ctxmgr.left.count.{kind}": count for kind, count in sorted(counts.items())}
    return attributes | _tokens("ctxmgr.left.tokens", tokens)


def _tokens(name: str, by: Counter[str]) -> Attributes:
    return {f"{name}.{kind}": tokens for kind, tokens in sorted(by.items())}
