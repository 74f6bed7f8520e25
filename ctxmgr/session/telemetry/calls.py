"""Turns a call that was answered, and the state before it, into what happened with it.

Rules:
1. Nothing that somebody wrote is in an event: no text, no path, no name of a tool, no id but those of session and
   model, no sentence of a fault: of a fault its class alone.
2. What is told is worked out from what the session is now and was before: nothing is kept for it, and nothing is
   decided by it.
3. How long a call took is for who has a clock: `latency_ms`, None without.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ctxmgr.model import Usage
from ctxmgr.model.api import Attribute, TelemetryEvent, lifecycle
from ctxmgr.model.saved import State
from ctxmgr.session.session import SessionCore
from ctxmgr.session.telemetry import lists, names

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
    """Of an event or a query. `before`: None where this call began the session; `answer`: of `context`, its parts
    without what it is enclosed in."""
    was = before or State(session.state.session_id, session.state.model)
    whose = _whose(session)
    return [TelemetryEvent(name, whose | more) for name, more in _happened(session, method, params, was, answer)]


def job_event(
    session: SessionCore | None, session_id: str | None, method: str, value: Any, fault: BaseException | None
) -> TelemetryEvent | None:
    """Of a long call that has ended, with its value or a fault; None where it writes nothing."""
    if method not in WRITTEN:
        return None
    found: Attributes = {"ctxmgr.compaction.phase": "written", "ctxmgr.compaction.method": method}
    if fault is not None:
        found |= {"ctxmgr.compaction.phase": "failed", names.ERROR: type(fault).__name__}
    else:
        details = _details(value)
        if details is None:
            found["ctxmgr.compaction.phase"] = "left to the host"
        else:
            found["ctxmgr.compaction.by_model"] = "fallback" not in details
    whose: Attributes = {} if session_id is None else {names.CONVERSATION: session_id}
    return TelemetryEvent(names.COMPACTION, (whose if session is None else _whose(session)) | found)


def _happened(
    session: SessionCore, method: str, params: Any, before: State, answer: Parts
) -> Iterator[tuple[str, Attributes]]:
    if method == "context":
        yield from _listed(session, before, answer)
    elif method == "turn_end":
        yield from _replied(session, params, before)
    elif method in APPLIED:
        found: Attributes = {"ctxmgr.compaction.phase": APPLIED[method]}
        if isinstance(params, lifecycle.SessionCompactParams):
            found["ctxmgr.compaction.by_host"] = not params.from_extension
            found["ctxmgr.compaction.tokens_after"] = session.state.outgoing_tokens
        yield names.COMPACTION, found


def _listed(session: SessionCore, before: State, answer: Parts) -> Iterator[tuple[str, Attributes]]:
    found = lists.attributes(session, before, answer)
    if session.state.totals.fallbacks > before.totals.fallbacks:
        yield names.FALLBACK, {names.ERROR: session.last_fault, "ctxmgr.fallback.in_a_row": session.failure_count}
        yield names.LIST, {**found, "ctxmgr.list.fallback": True}
        return
    receipt = lists.opened_epoch(session, before)
    left = lists.evicted((), 0) if receipt is None else lists.evicted(receipt.evicted, receipt.omitted_count)
    yield names.LIST, {**found, **lists.by_kind(session), **left, "ctxmgr.list.fallback": False}
    if receipt is not None:
        weights: Attributes = {
            "ctxmgr.epoch.tokens_before": receipt.before_tokens,
            "ctxmgr.epoch.tokens_after": receipt.after_tokens,
        }
        yield names.EPOCH, {names.PRESET: session.preset.name, **lists.epoch(session, before), **weights, **left}


def _replied(session: SessionCore, params: Any, before: State) -> Iterator[tuple[str, Attributes]]:
    usage = _usage(session, params)
    if usage is not None:
        found: Attributes = {
            names.OPERATION: "chat",
            names.INPUT: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            names.OUTPUT: usage.output_tokens,
            names.CACHE_WRITTEN: usage.cache_write_tokens,
        }
        if usage.has_cache_read:
            found[names.CACHE_READ] = usage.cache_read_tokens
        yield names.REPLY, found
    if session.state.totals.compactions_requested > before.totals.compactions_requested:
        asked: Attributes = {"ctxmgr.compaction.phase": "requested", "ctxmgr.compaction.tokens": session.tokens()}
        yield names.COMPACTION, asked


def _usage(session: SessionCore, params: Any) -> Usage | None:
    """As the provider reported it: of the event, else of its message."""
    if params.usage is not None:
        given: Usage | None = session.fmt.usage(msgspec.to_builtins(params.usage))
        return given
    read: Usage | None = session.fmt.view(bytes(params.message)).usage
    return read


def _details(value: Any) -> dict[str, Any] | None:
    """What ctxmgr says of a summary that it wrote; None where there is none."""
    written = getattr(value, "compaction", None) or getattr(value, "summary", None)
    details = getattr(written, "details", None)
    return dict(details.get("ctxmgr") or {}) if isinstance(details, dict) else None


def _whose(session: SessionCore) -> Attributes:
    model = session.state.model
    found: Attributes = {names.CONVERSATION: session.state.session_id, names.MODEL: model.id}
    if model.provider:
        found[names.PROVIDER] = model.provider
    return found
