"""Turns what a model was shown into where the money for its input goes, were no cache ever cold.

Rules:

1. Overhead is read at each call; so is what the provider's cache has of a list (`closed_loop.prompt_cache`).
2. All else of a list is a message of the conversation, as it came, for the first time; or it is *rewritten*: one
   that was sent before, or one that a policy or the host made (packet, shortened result, summary). What of it is
   written to the cache, and what is new input, is the same share of both.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.model import PriceTier
from ctxmgr.study.metrics import (
    MessageCache,
    Observation,
    PriceSheet,
    ProjectedMessage,
    PromptCache,
    dollars,
    in_place,
    input_dollars,
    marker,
    same_start,
    without,
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
    cache = PromptCache(known.size, (made := marker(sheet)) and made())
    for sight in sights:
        same = same_start(before, sight.projected_messages)
        first = 0
        for one in sight.projected_messages[same:]:
            key = (sight.items[one.index].id, one.raw) if in_place(sight, one) else None
            if key is not None and key not in sent:
                sent.add(key)
                first += known.weight(one.raw)
        tokens = cache.call([one.raw for one in sight.projected_messages], sheet, sight.time_ms)
        tier = sheet.prices.tier(tokens.input_tokens)
        listed = without(tokens, sheet.overhead_tokens)
        unread = listed.written_tokens + listed.new_tokens
        share = listed.written_tokens / unread if unread else 0.0
        read = dollars(tier, read=listed.read_tokens)
        reads += read
        overhead += input_dollars(sheet, tokens) - read - _unread(tier, unread, share)
        first_writes += _unread(tier, first, share)
        rewritten += _unread(tier, unread - first, share)
        before = sight.projected_messages
    return BillParts(overhead, first_writes, rewritten, reads)


def _unread(tier: PriceTier, tokens: int, share: float) -> float:
    """Dollars for so many tokens, of which this share is written to the cache."""
    return share * dollars(tier, written=tokens) + (1 - share) * dollars(tier, new=tokens)
