"""Describes in a sentence when calls persistently read less from a provider's cache than expected.

1. A gap persists if each of the newest `GAP_CALLS` calls read less than half of what was expected. One call that
   reads ends it.
2. How much was read shows where the prompt changes. Nothing: before the list, or caching is off. As much as
   precedes the list: at its start. More: behind what was read. If the provider caches up to marks, a mark may be
   missing there instead; if nothing was ever written, there is none.
3. If lists begin differently on every call, the provider has nothing to read of them, even if it reads all that is
   expected.
4. Reads that fail after pauses show that a prefix is kept for less time than the host or the policy says.
5. If all calls that read nothing came after pauses longer than the provider's documentation promises, the given
   lifetime may be too long. Only a call that read after a shorter pause shows that; without one, the other causes
   are mentioned too.
"""

from collections.abc import Sequence

from ctxmgr.engine.caching.truth import LEAST_COMPARED_TOKENS, LifetimeInForce, has_read
from ctxmgr.model import CacheRule
from ctxmgr.model.saved import CacheTruth, ComparedCall

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
    if all(map(_began_otherwise, newest)):  # rule 3
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
