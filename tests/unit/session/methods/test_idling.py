"""What the first call costs once the provider's cache has ended, told while a session rests."""

import pytest

from tests.contract.talk import Fields
from tests.unit.session.methods.cached import CachedHost, minutes

POLICY: Fields = {"preset": "balanced", "keep": 2_000}


def asked(host: CachedHost) -> Fields:
    """The status with the cost, of its cache."""
    cache: Fields = host.talk.call("getStatus", sessionId="s", coldCost=True)["cache"]
    return cache


def begun(**policy: object) -> CachedHost:
    host = CachedHost(policy=POLICY | policy)
    host.calls(30)
    return host


@pytest.mark.parametrize("idle", ["say", "prune"])
def test_it_is_what_that_call_sends(idle: str) -> None:
    host = begun(idle=idle)
    cost = asked(host)["coldCost"]
    before = host.status["epoch"]
    host.call(minutes(6))
    assert host.status["epoch"] == before + 1
    assert cost["pruned"]["tokens"] == pytest.approx(host.sent_tokens, rel=0.1)
    assert cost["raw"]["tokens"] > host.report["rawTokens"]
    assert cost["pruned"]["dollars"] == pytest.approx(cost["pruned"]["tokens"] * 3.75 / 1e6, abs=1e-5)


def test_to_prune_is_told_to_cost_less_than_to_say() -> None:
    say, prune = [asked(begun(idle=idle, keep=1_000_000))["coldCost"] for idle in ("say", "prune")]
    assert say["raw"] == prune["raw"]
    assert prune["pruned"]["tokens"] < 0.4 * say["pruned"]["tokens"]


def test_to_ask_changes_nothing_and_is_worked_out_once() -> None:
    host, other = begun(), begun()
    saved = len(host.talk.saved)
    assert asked(host) == asked(host)
    assert len(host.talk.saved) == saved
    for pause in (minutes(1), minutes(6)):
        host.call(pause)
        other.call(pause)
        assert host.report == other.report


def test_where_the_list_is_not_at_hand_or_no_price_is_known_that_is_not_told() -> None:
    host = begun()
    host.talk.call("model_select", sessionId="s", model={"id": "nobodys-1", "contextWindow": 200_000})
    host.calls(3)
    cost = asked(host)["coldCost"]
    assert cost["raw"]["dollars"] is cost["pruned"]["dollars"] is None
