"""A host whose lists another's published rule shortens, and no ctxmgr: what peers are measured on.

1. A peer is a function from a list to a list, without a memory of its own: what it sees is the list that it sent
   last and what came since, as a program sees it that changes its list in place.
2. When the host compacts, what a peer had changed in what is left stays so, and what it had left out stays out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.study.driving.host import HostSide
from ctxmgr.study.driving.legality import MatchedMessage
from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult
from ctxmgr.study.hosts import HostMessage, item
from ctxmgr.study.observations import PACKET, ProjectedMessage, same_start


class PeerList(msgspec.Struct, frozen=True):
    """What a peer is asked about: `messages`, of the host's list `items`, oldest first. `overhead_tokens`: of the
    system prompt and tools beside it; `weigh`: bytes of a message to tokens."""

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
        """ "" of what a peer put in."""
        return "" if message.index == PACKET else self.items[message.index].role


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
        self._count = self._epoch = 0  # of messages of the host's list that were sent, or left out; of breaks
        self._by_id: dict[str, ProjectedMessage | None] | None = None  # by id, where the host has compacted

    def context(self, at: int | None) -> dict[str, Any]:
        before = self._sent
        limits = self._limits
        items = tuple(self.items)
        self._sent = tuple(
            self._peer(PeerList(self._came(), items, limits.window_tokens, limits.overhead_tokens, self._weigh))
        )
        self._count = len(items)
        self._epoch += same_start(before, self._sent) < len(before)
        report = {
            "tokens": sum(self._weigh(message.raw) for message in self._sent),
            "rawTokens": sum(self._weigh(message.raw) for message in items),
        }
        self.outcome.calls.append(_call(report, len(items)))
        if self.watch is not None:
            self.watch.called(at, items, map(self._matched, self._sent), self._epoch)
        return report

    def _came(self) -> tuple[ProjectedMessage, ...]:
        """Rule 1: what was sent, and what came since."""
        known, self._by_id = self._by_id, None
        if known is None:
            new = enumerate(self.items[self._count :], self._count)
            return (*self._sent, *(ProjectedMessage(message.raw, index, True) for index, message in new))
        here = ((index, message, known.get(message.id, _NEW)) for index, message in enumerate(self.items))
        return tuple(
            ProjectedMessage(message.raw, index, True)
            if was is _NEW
            else ProjectedMessage(was.raw, index, was.same)
            for index, message, was in here
            if was is not None
        )

    def _matched(self, message: ProjectedMessage) -> MatchedMessage:
        if message.index == PACKET:
            return MatchedMessage(None, item("", message.raw), False)
        source = self.items[message.index]
        return MatchedMessage(message.index, source if message.same else item(source.id, message.raw), message.same)

    def rewritten(self) -> None:
        """Rule 2."""
        if self._by_id is None:  # not twice between two calls
            sent = {self.items[message.index].id: message for message in self._sent if message.index != PACKET}
            self._by_id = {message.id: sent.get(message.id) for message in self.items[: self._count]}

    def turn_end(self, params: bytes) -> list[dict[str, Any]]:
        self.outcome.turn_ends += 1
        return []

    def ask(self, method: str, params: Mapping[str, Any] | bytes, counted: bool = False) -> bytes:
        return b"null"


_NEW = ProjectedMessage(b"", PACKET, False)


def _call(report: Mapping[str, int], index: int) -> ReplayedCall:
    return ReplayedCall("green", report["rawTokens"], report["tokens"], 0, 0, 0, 0, 0.0, index)
