"""Tracks what a provider reports of cache reads, call by call, and what that says about its cache: whether there is
one, and how long it keeps a prefix that nobody reads.

1. A call is expected to read what the provider counted for the previous call, minus the part of the list that
   changed, by the provider's rule: in its steps, and nothing if that is too short to be cached.
2. After a pause longer than the lifetime nothing is expected or compared, but the call teaches (rules 8 to 12).
3. Nothing is known of a provider that never reports reads. Once it has, a count without a read means zero: Gemini
   omits zeros.
4. If a list or its count is unknown, neither its call nor the next is compared.
5. What precedes the list is the rest of a count. That needs the provider's tokens per estimated token, which is the
   growth of counts over the growth of estimates: a single count leaves both unknown.
6. A provider that writes everything again after pauses longer than it promises to keep a prefix is taken to have a
   cache that expires, since it does write one. A change before the list is as likely, but then no prefix is worth
   more after such a pause either.
7. A provider that has reported a read has a cache, whatever is said of its model. That is remembered (`has_read`)
   for the current model and for earlier ones, of which the least recently called is forgotten first.

How long it keeps a prefix (`in_force`, `learned`):

8. The host's word has priority, then the policy's, then what was learned, then the provider's rule.
9. A call that read its list after a pause longer than believed shows that a prefix lives that long.
10. A call that read only what precedes its list needs a second one to show that, since other sessions share that
    prefix and keep it alive. Once this has misled, such calls show nothing.
11. A call that read nothing after a pause shorter than believed shows, with a second one, that a prefix lives for
    less than the longer of both pauses. The first is forgotten if a call reads after a pause as long.
12. Lists whose calls were not counted may have renewed the prefix. So a life is at least the longest pause between
    two lists, and a lapse takes the whole time since the last counted call.

What is wrong if calls persistently read less than expected, in a sentence (`gap`):

13. A gap persists if each of the newest `GAP_CALLS` calls read less than half of what was expected. One call that
    reads ends it.
14. How much was read shows where the prompt changes. Nothing: before the list, or caching is off. As much as
    precedes the list: at its start. More: behind what was read. If the provider caches up to marks, a mark may be
    missing there instead; if nothing was ever written, there is none.
15. If lists begin differently on every call, the provider has nothing to read of them, even if it reads all that is
    expected.
16. Reads that fail after pauses show that a prefix is kept for less time than the host or the policy says.
17. If all calls that read nothing came after pauses longer than the provider's documentation promises, the given
    lifetime may be too long. Only a call that read after a shorter pause shows that; without one, the other causes
    are mentioned too.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from ctxmgr.engine.pressure import meter
from ctxmgr.model import CacheRule, Usage, prices
from ctxmgr.model.saved import CacheTruth, ComparedCall, CountedList, LearnedLifetime, State

LEAST_MS = 60_000  # no provider keeps a prefix for less
READ_SHARE = 0.8  # of what was expected: the prefix was kept
MISSED_SHARE = 0.5  # less than that: it was not
LIST_SHARE = 0.5  # of what was expected; from here on a read includes the list
LifetimeSource = Literal["host", "policy", "learned", "rule"]


class LifetimeInForce(msgspec.Struct, frozen=True):
    """In milliseconds, and its source."""

    lifetime_ms: int
    source: LifetimeSource


def in_force(state: State, policy_ms: int | None, rule: CacheRule) -> LifetimeInForce:
    """Rule 1. `policy_ms`: the policy's value, None if unset. `rule`: of the model's provider."""
    model = state.model
    if model.cache_ttl_ms is not None:
        return LifetimeInForce(model.cache_ttl_ms, "host")
    if policy_ms is not None:
        return LifetimeInForce(policy_ms, "policy")
    lifetime = state.cache.lifetimes.get(model.id)
    if lifetime is not None and lifetime.learned_ms is not None:
        return LifetimeInForce(lifetime.learned_ms, "learned")
    return LifetimeInForce(rule.lifetime_ms, "rule")


def learned(
    before: LearnedLifetime, believed_ms: int, call: ComparedCall, longest_ms: int, works: bool
) -> LearnedLifetime:
    """Rules 2 to 5. `believed_ms`: the value without learning. `call`: after a pause, with the tokens it should
    have read if prefixes never expired. `longest_ms`: of the pauses between its list and the last counted one.
    `works`: a call after a shorter pause has read.
    """
    believed_ms = believed_ms if before.learned_ms is None else before.learned_ms
    share = call.read_tokens / call.expected_tokens
    if share < MISSED_SHARE:
        return _lapsed(before, believed_ms, call.pause_ms or 0) if works else before
    of_list = call.expected_tokens - call.before_list_tokens >= LIST_SHARE * call.expected_tokens
    if share < READ_SHARE or not of_list:
        return _hinted(before, believed_ms, longest_ms)
    if before.lapsed_ms is not None and longest_ms >= before.lapsed_ms:
        before = msgspec.structs.replace(before, lapsed_ms=None)
    if longest_ms <= believed_ms:
        return before
    return msgspec.structs.replace(before, learned_ms=min(prices.MOST_LIFETIME_MS, longest_ms))


def _hinted(before: LearnedLifetime, believed_ms: int, pause_ms: int) -> LearnedLifetime:
    """Rule 3."""
    hinted = before.hinted_ms
    if pause_ms <= believed_ms or hinted == 0:
        return before
    if hinted is None or hinted <= believed_ms:
        return msgspec.structs.replace(before, hinted_ms=pause_ms)
    shown = min(prices.MOST_LIFETIME_MS, hinted, pause_ms)
    return msgspec.structs.replace(before, learned_ms=shown, hinted_ms=max(hinted, pause_ms))


def _lapsed(before: LearnedLifetime, believed_ms: int, pause_ms: int) -> LearnedLifetime:
    """Rule 4."""
    if not LEAST_MS <= pause_ms <= believed_ms:
        return before
    if before.lapsed_ms is None:
        return msgspec.structs.replace(before, lapsed_ms=pause_ms)
    shown = max(LEAST_MS, max(before.lapsed_ms, pause_ms) - 1)
    return LearnedLifetime(min(shown, believed_ms), min(before.lapsed_ms, pause_ms), 0)


LEAST_COMPARED_TOKENS = 4_096  # the longest prefix that a provider is known not to cache: Anthropic's, for Opus 4.5
CALLS_REMEMBERED = 8
ENOUGH_WEIGHT = 2_000  # tokens; a list that grew by less gives a poor ratio
MODELS_AT_MOST = 32  # whose lifetime was learned, and others that have read


class CountedCall(msgspec.Struct, frozen=True):
    """An answered and counted call. `weight`: its list's estimate. `ratio`: the provider's tokens per estimated
    token. `rule`: with the believed lifetime. `documented_ms`: the lifetime the provider promises.
    """

    model: str
    usage: Usage
    weight: int
    ratio: float
    rule: CacheRule
    documented_ms: int = CacheRule().lifetime_ms


def listed(counted: CountedList, prefix_weight: int, time_ms: int | None) -> CountedList:
    """A list is sent that shares a beginning of `prefix_weight` with the last one."""
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
    """The provider answered the list that continues `counted`."""
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
    """As far as estimates can show."""
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
    before = truth.lifetimes.get(call.model, LearnedLifetime())
    works = (bool(shorter) and has_read(shorter[-1])) or _writes_anew(truth, call, compared)
    after = learned(before, call.rule.lifetime_ms, compared, longest_ms, works)
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


GAP_CALLS = 3  # fewer may miss by chance: implicit caches drop prefixes when they are short of space
CHANGED_SHARE = 0.75  # of a list: it began differently
BESIDE_SHARE = 0.25  # of a list's tokens: the tolerated error in the estimate of what precedes it
MINUTE_MS = 60_000
DOCUMENTED_MS = CacheRule().lifetime_ms  # for providers that promise nothing
WHOSE = {"host": "the host says", "policy": "the policy says"}


def gap(truth: CacheTruth, rule: CacheRule, lifetime: LifetimeInForce, documented_ms: int = DOCUMENTED_MS) -> str:
    """One sentence, "" if there is no persistent gap. `documented_ms`: how long the provider promises to keep a
    prefix.
    """
    newest = truth.calls[-GAP_CALLS:]
    if len(newest) < GAP_CALLS or not truth.tells:
        return ""
    compared = [call for call in truth.calls if call.expected_tokens >= LEAST_COMPARED_TOKENS][-GAP_CALLS:]
    if len(compared) == GAP_CALLS and not any(map(has_read, compared)):
        last = compared[-1]
        numbers = f"the provider read {last.read_tokens:,} of {last.expected_tokens:,} expected cached tokens"
        causes = _why(compared, rule)
        lapse = (
            _said_too_long(compared, lifetime, documented_ms)
            if rule.kind != "marks" or _has_written(compared)
            else ""
        )
        if lapse and _has_read_sooner(truth, compared):
            return f"{numbers}: its entries expire before the {lapse}"
        return (
            f"{numbers}: its entries may expire before the {lapse}; or {causes}"
            if lapse
            else f"{numbers}: {causes}"
        )
    if all(map(_began_otherwise, newest)):  # rule 15
        return (
            "the list changes from its start on each call, so the provider can read none of its "
            f"{newest[-1].changed_tokens:,} tokens from the cache"
        )
    return _lapses(truth, lifetime)


def _why(calls: Sequence[ComparedCall], rule: CacheRule) -> str:
    """Rule 2."""
    last, marks = calls[-1], rule.kind == "marks"
    if not any(call.read_tokens for call in calls):
        if _has_written(calls):
            return "something before the list changes on each call"
        if marks:
            return "no cache marks are set, or caching is off"
        return "caching is off, or something before the list changes on each call"
    of_list = last.expected_tokens - last.before_list_tokens
    if last.read_tokens <= last.before_list_tokens + BESIDE_SHARE * of_list:
        less = "that is only the part before the list, and the list changes from its start after ctxmgr returned it"
        return f"{less}, or has no cache mark" if marks else less
    behind = "the list changes after that point on each call"
    return f"{behind}, or has no cache mark near that point" if marks else behind


def _said_too_long(calls: Sequence[ComparedCall], lifetime: LifetimeInForce, documented_ms: int) -> str:
    """Rule 5: what can be said of the lifetime, or "". A call that reads a part has found a prefix."""
    shortest = min(call.pause_ms or 0 for call in calls)
    if lifetime.source not in WHOSE or shortest <= documented_ms or any(call.read_tokens for call in calls):
        return ""
    promise = f"{_minutes(lifetime.lifetime_ms)} that {WHOSE[lifetime.source]}"
    return f"{promise} (these calls came after pauses of {_minutes(shortest)} or more)"


def _has_read_sooner(truth: CacheTruth, calls: Sequence[ComparedCall]) -> bool:
    """Whether a call read after a shorter pause than any of these."""
    shortest = min(call.pause_ms or 0 for call in calls)
    return any(has_read(call) for call in truth.calls if call.pause_ms is not None and call.pause_ms < shortest)


def _has_written(calls: Sequence[ComparedCall]) -> bool:
    return any(call.written_tokens for call in calls)


def _began_otherwise(call: ComparedCall) -> bool:
    of_list = call.expected_tokens - call.before_list_tokens + call.changed_tokens
    return call.changed_tokens >= max(LEAST_COMPARED_TOKENS, CHANGED_SHARE * of_list)


def _lapses(truth: CacheTruth, lifetime: LifetimeInForce) -> str:
    """Rule 4."""
    learned = truth.lifetimes.get(truth.model)
    shown = learned.learned_ms if learned is not None else None
    if shown is None or lifetime.source not in WHOSE or shown >= lifetime.lifetime_ms:
        return ""
    pause, promise = _minutes(shown + 1), f"{_minutes(lifetime.lifetime_ms)} that {WHOSE[lifetime.source]}"
    return f"reads fail after pauses of {pause}: its entries expire before the {promise}"


def _minutes(ms: int) -> str:
    return f"{round(ms / MINUTE_MS, 1):g} min"
