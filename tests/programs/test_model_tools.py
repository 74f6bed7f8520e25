"""The model of Claude Code and of Codex finds what left its list, and gets it back, by the tools of `run`."""

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import Agent, Claude, Codex
from tests.provider import Call, Found, Script, looking, script, step
from tests.provider.tree import text_of

pytestmark = pytest.mark.real

DONE = "It was found."
STEPS = 25  # before it asks: what it asks for has left
HANDLE = Found(r'retrieve handle=\\?"([^"\\]+)')  # of the first hit; a program may give results as JSON


def searching(prefix: str, namespace: str = "") -> Script:
    ask = Call(f"{prefix}search", {"query": "path:mod_000.py DigestError"}, namespace)
    status = Call(f"{prefix}context_status", {}, namespace)
    pin = Call(f"{prefix}pin", {"path": "src/mod_001.py"}, namespace)
    back = Call(f"{prefix}retrieve", {"handle": HANDLE}, namespace)
    return script("Look through the modules", *looking(STEPS), step(ask, status, pin), step(back), final=DONE)


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
    line = text_of(0).splitlines()[5]
    (original,) = (text for key, text in provider.record.results.items() if f"p0s{STEPS + 1}n0" in key)
    assert line in original.replace('\\"', '"'), "what was read first comes back whole"
