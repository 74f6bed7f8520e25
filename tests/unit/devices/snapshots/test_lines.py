"""Records to checksummed lines and back: what damage is noticed, and what a base must say."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.snapshots.file import from_lines, to_line

BASE = b'{"kind":"base","version":1,"sessionId":"s","state":{"n":1}}'
ONE = b'{"kind":"event","n":1}'
TWO = b'{"kind":"of a later release","n":2}'
WHOLE = to_line(BASE) + to_line(ONE) + to_line(TWO)


def test_a_line_is_checksum_space_json_newline() -> None:
    assert to_line(b'{"kind":"event"}') == b'3d6ce014 {"kind":"event"}\n'


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_accounted_for(tail: bytes, begun: bool) -> None:
    content = (WHOLE if begun else b"") + tail
    reading = from_lines(content, "s")
    assert b"".join(map(to_line, reading.bodies)) == content[: len(content) - reading.torn_bytes]
    assert (reading.fault is None) == (begun or not tail)
