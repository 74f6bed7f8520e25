"""Drives a recorded session through a spawned ctxmgr as its host would, and measures what comes of it.

1. Before each assistant message its list is sent, with the recorded time; after it a `turn_end` with the tool
   results and the usage that the answered list would have had.
2. A requested compaction runs when the host is idle: when the run's last message came, or before the next user
   message. Above window - 16 384 tokens the host compacts by itself, at once: counted apart.
3. Recorded compactions are left out, unless they are asked for; then they are made where recorded, and no others.
4. Each answer is judged from the host's side; what is wrong goes on a list, and the session goes on.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.study import legal
from ctxmgr.study.client import Client, RpcFailure
from ctxmgr.study.pi_host import Item
from ctxmgr.study.recordings import Stream

Recorded = Any
Step = Callable[[], None]

PREDICTED_RATIO = 1.25  # provider tokens a weighed token where nothing was recorded; ctxmgr's own first guess
VOCABULARY = "o200k_base"
CONTENT_MODIFIED = -32801
WHOLE_TURNS = frozenset({"off", "tools", "turns"})  # presets that leave out whole turns only
PLAIN_REASONS = frozenset({"pruning is off", "nothing to leave out"})

_encode = msgspec.json.Encoder().encode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Options(msgspec.Struct, frozen=True):
    """`window` in tokens, None for the recording's own. `append`: send only what is new and take edits.

    `state_dir` for snapshots; `record`: a transcript's file. `env`: of the process, None for this one's.
    """

    preset: str | None = None
    window: int | None = None
    append: bool = False
    recorded_compactions: bool = False
    state_dir: Path | None = None
    record: Path | None = None
    policy: dict[str, Any] = {}
    env: dict[str, str] | None = None


class Call(msgspec.Struct, frozen=True):
    """One `context`. Weights in tokens, uncalibrated; `seconds` from asking to the answer, at the client."""

    zone: str
    before: int
    after: int
    dropped: int
    distilled: int
    pruned: int
    packet: int
    seconds: float
    index: int = 0


class Mark(msgspec.Struct, frozen=True):
    """Something that happened: `call` is the number of calls before it."""

    kind: str
    call: int
    text: str = ""


class Outcome(msgspec.Struct):
    """All that came of one drive. `own`: compactions the host made unasked; `failed`: had nothing to compact.

    `fingerprint` is the hash of every answer's bytes: two runs of the same program have the same.
    """

    name: str
    preset: str
    window: int
    calls: list[Call] = []
    marks: list[Mark] = []
    failures: list[str] = []
    requested: int = 0
    compacted: int = 0
    own: int = 0
    failed: int = 0
    turn_ends: int = 0
    turn_end_seconds: list[float] = []
    fingerprint: str = ""
    exit_code: int | None = None
    packet: str = ""


class Wire:
    """The host's end of one session: asks, times, judges, and counts the events that take effect."""

    def __init__(self, client: Client, session_id: str, outcome: Outcome, append: bool) -> None:
        self.client, self.session_id, self.outcome, self.append = client, session_id, outcome, append
        self.items: list[Item] = []
        self.seq = 0
        self.base = ""
        self.sent = 0
        self.hash = hashlib.sha256()
        self.shortened: set[bytes] = set()  # results that the compact zone has rewritten

    def ask(self, method: str, params: Mapping[str, Any] | bytes, counted: bool = False) -> bytes:
        """The bytes of the answer. `counted`: it raises `seq`."""
        if not isinstance(params, bytes):
            params = _encode({"sessionId": self.session_id, **params})
        raw = self.client.request_raw(method, params)
        self.hash.update(raw)
        if method != "session_start":
            self.seq += counted
            self._same_seq(method, raw)
        return raw

    def _same_seq(self, method: str, raw: bytes) -> None:
        if raw in (b"null", b"{}"):
            return
        seq = msgspec.json.decode(_members(raw).get("seq", msgspec.Raw(b"null")))
        if seq != self.seq:
            self.fail(f"{method} answered seq {seq}, {self.seq} events have taken effect")

    def fail(self, text: str) -> None:
        self.outcome.failures.append(f"call {len(self.outcome.calls)}: {text}")

    def context(self, at: int | None) -> dict[str, Any]:
        """Sends the list as it stands; the answer's report. Raises RpcFailure."""
        started = time.perf_counter()
        raw = self._context(at)
        seconds = time.perf_counter() - started
        result = _members(raw)
        report: dict[str, Any] = msgspec.json.decode(result["report"])
        self.base = msgspec.json.decode(result["base"])
        self.sent = len(self.items)
        self._judge(result, report)
        self.outcome.calls.append(
            Call(
                zone=report["zone"],
                before=report["rawTokens"],
                after=report["tokens"],
                dropped=report["turnsDropped"],
                distilled=report["resultsDistilled"],
                pruned=report["resultsPruned"],
                packet=report["packetTokens"],
                seconds=seconds,
                index=len(self.items),
            )
        )
        return report

    def _context(self, at: int | None) -> bytes:
        rest = b',"at":%d' % at if at is not None else b""
        head = b'{"sessionId":' + _encode(self.session_id)
        if not self.append:
            return self.ask("context", head + b',"messages":[' + _joined(self.items) + b"]" + rest + b"}")
        rest += b',"answer":"edits"'
        if self.base:
            new = b',"append":{"after":%d,"base":%b,"messages":[' % (self.sent, _encode(self.base))
            try:
                return self.ask("context", head + new + _joined(self.items[self.sent :]) + b"]}" + rest + b"}")
            except RpcFailure as failure:
                if failure.code != CONTENT_MODIFIED:
                    raise
                self.fail(f"append was refused though nothing was changed: {failure.message}")
        return self.ask("context", head + b',"messages":[' + _joined(self.items) + b"]" + rest + b"}")

    def _judge(self, result: dict[str, msgspec.Raw], report: dict[str, Any]) -> None:
        if report["checks"]:
            self.fail(f"broken checks: {', '.join(report['checks'])}")
        if (reason := report.get("reason")) and reason not in PLAIN_REASONS:
            self.fail(f"fell back: {reason}")
        if report["tokens"] > report["rawTokens"]:
            self.fail(f"{report['tokens']} tokens answered of {report['rawTokens']}")
        try:
            placed = legal.answered(self.items, result)
        except legal.Illegal as illegal:
            self.fail(str(illegal))
            return
        if report["zone"] == "compact":
            self.shortened.update(
                self.items[one.index].raw for one in placed if one.index is not None and not one.same
            )
        for text in legal.faults(self.items, placed, self.outcome.preset in WHOLE_TURNS, self.shortened):
            self.fail(text)
        packet = next((one.message.message["content"] for one in placed if one.index is None), "")
        self.outcome.packet = packet or self.outcome.packet

    def turn_end(self, params: bytes) -> list[dict[str, Any]]:
        """`params` are whole. The commands in the answer."""
        started = time.perf_counter()
        answer = msgspec.json.decode(self.ask("turn_end", params, counted=True))
        self.outcome.turn_end_seconds.append(time.perf_counter() - started)
        self.outcome.turn_ends += 1
        commands: list[dict[str, Any]] = answer["commands"]
        for command in commands:
            if command["method"] != "requestCompaction":
                self.fail(f"an unknown command {command['method']}")
            self.outcome.requested += 1
            status = answer["status"]
            self.mark("request", f"{status['zone']} at {status['tokens']} tokens: {command['params']['reason']}")
        return commands

    def mark(self, kind: str, text: str = "") -> None:
        self.outcome.marks.append(Mark(kind, len(self.outcome.calls), text))

    def rewritten(self) -> None:
        """The host's list is another one now: `append` has nothing to add to."""
        self.base = ""


