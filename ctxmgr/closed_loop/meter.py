"""Turns what a model was shown into its *closed-loop cost*: with what it had to fetch again to do what it did.

Who replays the replies that there were, whatever a policy left out, rewards forgetting by input alone, and keeping
by recall alone. One figure has both, in dollars. Rules:

1. What a reply acts on (`references`) and the conversation had, and the list of its call does not show (`lists`),
   is missing. The first missing is fetched, the newest tool result that had it first (`originals`), whole, or a
   part of it (`PriceSheet.part_tokens`); all else that this one holds is struck out; and so on.
2. Each is one more model call: it reads the list as it stands, with what the fetches before it brought, and writes
   the original and the call for it (CALL_TOKENS), which it also puts out. No cache is cold between a call and its
   re-fetches.
3. Each is billed by how its provider caches (`prompt_cache`); the next list by what is kept since the last
   re-fetch.
4. A prompt is the list and the overhead (system prompt, tools), which other sessions have sent before.
5. `warm`: input of a call, as if no cache were ever cold; `actual`: with cold caches (then the overhead is written
   too). Summaries as if a model had written them: each reads the list of the call before it, overhead and all, and
   puts out the summary.

Bias: originals come one by one; a name may stand in new code by chance; the policy is not told what came
back. Not charged: work done wrong because nobody noticed that something was missing.
"""

from collections.abc import Callable, Hashable, Sequence

import msgspec

from ctxmgr.closed_loop.lists import (
    Element,
    Fetched,
    Holders,
    KeyedMessage,
    ListMessage,
    LoopLists,
    MessageCache,
    Originals,
)
from ctxmgr.closed_loop.prompt_cache import Marker, PriceSheet, PromptCache, dollars, input_dollars
from ctxmgr.closed_loop.references import EarlierCalls, Reference

CALL_TOKENS = 150  # of a call that fetches one thing: a few words, a tool's name, a path


class MeasuredCall(msgspec.Struct, frozen=True):
    """One call: the messages that came to the conversation since the one before, what was shown of all, and the
    reply, one message or several items. `time_ms` in milliseconds, None where no time is known; `summaries`: that
    came into the list since, as bytes."""

    new_messages: tuple[KeyedMessage, ...]
    projected: tuple[ListMessage, ...]
    reply: tuple[KeyedMessage, ...]
    time_ms: int | None = None
    summaries: tuple[bytes, ...] = ()


class LoopCall(msgspec.Struct, frozen=True, gc=False):
    """One call, in dollars: its input as billed with a `warm` cache and as the cache `actually` was, its `fetches`
    (so many) with input and output, its `output`, and the summaries made before it. `list_dollars`: as `warm`, of
    the list without what came back. `more_tokens`: input of the re-fetches, and what of earlier ones stands in the
    list."""

    warm: float
    actual: float
    fetches: int = 0
    refetched: float = 0.0
    output: float = 0.0
    summary_dollars: float = 0.0
    list_dollars: float = 0.0
    more_tokens: int = 0

    @property
    def more_dollars(self) -> float:
        """What forgetting cost, beside the list itself."""
        return self.warm - self.list_dollars + self.refetched


