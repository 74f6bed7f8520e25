"""A session that release 0.2 saved goes on: its packet stands until the next, which is of today's kind."""

from pathlib import Path

import msgspec
import pytest

from ctxmgr.engine.conversation import DIGESTS
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session import journal
from tests.contract.talk import Fields, Talk, packet, texts
from tests.unit.session.context.test_respelling import begun, session

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


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_what_the_user_said_is_heard_once(preset: str) -> None:
    talk = restored(preset)
    talk.context([{"role": "user", "content": ASKED[0], "timestamp": 1_000}, *LISTED])
    facts = talk.call("getLedger", sessionId="s")["facts"]
    assert [fact["text"] for fact in facts if fact["slot"] == "request"] == [*ASKED, "And then?"]


def test_where_digests_were_made_otherwise_the_next_list_is_decided_anew() -> None:
    """And what was learnt stays."""
    *lists, before, last = session("pi")
    talk = begun("pi", "balanced")
    for messages in (*lists, before):
        epoch = talk.context(messages, answer="messages")["report"]["epoch"]
    assert epoch > 0
    saved, _ = journal.restore(talk.saved)
    assert saved.digests == DIGESTS
    earlier = msgspec.structs.replace(saved, digests=1)
    again = begun("pi", "balanced", [journal.base(earlier)])
    anew = again.context(before, answer="messages")["report"]
    assert (anew["checks"], anew["epoch"]) == ([], epoch + 1)
    assert anew["arithmetic"].startswith("rewritten: 13,194 tokens")  # all of it: nothing is known to have left
    report = again.context(last, answer="messages")["report"]
    assert (report["checks"], report["firstChangedIndex"]) == ([], -1)
    assert again.status()["stats"]["fallbacks"] == 0
    state, _ = journal.restore(again.saved)
    assert state.digests == DIGESTS
    assert {fact.text for fact in saved.facts} <= {fact.text for fact in state.facts}
