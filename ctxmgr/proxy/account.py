"""Adds up a proxy's calls: what was sent, what would have been sent otherwise, and what was saved, in tokens and
dollars.

1. What was sent is the provider's count. For a call whose list passed unchanged, both sides are that count,
   whatever was sent before it: without a change there is no saving. This also holds after lists of the conversation
   were changed. The provider then has another prefix cached than it would have without ctxmgr. What such a call
   reads or writes because of that is not attributed, because it cannot be known and an estimate could only flatter.
2. For a list that was changed, the other side is the count plus the estimated difference to the program's own list,
   by ctxmgr's token counts and the `TokenScale` of the conversation. The part of that list that it shares with the
   list of the call before counts as read from the cache. In the first call of a conversation that this proxy sees,
   that part is everything before the last reply, because there was a call for that reply.
3. In observe mode the program's own list was sent, and the other side is ctxmgr's list. If ctxmgr would not have
   changed it, rule 1 holds.
4. Calls without a count are not in the sums; their number is reported, because some programs do not ask a streaming
   provider for usage. Unknown members of usage are reported by name. If ctxmgr did not answer, both sides are what
   was sent.
5. If one request took several calls at the provider (an advisor, a tool that it runs), the further calls count the
   same on both sides, at the model's prices. A shorter list would have made them cheaper, but by an unknown amount.
6. Dollars use the model's prices, or those of the nearest model of its family; calls of a model without either are
   in no sum of dollars. Both cases are reported (`price_note`). Cache writes kept for an hour cost their own price:
   as many as the provider says, otherwise all of them if the program's newest mark is for an hour; the other list
   gets the same share.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ctxmgr.formats import billed_usage
from ctxmgr.model import TieredPrices, Usage, currency
from ctxmgr.plain_text import safe
from ctxmgr.settings import ProgramSettings

A_MILLION = 1_000_000
MOST_ROWS = 500
MOST_NOTES, LONGEST_NAME = 8, 64  # of models; characters of a model's name in a request
NO_CALL = "no model call was made"
VERBS = {False: ("saved", "cost"), True: ("would have saved", "would have cost")}  # by whether it was observed
ENOUGH_TOKENS = 2_000  # growth of a list that is enough to know the scale
LEAST_SCALE, MOST_SCALE = 0.4, 2.5  # no tokenizer here is further off
WRITTEN = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")  # of usage, by lifetime
LEAST_KEPT = 4_096  # tokens; some models of Anthropic do not cache a shorter prefix


class BilledCall(msgspec.Struct, frozen=True):
    """Tokens as they are billed: input that was not cached, cache reads, cache writes, and output. `dollars`: None
    if no price is known.
    """

    fresh_tokens: float = 0
    read_tokens: float = 0
    written_tokens: float = 0
    output_tokens: float = 0
    dollars: float | None = None

    @property
    def input_tokens(self) -> float:
        return self.fresh_tokens + self.read_tokens + self.written_tokens

    @property
    def usage(self) -> dict[str, int]:
        """The counts by the protocol's names."""
        counts = (self.fresh_tokens, self.output_tokens, self.read_tokens, self.written_tokens)
        return dict(zip(("input", "output", "cacheRead", "cacheWrite"), map(round, counts), strict=True))

    def plus(self, other: "BilledCall") -> "BilledCall":
        dollars = [known for known in (self.dollars, other.dollars) if known is not None]
        return BilledCall(
            self.fresh_tokens + other.fresh_tokens,
            self.read_tokens + other.read_tokens,
            self.written_tokens + other.written_tokens,
            self.output_tokens + other.output_tokens,
            sum(dollars) if dollars else None,
        )


class Weights(msgspec.Struct, frozen=True):
    """Token counts of one call's lists, by ctxmgr: the program's own, ctxmgr's, and the part of each that is the
    list of the call before. All include what is sent beside the list.
    """

    own_tokens: float
    projected_tokens: float
    own_prefix_tokens: float
    projected_prefix_tokens: float

    def of_sent(self, observed: bool) -> tuple[float, float]:
        """The count of the list that was sent, and of its part that is the list of the call before."""
        if observed:
            return self.own_tokens, self.own_prefix_tokens
        return self.projected_tokens, self.projected_prefix_tokens

    @property
    def unchanged(self) -> "Weights":
        """The counts of a call whose list passes unchanged."""
        own, prefix = self.own_tokens, self.own_prefix_tokens
        return Weights(own, own, prefix, prefix)


def heard_long(usage: Mapping[str, Any]) -> bool | None:
    """Whether the provider keeps most of this call's cache writes for an hour; None if it does not say."""
    short, long = (count or 0 for count in _written(usage))
    return long > short if long > 0 or short > 0 else None


def _written(usage: Mapping[str, Any]) -> list[int | None]:
    """Tokens written to the cache for five minutes, and for an hour; None if the provider does not say."""
    split = usage.get("cache_creation")
    counts = [split.get(name) if isinstance(split, dict) else None for name in WRITTEN]
    return [count if type(count) is int else None for count in counts]


