"""Turns what a model was shown into its *closed-loop cost*: with what it had to fetch again to do what it did.

A replay replays the recorded replies whatever a policy left out, so input alone rewards forgetting, and recall
alone rewards keeping. One figure has both, in dollars. Rules:

1. What a reply acts on (`references`) and the conversation had, and the list of its call does not show (`lists`),
   is missing. The first missing is fetched, the newest tool result that had it first (`originals`), whole; all else
   that this one holds is struck out; and so on.
2. Each is one more model call: it reads the list as it stands, with what the fetches before it brought, and writes
   the original and the call for it (CALL_TOKENS), which it also puts out. No cache is cold between a call and its
   re-fetches.
3. The next list is billed by its common prefix with the one that the last re-fetch left.
4. A prompt is the list and the overhead (system prompt, tools), which is always read.
5. `closed`: input of all calls, as if no cache were ever cold, and the re-fetches. `all`: the same with cold caches
   (then the overhead is written too), with summaries as if a model had written them (each reads the list of the
   call before it, overhead and all, and puts out the summary), and with the recorded output of all calls.

Bias: originals come whole and one by one; a name may stand in new code by chance; the policy is not told what came
back. Not charged: work done wrong because nobody noticed that something was missing.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.closed_loop.lists import Element, Fetched, LoopLists, common_start
from ctxmgr.study.closed_loop.originals import Originals
from ctxmgr.study.closed_loop.parts import BillParts, bill_parts
from ctxmgr.study.closed_loop.references import Occurrences, Reference, acted_on
from ctxmgr.study.metrics import SUMMARY, MessageCache, Observation, PriceSheet, dollars, is_cold, new_messages

CALL_TOKENS = 150  # of a call that fetches one thing: a few words, a tool's name, a path


class LoopCall(msgspec.Struct, frozen=True, gc=False):
    """One call, in dollars: its input as billed with a `warm` cache and as the cache `actually` was, its `fetches`
    (so many) with input and output, its `output`, and the summaries made before it."""

    warm: float
    actual: float
    fetches: int = 0
    refetched: float = 0.0
    output: float = 0.0
    summary_dollars: float = 0.0


class ClosedLoop(msgspec.Struct, frozen=True):
    """One session under one policy. `parts`: of the input alone of lists without what came back, warm."""

    parts: BillParts
    calls: tuple[LoopCall, ...]

    @property
    def billed(self) -> float:
        return self.parts.total

    @property
    def closed(self) -> float:
        return sum(one.warm + one.refetched for one in self.calls)

    @property
    def all(self) -> float:
        return sum(one.actual + one.refetched + one.output + one.summary_dollars for one in self.calls)

    @property
    def fetches(self) -> int:
        return sum(one.fetches for one in self.calls)

    @property
    def in_100(self) -> float | None:
        """Re-fetches in 100 calls."""
        return 100 * self.fetches / len(self.calls) if self.calls else None


def closed_loop(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> ClosedLoop:
    """All calls of one session, oldest first. Weights as `known` weighs."""
    meter = _Meter(sights, known, sheet)
    return ClosedLoop(bill_parts(sights, known, sheet), tuple(meter.calls()))


class _Meter:
    def __init__(self, sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> None:
        self.sights, self.messages, self.sheet = sights, known, sheet
        self.wanted = acted_on(sights, known)
        self.occurrences = Occurrences((one for some in self.wanted for one in some), known)
        self.lists = LoopLists(self.occurrences, known)
        self.originals = Originals(self.occurrences)
        self.before: list[Element] = []  # as the last re-fetch left it

    def calls(self) -> list[LoopCall]:
        out = []
        last: Observation | None = None
        for sight, came, wanted in zip(self.sights, new_messages(self.sights), self.wanted, strict=True):
            self.originals.add(came)
            self.lists.add(came)
            summaries = self._summaries(last, sight)
            now = self.lists.at(sight)
            warm, actual = self._input(last, sight, now)
            brought = self._fetched(sight, [one for one in wanted if one in self.originals], now)
            self.before = [*now, *(one for one, _ in brought)]
            tier = self.sheet.prices.tier(self._tokens(self.before) + self.sheet.overhead_tokens)
            out.append(
                LoopCall(
                    warm=warm,
                    actual=actual,
                    fetches=len(brought),
                    refetched=sum(money for _, money in brought),
                    output=dollars(tier, output=self.messages.weight(sight.reply.raw)),
                    summary_dollars=summaries,
                )
            )
            last = sight
        return out

    def _input(self, last: Observation | None, sight: Observation, now: Sequence[Element]) -> tuple[float, float]:
        """Dollars for the list of a call: warm, and as the cache was."""
        beside = self.sheet.overhead_tokens
        tokens = self._tokens(now)
        cached = self._tokens(now[: common_start(self.before, now)])
        tier = self.sheet.prices.tier(tokens + beside)
        warm = dollars(tier, read=cached + beside, written=tokens - cached)
        if last is not None and is_cold(last.time_ms, sight.time_ms, self.sheet.ttl_ms):
            return warm, dollars(tier, written=tokens + beside)
        return warm, warm

    def _fetched(
        self, sight: Observation, wanted: Sequence[Reference], now: Sequence[Element]
    ) -> list[tuple[Fetched, float]]:
        """Each re-fetch of a call and what it cost, oldest first (rules 1 and 2)."""
        out: list[tuple[Fetched, float]] = []
        tokens = self._tokens(now) + self.sheet.overhead_tokens
        missing = self.lists.missing(wanted)
        while missing:
            original = self.originals.of(missing[0])
            brought = CALL_TOKENS + self.messages.weight(original)
            one = self.lists.fetch(original, brought, sight.reply)
            tier = self.sheet.prices.tier(tokens + brought)
            out.append((one, dollars(tier, read=tokens, written=brought, output=CALL_TOKENS)))
            tokens += brought
            missing = [one for one in missing if one not in out[-1][0].references]
        return out

    def _summaries(self, last: Observation | None, sight: Observation) -> float:
        """Dollars for summaries that came into the host's list since the call before, as if a model wrote them."""
        if last is None:
            return 0.0
        there = {one.raw for one in last.items if one.role == SUMMARY}
        tokens = self._tokens(self.before) + self.sheet.overhead_tokens
        tier = self.sheet.prices.tier(tokens)
        return sum(
            dollars(tier, read=tokens, output=self.messages.weight(one.raw))
            for one in sight.items
            if one.role == SUMMARY and one.raw not in there
        )

    def _tokens(self, some: Sequence[Element]) -> int:
        return sum(one.tokens if isinstance(one, Fetched) else self.messages.weight(one.raw) for one in some)
