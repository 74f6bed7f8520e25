"""Turns what a provider says it read from its cache, call by call, into what is known of its cache.

1. A call is expected to read what the provider counted for the call before, less what the list no longer begins
   with, by the provider's rule: in its steps, and nothing where that is too short to be kept.
2. After a pause longer than a start is kept nothing is expected, and nothing compared; but it teaches (`lifetime`).
3. Of a provider that never tells what it read nothing is known. Once it has, a count without that is of nothing
   read: Gemini leaves a zero out.
4. Where a list or its count is not known, neither its call is compared nor the next.
5. What stands before the list is what a count has beside it. For that a weighed token is so many of the provider's
   as lists grew by, over what their weight did: of one count alone both are unknown.
6. Who writes all anew after pauses longer than the provider promises to keep a start is taken to have a cache that
   lapses, for it does write one. That something before the list changes is as likely, but then no start is worth
   more after such a pause either.
7. Who has read once has a cache, whatever is said of its model: that is remembered (`has_read`), of the model that
   is called now and of others that were called before, of which the one called longest ago is the first forgotten.
"""

import msgspec

from ctxmgr.engine.caching.lifetime import MISSED_SHARE, PausedCall, learned
from ctxmgr.engine.pressure import meter
from ctxmgr.model import CacheRule, Usage
from ctxmgr.model.saved import CacheTruth, ComparedCall, CountedList, LearnedLifetime

LEAST_COMPARED_TOKENS = 4_096  # the longest start that a provider is known not to keep: Anthropic's, of Opus 4.5
CALLS_REMEMBERED = 8
ENOUGH_WEIGHT = 2_000  # tokens: a list that grew by less tells its provider's tokens badly
MODELS_AT_MOST = 32  # whose lifetime was learned, and others that have read


class CountedCall(msgspec.Struct, frozen=True):
    """A call that was answered, and counted. `weight` of its list; `ratio`: the provider's tokens a weighed one;
    `rule` holds the lifetime that is believed, `documented_ms`: the one that the provider promises."""

    model: str
    usage: Usage
    weight: int
    ratio: float
    rule: CacheRule
    documented_ms: int = CacheRule().lifetime_ms


def listed(counted: CountedList, prefix_weight: int, time_ms: int | None) -> CountedList:
    """A list goes out that begins with so much of the last one."""
    longest_ms = counted.longest_ms
    if time_ms is not None and counted.listed_ms is not None:
        longest_ms = max(longest_ms, time_ms - counted.listed_ms)
    return msgspec.structs.replace(
        counted,
        is_listed=True,
        shared_weight=min(counted.shared_weight, prefix_weight),
        listed_ms=time_ms,
        longest_ms=longest_ms,
    )


def uncounted(counted: CountedList) -> CountedList:
    """Rule 4."""
    return CountedList(listed_ms=counted.listed_ms)


def answered(truth: CacheTruth, counted: CountedList, call: CountedCall) -> tuple[CacheTruth, CountedList]:
    """The provider has answered the list that goes on from `counted`."""
    if truth.model != call.model:
        truth = _of_another(truth, call.model)
        counted = msgspec.structs.replace(counted, input_tokens=None)
    usage = call.usage
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if not counted.is_listed or not sent:
        return truth, uncounted(counted)
    truth = msgspec.structs.replace(
        truth,
        tells=truth.tells or usage.has_cache_read,
        has_read=truth.has_read or usage.cache_read_tokens > 0,
    )
    if truth.tells and counted.input_tokens is not None:
        truth = _grown(_compared(truth, counted, sent, call), counted, sent, call.weight)
    listed_ms = counted.listed_ms
    return truth, CountedList(sent, call.weight, listed_ms, shared_weight=call.weight, listed_ms=listed_ms)


def has_read(call: ComparedCall) -> bool:
    """As far as can be told: weights are estimates."""
    return call.read_tokens >= MISSED_SHARE * call.expected_tokens


