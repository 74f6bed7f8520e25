"""Records to checksummed lines and back: what damage is noticed, and what a base must say."""

import json

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.snapshots.lines import SnapshotRecords, base_fault, from_lines, to_line
from tests.unit.devices.snapshots.files import table

BASE = b'{"kind":"base","version":1,"sessionId":"s","state":{"n":1}}'
ONE = b'{"kind":"event","n":1}'
TWO = b'{"kind":"of a later release","n":2}'
WHOLE = to_line(BASE) + to_line(ONE) + to_line(TWO)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_a_line_is_checksum_space_json_newline() -> None:
    assert to_line(b'{"kind":"event"}') == b'3d6ce014 {"kind":"event"}\n'


def test_pretty_printed_json_becomes_one_line_of_the_same_value() -> None:
    line = to_line(b'{\n  "kind": "event",\r\n  "text": "a\\nb"\n}')
    assert line.count(b"\n") == 1
    (body,) = from_lines(to_line(BASE) + line, "s").bodies[1:]
    assert json.loads(body) == {"kind": "event", "text": "a\nb"}


BROKEN = "its first line is broken"
CONTENTS = [
    ("nothing", b"", SnapshotRecords()),
    ("whole, unknown kinds in order", WHOLE, SnapshotRecords((BASE, ONE, TWO))),
    ("no newline at the end", WHOLE[:-1], SnapshotRecords((BASE, ONE), len(to_line(TWO)) - 1)),
    ("zeros after power loss", to_line(BASE) + bytes(512), SnapshotRecords((BASE,), 512)),
    ("an empty line", to_line(BASE) + b"\n" + to_line(ONE), SnapshotRecords((BASE,), 1 + len(to_line(ONE)))),
    ("good lines after a bad one", to_line(BASE) + b"x" + to_line(ONE) + to_line(TWO), None),
    ("digits in capitals", b"3D6CE014" + to_line(b'{"kind":"event"}')[8:], SnapshotRecords((), 26, BROKEN)),
    ("an event first", to_line(ONE) + to_line(BASE), SnapshotRecords((ONE, BASE), 0, BROKEN)),
]


@table("content reading", CONTENTS)
def test_reading(content: bytes, reading: SnapshotRecords | None) -> None:
    expected = reading or SnapshotRecords((BASE,), 1 + len(to_line(ONE) + to_line(TWO)))
    assert from_lines(content, "s") == expected


BASES = [
    (BASE, None),
    (b'{"kind":"base","version":1,"sessionId":"s","state":"\\ud83d"}', None),
    (b'{"kind":"base","version":1,"sessionId":"s","state":%s}' % (b"9" * 400), None),
    (b'{"kind":"base","version":2,"sessionId":"s"}', "newer ctxmgr (snapshot version 2, known is 1)"),
    (b'{"kind":7,"version":3}', "newer ctxmgr (snapshot version 3"),
    (b'{"kind":"base","version":1,"sessionId":"t"}', "belongs to another session"),
    (b'{"kind":"event","version":1,"sessionId":"s"}', BROKEN),
    (b'{"kind":"base","sessionId":"s"}', BROKEN),
    (b'{"kind":"base","version":"1","sessionId":"s"}', BROKEN),
    (b'{"kind":"base","version":1}', BROKEN),
    (b'{"kind":"base","version":1,"sessionId":null}', BROKEN),
    (b"\xff", BROKEN),
    (b"[" * 100_000, BROKEN),
]


def test_base() -> None:
    for body, fault in BASES:
        told = base_fault(body, "s")
        assert told is None if fault is None else told is not None and fault in told, body[:60]


def test_an_unpaired_surrogate_in_the_id_is_compared() -> None:
    body = b'{"kind":"base","version":1,"sessionId":"a\\ud83d"}'
    assert base_fault(body, "a\ud83d") is None
    assert base_fault(body, "a\ud83e") == "it belongs to another session"


@given(st.lists(st.dictionaries(st.text(), json_values, max_size=4), max_size=6), st.booleans())
def test_records_come_back_as_they_were(records: list[dict[str, object]], indented: bool) -> None:
    bodies = [json.dumps(record, indent=2 if indented else None).encode() for record in records]
    content = to_line(BASE) + b"".join(map(to_line, bodies))
    reading = from_lines(content, "s")
    assert (reading.torn_bytes, reading.fault) == (0, None)
    assert [json.loads(body) for body in reading.bodies[1:]] == records


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_accounted_for(tail: bytes, begun: bool) -> None:
    content = (WHOLE if begun else b"") + tail
    reading = from_lines(content, "s")
    assert b"".join(map(to_line, reading.bodies)) == content[: len(content) - reading.torn_bytes]
    assert (reading.fault is None) == (begun or not tail)
