"""A session that release 0.2 saved goes on: its packet stands until the next, which is of today's kind."""

from pathlib import Path

import pytest

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Talk, packet, texts

SAVED = (
    Path(__file__).parent / "release_0_2"
)  # a line each: the user ruled and corrected, tests failed, a compaction
ASKED = ("Port the parser. Never touch the schema. Use tabs, not blanks.", "No, not the lexer: the parser. Go on.")
SUMMARY = "## Goal\nPort the parser\n\n## Next Steps\n1. Port the statements\n"
LISTED: list[Fields] = [
    {"role": "compactionSummary", "summary": SUMMARY, "tokensBefore": 100_000, "timestamp": 12_000},
    {"role": "user", "content": "And then?", "timestamp": 11_000},
]
SORTED_BY_WORDING = ("root cause", "a table instead of", "write the docs", "make docs", "the user corrected")
NEXT = {"id": "c2", "summary": "## Goal\nPort the parser\n"}


def restored(preset: str) -> Talk:
    saved = (SAVED / f"{preset}.json").read_bytes().strip()
    talk = Talk({"preset": preset}, 60_000, {}, found=SnapshotLoaded((saved,)))
    assert talk.started["restored"] is True
    return talk


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_it_goes_on_and_the_next_packet_is_of_todays_kind(preset: str) -> None:
    talk = restored(preset)
    answer = talk.context(LISTED)
    assert answer["report"]["checks"] == []
    assert all(one in texts(answer["list"]) for one in ("Never touch the schema.", "port is 9090"))
    talk.call("session_compact", sessionId="s", compactionEntry=NEXT)
    told = packet(talk.context([{**LISTED[0], "summary": NEXT["summary"]}, LISTED[1]])["list"])
    assert all(f'- #{number}: "{asked}"' in told for number, asked in enumerate(ASKED, 1))
    assert "| port is 9090" in told
    assert "`src/rows.py`" in told
    assert [one for one in SORTED_BY_WORDING if one in told] == []
