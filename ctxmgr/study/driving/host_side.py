"""The host's end of a session with ctxmgr: asks, judges each answer, counts the events that take effect."""

import hashlib
import time
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.presets import PRESETS
from ctxmgr.study.driving import legality
from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult
from ctxmgr.study.driving.side import HostSide
from ctxmgr.study.hosts import HostMessage
from ctxmgr.study.spawning import RpcClient, RpcFailure

CONTENT_MODIFIED = -32801
PLAIN_REASONS = frozenset({"pruning is off", "nothing to leave out"})

_encode = msgspec.json.Encoder().encode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _leaves_whole_turns(name: str) -> bool:
    """Does the preset of this name leave out whole turns only? What is called otherwise does as it likes."""
    return name in PRESETS and PRESETS[name].invariants is TURNS


class ReplayHost(HostSide):
    """What is wrong goes on the outcome's list of failures."""

    def __init__(
        self,
        client: RpcClient,
        session_id: str,
        outcome: ReplayResult,
        append: bool,
        measure: bool = False,
    ) -> None:
        super().__init__(session_id, outcome, measure)
        self.client, self.append = client, append
        self.seq = 0
        self.base = ""
        self.sent = 0
        self.hash = hashlib.sha256()
        self.shortened: set[bytes] = set()  # results that the compact zone has rewritten
        self.earlier: dict[bytes, HostMessage] = {}  # what stood in lists that are others by now

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

    def query(self, method: str, params: Mapping[str, Any]) -> bytes:
        """The bytes of an answer that tells no `seq`."""
        raw = self.client.request_raw(method, _encode({"sessionId": self.session_id, **params}))
        self.hash.update(raw)
        return raw

    def _same_seq(self, method: str, raw: bytes) -> None:
        if raw in (b"null", b"{}"):
            return
        seq = msgspec.json.decode(_members(raw).get("seq", msgspec.Raw(b"null")))
        if seq != self.seq:
            self.fail("wrong seq", f"{method} answered seq {seq}, {self.seq} events have taken effect")

    def fail(self, code: str, text: str) -> None:
        """`text` may quote the conversation, `code` does not."""
        place = f"call {len(self.outcome.calls)}"
        self.outcome.failures.append(f"{place}: {text}")
        self.outcome.fault_codes.append(f"{place}: {code}")

    def context(self, at: int | None) -> dict[str, Any]:
        """Sends the list as it stands; the answer's report. Raises RpcFailure."""
        started = time.perf_counter()
        raw = self._context(at)
        seconds = time.perf_counter() - started
        result = _members(raw)
        report: dict[str, Any] = msgspec.json.decode(result["report"])
        if said := report.get("arithmetic"):
            self.outcome.arithmetic.append(f"call {len(self.outcome.calls) + 1}, epoch {report['epoch']}: {said}")
        self.base = msgspec.json.decode(result["base"])
        self.sent = len(self.items)
        placed = self._judge(result, report)
        self.outcome.calls.append(
            ReplayedCall(
                zone=report["zone"],
                before_tokens=report["rawTokens"],
                after_tokens=report["tokens"],
                dropped=report["turnsDropped"],
                distilled=report["resultsDistilled"],
                pruned=report["resultsPruned"],
                packet_tokens=report["packetTokens"],
                seconds=seconds,
                index=len(self.items),
            )
        )
        if self.watch is not None and placed is not None:
            self.watch.called(at, self.items, placed, report["epoch"])
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
                self.fail("append refused", f"append was refused though nothing was changed: {failure.message}")
        return self.ask("context", head + b',"messages":[' + _joined(self.items) + b"]" + rest + b"}")

    def _judge(
        self, result: dict[str, msgspec.Raw], report: dict[str, Any]
    ) -> list[legality.MatchedMessage] | None:
        """The answered list, None where it can not be made out."""
        if report["checks"]:
            broken = f"broken checks: {', '.join(report['checks'])}"
            self.fail(broken, broken)
        if (reason := report.get("reason")) and reason not in PLAIN_REASONS:
            self.fail("fell back", f"fell back: {reason}")
        if report["tokens"] - report["packetTokens"] > report["rawTokens"]:
            self.fail("heavier list", f"{report['tokens']} tokens answered of {report['rawTokens']}")
        try:
            placed = legality.answered(self.items, result)
        except legality.IllegalAnswer as illegal:
            self.fail("illegal answer", str(illegal))
            return None
        if report["zone"] == "compact":
            self.shortened.update(
                self.items[one.index].raw for one in placed if one.index is not None and not one.same
            )
        whole_turns, left = _leaves_whole_turns(self.outcome.preset), report.get("messagesDropped", 0)
        earlier = self.earlier.values()
        for text in legality.faults(self.items, placed, whole_turns, self.shortened, earlier, left):
            self.fail("illegal list", text)
        packet = next((one.message.message["content"] for one in placed if one.index is None), "")
        self.outcome.packet = packet or self.outcome.packet
        return placed

    def turn_end(self, params: bytes) -> list[dict[str, Any]]:
        """`params` are whole. The commands in the answer."""
        started = time.perf_counter()
        answer = msgspec.json.decode(self.ask("turn_end", params, counted=True))
        self.outcome.turn_end_seconds.append(time.perf_counter() - started)
        self.outcome.turn_ends += 1
        commands: list[dict[str, Any]] = answer["commands"]
        for command in commands:
            if command["method"] != "requestCompaction":
                self.fail("unknown command", f"an unknown command {command['method']}")
                continue
            self.outcome.requested += 1
            status = answer["status"]
            self.mark("request", f"{status['zone']} at {status['tokens']} tokens: {command['params']['reason']}")
        return commands

    def rewritten(self) -> None:
        """The host's list becomes another one: `append` has nothing to add to."""
        self.base = ""
        self.earlier |= {one.raw: one for one in self.items}


def _joined(items: Iterable[HostMessage]) -> bytes:
    return b",".join(one.raw for one in items)
