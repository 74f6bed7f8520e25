"""Turns calls after pauses into how long a provider keeps a start that nobody reads.

1. A host's word holds, then the policy's, then what was learned, then what the provider's rule says.
2. A call that read of its list after a pause longer than believed shows that a start lives so long.
3. One that read only what stands before its list shows it with a second one: other sessions have the same start,
   and keep it. Where that has misled once, such calls show nothing more.
4. One that read nothing after a pause shorter than believed shows, with a second one, that a start lives shorter
   than the longer of both pauses. The first is forgotten where a call reads after a pause as long.
5. Lists whose calls were not counted may have renewed the start: a life is as long as the longest pause between two
   lists, a lapse as the whole time since the call that was counted.
"""

from typing import Literal

import msgspec

from ctxmgr.model import CacheRule, prices
from ctxmgr.model.saved import LearnedLifetime, State

LEAST_MS = 60_000  # no provider keeps a start shorter
READ_SHARE = 0.8  # of what was expected: it was kept
MISSED_SHARE = 0.5  # less than that was not
LIST_SHARE = 0.5  # of what was expected, from which on it is read of the list
LifetimeSource = Literal["host", "policy", "learned", "rule"]


class LifetimeInForce(msgspec.Struct, frozen=True):
    """In milliseconds, and who says so."""

    lifetime_ms: int
    source: LifetimeSource


class PausedCall(msgspec.Struct, frozen=True):
    """A call, by what it should have read were no start ever dropped, in tokens; and the pauses before it."""

    expected_tokens: int
    before_list_tokens: int
    read_tokens: int
    longest_ms: int
    whole_ms: int


def in_force(state: State, policy_ms: int | None, rule: CacheRule) -> LifetimeInForce:
    """Rule 1. `policy_ms`: what the policy says, None where it is silent; `rule` of the model's provider."""
    model = state.model
    if model.cache_ttl_ms is not None:
        return LifetimeInForce(model.cache_ttl_ms, "host")
    if policy_ms is not None:
        return LifetimeInForce(policy_ms, "policy")
    lifetime = state.cache.lifetimes.get(model.id)
    if lifetime is not None and lifetime.learned_ms is not None:
        return LifetimeInForce(lifetime.learned_ms, "learned")
    return LifetimeInForce(rule.lifetime_ms, "rule")


def learned(before: LearnedLifetime, believed_ms: int, call: PausedCall, works: bool) -> LearnedLifetime:
    """Rules 2 to 5. `believed_ms`: what holds where nothing was learned. `works`: a call after a shorter pause has
    read."""
    believed_ms = believed_ms if before.learned_ms is None else before.learned_ms
    share = call.read_tokens / call.expected_tokens
    if share < MISSED_SHARE:
        return _lapsed(before, believed_ms, call.whole_ms) if works else before
    of_list = call.expected_tokens - call.before_list_tokens >= LIST_SHARE * call.expected_tokens
    if share < READ_SHARE or not of_list:
        return _hinted(before, believed_ms, call.longest_ms)
    if before.lapsed_ms is not None and call.longest_ms >= before.lapsed_ms:
        before = msgspec.structs.replace(before, lapsed_ms=None)
    if call.longest_ms <= believed_ms:
        return before
    return msgspec.structs.replace(before, learned_ms=min(prices.MOST_LIFETIME_MS, call.longest_ms))


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
