"""The newest programs that people are given play ten steps: straight to the provider, and through ctxmgr."""

import pytest

from tests.programs.conftest import Playing
from tests.programs.installing import CLAUDE, CODEX, GEMINI, OPENCODE, newest
from tests.programs.running import Agent, Claude, Codex, Gemini, OpenCode, Through
from tests.programs.test_sessions import named, results_of
from tests.provider import looking, script

pytestmark = pytest.mark.real

DONE = "All ten steps are done."
LOOK = script("Look through the modules", *looking(10), final=DONE)
AGENTS: list[Agent] = [
    Claude(program=newest(CLAUDE)),
    Codex(model="gpt-6.2-sol", program=newest(CODEX)),  # its default
    Gemini(program=newest(GEMINI)),
    OpenCode(program=newest(OPENCODE)),
]


@pytest.mark.parametrize("agent", AGENTS, ids=named)
def test_ten_steps(playing: Playing, through: Through, agent: Agent) -> None:
    session, provider = playing(agent, LOOK)
    assert session.prompt("Look through the modules, please.").endswith(DONE)
    record = provider.record
    assert (record.refused, len(record.results) >= results_of(LOOK)) == ([], True)
    assert record.distinct_results >= results_of(LOOK) - 1  # opencode tells both edits in the same words
    if through == "run":
        _, sent, saved = session.summary
        assert ("$" in sent, "at the prices of gpt-6.1-sol" in saved) == (True, named(agent) == "codex")
