"""The real frameworks, each in an environment of its own, play sessions with a scripted provider: what their
provider's client sends is legal, holds less, and all that was kept is the very object that was given."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.agents import on_node
from tests.integrations.installing import NODE, installed
from tests.legality import anthropic, openai, responses
from tests.provider import Call, Provider, script, step

ROOT = Path(__file__).parents[2]
RUN_SECONDS = 240.0  # a guard
FRAMEWORKS = [
    ("langchain", "langchain_agent", "anthropic"),
    ("langchain", "langchain_agent", "responses"),
    ("openai-agents", "openai_agents_agent", "responses"),
    ("openai-agents", "openai_agents_agent", "openai"),
    ("pydantic-ai", "pydantic_ai_agent", "anthropic"),
    ("pydantic-ai", "pydantic_ai_agent", "openai"),
    ("ai-sdk-6", "ai_sdk_agent", "anthropic"),
    ("ai-sdk-7", "ai_sdk_agent", "openai"),
]
JUDGES: dict[str, Any] = {"anthropic": anthropic, "openai": openai, "responses": responses}
STEPS = 36


def looking(first: int, count: int) -> list[Any]:
    """Steps that read files by the agent's own tool, every sixth two at once, every fourth one that was read."""
    steps = []
    for number in range(first, first + count):
        named = [number, number + 100] if number % 6 == 5 else [number - 2 if number % 4 == 3 else number]
        steps.append(step(*(Call("look_up", {"doc": f"src/part{one}.py"}) for one in named), say=f"Step {number}."))
    return steps


def command(extra: str, agent: str, home: Path) -> list[str]:
    """What runs an agent in the environment of its framework. Skips, or fails, where that is missing."""
    if extra in NODE:
        return on_node.command(extra, agent, home)
    return [str(installed(extra)), "-m", f"tests.integrations.agents.{agent}"]


def run(agent: list[str], home: Path, *arguments: str) -> dict[str, Any]:
    """What the agent tells at its end."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), "NO_PROXY": "*"}
    environment["CTXMGR_COMMAND"] = json.dumps([sys.executable, "-m", "ctxmgr"])  # for those that spawn it
    done = subprocess.run(
        [*agent, *arguments],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def lists(provider: Provider, kind: str) -> list[list[dict[str, Any]]]:
    """Of each call that the provider answered."""
    member = "input" if kind == "responses" else "messages"
    return [one.json[member] for one in provider.record.answered]


@pytest.mark.real
@pytest.mark.parametrize(("extra", "agent", "kind"), FRAMEWORKS, ids=str)
def test_a_framework_sends_a_legal_list_that_holds_less(extra: str, agent: str, kind: str, tmp_path: Path) -> None:
    words = command(extra, agent, tmp_path)
    scripts = [
        script("Look at the parts", *looking(0, STEPS // 2), final="They are fine."),
        script("Look at the rest", *looking(STEPS // 2, STEPS // 2), final="All is well."),
    ]
    with Provider.threaded(*scripts) as provider:
        told = run(words, tmp_path, provider.url, kind, str(tmp_path), "Look at the parts.", "Look at the rest.")
    sent = lists(provider, kind)
    assert provider.record.refused == []
    assert [JUDGES[kind].illegal(one) for one in sent] == [[]] * len(sent)
    assert (told["answer"], told["fault"]) == ("All is well.", "")
    assert len(sent) == STEPS + 2
    assert "part35_step_43" in json.dumps(sent[-1])
    assert not any("ctxmgr" in message for one in sent for message in one)
    rows = told["rows"]
    assert sum(put for _, put, _ in rows) > 0
    assert max(left for _, _, left in rows) > 20
    assert all((put, left) == (0, 0) for _, put, left in rows[:5])
    assert sum(kept for kept, _, _ in rows) > sum(put for _, put, _ in rows)  # most are the framework's own
    grown = sum(later[: len(before)] == before for before, later in pairwise(sent))
    assert grown > STEPS / 2  # what a provider's cache holds
    assert told["usages"] == STEPS + 2
    assert max(len(json.dumps(one)) for one in sent) < 16_000 * 4


@pytest.mark.real
@pytest.mark.parametrize(("extra", "agent", "kind"), [FRAMEWORKS[at] for at in (0, 2, 5, 7)], ids=str)
def test_without_a_sidecar_the_list_goes_out_as_it_came(extra: str, agent: str, kind: str, tmp_path: Path) -> None:
    words = command(extra, agent, tmp_path)
    with Provider.threaded(script("Look at the parts", *looking(0, 3), final="They are fine.")) as provider:
        told = run(words, tmp_path, provider.url, kind, "none", "Look at the parts.")
    assert (told["answer"], provider.record.refused) == ("They are fine.", [])
    assert told["fault"].startswith("missing")
    assert [row[1:] for row in told["rows"]] == [[0, 0]] * 4
