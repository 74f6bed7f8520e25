"""Computes what the input of a session costs with a provider that caches prompts by prefix.

Rules:

1. A call reads from the cache what its provider keeps (`closed_loop.prompt_cache`). By default that is the longest
   beginning that its list shares with the previous call's, message by message. The rest is written to the cache.
   Reading and writing have their own prices.
2. The cache is cold if more time than its lifetime has passed since the previous call. A call refreshes what it
   reads. If one of the two times is unknown the cache is warm.
3. The first call writes everything.
4. Tokens are those of the conversation, uncalibrated, without system prompt, tools and output. They are the same
   for every preset, so a saving here is a larger share than on a bill.
5. A request over a tier's bound, overhead included, pays that tier's prices for all its tokens.

Cache marks in simulated lists are where ctxmgr's reports put them, or where hosts put their own.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import accumulate
from statistics import fmean

import msgspec

from ctxmgr.closed_loop import BilledStarts, Marker, PriceSheet, PromptCache, dollars, without
from ctxmgr.engine.caching import MarkInputs, placed
from ctxmgr.model import OWN_MARKS, CacheRule, CallTokens, currency, prices
from ctxmgr.model.saved import MarkedStart
from ctxmgr.study.figures.metric import COUNT, DOLLARS, SHARE, TOKENS, Measures, Metric, of_base
from ctxmgr.study.observations import Observation, ProjectedMessage, Ratio, new_messages, same_start, total


class OurMarks:
    """Sets cache marks as ctxmgr's reports do, in a session with these calls."""

    def __init__(self, rule: CacheRule) -> None:
        self._rule = rule
        self._starts: tuple[MarkedStart, ...] = ()

    def ends(self, sent: BilledStarts, grew: bool, time_ms: int | None) -> Sequence[int]:
        inputs = MarkInputs(
            rule=self._rule,
            message_count=len(sent.keys),
            same_count=None if grew else sent.same_count,
            own_marks=OWN_MARKS,
            blocks=lambda start, end: sent.block_sums[end] - sent.block_sums[start],
            may_bear=lambda _: True,
            time_ms=time_ms,
        )
        made = placed(inputs, self._starts)
        self._starts = made.starts
        return tuple(index + 1 for index in made.indices)


def marker(sheet: PriceSheet) -> Callable[[], Marker] | None:
    """A factory of what sets the marks in one session billed by this sheet. None: only the newest message has a
    mark.
    """
    if sheet.rule is None or sheet.marks == "host":
        return None
    return partial(OurMarks, msgspec.structs.replace(sheet.rule, lifetime_ms=sheet.ttl_ms))


class Billed(msgspec.Struct, frozen=True, gc=False):
    """One call. `tokens` of the list. `cached`: tokens of the beginning shared with the previous call, cold or not.
    `money` in dollars; `warm`: the same if the cache were never cold.

    `broke`: the previous list is no prefix of this one. `announced`: the report named a new epoch.
    """

    tokens: int
    cached: int
    cold: bool
    broke: bool
    announced: bool
    money: float = 0.0
    warm: float = 0.0


def bill(
    sights: Sequence[Observation], sheet: PriceSheet, size: Callable[[Hashable], tuple[int, int]]
) -> tuple[Billed, ...]:
    """The bill of each call. `size`: returns the tokens and content blocks of a message's bytes."""
    calls: list[Billed] = []
    before: Observation | None = None
    made = marker(sheet)
    warm, timed = (PromptCache(size, made and made(), timed) for timed in (False, True))
    for sight in sights:
        raws = [message.raw for message in sight.projected_messages]
        with_warm, money = (_list_dollars(sheet, cache.call(raws, sheet, sight.time_ms)) for cache in (warm, timed))
        old: Sequence[ProjectedMessage] = before.projected_messages if before else ()
        common = same_start(old, sight.projected_messages)
        weights = [size(raw)[0] for raw in raws]
        calls.append(
            Billed(
                tokens=sum(weights),
                cached=sum(weights[:common]),
                cold=before is not None and prices.is_cold(before.time_ms, sight.time_ms, sheet.ttl_ms),
                broke=common < len(old),
                announced=before is not None and before.epoch_number != sight.epoch_number,
                money=money,
                warm=with_warm,
            )
        )
        before = sight
    return tuple(calls)


