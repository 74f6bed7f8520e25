"""Copilot CLI, as it is, plays ten steps through ctxmgr in each API that it speaks: no list is refused, and
every result comes to the model."""

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import Copilot, Through
from tests.programs.test_newest import DONE, LOOK
from tests.programs.test_sessions import results_of

pytestmark = pytest.mark.real

AGENTS = {
    "messages": Copilot(),
    "chat/completions": Copilot("openai", model="gpt-4.1"),
    "responses": Copilot("openai", "responses", "gpt-5.4"),
}


@pytest.mark.parametrize("path", AGENTS)
def test_ten_steps(playing: Playing, through: Through, path: str) -> None:
    session, provider = playing(AGENTS[path], LOOK)
    assert session.prompt("Look through the modules, please.").endswith(DONE)
    record = provider.record
    assert {one.path for one in record.calls} == {f"/v1/{path}"}
    assert (record.refused, len(record.answered), record.distinct_results) == ([], 11, results_of(LOOK))
    assert bool(session.summary) == (through == "run")
