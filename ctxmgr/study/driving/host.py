"""The host's end of a driven session. Through ctxmgr, it requests lists, checks each answer and counts the events
that take effect; peers are measured on the same host.

A peer is a function from a list to a list, without memory. It clears messages and omits none: the answer has a
message for each of the host's list.
"""

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.study.driving.matching import IllegalAnswer, MatchedMessage, answered
from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult, TimelineMark
from ctxmgr.study.observations import PACKET, Observation, ProjectedMessage, same_start
from ctxmgr.study.recordings import HostMessage, pi_host
from ctxmgr.study.spawning import RpcClient, RpcFailure

CONTENT_MODIFIED = -32801
PLAIN_REASONS = frozenset({"pruning is off", "nothing to leave out"})
WITHOUT_SEQ = frozenset({"session_start", "session_before_compact", "session_before_tree"})

_encode = msgspec.json.Encoder().encode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class ObservationRecorder:
    """`observations` has one for each call that was answered and that a recorded message followed."""

    def __init__(self, observations: list[Observation]) -> None:
        self.observations = observations
        # most of a list was in the previous list
        self._projected: dict[tuple[bytes, int, bool], ProjectedMessage] = {}
        self._called: tuple[int | None, tuple[HostMessage, ...], tuple[ProjectedMessage, ...], int, int] | None = (
            None
        )
        self._own_compactions = 0

    def compacted(self) -> None:
        """By the host, unasked."""
        self._own_compactions += 1

    def called(
        self, time_ms: int | None, items: Sequence[HostMessage], matched: Iterable[MatchedMessage], epoch: int
    ) -> None:
        """What the model is about to be shown. `items`: the host's list. `time_ms` in milliseconds."""
        shown = []
        for answer in matched:
            key = (answer.message.raw, PACKET if answer.index is None else answer.index, answer.same)
            shown.append(self._projected.setdefault(key, ProjectedMessage(*key)))
        self._called = time_ms, tuple(items), tuple(shown), epoch, self._own_compactions
        self._own_compactions = 0

    def replied(self, reply: HostMessage) -> None:
        """The recorded message that followed."""
        if self._called is not None:
            time_ms, items, shown, epoch, own = self._called
            self.observations.append(Observation(time_ms, items, shown, reply, epoch, own))
        self._called = None


class HostSide(ABC):
    """What a recorded session is driven through, whoever decides its lists. By default it reports its events to
    nobody, and nobody requests a compaction.

    `items`: the host's current list. `measure`: what each call shows is added to the outcome's observations.
    """

    def __init__(self, session_id: str, outcome: ReplayResult, measure: bool) -> None:
        self.session_id, self.outcome = session_id, outcome
        self.items: list[HostMessage] = []
        self.watch = ObservationRecorder(outcome.observations) if measure else None

    @abstractmethod
    def context(self, time_ms: int | None) -> dict[str, Any]:
        """A call of the model, with the current list. Returns a report with the `tokens` that are sent and the
        `rawTokens` of the host's list. `time_ms` in milliseconds.
        """

    def turn_end(self, params: bytes) -> list[dict[str, Any]]:
        """`params` are whole. Returns the commands in the answer."""
        self.outcome.turn_ends += 1
        return []

    def ask(self, method: str, params: Mapping[str, Any] | bytes, counted: bool = False) -> bytes:
        """The bytes of the answer. `params` as bytes are whole. `counted`: it raises `seq`."""
        return b"null"

    def rewritten(self) -> None:  # noqa: B027
        """The host's list is replaced by another one."""

    def replied(self, reply: HostMessage) -> None:
        """The recorded message that followed the last `context`."""
        if self.watch is not None:
            self.watch.replied(reply)

    def mark(self, kind: str, text: str = "") -> None:
        self.outcome.marks.append(TimelineMark(kind, len(self.outcome.calls), text))


