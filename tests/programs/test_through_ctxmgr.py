"""What holds of ctxmgr alone: who only observes changes nothing, and who is killed costs nothing but savings."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from tests.model_server import Gate
from tests.programs import running
from tests.programs.conftest import Playing
from tests.programs.running import WINDOW_TOKENS, Agent, Claude, Codex
from tests.provider import Hold, looking, script

pytestmark = pytest.mark.real

DONE = "All thirty steps are done."
LOOK = script("Look through the modules", *looking(30), final=DONE)
AGENTS: list[Agent] = [Claude(), Codex()]


def named(agent: Agent) -> str:
    return agent.program.name


@pytest.mark.parametrize("through", ["observe"])
@pytest.mark.parametrize("agent", AGENTS, ids=named)
def test_who_observes_changes_nothing(playing: Playing, agent: Agent) -> None:
    session, provider = playing(agent, LOOK)
    assert session.prompt("Look through the modules, please.") == DONE
    calls = [one.usage for one in provider.record.answered]
    assert provider.record.refused == []
    assert max(one.sent for one in calls) > WINDOW_TOKENS
    assert all(before.sent - after.read < 128 for before, after in pairwise(calls))
    assert session.told != []


@pytest.mark.parametrize("through", ["observe", "run"])
def test_a_session_that_fits_a_window_of_60k_costs_no_more_than_without_ctxmgr(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even with the cheapest cache reads: nothing is removed for room before the window ends."""
    monkeypatch.setattr(running, "WINDOW_TOKENS", 60_000)
    session, provider = playing(Claude(), script("Look through the modules", *looking(20), final=DONE))
    assert session.prompt("Look through the modules, please.") == DONE
    calls = [one.usage for one in provider.record.answered]
    assert max(one.sent for one in calls) > 0.6 * 60_000
    assert all(before.sent - after.read < 128 for before, after in pairwise(calls))


@pytest.mark.parametrize("through", ["direct", "run"])
def test_thoughts_behind_a_list_that_changed_cost_no_call(playing: Playing, through: str) -> None:
    """A provider that binds them refuses the first, and is asked to drop them from then on."""
    session, provider = playing(Claude(), LOOK, binds_thinking=True)
    assert session.prompt("Look through the modules, please.") == DONE
    assert provider.record.distinct_results == 36
    refused = [one for one in provider.record.refused if "bound to a different conversation" in one]
    assert (refused, len(provider.record.refused)) == (provider.record.refused, int(through == "run"))


@pytest.mark.kill
@pytest.mark.parametrize("through", ["proxy"])
@pytest.mark.parametrize("agent", AGENTS, ids=named)
def test_a_killed_engine_is_not_missed(playing: Playing, agent: Agent) -> None:
    gate = Gate()
    session, provider = playing(agent, LOOK, faults={20: Hold(gate)})
    with ThreadPoolExecutor() as threads:
        said = threads.submit(session.prompt, "Look through the modules, please.")
        try:
            provider.record.until(lambda record: len(record.calls) == 21)
            engines = children(session.way.pid)
            for pid in engines:
                os.kill(pid, signal.SIGKILL)
        finally:
            gate.open()
        assert said.result() == DONE
    assert engines != []
    assert provider.record.refused == []
    assert provider.record.distinct_results == 36


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