def drive(recorded: Recorded, options: Options, step: Step = lambda: None) -> Outcome:
    """One recording through one process. Faults of ctxmgr end on the outcome's list, they are not raised."""
    from ctxmgr.study import drive_events, drive_session

    window = options.window or recorded.window
    outcome = Outcome(recorded.name, options.preset or "default", window)
    with Client(_arguments(options), env=options.env) as client:
        wire = Wire(client, recorded.session_id, outcome, options.append)
        try:
            _begin(client, recorded, options, outcome)
            model = {"id": recorded.model, "contextWindow": window}
            wire.ask("session_start", {"model": model, "cwd": recorded.cwd})
            run = drive_events.run if isinstance(recorded, Stream) else drive_session.run
            run(wire, recorded, options, window, step)
            outcome.exit_code = client.close()
        except Exception as fault:  # noqa: BLE001  whatever it was, the other recordings go on
            wire.fail(f"{type(fault).__name__}: {fault}")
            client.kill()
            outcome.exit_code = client.process.poll()
        if said := client.stderr():
            wire.fail(f"stderr: {said}")
        if outcome.exit_code != 0:
            wire.fail(f"exit code {outcome.exit_code}")
        outcome.fingerprint = wire.hash.hexdigest()
    return outcome


def _arguments(options: Options) -> list[str]:
    """The vocabulary is loaded first: weights must not depend on when it would have come."""
    arguments = ["--preload", VOCABULARY]
    if options.record is not None:
        arguments += ["--record", str(options.record)]
    return arguments


def _begin(client: Client, recorded: Recorded, options: Options, outcome: Outcome) -> None:
    policy = {**options.policy, **({"preset": options.preset} if options.preset else {})}
    answer = client.request(
        "initialize",
        {
            "protocolVersion": "1.0",
            "clientInfo": {"name": "ctxmgr replay"},
            "capabilities": {"requestCompaction": "whenIdle", "edits": options.append},
            "messageFormat": recorded.format,
            "policy": policy,
            **({"stateDir": str(options.state_dir)} if options.state_dir else {}),
        },
    )
    outcome.preset = answer["policy"].get("preset", outcome.preset)
    client.notify("initialized", {})


def _joined(items: Iterable[Item]) -> bytes:
    return b",".join(one.raw for one in items)
