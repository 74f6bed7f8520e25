"""A transcript replays what the archive answered."""

import msgspec

from ctxmgr.engine.rewriting.handles import handle
from ctxmgr.study.replay import transcripts
from tests.contract.talk import Talk
from tests.unit.session.methods.archived import error, page
from tests.unit.session.recovery import RETRIEVE, row


def replayed(talk: Talk) -> transcripts.ReplayedTranscript:
    return transcripts.replay("t", b"".join(line + b"\n" for line in talk.lines))


def test_a_transcript_replays_what_the_archive_had_from_elsewhere() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", "of an earlier run")])
    assert page(talk, "a")["text"] == "of an earlier run"
    error(talk, "b")
    assert replayed(talk).findings == ()
    lines = [msgspec.json.decode(line) for line in talk.lines]
    assert [line["retrieve"] for line in lines if "archive" in line] == [handle("a"), handle("b")]


def test_a_replay_notices_another_text() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", "of an earlier run")])
    page(talk, "a")
    text = b"".join(line + b"\n" for line in talk.lines)
    planted = text.replace(b'"text":"of an earlier run"}}', b'"text":"of another run!!!"}}')
    assert planted != text
    assert [finding.difference.path for finding in transcripts.replay("t", planted).findings] == ["$.result.text"]
