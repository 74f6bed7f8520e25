"""Gemini CLI, as it is, plays a session of thirty steps through ctxmgr.

Without a second prompt: what 0.61.0 resumes it sends with each result twice (its issue 29365), which its provider
refuses, with ctxmgr or without.
"""

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import WINDOW_TOKENS, Gemini
from tests.programs.test_sessions import DONE, LOOK, held
from tests.provider import failing

pytestmark = pytest.mark.real

LAST = "I mend one and look at the next."  # it prints all that the model says


@pytest.mark.parametrize("through", ["run"])
@pytest.mark.parametrize("model", ["gemini-3-pro-preview", "gemini-2.5-pro"])
def test_thirty_steps(playing: Playing, model: str) -> None:
    session, provider = playing(Gemini(model), LOOK, faults={7: failing(503)})
    assert session.prompt("Look through the modules, please.").endswith(f"{LAST}\n{DONE}")
    held(provider, LOOK)
    assert max(one.usage.sent for one in provider.record.answered) < WINDOW_TOKENS
    assert session.summary, session.errors
