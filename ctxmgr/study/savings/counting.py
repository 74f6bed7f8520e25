"""Turns a provider's token counts of a session's calls, as recorded by its agent, into their cost, their overhead
beside the list, and their sizes.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from ctxmgr.closed_loop import dollars
from ctxmgr.model import TieredPrices
from ctxmgr.study.recordings import Recording

MOST_OVERHEAD_TOKENS = 60_000  # more than any agent's prompt and tools: a session resumed from elsewhere
MOST_UNCOUNTED = 0.1  # of the calls may lack a count, such as failed calls


class CountedCall(msgspec.Struct, frozen=True, gc=False):
    """One reply: its `model`, and its input in tokens: uncached, `read` from the cache, and `written` to it; all 0
    if nothing was counted. `listed_tokens`: of the list before it, as counted here.
    """

    model: str
    new: int
    read: int
    written: int
    listed_tokens: int

    @property
    def input_tokens(self) -> int:
        return self.new + self.read + self.written


def calls(recorded: Recording, weigh: Callable[[bytes], int]) -> list[CountedCall]:
    """All calls, oldest first. `weigh`: returns the tokens of a message's bytes."""
    found, listed = [], 0
    for entry in recorded.entries:
        if entry.role == "assistant":
            message = json.loads(entry.message)
            usage = message.get("usage") or {}
            new, read, written = (int(usage.get(name) or 0) for name in ("input", "cacheRead", "cacheWrite"))
            found.append(CountedCall(message.get("model") or recorded.model, new, read, written, listed))
        listed += weigh(entry.message) if entry.message else 0
    return found


def cost(calls: Sequence[CountedCall], prices_of: Callable[[str], TieredPrices | None]) -> float | None:
    """The cost in dollars, each call at its model's prices; None if too few are counted, or a model has no
    prices.
    """
    counted = [call for call in calls if call.input_tokens]
    prices_of = cache(prices_of)
    if len(calls) - len(counted) > MOST_UNCOUNTED * len(calls):
        return None
    bills = [_bill(call, prices) for call in counted if (prices := prices_of(call.model))]
    return sum(bills) if len(bills) == len(counted) else None


def _bill(call: CountedCall, prices: TieredPrices) -> float:
    return dollars(prices.tier(call.input_tokens), new=call.new, read=call.read, written=call.written)


def overhead_tokens(calls: Sequence[CountedCall]) -> int | None:
    """The tokens that the first counted call had beside its list; None if no call is counted."""
    first = next((call for call in calls if call.input_tokens), None)
    return None if first is None else min(max(0, first.input_tokens - first.listed_tokens), MOST_OVERHEAD_TOKENS)


def longest_tokens(calls: Sequence[CountedCall]) -> int:
    return max((call.input_tokens for call in calls), default=0)
