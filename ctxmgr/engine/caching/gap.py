"""Turns what calls read from a provider's cache into a sentence, where that is persistently less than it should.

1. A gap persists where the newest calls, `GAP_CALLS` of them, each read less than half of what was expected. One
   call that reads ends it.
2. What was read tells where the prompt changes: nothing, before the list, or caching is off; as much as stands
   before the list, at its start; more, behind what was read. Where starts are kept up to marks, a mark may be
   missing there instead; where nothing was ever written either, there is none.
3. Lists that began otherwise than the one before, call after call, leave a provider nothing to read of them,
   though it reads all that is expected.
4. Reads that lapse after pauses show that a start is kept for less time than the host or the policy says.
5. Where all calls that read nothing came after pauses longer than the provider's documentation promises, the said
   lifetime may be too long. That it is only a call shows that read after a shorter pause: without one the other
   causes are told too.
"""

from collections.abc import Sequence

from ctxmgr.engine.caching.lifetime import LifetimeInForce
from ctxmgr.engine.caching.truth import LEAST_COMPARED_TOKENS, has_read
from ctxmgr.model import CacheRule
from ctxmgr.model.saved import CacheTruth, ComparedCall

GAP_CALLS = 3  # fewer may have missed by chance: implicit caches drop starts as they are short of room
CHANGED_SHARE = 0.75  # of a list: it began otherwise
BESIDE_SHARE = 0.25  # of a list's tokens: so much of what stands before it is estimated wrongly
MINUTE_MS = 60_000
DOCUMENTED_MS = CacheRule().lifetime_ms  # where the provider's own word is not known
WHOSE = {"host": "the host says", "policy": "the policy says"}


def gap(truth: CacheTruth, rule: CacheRule, lifetime: LifetimeInForce, documented_ms: int = DOCUMENTED_MS) -> str:
    """One sentence, "" where nothing persists. `documented_ms`: for how long the provider promises to keep a
    start."""
    newest = truth.calls[-GAP_CALLS:]
    if len(newest) < GAP_CALLS or not truth.tells:
        return ""
    compared = [call for call in truth.calls if call.expected_tokens >= LEAST_COMPARED_TOKENS][-GAP_CALLS:]
    if len(compared) == GAP_CALLS and not any(map(has_read, compared)):
        last = compared[-1]
        numbers = f"the provider read {last.read_tokens:,} of {last.expected_tokens:,} expected"
        causes = _why(compared, rule)
        lapse = (
            _said_too_long(compared, lifetime, documented_ms)
            if rule.kind != "marks" or _has_written(compared)
            else ""
        )
        if lapse and _has_read_sooner(truth, compared):
            return f"{numbers}: a start is {lapse}"
        return f"{numbers}: a start may be {lapse}; or {causes}" if lapse else f"{numbers}: {causes}"
    if all(map(_began_otherwise, newest)):  # rule 3
        return (
            f"the list changes from its start on each call: of {newest[-1].changed_tokens:,} tokens the provider "
            "can read nothing"
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
        less = "that is what stands before the list, which changes from its start once it has left ctxmgr"
        return f"{less}, or bears no mark" if marks else less
    behind = "the list changes behind that on each call"
    return f"{behind}, or bears no mark near enough" if marks else behind


def _said_too_long(calls: Sequence[ComparedCall], lifetime: LifetimeInForce, documented_ms: int) -> str:
    """Rule 5: what may be said of it, "" where nothing may. A call that reads a part has found a start."""
    shortest = min(call.pause_ms or 0 for call in calls)
    if lifetime.source not in WHOSE or shortest <= documented_ms or any(call.read_tokens for call in calls):
        return ""
    promise = f"{_minutes(lifetime.lifetime_ms)} that {WHOSE[lifetime.source]}"
    return f"kept for less than the {promise}, for these calls came after {_minutes(shortest)} and more"


def _has_read_sooner(truth: CacheTruth, calls: Sequence[ComparedCall]) -> bool:
    """Whether a call after a shorter pause than any of these has read."""
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
    return f"reads lapse after pauses of {pause}: a start is kept for less than the {promise}"


def _minutes(ms: int) -> str:
    return f"{round(ms / MINUTE_MS, 1):g} min"