class ReplayHost(HostSide):
    """Through ctxmgr. Faults are added to the outcome's failures."""

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
        self.sent = 0  # messages of the list that the other side has
        self.hash = hashlib.sha256()

    def ask(self, method: str, params: Mapping[str, Any] | bytes, counted: bool = False) -> bytes:
        if not isinstance(params, bytes):
            params = _encode({"sessionId": self.session_id, **params})
        raw = self.client.request_raw(method, params)
        self.hash.update(raw)
        self.seq += counted
        if method not in WITHOUT_SEQ and raw not in (b"null", b"{}"):
            seq = msgspec.json.decode(_members(raw).get("seq", msgspec.Raw(b"null")))
            if seq != self.seq:
                self.fail("wrong seq", f"{method} answered seq {seq}, {self.seq} events have taken effect")
        return raw

    def fail(self, code: str, text: str) -> None:
        """`text` may quote the conversation, `code` does not."""
        call = f"call {len(self.outcome.calls)}"
        self.outcome.failures.append(f"{call}: {text}")
        self.outcome.fault_codes.append(f"{call}: {code}")

    def context(self, time_ms: int | None) -> dict[str, Any]:
        """As in `HostSide`. Raises RpcFailure."""
        started = time.perf_counter()
        raw = self._context(time_ms)
        seconds = time.perf_counter() - started
        result = _members(raw)
        report: dict[str, Any] = msgspec.json.decode(result["report"])
        if arithmetic := report.get("arithmetic"):
            call = len(self.outcome.calls) + 1
            self.outcome.arithmetic.append(f"call {call}, epoch {report['epoch']}: {arithmetic}")
        self.base = msgspec.json.decode(result["base"])
        self.sent = len(self.items)
        matched = self.matched(result, report)
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
        if self.watch is not None and matched is not None:
            self.watch.called(time_ms, self.items, matched, report["epoch"])
        return report

    def _context(self, time_ms: int | None) -> bytes:
        """Sends only what is new if requested and possible, else the whole list."""
        start = b'{"sessionId":%b,' % _encode(self.session_id)
        at = b"" if time_ms is None else b',"at":%d' % time_ms
        rest = at + (b',"answer":"edits"}' if self.append else b"}")
        if self.append and self.base:
            new = _joined(self.items[self.sent :])
            append = b'"append":{"after":%d,"base":%b,"messages":[%b]}' % (self.sent, _encode(self.base), new)
            try:
                return self.ask("context", start + append + rest)
            except RpcFailure as failure:
                if failure.code != CONTENT_MODIFIED:
                    raise
                self.fail("append refused", f"append was refused though nothing was changed: {failure.message}")
        return self.ask("context", start + b'"messages":[%b]' % _joined(self.items) + rest)

    def matched(self, result: dict[str, msgspec.Raw], report: dict[str, Any]) -> list[MatchedMessage] | None:
        """The answered list, None if it cannot be reconstructed."""
        if report["checks"]:
            broken = f"broken checks: {', '.join(report['checks'])}"
            self.fail(broken, broken)
        if (reason := report.get("reason")) and reason not in PLAIN_REASONS:
            self.fail("fell back", f"fell back: {reason}")
        if report["tokens"] - report["packetTokens"] > report["rawTokens"]:
            self.fail("heavier list", f"{report['tokens']} tokens answered of {report['rawTokens']}")
        try:
            matched = answered(self.items, result)
        except IllegalAnswer as illegal:
            self.fail("illegal answer", str(illegal))
            return None
        packet = next((answer.message.message["content"] for answer in matched if answer.index is None), "")
        self.outcome.packet = packet or self.outcome.packet
        return matched

    def turn_end(self, params: bytes) -> list[dict[str, Any]]:
        started = time.perf_counter()
        answer = msgspec.json.decode(self.ask("turn_end", params, counted=True))
        self.outcome.turn_end_seconds.append(time.perf_counter() - started)
        super().turn_end(params)
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
        """`append` has nothing to build on."""
        self.base = ""


class PeerList(msgspec.Struct, frozen=True):
    """What a peer receives: `messages`, one for each of the host's list `items`, oldest first. `overhead_tokens`:
    of the system prompt and tools beside it. `weigh`: bytes of a message to tokens.
    """

    messages: tuple[ProjectedMessage, ...]
    items: tuple[HostMessage, ...]
    window_tokens: int
    overhead_tokens: int
    weigh: Callable[[bytes], int]

    @property
    def tokens(self) -> int:
        """Of the messages."""
        return sum(self.weigh(message.raw) for message in self.messages)

    def role(self, message: ProjectedMessage) -> str:
        return self.items[message.index].role


Peer = Callable[[PeerList], Sequence[ProjectedMessage]]


class PeerHost(HostSide):
    """Without ctxmgr: a published rule shortens its lists. What it cleared stays cleared, after compactions of the
    host too: a cleared message is identified wherever it is. `overhead_tokens` of each request. `weigh`: bytes of a
    message to tokens.
    """

    def __init__(
        self,
        peer: Peer,
        overhead_tokens: int,
        weigh: Callable[[bytes], int],
        session_id: str,
        outcome: ReplayResult,
    ) -> None:
        super().__init__(session_id, outcome, measure=True)
        self._peer, self._overhead_tokens, self._weigh = peer, overhead_tokens, weigh
        self._sent: tuple[ProjectedMessage, ...] = ()
        self._cleared: dict[tuple[str, bytes], bytes] = {}  # by id and bytes of the host's message
        self._epoch = 0

    def context(self, time_ms: int | None) -> dict[str, Any]:
        before, items, cleared = self._sent, tuple(self.items), self._cleared
        keys = [(message.id, message.raw) for message in items]
        listed = (
            ProjectedMessage(cleared.get(key, key[1]), index, key not in cleared) for index, key in enumerate(keys)
        )
        given = PeerList(tuple(listed), items, self.outcome.window, self._overhead_tokens, self._weigh)
        self._sent = tuple(self._peer(given))
        cleared |= {key: sent.raw for key, sent in zip(keys, self._sent, strict=True) if not sent.same}
        self._epoch += same_start(before, self._sent) < len(before)
        raw_tokens, tokens = (sum(self._weigh(message.raw) for message in listed) for listed in (items, self._sent))
        self.outcome.calls.append(ReplayedCall("green", raw_tokens, tokens, 0, 0, 0, 0, 0.0, len(items)))
        if self.watch is not None:
            self.watch.called(time_ms, items, map(self._matched, self._sent), self._epoch)
        return {"tokens": tokens, "rawTokens": raw_tokens}

    def _matched(self, message: ProjectedMessage) -> MatchedMessage:
        source = self.items[message.index]
        return MatchedMessage(
            message.index, source if message.same else pi_host.item(source.id, message.raw), message.same
        )


def _joined(items: Iterable[HostMessage]) -> bytes:
    return b",".join(item.raw for item in items)
