"""What a model was shown at each call of a driven session: the ground that all measures stand on.

Messages of recordings are read in pi's format, and weighed by the project's vocabulary.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import msgspec

from ctxmgr.devices import tokens
from ctxmgr.formats import pi
from ctxmgr.session import Reader
from ctxmgr.study.recordings import HostMessage

VOCABULARY = "o200k_base"


@cache
def message_weigher() -> tokens.Weigher:
    """Of the project's vocabulary; the estimate where it cannot be had. Blocks for about 0.3 s, once."""
    return tokens.load(VOCABULARY).weigher


@cache
def message_reader() -> Reader:
    """A reader of pi's messages by that weigher."""
    return Reader(pi, message_weigher())


PACKET = -1  # the index of what was put in: the packet
SUMMARY = "compactionSummary"  # the role of what a host puts in the place of what it compacted away


class ProjectedMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of one projection. `raw`: its bytes as answered; `index`: its place in the host's list, -1 for
    the packet; `same`: byte for byte as it came."""

    raw: bytes
    index: int
    same: bool


class Observation(msgspec.Struct, frozen=True):
    """One model call. `time_ms` in milliseconds, None where no time was recorded; `items` the host's list then.

    `reply`: the recorded assistant message that followed. `epoch_number` as the report says. `own`: compactions
    the host made unasked before it.
    """

    time_ms: int | None
    items: tuple[HostMessage, ...]
    projected_messages: tuple[ProjectedMessage, ...]
    reply: HostMessage
    epoch_number: int = 0
    own: int = 0


def stands_for_others(sight: Observation, message: ProjectedMessage) -> bool:
    """Whether it was put in the place of other messages: the packet, or the host's summary of what it compacted."""
    return message.index == PACKET or sight.items[message.index].role == SUMMARY


def in_place(sight: Observation, message: ProjectedMessage) -> bool:
    """Whether it is a message of the conversation, as it came."""
    return message.same and not stands_for_others(sight, message)


def same_start(before: Sequence[ProjectedMessage], now: Sequence[ProjectedMessage]) -> int:
    """How many messages two lists have in common from their start on, by their bytes."""
    pairs = enumerate(zip(before, now, strict=False))
    differing = (place for place, (old, new) in pairs if old is not new and old.raw != new.raw)
    return next(differing, min(len(before), len(now)))


def new_messages(sights: Sequence[Observation]) -> Iterator[tuple[HostMessage, ...]]:
    """For each call the messages of the recorded conversation that came since the call before it, oldest first.

    All of them together are the conversation so far, with what was compacted away since; without the host's
    summaries. A message is known by its entry's id and its bytes.
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
    """How many things were asked for, and how many of them were there."""

    part: int = 0
    total: int = 0

    @property
    def share(self) -> float | None:
        """None where nothing was asked for."""
        return self.part / self.total if self.total else None


def total(some: Iterable[Ratio]) -> Ratio:
    """Of all together: each counts by what was asked of it."""
    ratios = list(some)
    return Ratio(sum(ratio.part for ratio in ratios), sum(ratio.total for ratio in ratios))
