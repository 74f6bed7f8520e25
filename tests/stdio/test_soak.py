"""The soak, small: what a sidecar answered its next life knows, whatever ended it, and each request is answered."""

from pathlib import Path

import pytest

from scripts.soaking import Plan, driving, soak
from scripts.soaking.driving import LEFT


@pytest.mark.long
def test_nothing_answered_is_lost_and_nothing_hangs() -> None:
    done = soak(Plan(events=900, sessions=6, life_events=90, seed=3))
    assert (done.lost, done.refused) == ([], 0)
    assert done.answered >= 900
    assert (done.lives >= 10, done.hostile > 10) == (True, True)
    assert 0 < done.left <= LEFT


def test_an_event_that_is_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    deleted = []

    class Forgetful(driving.Life):
        def __init__(self, *program: str) -> None:
            super().__init__(*program)
            self.state_dir = Path(program[-1])

        def end(self, how: str) -> list[tuple[object, dict[str, object]]]:
            answers = super().end(how)
            for path in sorted(self.state_dir.glob("session-0-*.jsonl")):
                path.unlink()
                deleted.append(path)
            return answers

    monkeypatch.setattr(driving, "Life", Forgetful)
    done = soak(Plan(events=60, sessions=2, life_events=30))
    assert deleted
    assert any(text.startswith("session-0: 0 events are known") for text in done.lost)
    assert any("in no ledger" in text for text in done.lost)
    assert not done.well
