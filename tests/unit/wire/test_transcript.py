"""Transcripts: each kind of line is JSON on one line, and reads back to the bytes that were on the wire."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.model.epochs import ArchiveAnswer, ArchiveRow
from ctxmgr.wire import transcript
from ctxmgr.wire.transcript import TranscriptLine, read

BODIES: list[tuple[bytes, str]] = [
    (b'{"jsonrpc":"2.0","id":1,"method":"m"}', "message"),
    (b'{"b":1.10,"a":"\\u00e9/\\/"}', "message"),
    ('{"x":"\N{OWL}\u2028"}'.encode(), "message"),
    (b"[]", "message"),
    (b"7", "message"),
    (b"", "broken"),
    (b"{broken\r\n\x00", "broken"),
    (b'{"x":"\xff"}', "broken"),
    (b'{"x":"\\ud83d"}', "broken"),
    (b"[" * 5_000 + b"]" * 5_000, "broken"),
]


def test_body_reads_back_as_it_was() -> None:
    for body, kind in BODIES:
        for sender in ["host", "ctxmgr"]:
            line = transcript.line(sender, body)  # type: ignore[arg-type]
            assert b"\n" not in line, sender
            assert json.loads(line)["from"] == sender, sender
            assert list(read(line + b"\n")) == [TranscriptLine(kind, 1, sender, body)]  # type: ignore[arg-type]


def test_other_kinds_of_line() -> None:
    row = ArchiveRow("h1", "k", "read", "text")
    text = b"\n".join(
        [
            transcript.header("1.0", "0.1.0", "estimate"),
            transcript.weigher("o200k_base"),
            transcript.weigher_lost("o200k_base", "it ended"),
            transcript.restored("s", [b'{"kind":"base"}', b'{"kind":"event"}']),
            transcript.archive("s", {"put": ["h1", "h2"]}, ArchiveAnswer()),
            transcript.archive("s", {"retrieve": "h1"}, ArchiveAnswer(row, note="set aside")),
            transcript.restored("s", (), "torn", refused=True, stored={"epoch": 1}),
            transcript.stored("s", {"epoch": 2}),
            transcript.woke(3),
            transcript.completed(4, {"text": "t"}),
            transcript.prepared("s"),
            b'{"from":"ctxmgr","later":"kind"}',
            b"",
        ]
    )
    header, weigher, lost, restored, put, retrieved, *others, unknown = read(text)
    assert header.fields == {
        "protocolVersion": "1.0",
        "serverVersion": "0.1.0",
        "tokenizer": "estimate",
        "policy": None,
    }
    assert (weigher.kind, weigher.sender, weigher.fields) == (
        "weigher",
        "ctxmgr",
        {"weigher": "o200k_base", "lost": None},
    )
    assert (lost.kind, lost.fields) == ("weigher", {"weigher": "o200k_base", "lost": "it ended"})
    assert restored.fields["session"] == "s"
    assert [bytes(line) for line in restored.fields["lines"]] == [b'{"kind":"base"}', b'{"kind":"event"}']
    assert (put.kind, put.fields) == ("archive", {"session": "s", "put": ["h1", "h2"], "answer": {}})
    told = {"handle": "h1", "key": "k", "call": "read", "text": "text"}
    assert retrieved.fields == {"session": "s", "put": None, "answer": {"row": told, "note": "set aside"}}
    assert [(line.kind, line.fields) for line in others] == [
        ("restored", {"session": "s", "lines": [], "fault": "torn", "refused": True, "as": {"epoch": 1}}),
        ("stored", {"session": "s", "as": {"epoch": 2}}),
        ("woke", {"ticket": 3}),
        ("completed", {"ticket": 4, "completion": {"text": "t"}}),
        ("prepared", {"session": "s"}),
    ]
    assert (unknown.kind, unknown.number) == ("unknown", 12)


NO_LINES = [
    b"[]",
    b"{",
    b"7",
    b'{"from":1,"broken":2}',
    b'{"from":"host","broken":"\\u4e2d"}',
    b'{"restored":"s"}',
    b'{"archive":"s"}',
]


def test_line_that_is_none_is_named_by_its_number() -> None:
    for bad in NO_LINES:
        with pytest.raises(ValueError, match=r"^line 3 is no line of a transcript"):
            list(read(transcript.weigher("x") + b"\n\n" + bad))


@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([body for body, _ in BODIES[:9]])), max_size=6))
def test_any_bodies_read_back(bodies: list[bytes]) -> None:
    text = b"\n".join(transcript.line("host", body) for body in bodies)
    breaks = bytes.maketrans(b"\r\n", b"  ")
    for line, body in zip(read(text), bodies, strict=True):
        assert line.body == (body if line.kind == "broken" else body.translate(breaks))