class LoopMeter:
    """Of one session, call by call. Weights as `known` weighs. `most`: of what a reply acts on so much is looked
    for; None: all. `marker`: makes what sets marks on its lists; None: they are on the newest message."""

    def __init__(
        self, known: MessageCache, most: int | None = None, marker: Callable[[], Marker] | None = None
    ) -> None:
        self._messages, self._most = known, most
        holders = Holders(known)
        self._holders = holders
        self._lists, self._originals, self._earlier = LoopLists(holders), Originals(holders), EarlierCalls()
        self._before: list[Element] = []  # as the last re-fetch left it
        self._bare, self._warm, self._actual = (  # of lists without what came back; with it; where time passes
            PromptCache(self._size, marker and marker(), timed) for timed in (False, False, True)
        )

    def call(self, seen: MeasuredCall, sheet: PriceSheet) -> LoopCall:
        """The next one, as `sheet` bills it."""
        came = [item.message for item in seen.new_messages]
        self._originals.add(came)
        self._lists.add(seen.new_messages)
        self._lists.replied(seen.reply)
        self._earlier.add(came)
        summaries = self._summaries(seen.summaries, sheet)
        now = self._lists.of_call(seen.projected)
        list_dollars, warm, actual = (
            input_dollars(sheet, cache.call(_keys(elements), sheet, seen.time_ms))
            for cache, elements in ((self._bare, seen.projected), (self._warm, now), (self._actual, now))
        )
        wanted = self._earlier.acted_on(item.message for item in seen.reply)[: self._most]
        brought = self._fetched(
            seen, [reference for reference in wanted if reference in self._originals], now, sheet
        )
        self._before = [*now, *(fetched for fetched, _, _ in brought)]
        tier = sheet.prices.tier(self._tokens(self._before) + sheet.overhead_tokens)
        return LoopCall(
            warm=warm,
            actual=actual,
            fetches=len(brought),
            refetched=sum(money for _, _, money in brought),
            output=dollars(tier, output=sum(item.message.weight for item in seen.reply)),
            summary_dollars=summaries,
            list_dollars=list_dollars,
            more_tokens=self._tokens(now) - self._tokens(seen.projected) + sum(tokens for _, tokens, _ in brought),
        )

    def _size(self, key: Hashable) -> tuple[int, int]:
        """Tokens and content blocks; what was fetched is a call and its result."""
        return (key.tokens, 2) if isinstance(key, Fetched) else self._messages.size(key)

    def _fetched(
        self, seen: MeasuredCall, wanted: Sequence[Reference], now: Sequence[Element], sheet: PriceSheet
    ) -> list[tuple[Fetched, int, float]]:
        """Each re-fetch of a call with the tokens of its input and what it cost, oldest first (rules 1 and 2)."""
        out: list[tuple[Fetched, int, float]] = []
        keys, missing = _keys(now), self._lists.missing(wanted)
        while missing:
            original, weight = self._original(missing[0], sheet.part_tokens)
            brought = CALL_TOKENS + weight
            fetched = self._lists.fetch(original, brought, seen.reply[0].key)
            keys.append(fetched)
            tokens = self._warm.call(keys, sheet, seen.time_ms)
            self._actual.call(keys, sheet, seen.time_ms)
            output = dollars(sheet.prices.tier(tokens.input_tokens), output=CALL_TOKENS)
            out.append((fetched, tokens.input_tokens, input_dollars(sheet, tokens) + output))
            missing = [reference for reference in missing if not self._originals.holds(reference, original)]
        return out

    def _original(self, wanted: Reference, part_tokens: int | None) -> tuple[bytes, int]:
        """What is fetched for it, and its tokens."""
        original = self._originals.of(wanted)
        weight = self._messages.weight(original)
        if part_tokens is None or weight <= part_tokens:
            return original, weight
        return self._holders.part(original, wanted.text, part_tokens / weight), part_tokens

    def _summaries(self, raws: Sequence[bytes], sheet: PriceSheet) -> float:
        """Dollars for summaries that came into the list since the call before, as if a model wrote them."""
        tokens = self._tokens(self._before) + sheet.overhead_tokens
        tier = sheet.prices.tier(tokens)
        return sum(dollars(tier, read=tokens, output=self._messages.weight(raw)) for raw in raws)

    def _tokens(self, some: Sequence[Element]) -> int:
        return sum(
            element.tokens if isinstance(element, Fetched) else self._messages.weight(element.raw)
            for element in some
        )


def _keys(elements: Sequence[Element]) -> list[Hashable]:
    return [element if isinstance(element, Fetched) else element.raw for element in elements]