def long_share(usage: Mapping[str, Any], counted: Usage, is_long_lived: bool) -> float:
    """The share of a call's cache writes that is kept for an hour. `usage`: the provider's usage object;
    `is_long_lived`: the program's newest mark is for an hour.
    """
    _, long = _written(usage)
    if counted.cache_write_tokens > 0 and long is not None:
        return min(1.0, max(0, long) / counted.cache_write_tokens)
    return 1.0 if is_long_lived else 0.0


def mixed(settings: ProgramSettings, share: float) -> TieredPrices | None:
    """Prices for calls that keep this share of their cache writes for an hour. Both price lists have the same
    tiers.
    """
    prices, long = settings.prices, settings.long_prices
    if prices is None or long is None or not share:
        return prices

    def write(usual: float, longer: float) -> float:
        return (1 - share) * usual + share * longer

    both = zip(prices.tiers, long.tiers, strict=True)
    tiers = tuple(msgspec.structs.replace(a, cache_write=write(a.cache_write, b.cache_write)) for a, b in both)
    return msgspec.structs.replace(prices, cache_write=write(prices.cache_write, long.cache_write), tiers=tiers)


def price_note(settings: ProgramSettings, model: str) -> str:
    """A note on the dollars of this model's calls; "" if they use its own prices."""
    name = safe(model)[:LONGEST_NAME] or "a model without a name"
    if settings.prices is None:
        return f"no price is known for {name}, so its calls are missing from the dollars"
    return f"{name} at the prices of {settings.prices_of}" if settings.prices_of else ""


def bill(usage: Usage, prices: TieredPrices | None) -> BilledCall:
    """The provider's count as a bill."""
    tokens = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    return BilledCall(*tokens, dollars=_dollars(*tokens, prices=prices))


def rest_bill(usage: Mapping[str, Any], counted: Usage, prices: TieredPrices | None) -> BilledCall:
    """What a request was billed beyond its call that is in `counted` (rule 5)."""
    billed = billed_usage(dict(usage)) or counted
    rest = Usage(
        billed.input_tokens - counted.input_tokens,
        billed.output_tokens - counted.output_tokens,
        billed.cache_read_tokens - counted.cache_read_tokens,
        billed.cache_write_tokens - counted.cache_write_tokens,
    )
    return bill(rest, prices)


def other_bill(
    usage: Usage, weights: Weights, scale: float, prices: TieredPrices | None, observed: bool
) -> BilledCall:
    """What the list that was not sent would have been billed: what was sent, plus the difference of both lists at
    `scale` provider tokens per counted token. If nothing was read although a prefix was long enough to be cached,
    the cache was cold for the other list too.
    """
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    (of_sent, sent_prefix), (of_other, prefix) = weights.of_sent(observed), weights.of_sent(not observed)
    whole = max(0.0, sent + scale * (of_other - of_sent))
    is_warm = usage.cache_read_tokens > 0 or sent_prefix < min(prefix, LEAST_KEPT)
    read = min(whole, max(0.0, whole - scale * (of_other - prefix))) if is_warm else 0.0
    rest = whole - read
    fresh, written = (0.0, rest) if usage.cache_write_tokens else (rest, 0.0)
    tokens = (fresh, read, written, float(usage.output_tokens))
    return BilledCall(*tokens, dollars=_dollars(*tokens, prices=prices))


class TokenScale:
    """How many provider tokens one of ctxmgr's counted tokens is, from the calls of one conversation so far.

    The scale is the growth of the provider's count divided by the growth of the list, over calls that only added
    messages, so what is sent beside the list does not matter. Until that growth is large enough, the ratio of the
    last call's totals supplies the rest.
    """

    def __init__(self) -> None:
        self._before = (0.0, 0.0)  # weight and count of the last call
        self._grown_weight = self._grown_count = 0.0

    def learn(self, weight: float, prefix: float, count: float) -> None:
        """Learns from one call, in tokens: `weight` is ctxmgr's count of what was sent, `prefix` of its part that
        is the list of the call before, `count` the provider's count.
        """
        before, counted = self._before
        if 0 < before == prefix < weight and count > counted:
            self._grown_weight += weight - before
            self._grown_count += count - counted
        self._before = weight, count

    @property
    def value(self) -> float:
        weight, count = self._before
        if weight <= 0:
            return 1.0
        missing = max(0.0, ENOUGH_TOKENS - self._grown_weight)
        scale = (self._grown_count + missing * count / weight) / (self._grown_weight + missing)
        return min(max(scale, LEAST_SCALE), MOST_SCALE)


def _dollars(
    fresh: float, read: float, written: float, output: float, *, prices: TieredPrices | None
) -> float | None:
    if prices is None:
        return None
    tier = prices.tier(round(fresh + read + written))
    sums = fresh * tier.input + read * tier.cache_read + written * tier.cache_write + output * tier.output
    return sums / A_MILLION


