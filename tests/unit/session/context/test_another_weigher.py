"""Another weigher comes into force in the middle of a session, as when a vocabulary has been loaded."""

import pytest

from ctxmgr.session.reading import Reader
from tests.contract.talk import Messages, Talk
from tests.unit.session.recovery import session_of


def thirds(text: str) -> int:
    return len(text) // 3


@pytest.mark.parametrize("preset", ["off", "tools", "turns", "balanced"])
def test_the_next_list_is_weighed_anew_and_projected(preset: str) -> None:
    talk, make = Talk(policy={"preset": preset}), Messages()
    messages = [one for number in range(6) for one in make.turn(f"Question {number}.", "word " * 300)]
    before = talk.context(messages)["report"]
    session = session_of(talk)
    session.use(Reader(session.form, thirds, "thirds"))
    messages += make.turn("And now?", "word " * 30)
    report = talk.context(messages)["report"]
    assert "fault" not in report.get("reason", "")
    assert report["rawTokens"] > before["rawTokens"] * 1.2
    assert session.projection.weigher == "thirds"
    assert session.state.totals.fallbacks == 0
