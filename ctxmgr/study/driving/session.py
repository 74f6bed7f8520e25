"""Turns a recorded session into what its host would have said, call by call (rules 1 to 3 of `drive`), and recorded
events of a live host into the same events for ctxmgr."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ctxmgr.study.driving.host import HostSide, ReplayHost
from ctxmgr.study.driving.outcomes import ReplayOptions
from ctxmgr.study.hosts import HostMessage, pi_host
from ctxmgr.study.recordings import HostEvent, RecordedEntry, Recording, Stream

PREDICTED_RATIO = 1.25  # provider tokens a weighed token where nothing was recorded; ctxmgr's own first guess
RATIO_BOUNDS = (0.5, 3.0)  # provider tokens a weighed token: outside them the recorded usage is of something else
KEEP_SHARE = 4  # a compaction keeps no more than a quarter of a small window

# events of a host that are told with their members as params; whether they raise `seq`
PASSED_ON = {
    "session_before_compact": False,
    "session_compact": True,
    "session_compact_failed": True,
    "session_before_tree": False,
    "session_tree": True,
    "session_shutdown": True,
}

_encode = msgspec.json.Encoder().encode
_raws = msgspec.json.Decoder(list[msgspec.Raw]).decode


def run(
    side: HostSide, recording: Recording, options: ReplayOptions, window: int, step: Callable[[], None]
) -> None:
    """All entries, oldest first. `step` is called after each."""
    host = _Host(side, options, window)
    entries = recording.entries
    index = 0
    while index < len(entries):
        entry = entries[index]
        results: tuple[RecordedEntry, ...] = ()
        if entry.kind == "model":
            model = {"id": entry.model or recording.model, "contextWindow": window}
            side.ask("model_select", {"model": model}, counted=True)
        elif entry.kind == "compaction":
            host.recorded_compaction(entry)
        elif entry.role == "assistant":
            results = _results(entries, index)
            host.turn(entry, results)
        else:
            host.add(entry)
        for _ in range(1 + len(results)):
            step()
        index += 1 + len(results)
    side.ask("session_shutdown", {}, counted=True)


def run_events(side: ReplayHost, stream: Stream, window: int, step: Callable[[], None]) -> None:
    """All events of a live host, in their order, with the lists as recorded; those that ctxmgr does not know are
    left out."""
    model = stream.model
    for event in stream.events:
        now = event.context.get("model") or {}
        if now.get("id") and now["id"] != model:
            model = str(now["id"])
            side.ask("model_select", {"model": {"id": model, "contextWindow": window}}, counted=True)
        if event.name == "context":
            _told_context(side, event)
        elif event.name == "turn_end":
            _told_turn_end(side, event)
        elif event.name in PASSED_ON:
            if counted := PASSED_ON[event.name]:
                side.rewritten()
            if counted and event.name != "session_shutdown":
                side.mark(event.name)
            params = {name: value for name, value in event.payload.items() if name != "type"}
            side.ask(event.name, params, counted=counted)
        step()


def _told_context(side: ReplayHost, event: HostEvent) -> None:
    items = [pi_host.item("", bytes(raw)) for raw in _raws(event.payload["messages"])]
    known = [item.raw for item in side.items[: side.sent]]
    if [item.raw for item in items[: len(known)]] != known:
        side.rewritten()
    side.items = items
    side.context(event.time_ms)


def _told_turn_end(side: ReplayHost, event: HostEvent) -> None:
    fields = event.payload
    side.replied(pi_host.item("", bytes(fields["message"])))
    params: dict[str, Any] = {
        "sessionId": side.session_id,
        "message": fields["message"],
        "at": event.time_ms,
        "toolResults": fields.get("toolResults", []),
    }
    if "messageEntryId" in fields:
        results: Any = fields.get("toolResultEntryIds", [])
        params["entryIds"] = {"message": fields["messageEntryId"], "toolResults": results}
    side.turn_end(_encode(params))


def _results(entries: Sequence[RecordedEntry], index: int) -> tuple[RecordedEntry, ...]:
    """The tool results right after an assistant message."""
    end = index + 1
    while end < len(entries) and entries[end].role == "toolResult":
        end += 1
    return tuple(entries[index + 1 : end])


class _Host:
    """The session as its host holds it. `then` is the list as it was recorded, `items` (of the side) as it is."""

    def __init__(self, side: HostSide, options: ReplayOptions, window: int) -> None:
        self.side, self.options, self.window = side, options, window
        self.then: list[str] = []  # ids of what the recorded list held
        self.ratio: float | None = None
        self.pending = False
        self.files: dict[str, str] = {}
        self.compactions = 0

    def add(self, entry: RecordedEntry) -> None:
        """A message that no model wrote. A host with a compaction pending runs it before it takes a prompt."""
        if self.pending and entry.role == "user":
            self._compact("requested", entry.time_ms)
        self._push(entry)

    def _push(self, entry: RecordedEntry) -> None:
        self.side.items.append(pi_host.item(entry.id, entry.message))
        self.then.append(entry.id)

    def turn(self, entry: RecordedEntry, results: tuple[RecordedEntry, ...]) -> None:
        side = self.side
        report = side.context(_time(entry))
        reply = pi_host.item(entry.id, entry.message)
        side.replied(reply)
        usage = self._usage(reply, report)
        newest = results[-1].time_ms if results else entry.time_ms
        params = {
            "sessionId": side.session_id,
            "message": msgspec.Raw(entry.message),
            "toolResults": [msgspec.Raw(result.message) for result in results],
            "entryIds": {"message": entry.id, "toolResults": [result.id for result in results]},
            **({} if newest is None else {"at": newest}),
            **({"usage": {"tokens": usage}} if usage else {}),
        }
        self.pending |= bool(side.turn_end(_encode(params)))
        for result in (entry, *results):
            self._push(result)
        if self.options.recorded_compactions:
            return
        if usage > pi_host.compacts_above(self.window):
            self._compact("own", newest)
        elif self.pending and reply.message.get("stopReason") != "toolUse":
            self._compact("requested", newest)

    def _usage(self, reply: HostMessage, report: dict[str, Any]) -> int:
        """The total that a provider would have reported for the answered list and this reply; 0 for a reply
        that failed. The recorded one stands for the recorded list; where ours is another by now, the last
        ratio known goes on."""
        if reply.message.get("stopReason") in ("error", "aborted"):
            return 0
        if self.options.host.overhead_tokens is not None:
            return int(report["tokens"]) + self.options.host.overhead_tokens + reply.weight
        recorded = reply.message.get("usage") or {}
        input = sum(int(recorded.get(name) or 0) for name in ("input", "cacheRead", "cacheWrite"))
        output = int(recorded.get("output") or 0)
        raw, tokens = int(report["rawTokens"]), int(report["tokens"])
        if input and raw and self.then == [item.id for item in self.side.items]:
            self.ratio = min(max(input / raw, RATIO_BOUNDS[0]), RATIO_BOUNDS[1])
            return max(1, round(input + output - self.ratio * (raw - tokens)))
        if self.ratio is None:
            return round(PREDICTED_RATIO * tokens) + reply.weight
        return round(self.ratio * tokens) + (output or reply.weight)

    def recorded_compaction(self, entry: RecordedEntry) -> None:
        """The recorded list goes on from its summary; ours as well, where that was asked for."""
        kept = self.then.index(entry.first_kept) if entry.first_kept in self.then else len(self.then)
        self.then = [entry.id, *self.then[kept:]]
        if not self.options.recorded_compactions:
            return
        side = self.side
        places = (number for number, item in enumerate(side.items) if item.id == entry.first_kept)
        start = next(places, len(side.items))
        summary = pi_host.item(entry.id, entry.message)
        fields = {
            "type": "compaction",
            "id": entry.id,
            "summary": entry.summary,
            "firstKeptEntryId": entry.first_kept or None,
            "tokensBefore": summary.message["tokensBefore"],
            "timestamp": entry.time_ms,
        }
        self._compacted(fields, [summary, *side.items[start:]], "recorded")

    def _compact(self, why: str, time_ms: int | None) -> None:
        side = self.side
        self.pending = False
        self.files = pi_host.files_of(side.items, self.files)
        self.compactions += 1
        keep = self.options.host.keep_tokens or min(pi_host.KEEP_TOKENS, self.window // KEEP_SHARE)
        id = f"compaction-{self.compactions}"
        write = self._own_summary if self.options.own_summaries else self.options.write
        done = pi_host.compact(side.items, self.files, id, time_ms or 0, keep, write)
        if done is None:
            side.outcome.failed_compactions += 1
            side.mark("nothing to compact")
            fault = {"reason": "threshold", "errorMessage": "Nothing to compact (session too small)"}
            side.ask("session_compact_failed", fault, counted=True)
            return
        self._compacted(done.entry, list(done.items), why)

    def _own_summary(self, removed: Sequence[HostMessage], kept: Sequence[HostMessage]) -> str:
        """Of ctxmgr, as a host asks for it that has planned its compaction by itself. Raises RpcFailure."""
        items = self.side.items
        previous = next((item.message["summary"] for item in items if item.role == "compactionSummary"), None)
        paths = {kind: [path for path, how in self.files.items() if how == kind] for kind in ("read", "modified")}
        preparation = {
            "firstKeptEntryId": kept[0].id,
            "messagesToSummarize": [msgspec.Raw(item.raw) for item in removed],
            "tokensBefore": sum(item.weight for item in items),
            "previousSummary": previous,
            "fileOps": {"read": paths["read"], "written": [], "edited": paths["modified"]},
        }
        answer = msgspec.json.decode(self.side.ask("session_before_compact", {"preparation": preparation}))
        return str(answer["compaction"]["summary"])

    def _compacted(self, entry: dict[str, Any], items: list[HostMessage], why: str) -> None:
        side = self.side
        side.outcome.compacted += 1
        side.outcome.own += why == "own"
        if why == "own" and side.watch is not None:
            side.watch.compacted()
        side.mark(f"compaction ({why})", f"{len(side.items)} messages became {len(items)}")
        side.rewritten()
        side.items = items
        side.ask("session_compact", {"compactionEntry": entry, "fromExtension": False}, counted=True)


def _time(entry: RecordedEntry) -> int | None:
    """When the model was called, in milliseconds: pi stamps the message then, the entry when it was written."""
    stamped = msgspec.json.decode(entry.message).get("timestamp")
    return int(stamped) if isinstance(stamped, int | float) else entry.time_ms
