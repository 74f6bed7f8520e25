"""The host that a replay stands in for."""

from ctxmgr.cli import study
from ctxmgr.model import PriceTier, TieredPrices, policy_keys
from ctxmgr.study.driving.outcomes import HostLimits
from ctxmgr.study.probes import Stub
from ctxmgr.study.replay.asked import HOSTS, MODELLED, NEVER_MS, HostModel


def test_the_command_offers_these_hosts_and_models_unless_told() -> None:
    assert study.HOSTS == HOSTS
    assert HOSTS[0] == MODELLED


def test_the_modelled_host_weighs_its_list_stays_warm_and_copies() -> None:
    host = HostModel(overhead_tokens=7_000)
    assert host.limits(200_000) == HostLimits(7_000, 20_000)
    assert host.policy() == {"cacheTtlMs": NEVER_MS}
    assert isinstance(host.write(), Stub)
    assert host.write() is not host.write()


def test_the_recorded_host_counts_and_rests_as_recorded() -> None:
    host = HostModel(modelled=False, stays_warm=False, overhead_tokens=7_000)
    assert (host.limits(64_000), host.policy(), host.write()) == (HostLimits(None, None), {}, None)


def test_its_summaries_may_be_ctxmgr_s_own() -> None:
    own = HostModel(own_summaries=True)
    assert own.policy() == {"cacheTtlMs": NEVER_MS, "compaction": {"by": "ctxmgr", "model": "none"}}


KEEPS = [(200_000, 20_000), (64_000, 20_000), (32_000, 8_000), (40_000, 11_808), (8_000, 2_000)]


def test_a_compaction_keeps_at_most_half_of_what_is_below_the_reserve() -> None:
    for window, tokens in KEEPS:
        assert HostModel().limits(window).keep_tokens == tokens, window


def test_a_number_of_the_user_is_taken_as_it_is() -> None:
    assert HostModel(keep_tokens=30_000).limits(32_000).keep_tokens == 30_000


def test_a_replay_decides_by_the_tiers_too() -> None:
    prices = TieredPrices(3.0, 15.0, 0.3, 3.75, (PriceTier(40_000, 6.0, 20.0, 0.6, 7.5),))
    policy = HostModel(stays_warm=False).policy(prices)
    assert policy["prices"]["tiers"] == [
        {"aboveTokens": 40_000, "input": 6.0, "output": 20.0, "cacheRead": 0.6, "cacheWrite": 7.5}
    ]
    assert policy_keys.policy(policy).prices is not None
