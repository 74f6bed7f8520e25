"""Settings: keys of a policy merged, checked and named when they are at fault."""

from typing import Any

import msgspec
import pytest

from ctxmgr.model.policy import CompactionPolicy, Endpoint, Policy, Zones
from ctxmgr.model.policy_keys import InvalidPolicy, check_keys, merged, policy

Keys = dict[str, Any]

MERGES: list[tuple[Keys, Keys, Keys]] = [
    ({}, {}, {}),
    ({"reserve": 1}, {"reserve": None}, {}),
    ({"zones": {"red": 0.6}}, {"zones": {"yellow": 0.4}}, {"zones": {"red": 0.6, "yellow": 0.4}}),
    ({"packetTokens": {"red": 1}}, {"packetTokens": 5}, {"packetTokens": 5}),
    ({"protectedTools": ["a"]}, {"protectedTools": ["b"]}, {"protectedTools": ["b"]}),
    (
        {"compaction": "ctxmgr"},
        {"compaction": {"enabled": False}},
        {"compaction": {"by": "ctxmgr", "enabled": False}},
    ),
    (
        {"models": {"m": {"reserve": 1}}},
        {"models": {"n": {"reserve": 2}}},
        {"models": {"m": {"reserve": 1}, "n": {"reserve": 2}}},
    ),
]


def test_keys_are_merged() -> None:
    for old, new, expected in MERGES:
        before = (repr(old), repr(new))
        assert merged(old, new) == expected, old
        assert (repr(old), repr(new)) == before, old


MADE: list[tuple[Keys, str | None, Policy]] = [
    ({}, None, Policy()),
    ({"preset": "tools", "pruneProtect": 7}, None, Policy(preset="tools", prune_protect=7)),
    ({"zones": {"red": 0.6}}, None, Policy(zones=Zones(red=0.6))),
    (
        {"compaction": {"endpoint": {"baseUrl": "u", "model": "m", "api": "anthropic"}}},
        None,
        Policy(compaction=CompactionPolicy(endpoint=Endpoint("u", "m", api="anthropic"))),
    ),
    ({"protectedInstructions": False}, None, Policy(protected_instructions=False)),
    (
        {"oldTokens": 2_500, "newestTokens": 1_000, "indexTokens": 4_000},
        None,
        Policy(old_tokens=2_500, newest_tokens=1_000, index_tokens=4_000),
    ),
]


def test_the_policy_they_make() -> None:
    for keys, model, expected in MADE:
        assert policy(keys, model) == expected, keys


# keys, path of the fault, a word of the sentence
TWICE = [{"aboveTokens": above, "input": 2} for above in (9_000, 4_000, 9_000)]
FAULTS: list[tuple[Keys, str, str]] = [
    ({"mood": "good"}, ".mood", "mood"),
    ({"zones": {"red": 2}}, ".zones.red", "at most 1"),
    ({"zones": {"yellow": 0.8}}, ".zones", "increase"),
    ({"reserve": -1}, ".reserve", "at least 0"),
    ({"protectedTools": ["read", 5]}, ".protectedTools[1]", "must be a string"),
    ({"models": {"m": {"preset": "off"}}}, ".models.m.preset", "preset"),
    ({"compaction": {"strategy": "guess"}}, ".compaction.strategy", "guess"),
    ({"compaction": {"endpoint": {"model": "m"}}}, ".compaction.endpoint.baseUrl", "baseUrl"),
    (
        {"compaction": {"endpoint": {"baseUrl": "u", "model": "m", "apiKey": "k"}}},
        ".compaction.endpoint.apiKey",
        "apiKey",
    ),
    ({"models": {"m": {"compaction": {"retries": 9}}}}, ".models.m.compaction.retries", "at most 5"),
    ({"models": {"m": {"zones": {"yellow": 0.8}}}}, ".models.m.zones", "increase"),
    (
        {"prices": {"input": 1, "tiers": TWICE}},
        ".prices.tiers[2].aboveTokens",
        "two tiers apply above the same size: 9,000 tokens",
    ),
]


def test_the_key_at_fault_is_named() -> None:
    for keys, path, word in FAULTS:
        with pytest.raises(InvalidPolicy) as caught:
            policy(keys)
        assert caught.value.path == path, keys
        assert word in str(caught.value), keys


def test_keys_that_are_null_are_known() -> None:
    whole = msgspec.to_builtins(policy({"models": {"m": {}}, "compaction": {}, "tokenizer": {}}))

    def nulled(keys: Any) -> Any:
        return {name: nulled(value) if isinstance(value, dict) and value else None for name, value in keys.items()}

    check_keys(nulled(whole))
    check_keys(dict.fromkeys(whole))
    check_keys({"models": {"m": None}})
