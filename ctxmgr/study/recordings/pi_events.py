"""Turns a stream of pi's extension events, one JSON object a line, into a `Stream`.

A line is `{"event", "receivedAt", "payload", "ctx"}`; `ctx` tells session id, model, window and usage at that time.
"""

from typing import Any

import msgspec

from ctxmgr.study.recordings.json_values import members, objects
from ctxmgr.study.recordings.recording import DEFAULT_WINDOW, HostEvent, Stream, UnreadableRecording

_decode = msgspec.json.Decoder().decode


def read(name: str, content: bytes) -> Stream:
    """Raises UnreadableRecording, with the line."""
    events = tuple(_event(piece, name, line) for line, piece in objects(content, name))
    first = next((event.context for event in events if event.context.get("sessionId")), {})
    model = first.get("model") or {}
    return Stream(
        name=name,
        session_id=str(first.get("sessionId") or name),
        model=str(model.get("id") or "unknown"),
        events=events,
        cwd=str(first.get("cwd") or ""),
        window=int(model.get("contextWindow") or DEFAULT_WINDOW),
        says_window=bool(model.get("contextWindow")),
    )


def _event(piece: bytes, name: str, line: int) -> HostEvent:
    fields = members(piece, name, line)
    try:
        event = _decode(fields["event"])
        payload = members(bytes(fields["payload"]), name, line)
        context: Any = _decode(fields.get("ctx", b"{}"))
        received = _decode(fields.get("receivedAt", b"null"))
    except KeyError as missing:
        raise UnreadableRecording(f"{name}, line {line}: an event without {missing}") from None
    if not isinstance(event, str) or not isinstance(context, dict):
        raise UnreadableRecording(f"{name}, line {line}: this is no event")
    return HostEvent(event, int(received) if isinstance(received, int | float) else None, payload, context, line)
