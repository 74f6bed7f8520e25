"""The model of Claude Code and of Codex finds what left its list, and gets it back, by the tools of `run`."""

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import Agent, Claude, Codex
from tests.provider import Call, Script, looking, script, step

pytestmark = pytest.mark.real

DONE = "It was found."


def searching(prefix: str, namespace: str = "") -> Script:
    ask = Call(f"{prefix}search", {"query": "path:mod_000.py"}, namespace)
    status = Call(f"{prefix}context_status", {}, namespace)
    pin = Call(f"{prefix}pin", {"path": "src/mod_001.py"}, namespace)
    return script("Look through the modules", *looking(25), step(ask, status, pin), final=DONE)


CASES: list[tuple[Agent, Script]] = [
    (Claude(), searching("mcp__ctxmgr__")),
    (Codex(), searching("", "mcp__ctxmgr")),
]


@pytest.mark.parametrize("through", ["run"])
@pytest.mark.parametrize(("agent", "played"), CASES, ids=[agent.program.name for agent, _ in CASES])
def test_what_left_is_found_by_the_model(playing: Playing, agent: Agent, played: Script) -> None:
    session, provider = playing(agent, played)
    assert session.prompt("Look through the modules, please.") == DONE
    assert provider.record.refused == []
    told = "\n".join(provider.record.results.values())
    assert 'retrieve handle="' in told
    assert "zone: " in told
    assert "Pinned: src/mod_001.py" in told
