"""What a proxy's calls came to: what was sent, what it would have been, what was saved; in tokens and dollars.

1. What was sent is what the provider counted. A call whose list passed as it came is that on both sides, whatever
   the count says and whatever was sent before it: who changed nothing saves nothing. This holds once lists of the
   conversation were changed, too. The provider then keeps another start than it would without ctxmgr, and what such
   a call reads or writes anew is put to nobody's account: it cannot be known, and an estimate could only flatter.
2. Of a list that was changed, the other side is the count and what the program's own list is heavier, by ctxmgr's
   weights and the `TokenScale` of the conversation. Of that list so much would have been read from the cache as it
   shares with the list of the call before. Of the first call that this proxy sees of a conversation, that is what
   stands before the last reply: there was a call for that reply.
3. In observe mode the program's own list was sent, and what it would have been is the other one. Where ctxmgr would
   have left the list as it was, rule 1 holds.
4. A call without a count is not in the sums, and it is said how many these are: some programs ask a provider that
   streams for none. Members of usage that nobody knows are named. Where ctxmgr did not answer, both sides are what
   was sent.
5. Where one request took several calls of the provider's own (an advisor, a tool that it runs), the rest of them
   counts the same on both sides, at the model's prices. A list of which less was sent would have cost them less,
   but nobody tells how much.
6. Dollars by the model's prices, else by those of the nearest of its family; calls of a model without either are in
   no sum of dollars. Both are said (`price_note`). What is written for an hour costs that: as much of it as the
   provider says, else all where the program's newest mark is for an hour; of the other list the same share.
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
MOST_NOTES, LONGEST_NAME = 8, 64  # of models; characters of a name that a request gives
NO_CALL = "no model call was made"
VERBS = {False: ("saved", "cost"), True: ("would have saved", "would have cost")}  # by whether it was observed
ENOUGH_TOKENS = 2_000  # a list that has grown by so much tells the scale
LEAST_SCALE, MOST_SCALE = 0.4, 2.5  # no weigher is farther off
WRITTEN = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")  # of usage, by how long it is kept
LEAST_KEPT = 4_096  # tokens: of a start that is shorter, some models of Anthropic's keep nothing


class BilledCall(msgspec.Struct, frozen=True):
    """Input tokens as they are billed: what no cache held, what was read from one, what was written to one; and
    dollars, None while no price is known."""

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
        """In the protocol's words."""
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
    """Of one call's list, by ctxmgr: the program's own, the one that ctxmgr made of it, and how much of each is the
    list of the call before. All with what is sent beside the list."""

    own_tokens: float
    projected_tokens: float
    own_prefix_tokens: float
    projected_prefix_tokens: float

    def of_sent(self, observed: bool) -> tuple[float, float]:
        """Of the list that was sent, and of its start that is the list of the call before."""
        if observed:
            return self.own_tokens, self.own_prefix_tokens
        return self.projected_tokens, self.projected_prefix_tokens

    @property
    def unchanged(self) -> "Weights":
        """Of a call whose list passes as it came."""
        own, prefix = self.own_tokens, self.own_prefix_tokens
        return Weights(own, own, prefix, prefix)


def heard_long(usage: Mapping[str, Any]) -> bool | None:
    """Whether the provider keeps most of what this call wrote for an hour; None where it does not say."""
    split = usage.get("cache_creation")
    counts = [split.get(name) for name in WRITTEN] if isinstance(split, dict) else []
    short, long = (
        count if isinstance(count, int) and not isinstance(count, bool) else 0 for count in counts or (0, 0)
    )
    return long > short if long > 0 or short > 0 else None


def long_share(usage: Mapping[str, Any], counted: Usage, is_long_lived: bool) -> float:
    """The share of what a call wrote to the cache that is kept for an hour. `usage`: the provider's usage object;
    `is_long_lived`: the program's newest mark is for so long."""
    split = usage.get("cache_creation")
    long = split.get("ephemeral_1h_input_tokens") if isinstance(split, dict) else None
    if counted.cache_write_tokens > 0 and isinstance(long, int) and not isinstance(long, bool):
        return min(1.0, max(0, long) / counted.cache_write_tokens)
    return 1.0 if is_long_lived else 0.0


def mixed(settings: ProgramSettings, share: float) -> TieredPrices | None:
    """Prices of which this share of what is written costs as in the longer ones, which have the same tiers."""
    prices, long = settings.prices, settings.long_prices
    if prices is None or long is None or not share:
        return prices

    def write(usual: float, longer: float) -> float:
        return (1 - share) * usual + share * longer

    both = zip(prices.tiers, long.tiers, strict=True)
    tiers = tuple(msgspec.structs.replace(a, cache_write=write(a.cache_write, b.cache_write)) for a, b in both)
    return msgspec.structs.replace(prices, cache_write=write(prices.cache_write, long.cache_write), tiers=tiers)


def price_note(settings: ProgramSettings, model: str) -> str:
    """What is to be said of the dollars of this model's calls; "" where they are by its own prices."""
    name = safe(model)[:LONGEST_NAME] or "a model without a name"
    if settings.prices is None:
        return f"no price is known for {name}, so its calls are missing from the dollars"
    return f"{name} at the prices of {settings.prices_of}" if settings.prices_of else ""


def bill(usage: Usage, prices: TieredPrices | None) -> BilledCall:
    """What the provider counted."""
    tokens = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    return BilledCall(*tokens, dollars=_dollars(*tokens, prices=prices))


def rest_bill(usage: Mapping[str, Any], counted: Usage, prices: TieredPrices | None) -> BilledCall:
    """What a request was billed beyond the call that was `counted` of it (rule 5)."""
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
    """What the list that was not sent would have been billed: what was sent, and the difference of both lists at
    `scale` provider's tokens a weighed one. Where nothing was read though there was a prefix that a provider keeps,
    the cache was cold for the other one too."""
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
    """How many tokens of the provider a weighed one is, from the calls of one conversation so far: what the count
    grew by over what the list grew by, where it only grew. So what stands beside every list does not count. Until
    that is much, a count by its weight stands in for it."""

    def __init__(self) -> None:
        self._before = (0.0, 0.0)  # weight and count of the last call
        self._grown_weight = self._grown_count = 0.0

    def learn(self, weight: float, prefix: float, count: float) -> None:
        """Of one call, in tokens: the weight of what was sent and of its part that is the list of the call before,
        and what the provider counted."""
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
    """One call for people: its list by weight as the program has it and as it was sent (in observe mode: as it
    would have been), its epoch, and where the list came from."""

    own_tokens: float
    list_tokens: float
    epoch_number: int
    source: str


class Account:
    """Sums of a proxy's life, or of one conversation; its newest calls, and its scale. `price_notes`: what is to be
    said of the dollars. `refetched`: of a program
    that is observed, what fetching again would have cost, and what of it would stand in later lists."""

    def __init__(self) -> None:
        self.scale = TokenScale()
        self.refetch_count, self.refetched = 0, BilledCall()
        self.rows: deque[CallRow] = deque(maxlen=MOST_ROWS)
        self.calls = self.rewritten_calls = self.uncounted_calls = 0
        self.written_summaries = 0  # that the program asked for, by no call
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
        """For people, three: how many calls, both sides, and the difference; one where there was no call."""
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
        """For people, in one."""
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
    """The difference, whichever way, and which part of what was before it is."""
    by = abs(before - after)
    return shown(by) + (f" ({by / before:.0%})" if before else "")
