"""Learns from calls after pauses how long a provider keeps a prefix that nobody reads.

1. The host's word has priority, then the policy's, then what was learned, then the provider's rule.
2. A call that read its list after a pause longer than believed shows that a prefix lives that long.
3. A call that read only what precedes its list needs a second one to show that, since other sessions share that
   prefix and keep it alive. Once this has misled, such calls show nothing.
4. A call that read nothing after a pause shorter than believed shows, with a second one, that a prefix lives for
   less than the longer of both pauses. The first is forgotten if a call reads after a pause as long.
5. Lists whose calls were not counted may have renewed the prefix. So a life is at least the longest pause between
   two lists, and a lapse takes the whole time since the last counted call.
"""

from typing import Literal

import msgspec

from ctxmgr.model import CacheRule, prices
from ctxmgr.model.saved import ComparedCall, LearnedLifetime, State

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
