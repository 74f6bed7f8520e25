"""Turns what a model was shown into where the money for its input goes, were no cache ever cold.

Rules:

1. Overhead is read at each call; so is what a list has in common with the list before, from its start on.
2. What is written is a message of the conversation, as it came, for the first time; or it is *rewritten*: one that
   was sent before, or one that a policy or the host made (packet, shortened result, summary).
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.metrics import (
    MessageCache,
    Observation,
    PriceSheet,
    ProjectedMessage,
    dollars,
    in_place,
    same_start,
)


class BillParts(msgspec.Struct, frozen=True):
    """All in dollars."""

    overhead: float = 0.0
    first_writes: float = 0.0
    rewritten: float = 0.0
    reads: float = 0.0

    @property
    def total(self) -> float:
        return self.overhead + self.first_writes + self.rewritten + self.reads


def bill_parts(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> BillParts:
    """All calls of one session, oldest first. Tiers count the overhead and the list."""
    overhead = first_writes = rewritten = reads = 0.0
    before: tuple[ProjectedMessage, ...] = ()
    sent: set[tuple[str, bytes]] = set()
    for sight in sights:
        same = same_start(before, sight.projected_messages)
        cached = sum(known.weight(one.raw) for one in sight.projected_messages[:same])
        new = again = 0
        for one in sight.projected_messages[same:]:
            key = (sight.items[one.index].id, one.raw) if in_place(sight, one) else None
            if key is None or key in sent:
                again += known.weight(one.raw)
            else:
                sent.add(key)
                new += known.weight(one.raw)
        tier = sheet.prices.tier(cached + new + again + sheet.overhead_tokens)
        overhead += dollars(tier, read=sheet.overhead_tokens)
        reads += dollars(tier, read=cached)
        first_writes += dollars(tier, written=new)
        rewritten += dollars(tier, written=again)
        before = sight.projected_messages
    return BillParts(overhead, first_writes, rewritten, reads)
