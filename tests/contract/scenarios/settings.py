"""The policy: what is in force, for which model, and what is refused."""

from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk


@behaviour(
    "settings/policy-in-force",
    "getPolicy returns the current policy of the session's model, with its thresholds. A refused key changes "
    "nothing.",
    "design 2, getPolicy and setPolicy",
)
def in_force() -> Talk:
    talk = Talk({"reserve": 10_000, "models": {"model-1": {"effectiveWindow": 110_000}}})
    found = talk.call("getPolicy", sessionId="s")
    assert (found["policy"]["reserve"], found["policy"]["effectiveWindow"]) == (10_000, 110_000)
    assert found["thresholds"]["usable"] == 100_000
    assert found["thresholds"]["yellow"] == 50_000
    assert talk.refused("setPolicy", sessionId="s", policy={"reserve": "no"}) == (-32602, "$.policy.reserve")
    models = {"model-1": {"reserve": "no"}}
    path = "$.policy.models.model-1.reserve"
    assert talk.refused("setPolicy", sessionId="s", policy={"models": models}) == (-32602, path)
    assert talk.call("getPolicy", sessionId="s") == found
    other = {"model-1": {"effectiveWindow": 50_000}, "model-2": {"reserve": 1}}
    answer = talk.call("setPolicy", sessionId="s", policy={"zones": {"yellow": 0.25}, "models": other})
    assert answer["policy"]["zones"] == {"yellow": 0.25, "red": 0.7, "compact": 0.9}
    assert (answer["policy"]["effectiveWindow"], answer["thresholds"]["yellow"]) == (50_000, 10_000)
    talk.call("setPolicy", sessionId="s", policy={"zones": None, "models": None})
    assert talk.call("getPolicy", sessionId="s") == found
    return talk


@behaviour(
    "settings/a-host-tells-tiers",
    "A host may send the prices of longer requests with a model's prices. They override the known ones. What they "
    "omit of the plain prices is taken from the known ones, in proportion. Two tiers of the same size are "
    "refused, from a host and from a policy.",
    "design 2, session_start and model_select: a host's own word on its model goes before all else",
)
def tiers() -> Talk:
    talk, plain = (
        Talk(window=400_000, version="1.1"),
        {"input": 2.5, "output": 12.5, "cacheRead": 0.25, "cacheWrite": 0},
    )
    tier = {"aboveTokens": 64_000, "input": 5}
    tiers = [tier, {"aboveTokens": 128_000, "input": 7.5, "output": 40.5, "cacheRead": 0.5, "cacheWrite": 8.5}]
    model = {"id": "gpt-6.1-sol", "contextWindow": 400_000, "prices": {**plain, "tiers": tiers}}
    talk.call("model_select", sessionId="s", model=model)
    told = talk.status()["model"]
    first = {"aboveTokens": 0, "input": 2.5, "output": 12.5, "cacheRead": 0.25, "cacheWrite": 3.125}
    second = {"aboveTokens": 64_000, "input": 5, "output": 25, "cacheRead": 0.5, "cacheWrite": 6.25}
    assert told["prices"] == [first, second, tiers[1]]
    assert told["pricesBy"] == "host"
    twice = {**plain, "tiers": [tier, {**tier, "aboveTokens": 64_000.0, "input": 6}]}
    path = ".prices.tiers[1].aboveTokens"
    assert talk.refused("model_select", sessionId="s", model={**model, "prices": twice}) == (
        -32602,
        f"$.model{path}",
    )
    policy = {"prices": {"input": 2, "tiers": [tier, tier]}}
    assert talk.refused("setPolicy", sessionId="s", policy=policy) == (-32602, f"$.policy{path}")
    assert talk.status()["model"]["prices"] == told["prices"]
    return talk


@behaviour(
    "settings/a-host-tells-no-cache",
    "If a host says that a cache read costs the same as input, there is no cache. The source is the host, and no "
    "entry has a lifetime.",
    "design 2, session_start and model_select: of each it is told who said it",
)
def no_cache() -> Talk:
    talk = Talk(window=200_000, version="1.1")
    prices = {"input": 4, "output": 20, "cacheRead": 4, "cacheWrite": 4}
    for more in ({}, {"cacheTtlMs": 60_000}):
        model = {"id": "claude-opus-5-5", "contextWindow": 200_000, "prices": prices, **more}
        told = talk.call("model_select", sessionId="s", model=model)["status"]["model"]
        assert (told["cache"]["kind"], told["cache"]["lifetimeMs"]) == ("none", 0)
        assert (told["cacheBy"], told["lifetimeBy"]) == ("host", "host")
    return talk


@behaviour(
    "settings/a-host-says-batch",
    "If a host says that its calls may wait, and gives no prices, the known batch prices apply.",
    "design 2, session_start and model_select",
)
def batch() -> Talk:
    talk, model = Talk(window=400_000, version="1.1"), {"id": "gpt-5.5", "contextWindow": 400_000}
    costs = [
        talk.call("model_select", sessionId="s", model={**model, **more})["status"]["model"]["prices"][0]["input"]
        for more in ({}, {"batch": True})
    ]
    assert costs == [5, 2.5]
    return talk


@behaviour(
    "settings/another-model",
    "model_select uses the window and the policy of the model from now on. Tokens are unknown until that model "
    "has counted.",
    "design 2, model_select",
)
def another_model() -> Talk:
    talk, make = Talk({"models": {"model-2": {"zones": {"yellow": 0.05}}}}, window=100_000), Messages()
    talk.turn_end(make.reply("Gone."), tokens=60_000)
    assert (talk.status()["zone"], talk.status()["contextWindow"]) == ("red", 100_000)
    large = {"id": "model-2", "contextWindow": 1_000_000, "provider": "p", "maxOutputTokens": 64_000}
    status = talk.call("model_select", sessionId="s", model=large)["status"]
    assert (status["zone"], status["tokens"], status["contextWindow"]) == ("green", None, 1_000_000)
    status = talk.turn_end(make.reply("Gone again."), tokens=60_000)["status"]
    assert (status["zone"], status["tokens"]) == ("yellow", 60_000)
    talk.call("model_select", sessionId="s", model={**large, "id": "model-3"})
    assert talk.turn_end(make.reply("And again."), tokens=60_000)["status"]["zone"] == "green"
    return talk
