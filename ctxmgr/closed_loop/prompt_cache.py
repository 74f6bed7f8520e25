"""Computes, call by call, what a provider reads from its cache, writes to it, and takes as new input: by a cache
rule, or ideally.

1. *Ideal*: the common prefix with the previous list is read, everything else written, whatever the lengths.
2. *Implicit*: the longest live prefix of any list is read, rounded down to the rule's step; a prefix below the
   least length is not cached. The rest is written; prices say what that costs.
3. *Marks*: a prefix is cached up to each mark. At each mark the provider looks for one that ends there, or up to
   its look-back in blocks before it; the longest found is read. What follows the last mark is new. The host's own
   marks are on what precedes the list (system prompt, tools), which is cached separately.
4. A prefix lives for its lifetime from when it was written, and again from each read of it: when a mark finds it,
   or it is a part of what is read implicitly. Without both times it lives on.
5. What precedes the list was sent before, by another session: it is alive at the first call.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from ctxmgr.model import CacheRule, CallTokens, PriceTier, TieredPrices, prices

MILLION = 1_000_000
ANTHROPIC = TieredPrices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)


class PriceSheet(msgspec.Struct, frozen=True):
    """What a session is billed by. `ttl_ms`: the cache's lifetime, in milliseconds. `overhead_tokens`: of system
    prompt and tools, which every request has beside its list. `rule`: how the provider caches; None: ideally.
    `marks`, for a provider that takes them: placed as ctxmgr says (`ours`), or on the newest message (`host`).
    `part_tokens`: the most that a re-fetch returns of an original, around what was requested; None: all of it.

    The defaults are those of the provider of most recorded sessions, Anthropic: input at $3, output at $15 a
    million, cache reads at a tenth of the input price, writes at five quarters, 5 minutes; but cached ideally.
    """

    prices: TieredPrices = ANTHROPIC
    ttl_ms: int = 300_000
    overhead_tokens: int = 5_000
    rule: CacheRule | None = None
    marks: Literal["ours", "host"] = "ours"
    part_tokens: int | None = None

    @property
    def caching(self) -> str:
        """The way of caching, in a word."""
        if self.rule is None:
            return "ideal"
        return "host-marks" if self.rule.kind == "marks" and self.marks == "host" else self.rule.kind


def dollars(tier: PriceTier, *, read: int = 0, written: int = 0, new: int = 0, output: int = 0) -> float:
    """For this many tokens read from the cache, written to it, neither, and output."""
    sums = read * tier.cache_read + written * tier.cache_write + output * tier.output
    return (sums + new * tier.input) / MILLION


def input_dollars(sheet: PriceSheet, tokens: CallTokens) -> float:
    """For the input of a request, at the prices of its length."""
    tier = sheet.prices.tier(tokens.input_tokens)
    return dollars(tier, read=tokens.read_tokens, written=tokens.written_tokens, new=tokens.new_tokens)


def without(tokens: CallTokens, beside: int) -> CallTokens:
    """The part of a request's usage that its list causes: without the first `beside` tokens, which precede it."""
    read = min(beside, tokens.read_tokens)
    written = min(beside - read, tokens.written_tokens)
    new = beside - read - written
    return CallTokens(tokens.read_tokens - read, tokens.written_tokens - written, tokens.new_tokens - new)


Size = Callable[[Hashable], tuple[int, int]]
"""Of what a list is made of: tokens and content blocks."""


class BilledStarts:
    """A sent list, compared with the previous one. `keys`: its elements. `starts` identify its prefixes;
    `token_sums` and `block_sums` are running sums: one element more than keys each.
    """

    def __init__(self, size: Size) -> None:
        self._size = size
        self.keys: list[Hashable] = []
        self.starts: list[int] = [0]
        self.token_sums: list[int] = [0]
        self.block_sums: list[int] = [0]
        self.same_count = 0

    def follow(self, keys: Sequence[Hashable]) -> None:
        """Moves on to this list; `same_count` is its common prefix with the previous one."""
        same = 0
        for old, new in zip(self.keys, keys, strict=False):
            if old is not new and old != new:
                break
            same += 1
        self.same_count = same
        self.keys = list(keys)
        for sums in (self.starts, self.token_sums, self.block_sums):
            del sums[same + 1 :]
        for key in self.keys[same:]:
            tokens, blocks = self._size(key)
            self.starts.append(hash((self.starts[-1], key)))
            self.token_sums.append(self.token_sums[-1] + tokens)
            self.block_sums.append(self.block_sums[-1] + blocks)


class Marker(Protocol):
    """Says where the lists of one session have marks."""

    def ends(self, sent: BilledStarts, grew: bool, time_ms: int | None) -> Sequence[int]:
        """The prefixes that end with a mark, by their number of messages. `grew`: the list begins with the whole
        previous one.
        """