def _of_another(truth: CacheTruth, model: str) -> CacheTruth:
    """Rule 7."""
    last = (truth.model,) if truth.has_read else ()
    others = tuple(id for id in truth.other_readers if id != model)
    return CacheTruth(
        model,
        lifetimes=truth.lifetimes,
        has_read=truth.has_cache(model),
        other_readers=(*others, *last)[-MODELS_AT_MOST:],
    )


def _compared(truth: CacheTruth, before: CountedList, sent: int, call: CountedCall) -> CacheTruth:
    """Rules 1 and 2."""
    ratio, input_tokens = _ratio(truth, call), before.input_tokens or 0
    changed = round(ratio * (before.weight - before.shared_weight))
    before_list = max(0, input_tokens - round(ratio * before.weight))
    expected = _by_rule(call.rule, min(sent, max(before_list, input_tokens - changed)))
    whole_ms = None
    if before.time_ms is not None and before.listed_ms is not None:
        whole_ms = max(0, before.listed_ms - before.time_ms)
    compared = ComparedCall(
        expected,
        call.usage.cache_read_tokens,
        call.usage.cache_write_tokens,
        min(before_list, expected),
        changed,
        whole_ms,
    )
    if whole_ms is not None and expected >= LEAST_COMPARED_TOKENS:
        truth = _with_lifetime(truth, call, compared, min(before.longest_ms, whole_ms))
    if input_tokens < LEAST_COMPARED_TOKENS or (whole_ms is not None and whole_ms > call.rule.lifetime_ms):
        return truth
    return msgspec.structs.replace(truth, calls=(*truth.calls, compared)[-CALLS_REMEMBERED:])


def _ratio(truth: CacheTruth, call: CountedCall) -> float:
    """Rule 5."""
    if truth.grown_weight < ENOUGH_WEIGHT:
        return call.ratio
    low, high = meter.bounds(call.model)
    return min(high, max(low, truth.grown_tokens / truth.grown_weight))


def _grown(truth: CacheTruth, before: CountedList, sent: int, weight: int) -> CacheTruth:
    more = sent - (before.input_tokens or 0)
    if before.shared_weight < before.weight or more <= 0 or weight <= before.weight:
        return truth
    return msgspec.structs.replace(
        truth,
        grown_tokens=truth.grown_tokens + more,
        grown_weight=truth.grown_weight + weight - before.weight,
    )


def _with_lifetime(truth: CacheTruth, call: CountedCall, compared: ComparedCall, longest_ms: int) -> CacheTruth:
    whole_ms = compared.pause_ms or 0
    shorter = [past for past in truth.calls if past.pause_ms is not None and past.pause_ms < whole_ms]
    paused = PausedCall(
        compared.expected_tokens, compared.before_list_tokens, compared.read_tokens, longest_ms, whole_ms
    )
    before = truth.lifetimes.get(call.model, LearnedLifetime())
    works = (bool(shorter) and has_read(shorter[-1])) or _writes_anew(truth, call, compared)
    after = learned(before, call.rule.lifetime_ms, paused, works)
    if after == before:
        return truth
    others = {id: known for id, known in truth.lifetimes.items() if id != call.model}
    lifetimes = dict([*others.items(), (call.model, after)][-MODELS_AT_MOST:])
    return msgspec.structs.replace(truth, lifetimes=lifetimes)


def _writes_anew(truth: CacheTruth, call: CountedCall, compared: ComparedCall) -> bool:
    """Rule 6."""
    pauses = [past.pause_ms for past in (*truth.calls, compared) if past.pause_ms is not None]
    return min(pauses, default=0) > call.documented_ms and compared.read_tokens == 0 and compared.written_tokens > 0


def _by_rule(rule: CacheRule, tokens: int) -> int:
    if rule.kind == "none" or tokens < rule.least_tokens:
        return 0
    return tokens - tokens % max(1, rule.step_tokens)
