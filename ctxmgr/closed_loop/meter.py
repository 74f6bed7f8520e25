"""Computes the *closed-loop cost* of lists: including what the model must fetch again to do what it did.

A replay uses the recorded replies, whatever a policy removed. Input cost alone would therefore reward forgetting,
and recall alone would reward keeping. One figure covers both, in dollars. Rules:

1. Missing is what a reply acts on (`references`), the conversation had, and the list of its call does not show
   (`lists`). The first missing reference is fetched from the newest tool result that contained it (`originals`),
   whole or in part (`PriceSheet.part_tokens`). Everything else in that original is no longer missing; and so on.
2. Each fetch is one more model call. It reads the current list, including earlier fetches, and writes the original
   and its call (CALL_TOKENS), which is also output. No cache expires between a call and its re-fetches.
3. Each is billed by how its provider caches (`prompt_cache`); the next list by what is kept since the last
   re-fetch.
4. A prompt is the list and the overhead (system prompt, tools), which other sessions have sent before.
5. `warm`: a call's input as if no cache ever expired. `actual`: with expired caches (then the overhead is written
   too). Summaries are billed as if a model wrote them: each reads the list of the previous call, with overhead, and
   outputs the summary.

Bias: originals come one by one; a name may appear in new code by chance; the policy is not told what came back. Not
included: work done wrong because nobody noticed that something was missing.
"""

from collections.abc import Callable, Hashable, Sequence

import msgspec

from ctxmgr.closed_loop.lists import (
    Element,
    Fetched,
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
    """One call: the messages that came since the previous one, what was shown of all, and the reply, which is one
    message or several items. `time_ms` in milliseconds, None if unknown. `summaries`: those added to the list
    since, as bytes.
    """

    new_messages: tuple[KeyedMessage, ...]
    projected: tuple[ListMessage, ...]
    reply: tuple[KeyedMessage, ...]
    time_ms: int | None = None
    summaries: tuple[bytes, ...] = ()


class LoopCall(msgspec.Struct, frozen=True, gc=False):
    """One call, in dollars: its input with a `warm` cache and with the `actual` one, its `fetches` (number) with
    input and output, its `output`, and the summaries made before it. `list_dollars`: like `warm`, for the list
    without fetched content. `more_tokens`: input of the re-fetches, and what the list holds of earlier ones.
    """

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
        """The cost of forgetting, beside the list itself."""
        return self.warm - self.list_dollars + self.refetched


class LoopMeter:
    """Of one session, call by call. Counts by `known`. `most`: the number of references of a reply that are
    searched; None: all. `marker`: makes what sets marks on its lists; None: on the newest message.
    """

    def __init__(
        self, known: MessageCache, most: int | None = None, marker: Callable[[], Marker] | None = None
    ) -> None:
        self._messages, self._most = known, most
        self._holders = holders = known.holders
        self._lists, self._originals, self._earlier = LoopLists(holders), Originals(holders), EarlierCalls()
        self._bare, self._warm, self._actual = (  # of lists without fetched content; with it; with passing time
            PromptCache(self._size, marker and marker(), timed) for timed in (False, False, True)
        )

    def call(self, seen: MeasuredCall, sheet: PriceSheet) -> LoopCall:
        """The next call, billed by `sheet`."""
        came = [item.message for item in seen.new_messages]
        self._originals.add(came)
        self._lists.add(seen.new_messages)
        self._lists.replied(seen.reply)
        self._earlier.add(came)
        summaries = self._summaries(seen.summaries, sheet)
        now = self._lists.of_call(seen.projected)
        bare_keys, keys = [message.raw for message in seen.projected], _keys(now)
        list_dollars, warm, actual = (
            input_dollars(sheet, cache.call(elements, sheet, seen.time_ms))
            for cache, elements in ((self._bare, bare_keys), (self._warm, keys), (self._actual, keys))
        )
        more_tokens = self._warm.list_tokens - self._bare.list_tokens
        wanted = self._earlier.acted_on(item.message for item in seen.reply)[: self._most]
        brought = self._fetched(
            seen, [reference for reference in wanted if reference in self._originals], keys, sheet
        )
        tier = sheet.prices.tier(self._warm.list_tokens + sheet.overhead_tokens)
        return LoopCall(
            warm=warm,
            actual=actual,
            fetches=len(brought),
            refetched=sum(money for _, money in brought),
            output=dollars(tier, output=sum(item.message.weight for item in seen.reply)),
            summary_dollars=summaries,
            list_dollars=list_dollars,
            more_tokens=more_tokens + sum(tokens for tokens, _ in brought),
        )

    def _size(self, key: Hashable) -> tuple[int, int]:
        """Tokens and content blocks; fetched content is a call and its result."""
        return (key.tokens, 2) if isinstance(key, Fetched) else self._messages.size(key)

    def _fetched(
        self, seen: MeasuredCall, wanted: Sequence[Reference], keys: list[Hashable], sheet: PriceSheet
    ) -> list[tuple[int, float]]:
        """The tokens of the input and the cost of each re-fetch of a call, oldest first (rules 1 and 2). They are
        added to `keys`, the list of the call.
        """
        out: list[tuple[int, float]] = []
        missing = self._lists.missing(wanted)
        while missing:
            original, weight = self._original(missing[0], sheet.part_tokens)
            brought = CALL_TOKENS + weight
            fetched = self._lists.fetch(original, brought, seen.reply[0].key)
            keys.append(fetched)
            tokens = self._warm.call(keys, sheet, seen.time_ms)
            self._actual.call(keys, sheet, seen.time_ms)
            output = dollars(sheet.prices.tier(tokens.input_tokens), output=CALL_TOKENS)
            out.append((tokens.input_tokens, input_dollars(sheet, tokens) + output))
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
        """Dollars for summaries added to the list since the previous call, as if a model wrote them."""
        tokens = self._warm.list_tokens + sheet.overhead_tokens
        tier = sheet.prices.tier(tokens)
        return sum(dollars(tier, read=tokens, output=self._messages.weight(raw)) for raw in raws)


def _keys(elements: Sequence[Element]) -> list[Hashable]:
    return [element.raw if isinstance(element, ListMessage) else element for element in elements]
