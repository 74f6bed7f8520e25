"""What each reply of a session acts on, and, by its whole future, how long each message is worth keeping.

Rules:

1. Messages leave in steps: from one place where a list may be cut to the next (`course`), so that a call and its
   result leave together. What the user says never leaves. What stands before the first such place leaves only where
   the list still begins with a user's message then.
2. Calls are gone through in their order. What a reply acts on and no step that is still kept shows, is served in
   one of two ways: a step that has it is kept from its last use until now, which is reading it at each call
   between; or it is fetched again then. Taken is what costs least for a reference served, and again, until none is
   left.
3. What is fetched stands with the step of the reply that needed it, and serves later calls from there.
4. `patience`: what a re-fetch is taken to cost, as a multiple of what it does; without end: nothing is missed.

Greedy in who serves which need: later needs of the same step are not looked at when one is decided.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate

from ctxmgr.closed_loop import CALL_TOKENS, EarlierCalls, Holders, Originals, Reference
from ctxmgr.model import PriceTier
from ctxmgr.study.closed_loop.epochs import Life
from ctxmgr.study.metrics import (
    LinePresence,
    MessageCache,
    Observation,
    PriceSheet,
    Timeline,
    dollars,
    new_messages,
    timeline,
)

MOST_HOLDERS = 16  # steps that a need is looked for in, newest first


class Occurrences:
    """Which of these references a message holds. A message is looked through once."""

    def __init__(self, references: Iterable[Reference], known: MessageCache) -> None:
        self._messages = known
        self._by_text: dict[str, list[Reference]] = {}
        for one in sorted(set(references)):
            self._by_text.setdefault(one.text, []).append(one)
        self._texts = LinePresence(self._by_text)
        self._within: dict[bytes, frozenset[Reference]] = {}

    def within(self, raw: bytes) -> frozenset[Reference]:
        found = self._within.get(raw)
        if found is None:
            texts = self._texts.within(raw, self._messages)
            found = self._within[raw] = frozenset(one for text in texts for one in self._by_text[text])
        return found


def acted_on(sights: Sequence[Observation], known: MessageCache) -> tuple[tuple[Reference, ...], ...]:
    """What each call's recorded reply acts on, whether or not the conversation had it before."""
    earlier = EarlierCalls()
    out = []
    for sight, came in zip(sights, new_messages(sights), strict=True):
        earlier.add(known.message(one.raw) for one in came)
        out.append(earlier.acted_on((known.message(sight.reply.raw),)))
    return tuple(out)


class Uses:
    """What replies of one session act on, and which steps have it. Worked out once, asked for several patiences."""

    def __init__(self, found: Timeline, wanted: Sequence[Sequence[Reference]], known: MessageCache) -> None:
        self.timeline, self.wanted, self.messages = found, wanted, known
        self.occurrences = Occurrences((one for some in wanted for one in some), known)
        self.tokens = [known.weight(one.raw) for one in found.items]
        self.steps = _steps(found)
        ends = [asked.end_index for asked in found.asked]
        self.arrives = [bisect_right(ends, place) for place in range(len(found.items))]

    def lives(self, sheet: PriceSheet, patience: float) -> list[Life]:
        """One for each message that some call has, in their order."""
        serving = _Serving(self, sheet, patience)
        for call in range(len(self.timeline.asked)):
            serving.serve(call)
        there = self.timeline.asked[-1].end_index if self.timeline.asked else 0
        return [
            Life(self.arrives[place], serving.ends[self.steps[place]], serving.tokens[place])
            for place in range(there)
        ]

    def staying(self) -> set[int]:
        """The steps that never leave (rule 1)."""
        roles = [one.role for one in self.timeline.items]
        users = {self.steps[place] for place, role in enumerate(roles) if role == "user"}
        speaker = next((role for role in roles if role in timeline.CUT_AT), "assistant")
        return users if speaker == "user" or roles[:1] == ["assistant"] else users | set(self.steps[:1])


