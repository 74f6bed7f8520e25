"""The raw messages: whatever is put in, cut off and merged, its runs are the messages' bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.session.context.raw_messages import RUNS, SEGMENTS, RawMessages, Run
from tests.contract.talk import Messages, Talk


def raw_messages(*batches: list[bytes]) -> RawMessages:
    made = RawMessages()
    for batch in batches:
        made.extend(batch)
    return made


def joined(made: RawMessages, start: int, end: int) -> bytes:
    return b"".join(bytes(part) for part in made.run(start, end))


LIST = raw_messages([b"1", b"22"], [b"333"], [b"4"])


# body, where the messages would start, where the known ones end, how many they are
BODIES = [
    (b"[1,22,333,4]", 1, 11, 4),
    (b"[1,22,333,4,5]", 1, 11, 4),
    (b"[1,22,333,45]", 1, 9, 3),
    (b"[1,22,333,5,4]", 1, 9, 3),
    (b"[1,22,333]", 1, 9, 3),
    (b"[1,22,334,4]", 1, 5, 2),
    (b"[1,23,333,4]", 1, 1, 0),
    (b"[1,22;333,4]", 1, 1, 0),
    (b"[ 1,22,333,4]", 1, 1, 0),
    (b'{"m":[1,22,333,4]}', 6, 16, 4),
    (b"[1,22,333,4", 1, 9, 3),
    (b"", 0, 0, 0),
]


@pytest.mark.parametrize(("body", "at", "end", "count"), BODIES)
def test_which_messages_a_body_is_known_to_begin_with(body: bytes, at: int, end: int, count: int) -> None:
    """Segments are known as wholes, up to the first that differs."""
    assert LIST.head_in(body, at) == (end, count)


def test_a_long_session_of_small_batches_keeps_few_segments() -> None:
    made = RawMessages()
    for number in range(2_000):
        made.extend([b"%d" % number] * 3)
        assert len(made.run(0, len(made))) <= 2 * SEGMENTS
    assert joined(made, 2_997, 3_001) == b"999,999,999,1000"


batches = st.lists(st.lists(st.binary(min_size=1, max_size=8), max_size=4), max_size=SEGMENTS * 3)


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
        assert made.head_in(whole + b"]", 1) == (len(whole), len(plain))
        assert made.head_in(whole + b",{}]", 1) == (len(whole), len(plain))
        assert made.head_in(whole + b"0]", 1)[1] < len(plain)


def test_what_an_answer_begins_with_counts_until_it_is_let_go() -> None:
    made = RawMessages()
    made.extend([b"%03d" % number for number in range(2 * RUNS)])
    listed = made.size
    made.parts([(number, number + 1, b"", 0) for number in range(2 * RUNS)])
    assert made.size == listed + 4 * (2 * RUNS - 1) - 1
    made.forget_answer()
    assert made.size == listed


def test_a_host_that_asks_for_edits_holds_no_answer() -> None:
    make, talk = Messages(), Talk({"preset": "tools", "workingSet": {"results": 0, "tokens": 0}}, 20_000)
    messages = [one for number in range(3 * RUNS) for one in make.turn("Read it.", f"{number} line\n" * 300)]
    sizes = []
    for wanted in ("edits", "messages", "edits"):
        talk.context(messages, answer=wanted)
        sizes.append(talk.connection.sessions.queues.by_session["s"].raw_messages.size)
    assert sizes[0] == sizes[2] < sizes[1]


@given(st.lists(st.sampled_from(["keep", "put", "grow", "cut", "anew"]), max_size=120), st.data())
def test_an_answer_is_its_runs_whatever_the_last_one_began_with(moves: list[str], data: st.DataObject) -> None:
    made, plain, runs = RawMessages(), list[bytes](), list[Run]()
    for number, move in enumerate(moves):
        kept = data.draw(st.integers(0, len(plain))) if move == "cut" else len(plain)
        if move == "cut":
            made.truncate(kept)
            runs = [run for run in runs if run[1] <= kept]
        elif move == "anew":
            runs = runs[: data.draw(st.integers(0, len(runs)))]
        made.extend(new := [b"%d" % number, b"_%d" % number])
        plain[kept:] = new
        runs += [(0, 0, b"packet", 0), (kept, kept + 2, b"", 0)] if move == "put" else [(kept, kept + 1, b"", 0)]
        parts = made.parts(runs)
        told = [content or b",".join(plain[start:end]) for start, end, content, _ in runs]
        assert b"".join(parts) == b",".join(told)
        assert len(parts) <= 2 * (RUNS + 1)
