"""The raw messages: whatever is put in, cut off and merged, its runs are the messages' bytes."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.session.context.raw_messages import RUNS, SEGMENTS, RawMessages, Run


def joined(made: RawMessages, start: int, end: int) -> bytes:
    return b"".join(bytes(part) for part in made.run(start, end))


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
