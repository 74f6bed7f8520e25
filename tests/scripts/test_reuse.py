"""The command that measures how often replies repeat what stands in a list."""

from pathlib import Path

import pytest

from scripts import reuse
from scripts.reuse import Tally, counted, stretches
from tests.notation import a, call, r, talk, u

SESSIONS = Path(__file__).parents[1] / "sessions"
LINE = "one two three four five six seven"
FILLER = " ".join(f"word{number}" for number in range(8_000))  # more than what counts as new


def test_a_stretch_is_six_words_whatever_stands_between_them() -> None:
    assert len(stretches(LINE)) == 2
    assert stretches("one, two; three\nfour five six") <= stretches(LINE)
    assert stretches("too short") == set()


def test_what_a_reply_repeats_counts_for_the_newest_block_that_holds_it() -> None:
    read = [a(call("read", path="a.py")), r(LINE)]
    messages = talk(u("go"), *read, a(call("bash", command="make")), r(FILLER), a(f"It says: {LINE}"))
    tally = Tally()
    counted(messages, tally)
    assert {kind for kind, _ in tally.served} == {"read"}
    assert sum(tally.served.values()) == 2
    assert max(tally.yields("read")) > 0


def test_what_is_new_counts_for_nothing() -> None:
    tally = Tally()
    counted(talk(u("go"), a(call("read", path="a.py")), r(LINE), a(LINE)), tally)
    assert not tally.served


def test_it_prints_a_row_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert reuse.main([str(next(SESSIONS.glob("*.jsonl")))]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == ["age", "arguments", "call", "read", "command", "search"]
