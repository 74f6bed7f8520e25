"""What a model was shown at each call of a driven session, and the tokens and mentions of its messages: the basis
of all measures.

Messages of recordings are read in pi's format, and counted with the project's vocabulary.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import msgspec

from ctxmgr.closed_loop import (
    MessageCache,
    PriceSheet,
    dollars,
    error_codes,
    identifiers,
    paths,
    strings,
)
from ctxmgr.devices import tokens
from ctxmgr.formats import pi
from ctxmgr.session import Reader
from ctxmgr.study.recordings import HostMessage

__all__ = [
    "MessageCache",
    "Observation",
    "PACKET",
    "PriceSheet",
    "ProjectedMessage",
    "Ratio",
    "SUMMARY",
    "VOCABULARY",
    "dollars",
    "error_codes",
    "identifiers",
    "in_place",
    "message_reader",
    "message_weigher",
    "new_messages",
    "paths",
    "same_start",
    "stands_for_others",
    "strings",
    "total",
]

VOCABULARY = "o200k_base"


@cache
def message_weigher() -> tokens.Weigher:
    """Counts with the project's vocabulary, or estimates if it is unavailable. The first call blocks for about 0.3
    s.
    """
    return tokens.load(VOCABULARY).weigher


@cache
def message_reader() -> Reader:
    """A reader of pi's messages that counts with `message_weigher`."""
    return Reader(pi, message_weigher())


PACKET = -1  # the index of an inserted message: the packet
SUMMARY = "compactionSummary"  # the role of a message by which a host replaces what it compacted


class ProjectedMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a projection. `raw`: its bytes as returned. `index`: its position in the host's list, -1 for
    the packet. `same`: its bytes are unchanged.
    """

    raw: bytes
    index: int
    same: bool


class Observation(msgspec.Struct, frozen=True):
    """One model call. `time_ms`: in milliseconds, None if no time was recorded. `items`: the host's list at that
    time.

    `reply`: the recorded assistant message that followed. `epoch_number`: from the report. `own`: number of
    compactions that the host had made on its own.
    """

    time_ms: int | None
    items: tuple[HostMessage, ...]
    projected_messages: tuple[ProjectedMessage, ...]
    reply: HostMessage
    epoch_number: int = 0
    own: int = 0


def stands_for_others(sight: Observation, message: ProjectedMessage) -> bool:
    """Whether it replaces other messages: the packet, or the host's summary of what it compacted."""
    return message.index == PACKET or sight.items[message.index].role == SUMMARY


def in_place(sight: Observation, message: ProjectedMessage) -> bool:
    """Whether it is an unchanged message of the conversation."""
    return message.same and not stands_for_others(sight, message)


def same_start(before: Sequence[ProjectedMessage], now: Sequence[ProjectedMessage]) -> int:
    """The number of messages that two lists share at their beginning, by bytes."""
    pairs = enumerate(zip(before, now, strict=False))
    differing = (place for place, (old, new) in pairs if old is not new and old.raw != new.raw)
    return next(differing, min(len(before), len(now)))


def new_messages(sights: Sequence[Observation]) -> Iterator[tuple[HostMessage, ...]]:
    """For each call, the messages of the recorded conversation since the previous call, oldest first.

    Together they are the conversation so far, including what has been compacted since, without the host's
    summaries. A message is identified by its entry's id and its bytes.
    """
    known: set[tuple[str, bytes]] = set()
    reply: tuple[HostMessage, ...] = ()
    for sight in sights:
        came = []
        for message in (*reply, *sight.items):
            key = (message.id, message.raw)
            if key not in known and message.role != SUMMARY:
                known.add(key)
                came.append(message)
        yield tuple(came)
        reply = (sight.reply,)


class Ratio(msgspec.Struct, frozen=True, gc=False):
    """`total`: how many things were asked for. `part`: how many of them were there."""

    part: int = 0
    total: int = 0

    @property
    def share(self) -> float | None:
        """None if nothing was asked for."""
        return self.part / self.total if self.total else None


def total(some: Iterable[Ratio]) -> Ratio:
    """The sum of numerators and denominators, so each ratio counts by what it asked for."""
    ratios = list(some)
    return Ratio(sum(ratio.part for ratio in ratios), sum(ratio.total for ratio in ratios))
