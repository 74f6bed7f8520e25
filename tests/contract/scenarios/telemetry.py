"""Telemetry: what a host that asked for it is told of its sessions."""

from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk

USAGE = {"input": 900, "output": 40, "cacheRead": 5_000, "cacheWrite": 100, "totalTokens": 6_040}


@behaviour(
    "telemetry/in-numbers",
    "A host that declares `telemetry` gets each list, each epoch and each reported usage in numbers, after the "
    "answer. Nothing that somebody wrote is sent.",
    "OpenTelemetry semantic conventions for generative AI",
)
def in_numbers() -> Talk:
    talk = Talk(policy={"preset": "balanced"}, window=20_000, capabilities={"telemetry": True}, version="1.1")
    make, messages = Messages(), []
    for number in range(6):
        messages += make.turn(f"Question {number}?", "word " * 3_000, path=f"secret{number}.py")
        talk.context(messages)
    talk.turn_end(make.reply("Yes.", usage=USAGE))
    events = [one["params"] for one in talk.asked("telemetry/event")]
    names = [one["name"] for one in events]
    assert names.count("ctxmgr.list") == 6
    assert "ctxmgr.epoch" in names
    assert names[-1] == "gen_ai.client.inference.operation.details"
    assert events[-1]["attributes"]["gen_ai.usage.input_tokens"] == 6_000
    assert "secret" not in str(events)
    return talk


@behaviour(
    "telemetry/where-it-is-asked-for",
    "A host that does not declare `telemetry` gets no such events.",
    "design 2: nothing is used that was not declared",
)
def not_asked_for() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    talk.play(make.turn("Hello?"))
    assert talk.asked("telemetry/event") == []
    return talk