def _list_dollars(sheet: PriceSheet, tokens: CallTokens) -> float:
    """Rules 4 and 5."""
    listed, tier = without(tokens, sheet.overhead_tokens), sheet.prices.tier(tokens.input_tokens)
    return dollars(tier, read=listed.read_tokens, written=listed.written_tokens, new=listed.new_tokens)


def of_session(session: Measures) -> tuple[Billed, ...]:
    return bill(session.observations, session.sheet, session.known.size)


def _sum(of: Callable[[Billed], float]) -> Callable[[Measures], float]:
    """The sum over the calls of a session; for a boolean `of`, the number of calls."""
    return lambda session: sum(map(of, session.once(of_session)))


def recorded_tokens(session: Measures) -> tuple[int, ...]:
    """For each call, the tokens of the recorded conversation so far."""
    weights = (
        sum(session.known.weight(message.raw) for message in came) for came in new_messages(session.observations)
    )
    return tuple(accumulate(weights))


def _mean_tokens(session: Measures) -> float | None:
    calls = session.once(of_session)
    return fmean(call.tokens for call in calls) if calls else None


MONEY = Metric(
    path="money",
    title=f"{currency.SIGN} input",
    unit=DOLLARS,
    about="Cost of the input alone, with the cold calls of the recording.",
    of=_sum(lambda call: call.money),
    shown=("page",),
    columns=("input_dollars",),
)
WARM_MONEY = Metric(
    path="warmMoney",
    title=f"{currency.SIGN} warm",
    unit=DOLLARS,
    about="Cost of the input alone if the cache never expired.",
    of=_sum(lambda call: call.warm),
)
METRICS = (
    Metric(
        path="rawTokens",
        title="conversation",
        unit=COUNT,
        about="Tokens of the whole recorded conversation.",
        of=lambda session: max(session.once(recorded_tokens), default=0),
        columns=("raw_tokens",),
    ),
    MONEY,
    of_base(
        MONEY,
        path="ofOff",
        title="input",
        about="Cost of the input alone as a share of that of preset off.",
        shown=("page",),
    ),
    WARM_MONEY,
    of_base(
        WARM_MONEY,
        path="warmOfOff",
        title="input, warm",
        about="The same if the cache never expired.",
    ),
    Metric(
        path="sentMean",
        title="sent",
        unit=TOKENS,
        about="Mean tokens of a list sent.",
        of=_mean_tokens,
        shown=("page",),
    ),
    Metric(
        path="sentLargest",
        title="largest",
        unit=TOKENS,
        about="Tokens of the largest list sent.",
        of=lambda session: max((call.tokens for call in session.once(of_session)), default=None),
        shown=("page",),
    ),
    Metric(
        path="cachedShare",
        title="cached",
        unit=SHARE,
        about="Share of the tokens sent that repeat the start of the previous call.",
        of=lambda session: total(Ratio(call.cached, call.tokens) for call in session.once(of_session)).share,
    ),
    Metric(
        path="breaks",
        title="breaks",
        unit=COUNT,
        about="Calls whose list starts differently from the previous one.",
        of=_sum(lambda call: call.broke),
        shown=("page",),
        columns=("break_count",),
    ),
    Metric(
        path="unannouncedBreaks",
        title="stray breaks",
        unit=COUNT,
        about="Breaks outside of a new epoch.",
        of=_sum(lambda call: call.broke and not call.announced),
        shown=("brief",),
        columns=("unannounced_count",),
    ),
    Metric(
        path="epochs",
        title="epochs",
        unit=COUNT,
        about="Number of cache epochs announced.",
        of=_sum(lambda call: call.announced),
        shown=("page",),
        columns=("epoch_count",),
    ),
    Metric(
        path="coldCalls",
        title="cold",
        unit=COUNT,
        about="Calls after the cache had expired.",
        of=_sum(lambda call: call.cold),
    ),
)
