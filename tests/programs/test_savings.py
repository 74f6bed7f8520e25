"""What Claude Code, Codex, opencode and Gemini CLI kept of a session, as they are, is found, read and counted."""

import pytest

from ctxmgr.study.savings.agents import kept
from ctxmgr.study.savings.measuring import measured
from tests.programs.conftest import Playing
from tests.programs.running import Agent, Claude, Codex, Gemini, OpenCode
from tests.programs.test_sessions import LOOK, named

pytestmark = pytest.mark.real


@pytest.mark.parametrize("through", ["direct"])
@pytest.mark.parametrize("agent", [Claude(), Codex(), OpenCode(), Gemini("gemini-2.5-pro")], ids=named)
def test_the_session_that_it_kept_is_found_and_measured(playing: Playing, agent: Agent) -> None:
    session, _ = playing(agent, LOOK)
    session.prompt("Look through the modules, please.")
    (found,) = kept(agent.environment(session.home, session.way.url), session.home, 0).sessions
    figures = measured(found, {"lean": ("balanced", {"keep": "lean"})}, None)
    assert figures.fault == ""
    assert figures.calls == len(LOOK.steps) + 1
    assert figures.is_counted
    assert figures.dollars
    assert figures.overhead_tokens > 1_000
