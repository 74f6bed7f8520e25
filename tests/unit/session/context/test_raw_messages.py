"""The raw messages: whatever is put in, cut off and merged, its runs are the messages' bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.session.context.raw_messages import SEGMENTS, RawMessages


def raw_messages(*batches: list[bytes]) -> RawMessages:
    made = RawMessages()
    for batch in batches:
        made.extend(batch)
    return made


def joined(made: RawMessages, start: int, end: int) -> bytes:
    return b"".join(bytes(part) for part in made.run(start, end))


LIST = raw_messages([b"1", b"22"], [b"333"], [b"4"])

RUNS = [(0, 4, b"1,22,333,4"), (0, 1, b"1"), (1, 3, b"22,333"), (2, 2, b""), (3, 4, b"4"), (0, 2, b"1,22")]


@pytest.mark.parametrize(("start", "end", "expected"), RUNS)
def test_runs(start: int, end: int, expected: bytes) -> None:
    assert joined(LIST, start, end) == expected


# body, where the messages would start, where they end (-1: they do not stand there)
BODIES = [
    (b"[1,22,333,4]", 1, 11),
    (b"[1,22,333,4,5]", 1, 11),
    (b"[1,22,333,45]", 1, -1),
    (b"[1,22,333]", 1, -1),
    (b"[1,22,334,4]", 1, -1),
    (b"[1,22;333,4]", 1, -1),
    (b"[ 1,22,333,4]", 1, -1),
    (b'{"m":[1,22,333,4]}', 6, 16),
    (b"[1,22,333,4", 1, -1),
    (b"", 0, -1),
]


@pytest.mark.parametrize(("body", "at", "end"), BODIES)
def test_where_the_messages_end_in_a_body(body: bytes, at: int, end: int) -> None:
    assert LIST.end_in(body, at) == end


def test_an_empty_list_stands_nowhere() -> None:
    assert RawMessages().end_in(b"[]", 1) == -1
    assert raw_messages([]).run(0, 0) == []


def test_a_long_session_of_small_batches_keeps_few_segments() -> None:
    made = RawMessages()
    for number in range(2_000):
        made.extend([b"%d" % number] * 3)
        assert len(made.run(0, len(made))) <= 2 * SEGMENTS
    assert joined(made, 2_997, 3_001) == b"999,999,999,1000"


batches = st.lists(st.lists(st.binary(min_size=1, max_size=8), max_size=4), max_size=SEGMENTS * 3)


@settings(max_examples=100)
@given(batches, st.integers(0, 60), st.integers(0, 300), st.data())
def test_the_raw_messages_are_the_list_of_its_messages(
    parts: list[list[bytes]], cut_after: int, count: int, data: st.DataObject
) -> None:
    made, plain = RawMessages(), list[bytes]()
    for number, part in enumerate(parts):
        made.extend(part)
        plain += part
        if number == cut_after:
            keep = min(count, len(plain))
            made.truncate(keep)
            plain = plain[:keep]
    assert len(made) == len(plain)
    start = data.draw(st.integers(0, len(plain)))
    end = data.draw(st.integers(start, len(plain)))
    assert joined(made, start, end) == b",".join(plain[start:end])
    assert joined(made, 0, len(plain)) == b",".join(plain)
    whole = b"[" + b",".join(plain)
    if plain:
        assert made.end_in(whole + b"]", 1) == len(whole)
        assert made.end_in(whole + b",{}]", 1) == len(whole)
        assert made.end_in(whole + b"0]", 1) == -1
