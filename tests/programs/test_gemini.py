"""Gemini CLI, as it is, plays a session of thirty steps: straight to the provider, and through ctxmgr.

Without a second prompt: what 0.61.0 resumes it sends with each result twice (its issue 29365), which its provider
refuses, with ctxmgr or without.
"""

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import WINDOW_TOKENS, Gemini, Through
from tests.programs.test_sessions import DONE, LOOK, held
from tests.provider import failing

pytestmark = pytest.mark.real

LAST = "I mend one and look at the next."  # it prints all that the model says


@pytest.mark.parametrize(
    ("through", "model"),
    [("direct", "gemini-3-pro-preview"), ("run", "gemini-3-pro-preview"), ("run", "gemini-2.5-pro")],
)
def test_thirty_steps(playing: Playing, through: Through, model: str) -> None:
    session, provider = playing(Gemini(model), LOOK, faults={7: failing(503)})
    assert session.prompt("Look through the modules, please.").endswith(f"{LAST}\n{DONE}")
    held(provider, LOOK)
    calls = [one.usage for one in provider.record.answered]
    if through == "direct":
        assert max(one.sent for one in calls) > WINDOW_TOKENS
    else:
        assert max(one.sent for one in calls) < WINDOW_TOKENS
    if through == "run":
        assert session.summary, session.errors
