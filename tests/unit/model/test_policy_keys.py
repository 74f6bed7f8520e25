"""Settings: keys of a policy merged, checked and named when they are at fault."""

from typing import Any

import msgspec
import pytest

from ctxmgr.model.policy import Archive, CompactionPolicy, Endpoint, Policy, Tokenizer, Zones
from ctxmgr.model.policy_keys import InvalidPolicy, check_keys, compaction, merged, policy, tokenizer

Keys = dict[str, Any]

MERGES: list[tuple[Keys, Keys, Keys]] = [
    ({}, {}, {}),
    ({"reserve": 1}, {"reserve": 2}, {"reserve": 2}),
    ({"reserve": 1}, {"reserve": None}, {}),
    ({"zones": {"red": 0.6}}, {"zones": {"yellow": 0.4}}, {"zones": {"red": 0.6, "yellow": 0.4}}),
    ({"zones": {"red": 0.6, "yellow": 0.4}}, {"zones": {"red": None}}, {"zones": {"yellow": 0.4}}),
    ({"packetTokens": {"red": 1}}, {"packetTokens": 5}, {"packetTokens": 5}),
    ({"protectedTools": ["a"]}, {"protectedTools": ["b"]}, {"protectedTools": ["b"]}),
    (
        {"compaction": "ctxmgr"},
        {"compaction": {"enabled": False}},
        {"compaction": {"by": "ctxmgr", "enabled": False}},
    ),
    ({"compaction": {"retries": 2}}, {"compaction": "ctxmgr"}, {"compaction": {"retries": 2, "by": "ctxmgr"}}),
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


M: Keys = {"reserve": 1, "pruneProtect": 7, "models": {"m": {"reserve": 2, "zones": {"red": 0.6}}}}

MADE: list[tuple[Keys, str | None, Policy]] = [
    ({}, None, Policy()),
    ({"preset": "tools", "pruneProtect": 7}, None, Policy(preset="tools", prune_protect=7)),
    ({"zones": {"red": 0.6}}, None, Policy(zones=Zones(red=0.6))),
    (
        {"compaction": {"endpoint": {"baseUrl": "u", "model": "m"}}},
        None,
        Policy(compaction=CompactionPolicy(endpoint=Endpoint("u", "m", api="chat"))),
    ),
    (
        {"compaction": {"endpoint": {"baseUrl": "u", "model": "m", "api": "anthropic"}}},
        None,
        Policy(compaction=CompactionPolicy(endpoint=Endpoint("u", "m", api="anthropic"))),
    ),
    ({"archive": {"keepSecrets": True}}, None, Policy(archive=Archive(keep_secrets=True))),
    ({"protectedInstructions": False}, None, Policy(protected_instructions=False)),
    ({"protectedInstructions": ["RULES.txt"]}, None, Policy(protected_instructions=("RULES.txt",))),
    (
        {"oldTokens": 2_500, "newestTokens": 1_000, "indexTokens": 4_000},
        None,
        Policy(old_tokens=2_500, newest_tokens=1_000, index_tokens=4_000),
    ),
]


def test_the_policy_they_make() -> None:
    for keys, model, expected in MADE:
        assert policy(keys, model) == expected, keys


def test_a_model_has_keys_of_its_own() -> None:
    assert (policy(M).reserve, policy(M).zones.red) == (1, 0.7)
    assert (policy(M, "m").reserve, policy(M, "m").zones.red) == (2, 0.6)
    assert policy(M, "n").reserve == 1
    assert policy(M, "m").prune_protect == 7


def test_a_model_has_compaction_settings_of_its_own() -> None:
    keys = {"compaction": "ctxmgr", "models": {"m": {"compaction": {"keepRecentTokens": 5}}}}
    assert compaction(policy(keys, "m")) == CompactionPolicy("ctxmgr", keep_recent_tokens=5)
    assert compaction(policy(keys, "n")) == CompactionPolicy("ctxmgr")


# keys, path of the fault, a word of the sentence
TWICE = [{"aboveTokens": above, "input": 2} for above in (9_000, 4_000, 9_000)]
FAULTS: list[tuple[Keys, str, str]] = [
    ({"mood": "good"}, ".mood", "mood"),
    ({"preset": "loud"}, ".preset", "loud"),
    ({"zones": {"red": 2}}, ".zones.red", "at most 1"),
    ({"zones": {"pink": 0.5}}, ".zones.pink", "pink"),
    ({"zones": {"yellow": 0.8}}, ".zones", "increase"),
    ({"zones": {"red": 0.95}}, ".zones", "increase"),
    ({"reserve": -1}, ".reserve", "at least 0"),
    ({"reserve": "much"}, ".reserve", "whole number"),
    ({"protectedTools": ["read", 5]}, ".protectedTools[1]", "must be a string"),
    ({"models": {"m": {"preset": "off"}}}, ".models.m.preset", "preset"),
    ({"compaction": {"strategy": "guess"}}, ".compaction.strategy", "guess"),
    ({"compaction": {"model": "endpoint"}}, ".compaction.endpoint", "an endpoint is required"),
    ({"compaction": {"endpoint": {"model": "m"}}}, ".compaction.endpoint.baseUrl", "baseUrl"),
    (
        {"compaction": {"endpoint": {"baseUrl": "u", "model": "m", "api": "responses"}}},
        ".compaction.endpoint.api",
        "responses",
    ),
    (
        {"compaction": {"endpoint": {"baseUrl": "u", "model": "m", "apiKey": "k"}}},
        ".compaction.endpoint.apiKey",
        "apiKey",
    ),
    ({"compaction": {"slices": {"tokens": 5, "overlap": 5}}}, ".compaction.slices.overlap", "overlap"),
    ({"models": {"m": {"compaction": {"retries": 9}}}}, ".models.m.compaction.retries", "at most 5"),
    ({"models": {"m": {"zones": {"yellow": 0.8}}}}, ".models.m.zones", "increase"),
    ({"models": 5}, ".models", "object"),
    ({"preset": None, "zones": {"red": None, "pink": None}}, ".zones.pink", "pink"),
    (
        {"prices": {"input": 1, "tiers": TWICE}},
        ".prices.tiers[2].aboveTokens",
        "two tiers apply above the same size: 9,000 tokens",
    ),
    (
        {"models": {"m": {"prices": {"input": 1, "tiers": TWICE}}}},
        ".models.m.prices.tiers[2].aboveTokens",
        "two tiers",
    ),
]


def test_the_key_at_fault_is_named() -> None:
    for keys, path, word in FAULTS:
        with pytest.raises(InvalidPolicy) as caught:
            policy(keys)
        assert caught.value.path == path, keys
        assert word in str(caught.value), keys


def test_keys_that_are_null_are_known() -> None:
    """Every key of the policy, at every depth, and a model that is taken back."""
    whole = msgspec.to_builtins(policy({"models": {"m": {}}, "compaction": {}, "tokenizer": {}}))

    def nulled(keys: Any) -> Any:
        return {name: nulled(value) if isinstance(value, dict) and value else None for name, value in keys.items()}

    check_keys(nulled(whole))
    check_keys(dict.fromkeys(whole))
    check_keys({"models": {"m": None}})


def test_short_forms_are_spelled_out() -> None:
    assert compaction(Policy()) == CompactionPolicy("host", True)
    assert compaction(Policy(compaction="ctxmgr")) == CompactionPolicy("ctxmgr", True)
    assert compaction(Policy(compaction=CompactionPolicy("host", False))) == CompactionPolicy("host", False)
    assert tokenizer(Policy()) == Tokenizer("o200k_base")
    assert tokenizer(Policy(tokenizer="estimate")) == Tokenizer("estimate")
    assert tokenizer(Policy(tokenizer=Tokenizer("o200k_base", "/x"))) == Tokenizer("o200k_base", "/x")
