"""The working set over a session, call by call: in every preset it goes out byte for byte."""

from typing import Any

import pytest

from ctxmgr import Policy, Session
from ctxmgr.model.estimate import estimate
from ctxmgr.model.policy import WorkingSet

LINES = 260  # of a result: about 2,000 tokens
RESULTS, TOKENS = 5, 8_000


def conversation(steps: int) -> list[dict[str, Any]]:
    """One request, then a step a call; a user's word every tenth."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Read all of it. Never touch billing.py."}]
    for number in range(steps):
        function = {"name": "read", "arguments": f'{{"path":"src/file{number}.py"}}'}
        asked = {"id": f"c{number}", "type": "function", "function": function}
        text = "\n".join(f"value_{number}_{line} = compute({line})" for line in range(LINES))
        said.append({"role": "assistant", "content": f"Now file {number}.", "tool_calls": [asked]})
        said.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
        if number % 10 == 9:
            said.append({"role": "assistant", "content": "Done so far."})
            said.append({"role": "user", "content": f"Go on after {number}."})
    return said


def newest(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """From the newest back, until both counts are reached; told without the engine."""
    results = tokens = 0
    for at in range(len(messages) - 1, -1, -1):
        results += messages[at]["role"] == "tool"
        tokens += estimate(str(messages[at]["content"]))
        if results >= RESULTS and tokens >= TOKENS:
            return messages[at:]
    return messages


POLICIES = [
    Policy(preset="balanced", keep="lean"),
    Policy(preset="balanced", keep="careful"),
    Policy(preset="balanced", working_set=WorkingSet()),
    Policy(preset="turns", working_set=WorkingSet()),
    Policy(preset="tools", working_set=WorkingSet(), prune_protect=1_000, prune_minimum=1_000, protected_turns=0),
]


@pytest.mark.parametrize("window", [64_000, 200_000])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: f"{policy.preset} {policy.keep or ''}")
def test_on_every_call_the_newest_results_and_steps_are_as_they_came(policy: Policy, window: int) -> None:
    session = Session(policy, window=window, format="openai")
    said, shortest = conversation(60), 1.0
    for end in (at for at, message in enumerate(said) if message["role"] == "assistant"):
        sent = session.project(said[:end])
        held = newest(said[:end])
        assert sent[-len(held) :] == held
        shortest = min(shortest, len(str(sent)) / len(str(said[:end])))
    if window == 64_000 or policy.keep is not None:
        assert shortest < 0.6, "or nothing was put to the test"
