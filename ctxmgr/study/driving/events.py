"""Turns the recorded events of a live host into the same events for ctxmgr, with the lists as recorded."""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.study.driving.host import ReplayHost
from ctxmgr.study.hosts import pi_host
from ctxmgr.study.recordings import HostEvent, Stream

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_raws = msgspec.json.Decoder(list[msgspec.Raw]).decode

Told = Callable[[ReplayHost, HostEvent], None]


def run(side: ReplayHost, stream: Stream, window: int, step: Callable[[], None]) -> None:
    """All events, in their order; those that ctxmgr does not know are left out."""
    model = stream.model
    for event in stream.events:
        now = event.context.get("model") or {}
        if now.get("id") and now["id"] != model:
            model = str(now["id"])
            side.ask("model_select", {"model": {"id": model, "contextWindow": window}}, counted=True)
        tell = TOLD.get(event.name)
        if tell is not None:
            tell(side, event)
        step()


def _context(side: ReplayHost, event: HostEvent) -> None:
    items = [pi_host.item("", bytes(raw)) for raw in _raws(event.payload["messages"])]
    known = [item.raw for item in side.items[: side.sent]]
    if [item.raw for item in items[: len(known)]] != known:
        side.rewritten()
    side.items = items
    side.context(event.time_ms)


def _turn_end(side: ReplayHost, event: HostEvent) -> None:
    fields = event.payload
    side.replied(pi_host.item("", bytes(fields["message"])))
    params: dict[str, Any] = {"sessionId": side.session_id, "message": fields["message"], "at": event.time_ms}
    params["toolResults"] = fields.get("toolResults", [])
    if "messageEntryId" in fields:
        results: Any = fields.get("toolResultEntryIds", [])
        params["entryIds"] = {"message": fields["messageEntryId"], "toolResults": results}
    side.turn_end(_encode(params))


def _passed_on(method: str, counted: bool) -> Told:
    """The payload's members are the params, with the session's id."""

    def tell(side: ReplayHost, event: HostEvent) -> None:
        if counted:
            side.rewritten()
            if method != "session_shutdown":
                side.mark(method)
        side.ask(method, {name: value for name, value in event.payload.items() if name != "type"}, counted=counted)

    return tell


TOLD: dict[str, Told] = {
    "context": _context,
    "turn_end": _turn_end,
    "session_before_compact": _passed_on("session_before_compact", counted=False),
    "session_compact": _passed_on("session_compact", counted=True),
    "session_compact_failed": _passed_on("session_compact_failed", counted=True),
    "session_before_tree": _passed_on("session_before_tree", counted=False),
    "session_tree": _passed_on("session_tree", counted=True),
    "session_shutdown": _passed_on("session_shutdown", counted=True),
}
