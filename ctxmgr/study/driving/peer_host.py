"""A host whose lists another's published rule shortens, and no ctxmgr: what peers are measured on.

A peer is a function from a list to a list, without a memory of its own. It clears messages and leaves none out: the
answer has a message for each of the host's list. What it cleared stays cleared, when the host compacts, too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.study.driving.host import HostSide
from ctxmgr.study.driving.legality import MatchedMessage
from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult
from ctxmgr.study.hosts import HostMessage, item
from ctxmgr.study.observations import ProjectedMessage, same_start


class PeerList(msgspec.Struct, frozen=True):
    """What a peer is asked about: `messages`, one for each of the host's list `items`, oldest first.
    `overhead_tokens`: of the system prompt and tools beside it; `weigh`: bytes of a message to tokens."""

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


class PeerLimits(msgspec.Struct, frozen=True):
    """Of every call. In tokens."""

    window_tokens: int
    overhead_tokens: int


class PeerHost(HostSide):
    """The host's end of a session. Nobody is told of its events, and nobody asks it to compact."""

    def __init__(
        self, peer: Peer, limits: PeerLimits, weigh: Callable[[bytes], int], session_id: str, outcome: ReplayResult
    ) -> None:
        super().__init__(session_id, outcome, measure=True)
        self._peer, self._limits, self._weigh = peer, limits, weigh
        self._sent: tuple[ProjectedMessage, ...] = ()
        self._cleared: dict[tuple[str, bytes], bytes] = {}  # by id and bytes of the host's message
        self._epoch = 0

    def context(self, time_ms: int | None) -> dict[str, Any]:
        before, limits, items = self._sent, self._limits, tuple(self.items)
        given = PeerList(self._as_sent(items), items, limits.window_tokens, limits.overhead_tokens, self._weigh)
        self._sent = tuple(self._peer(given))
        self._cleared |= {
            (source.id, source.raw): message.raw
            for source, message in zip(items, self._sent, strict=True)
            if not message.same
        }
        self._epoch += same_start(before, self._sent) < len(before)
        report = {
            "tokens": sum(self._weigh(message.raw) for message in self._sent),
            "rawTokens": sum(self._weigh(message.raw) for message in items),
        }
        self.outcome.calls.append(
            ReplayedCall("green", report["rawTokens"], report["tokens"], 0, 0, 0, 0, 0.0, len(items))
        )
        if self.watch is not None:
            self.watch.called(time_ms, items, map(self._matched, self._sent), self._epoch)
        return report

    def _as_sent(self, items: Sequence[HostMessage]) -> tuple[ProjectedMessage, ...]:
        """The host's list with what was cleared so far."""
        raws = [self._cleared.get((message.id, message.raw)) for message in items]
        return tuple(
            ProjectedMessage(message.raw if raw is None else raw, index, raw is None)
            for index, (message, raw) in enumerate(zip(items, raws, strict=True))
        )

    def _matched(self, message: ProjectedMessage) -> MatchedMessage:
        source = self.items[message.index]
        return MatchedMessage(message.index, source if message.same else item(source.id, message.raw), message.same)

    def rewritten(self) -> None:
        """What was cleared is known by its message, wherever that stands."""

    def turn_end(self, params: bytes) -> list[dict[str, Any]]:
        self.outcome.turn_ends += 1
        return []

    def ask(self, method: str, params: Mapping[str, Any] | bytes, counted: bool = False) -> bytes:
        return b"null"