class CallRow(msgspec.Struct, frozen=True, rename="camel"):
    """One call for people: ctxmgr's count of the program's list and of the sent one (in observe mode: of the one
    that would have been sent), its epoch, and the source of the list.
    """

    own_tokens: float
    list_tokens: float
    epoch_number: int
    source: str


class Account:
    """Sums over a proxy's life, or over one conversation; its newest calls, and its scale.

    `price_notes`: notes on the dollars. `refetched`: in observe mode, what fetching originals again would have
    cost, including their tokens in later lists.
    """

    def __init__(self) -> None:
        self.scale = TokenScale()
        self.refetch_count, self.refetched = 0, BilledCall()
        self.rows: deque[CallRow] = deque(maxlen=MOST_ROWS)
        self.calls = self.rewritten_calls = self.uncounted_calls = 0
        self.written_summaries = 0  # that replaced a call of the program
        self.unknown_usage: tuple[str, ...] = ()  # names of members
        self.sent, self.other = BilledCall(), BilledCall()
        self.price_notes: tuple[str, ...] = ()

    def count(self, sent: BilledCall, other: BilledCall, rewritten: bool, price_note: str = "") -> None:
        self.calls += 1
        if price_note not in ("", *self.price_notes):
            self.price_notes = (*self.price_notes, price_note)[-MOST_NOTES:]
        self.rewritten_calls += rewritten
        self.sent, self.other = self.sent.plus(sent), self.other.plus(other)

    def count_refetches(self, count: int, bill: BilledCall) -> None:
        self.refetch_count += count
        self.refetched = self.refetched.plus(bill)

    def uncounted(self, rewritten: bool) -> None:
        self.calls += 1
        self.rewritten_calls += rewritten
        self.uncounted_calls += 1

    def lines(self, observed: bool) -> list[str]:
        """Three lines for people: the number of calls, both sides, and the difference; one line if there was no
        call.
        """
        if not self.calls:
            return [NO_CALL + self._written()]
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        if self.uncounted_calls:
            calls += f", {self.uncounted_calls} without a usage count and missing from these sums"
        if self.unknown_usage:
            calls += f" (unknown usage members: {', '.join(self.unknown_usage)})"
        changed = "none changed" if observed else f"{self.rewritten_calls} with a pruned list"
        changed += self._written()
        other = "with ctxmgr" if observed else "without ctxmgr"
        return [
            f"{calls}, {changed}",
            f"sent {_amount(self.sent)}; {other}: {_amount(self.other)}",
            self._saved(observed),
        ]

    def sentence(self, observed: bool) -> str:
        """One sentence for people."""
        return (f"{self.calls} calls: {self._saved(observed)}" if self.calls else NO_CALL) + self._written()

    def _written(self) -> str:
        count = self.written_summaries
        what = "1 summary" if count == 1 else f"{count} summaries"
        return f"; {what} written by ctxmgr at no cost" if count else ""

    def _saved(self, observed: bool) -> str:
        ours, host = (self.other, self.sent) if observed else (self.sent, self.other)
        refetches = self._fetched_again(host, ours) if observed else ""
        return "; ".join((_difference(host, ours, VERBS[observed]) + refetches, *self.price_notes))

    def _fetched_again(self, host: BilledCall, ours: BilledCall) -> str:
        count, bill = self.refetch_count, self.refetched
        if not count:
            return "; the model would have fetched nothing again"
        what = "1 original" if count == 1 else f"{count} originals"
        with_them, again = _difference(host, ours.plus(bill), VERBS[True]), _amount(bill, ", {}")
        return f"; counting {what} fetched again ({again}), it {with_them}"


def _amount(bill: BilledCall, form: str = " ({})") -> str:
    dollars = "" if bill.dollars is None else form.format(currency.amount(bill.dollars))
    return f"{bill.input_tokens:,.0f} tokens{dollars}"


def _difference(host: BilledCall, ours: BilledCall, verbs: tuple[str, str]) -> str:
    saved, cost = verbs
    tokens = _share("{:,.0f} tokens".format, host.input_tokens, ours.input_tokens)
    fewer = ours.input_tokens <= host.input_tokens
    if (host.input_tokens, host.dollars) == (ours.input_tokens, ours.dollars):
        return f"{saved} nothing"
    if host.dollars is None or ours.dollars is None:
        return f"{saved} {tokens}" if fewer else f"{cost} {tokens} more"
    dollars, cheaper = _share(currency.amount, host.dollars, ours.dollars), ours.dollars <= host.dollars
    if fewer and cheaper:
        return f"{saved} {tokens}, {dollars}"
    if not fewer and not cheaper:
        return f"{cost} {tokens}, {dollars} more"
    if fewer:
        return f"{saved} {tokens}, but {cost} {dollars} more"
    return f"{saved} {dollars}, but {cost} {tokens} more"


def _share(shown: Callable[[float], str], before: float, after: float) -> str:
    """The absolute difference, and its share of `before`."""
    by = abs(before - after)
    return shown(by) + (f" ({by / before:.0%})" if before else "")
