"""Drives a recorded session through ctxmgr as its host would.

1. Before each assistant message its list is sent, with the recorded time. After it comes a `turn_end` with the tool
   results and the usage that the answered list would have had.
2. A requested compaction runs when the host is idle: when the run's last message came, or before the next user
   message. Above window - 16 384 tokens the host compacts by itself, at once; that is counted separately.
3. Recorded compactions are skipped unless requested; then they are made where recorded, and no others.
4. Each answer is checked from the host's side. Faults are collected in a list, and the session continues.
5. A peer is driven the same way, without a ctxmgr (`drive_peer`).
6. ctxmgr is a connection in this process: no process is started, no vocabulary is loaded twice, and the answers are
   the same bytes. A sidecar is spawned on request, and if only a process will do (`_sidecar`).
7. Recorded events of a live host are sent in order, with the lists as recorded.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.formats import pi
from ctxmgr.plain_text import unquoted_fault_text
from ctxmgr.session import Reader
from ctxmgr.settings import models_file
from ctxmgr.study.driving.host import HostSide, Peer, PeerHost, ReplayHost
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.observations import VOCABULARY, MessageCache, message_reader, message_weigher
from ctxmgr.study.recordings import HostEvent, HostMessage, RecordedEntry, Recording, Stream, pi_host
from ctxmgr.study.spawning import InProcessDriver, RpcClient, RpcFailure, SidecarProcess, Spawned, this_ctxmgr

PREDICTED_RATIO = 1.25  # provider tokens per estimated token without a recording; ctxmgr's own first guess
# provider tokens per estimated token; outside them the recorded usage belongs to something else
RATIO_BOUNDS = (0.5, 3.0)
KEEP_SHARE = 4  # a compaction keeps no more than a quarter of a small window

# events of a host with their members as params; whether they raise `seq`
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
    """All entries, oldest first. Calls `step` after each."""
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
    """All events of a live host, in order, with the lists as recorded; events unknown to ctxmgr are skipped."""
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
    """The tool results directly after an assistant message."""
    end = index + 1
    while end < len(entries) and entries[end].role == "toolResult":
        end += 1
    return tuple(entries[index + 1 : end])


class _Host:
    """The session as its host holds it. `then`: the list as recorded. `items` (of the side): the current list."""

    def __init__(self, side: HostSide, options: ReplayOptions, window: int) -> None:
        self.side, self.options, self.window = side, options, window
        self.then: list[str] = []  # ids of the recorded list
        self.ratio: float | None = None
        self.pending = False
        self.files: dict[str, str] = {}
        self.compactions = 0

    def add(self, entry: RecordedEntry) -> None:
        """A message that no model wrote. A host with a pending compaction runs it before it accepts a prompt."""
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
        """The total that a provider would have reported for the answered list and this reply; 0 for a failed reply.
        Recorded usage applies to the recorded list; if ours differs by now, the last known ratio is used.
        """
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
        """The recorded list continues from its summary; ours as well, if requested."""
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
        """A summary by ctxmgr, requested like by a host that planned its compaction itself. Raises RpcFailure."""
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
    """When the model was called, in milliseconds: pi stamps the message then, and the entry when it was written."""
    stamped = msgspec.json.decode(entry.message).get("timestamp")
    return int(stamped) if isinstance(stamped, int | float) else entry.time_ms


DEVICES = {"endpoint", "embeddings", "tokenizer"}  # words of a policy that need something outside the process


def drive(
    recorded: Recording | Stream, options: ReplayOptions, step: Callable[[], None] = lambda: None
) -> ReplayResult:
    """One recording through one connection. Faults of ctxmgr are listed in the outcome, not raised."""
    window = options.window or recorded.window
    outcome = ReplayResult(recorded.name, options.preset or "default", window)
    sidecar = _sidecar(options)
    client = RpcClient(sidecar)
    side = ReplayHost(client, recorded.session_id, outcome, options.append, options.measure)
    try:
        _begin(client, recorded, options, outcome)
        model = {"id": recorded.model, "contextWindow": window}
        side.ask("session_start", {"model": model, "cwd": recorded.cwd})
        if isinstance(recorded, Stream):
            run_events(side, recorded, window, step)
        else:
            run(side, recorded, options, window, step)
        client.close()
    except Exception as fault:  # noqa: BLE001  whatever it was, the other recordings go on
        code = f"error answer {fault.code}" if isinstance(fault, RpcFailure) else unquoted_fault_text(fault)
        side.fail(code, f"{type(fault).__name__}: {fault}")
    finally:
        sidecar.kill()
    outcome.exit_code = sidecar.exit_code
    if text := sidecar.stderr():
        side.fail("stderr", f"stderr: {text}")
    if outcome.exit_code != 0:
        ended = f"exit code {outcome.exit_code}"
        side.fail(ended, ended)
    outcome.fingerprint = side.hash.hexdigest()
    if isinstance(recorded, Recording):
        outcome.host, outcome.notes = recorded.host, recorded.notes
    return outcome


def drive_alone(recorded: Recording, options: ReplayOptions) -> ReplayResult:
    """One recording by its host alone: each list goes out whole, as with preset `off`, in a third of the time.
    Raises nothing of its own.
    """
    counted_as_a_session = Reader(pi)
    return drive_peer(recorded, "off", lambda given: given.messages, options, counted_as_a_session)


def drive_peer(
    recorded: Recording, name: str, peer: Peer, options: ReplayOptions, reader: Reader | None = None
) -> ReplayResult:
    """One recording, with the lists of this peer, whose name is the outcome's preset. `reader`: counts tokens; by
    default as the measures do. Raises nothing of its own.
    """
    weigh = MessageCache(reader or message_reader()).weight
    window = options.window or recorded.window
    outcome = ReplayResult(recorded.name, name, window, host=recorded.host, notes=recorded.notes)
    side = PeerHost(peer, options.host.overhead_tokens or 0, weigh, recorded.session_id, outcome)
    run(side, recorded, msgspec.structs.replace(options, own_summaries=False), window, lambda: None)
    return outcome


def _sidecar(options: ReplayOptions) -> SidecarProcess:
    """Rule 6. A transcript is of a process; an archive, or some keys, need a device."""
    if options.spawn or options.retrieves or options.record is not None or _of_devices(options.policy):
        recorded = () if options.record is None else ("--record", str(options.record))
        models = () if options.models is None else ("--models", options.models)
        return Spawned(this_ctxmgr("--preload", VOCABULARY, *recorded, *models))
    weigher = message_weigher()  # loaded first: counts must not depend on when it would have come
    return InProcessDriver({weigher.name: weigher}, models_file(options.models))


def _of_devices(value: Any) -> bool:
    """Whether a policy, or a part of it, contains one of `DEVICES`."""
    if isinstance(value, Mapping):
        return any(key in DEVICES or _of_devices(inner) for key, inner in value.items())
    return isinstance(value, str) and value in DEVICES


def _begin(
    client: RpcClient,
    recorded: Recording | Stream,
    options: ReplayOptions,
    outcome: ReplayResult,
) -> None:
    policy = {**options.policy, **({"preset": options.preset} if options.preset else {})}
    answer = client.request(
        "initialize",
        {
            "protocolVersion": "1.0",
            "clientInfo": {"name": "ctxmgr replay"},
            "capabilities": {
                "requestCompaction": "whenIdle",
                "edits": options.append,
                **({"retrieve": True} if options.retrieves else {}),
            },
            "messageFormat": recorded.format,
            "policy": policy,
            **({"stateDir": str(options.state_dir)} if options.state_dir else {}),
        },
    )
    outcome.preset = options.label or answer["policy"].get("preset", outcome.preset)
    client.notify("initialized", {})
