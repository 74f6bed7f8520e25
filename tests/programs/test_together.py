"""Two programs of two APIs work at once through one proxy, and neither sees anything of the other."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.programs.installing import installed
from tests.programs.running import WINDOW_TOKENS, Agent, Claude, Codex, Session, way
from tests.provider import Provider, looking, make_tree, script

DONE = {"claude": "Claude Code has looked.", "codex": "Codex has looked."}


@pytest.mark.real
def test_two_programs_at_once(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    agents: list[Agent] = [Claude(), Codex()]
    paths = [installed(agent.program) for agent in agents]
    scripts = [
        script(f"Look as {agent.program.name}", *looking(30, 60 * at), final=DONE[agent.program.name])
        for at, agent in enumerate(agents)
    ]
    with Provider.threaded(*scripts, root=tree) as provider, way("proxy", provider, tmp_path) as road:
        sessions = [
            Session(agent, path, road, tmp_path / agent.program.name, tree)
            for agent, path in zip(agents, paths, strict=True)
        ]
        with ThreadPoolExecutor() as threads:
            said = list(threads.map(lambda one: one.prompt(f"Look as {one.agent.program.name}, please."), sessions))
    record = provider.record
    assert said == [DONE["claude"], DONE["codex"]]
    assert record.refused == []
    assert record.distinct_results == 72
    assert max(one.usage.sent for one in record.answered) < WINDOW_TOKENS
    lists = {
        api: b"".join(one.body for one in record.answered if api in one.path) for api in ("messages", "responses")
    }
    assert b"Look as codex" not in lists["messages"]
    assert b"Look as claude" not in lists["responses"]