class EndMarks:
    """As hosts set them: one on the newest message."""

    def ends(self, sent: BilledStarts, grew: bool, time_ms: int | None) -> Sequence[int]:
        return (len(sent.keys),) if sent.keys else ()


class PromptCache:
    """For one session. `marker`: where marks are, if the provider takes any. `timed`: whether anything ever
    expires.
    """

    def __init__(self, size: Size, marker: Marker | None = None, timed: bool = False) -> None:
        self._marker, self._timed = marker or EndMarks(), timed
        self._sent = BilledStarts(size)
        self._beside = 0  # tokens that precede the list
        self._lifetime_ms: int | None = None
        self._written_ms: dict[int, int | None] = {}  # prefixes, with when each was last written or read
        self._time_ms: int | None = None  # of the last call
        self._is_first = True

    @property
    def list_tokens(self) -> int:
        """Of the last list, without what precedes it."""
        return self._sent.token_sums[-1]

    def call(self, keys: Sequence[Hashable], sheet: PriceSheet, time_ms: int | None = None) -> CallTokens:
        """What this list comes to, with what precedes it."""
        rule, self._beside = sheet.rule, sheet.overhead_tokens
        self._lifetime_ms = sheet.ttl_ms if self._timed else None
        before = len(self._sent.keys)
        self._sent.follow(keys)
        total = self._sent.token_sums[-1] + self._beside
        if self._is_first and rule is not None and self._beside >= rule.least_tokens:
            self._written_ms[0] = time_ms
        if rule is None:
            tokens = self._ideal(total, time_ms)
        elif rule.kind == "implicit":
            tokens = self._implicit(rule, total, time_ms)
        elif rule.kind == "marks":
            tokens = self._marked(rule, total, self._sent.same_count == before, time_ms)
        else:
            tokens = CallTokens(new_tokens=total)
        self._time_ms, self._is_first = time_ms, False
        return tokens

    def _ideal(self, total: int, time_ms: int | None) -> CallTokens:
        """Rule 1."""
        cold = self._lifetime_ms is not None and prices.is_cold(self._time_ms, time_ms, self._lifetime_ms)
        read = 0 if cold else self._sent.token_sums[self._sent.same_count] + self._beside
        return CallTokens(read, total - read)

    def _implicit(self, rule: CacheRule, total: int, time_ms: int | None) -> CallTokens:
        """Rule 2."""
        sent = self._sent
        longest = next(self._alive(range(len(sent.keys), -1, -1), time_ms), None)
        read = 0 if longest is None else sent.token_sums[longest] + self._beside
        read -= read % rule.step_tokens
        if total < rule.least_tokens:
            return CallTokens(new_tokens=total)
        for count, start in enumerate(sent.starts):
            if longest is None or count > longest or rule.renews or start not in self._written_ms:
                self._written_ms[start] = time_ms
        read = read if read >= rule.least_tokens else 0
        return CallTokens(read, total - read)

    def _marked(self, rule: CacheRule, total: int, grew: bool, time_ms: int | None) -> CallTokens:
        """Rule 3."""
        sent = self._sent
        ends = [0, *self._marker.ends(sent, grew and not self._is_first, time_ms)]
        starts = {self._longest_start(end, rule, time_ms) for end in ends} - {None}
        for count in (*(starts if rule.renews else ()), *(end for end in ends if end not in starts)):
            if count is not None and sent.token_sums[count] + self._beside >= rule.least_tokens:
                self._written_ms[sent.starts[count]] = time_ms
        longest = max((count for count in starts if count is not None), default=None)
        read = 0 if longest is None else sent.token_sums[longest] + self._beside
        kept = sent.token_sums[max(ends)] + self._beside
        kept = max(read, kept if kept >= rule.least_tokens else 0)
        return CallTokens(read, kept - read, total - kept)

    def _longest_start(self, end: int, rule: CacheRule, time_ms: int | None) -> int | None:
        """The longest prefix that a mark there finds."""
        blocks = self._sent.block_sums

        def in_reach() -> Iterator[int]:
            for count in range(end, -1, -1):
                if rule.look_back_blocks and count < end and blocks[end] - blocks[count] >= rule.look_back_blocks:
                    return
                yield count

        return next(self._alive(in_reach(), time_ms), None)

    def _alive(self, counts: Iterator[int] | range, time_ms: int | None) -> Iterator[int]:
        """Of these prefixes, by number of messages, those still cached (rule 4)."""
        for count in counts:
            start = self._sent.starts[count]
            if start in self._written_ms and not (
                self._lifetime_ms is not None
                and prices.is_cold(self._written_ms[start], time_ms, self._lifetime_ms)
            ):
                yield count