class _Serving:
    """`ends` by step: the last call that needs it; `tokens` by message, with what was fetched for it."""

    def __init__(self, uses: Uses, sheet: PriceSheet, patience: float) -> None:
        self.uses, self.sheet, self.patience = uses, sheet, patience
        self.tier: PriceTier = sheet.prices.tier(0)
        self.tokens = list(uses.tokens)
        self.weights, self.ends = [0] * (1 + max(uses.steps, default=-1)), [0] * (1 + max(uses.steps, default=-1))
        for step, arrives, tokens in zip(uses.steps, uses.arrives, uses.tokens, strict=True):
            self.ends[step] = max(self.ends[step], arrives)
            self.weights[step] += tokens
        for step in uses.staying():
            self.ends[step] = len(uses.timeline.asked)
        self.holders: defaultdict[Reference, list[int]] = defaultdict(list)  # steps, oldest first
        self.originals = Originals(Holders(uses.messages))
        self.arrived_count = 0

    def serve(self, call: int) -> None:
        """Rule 2, for all that the reply of this call acts on."""
        asked = self.uses.timeline.asked[call]
        for place in range(self.arrived_count, asked.end_index):
            self._hold(self.uses.steps[place], self.uses.occurrences.within(self.uses.timeline.items[place].raw))
        came = self.uses.timeline.items[self.arrived_count : asked.end_index]
        self.originals.add(self.uses.messages.message(one.raw) for one in came)
        self.arrived_count = asked.end_index
        wanted = [one for one in self.uses.wanted[call] if one in self.originals]
        while wanted := [one for one in wanted if not self._is_kept(one, call)]:
            original = self.originals.of(wanted[0])
            fetched = self.uses.occurrences.within(original).intersection(wanted)
            step, price = self._cheapest(wanted, call)
            if self._refetch(original, call) / len(fetched) < price:
                self._bring(original, asked.end_index)
                wanted = [one for one in wanted if one not in fetched]
            else:
                self.ends[step] = call

    def _is_kept(self, one: Reference, call: int) -> bool:
        return any(self.ends[step] >= call for step in reversed(self.holders[one]))

    def _cheapest(self, wanted: Iterable[Reference], call: int) -> tuple[int, float]:
        """The step that is kept for the least a reference, and what that is in dollars."""
        served = Counter(step for one in wanted for step in self.holders[one][-MOST_HOLDERS:])

        def price(step: int) -> float:
            tokens = (call - self.ends[step]) * self.weights[step]
            return dollars(self.tier, read=tokens) / served[step]

        step = min(served, key=price)
        return step, price(step)

    def _refetch(self, original: bytes, call: int) -> float:
        """What it is taken to cost, in dollars; the list is what is kept until now."""
        there = 1 + self.uses.steps[self.arrived_count - 1]
        kept = sum(
            tokens for tokens, ends in zip(self.weights[:there], self.ends[:there], strict=True) if ends >= call
        )
        brought = CALL_TOKENS + self.uses.messages.weight(original)
        read = kept + self.sheet.overhead_tokens
        return self.patience * dollars(self.tier, read=read, written=brought, output=CALL_TOKENS)

    def _bring(self, original: bytes, place: int) -> None:
        """Rule 3: `place` is of the reply."""
        brought = CALL_TOKENS + self.uses.messages.weight(original)
        step = self.uses.steps[place]
        self.tokens[place] += brought
        self.weights[step] += brought
        self._hold(step, self.uses.occurrences.within(original))

    def _hold(self, step: int, references: Iterable[Reference]) -> None:
        for one in references:
            self.holders[one].append(step)


def _steps(found: Timeline) -> list[int]:
    """The step of each message: from cut to cut, and what stands behind a user's message by itself (rule 1)."""
    starts = {0, *found.cuts, *(cut + 1 for cut in found.cuts if found.items[cut].role == "user")}
    return [number - 1 for number in accumulate(int(place in starts) for place in range(len(found.items)))]
