"""Of any list: what is known of its messages changes nothing, and no line of a file is lost."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.staleness.file_history import FileEvent, history
from ctxmgr.engine.staleness.staleness import superseded
from tests.notation import Said, a, call, indexed, r, talk, u
from tests.unit.engine.staleness.stale_lists import bash, edit, failed, read, shown, write

MODEL_LINES = 400  # more than any file here has: the last one stands for all after it


def lines_of(span: tuple[int, int | None]) -> set[int]:
    return set(range(span[0], MODEL_LINES + 1 if span[1] is None else min(span[1], MODEL_LINES) + 1))


def covered_by_later(events: list[FileEvent]) -> list[bool]:
    """The model: whether each of a file's events, oldest first, is shown by later ones line by line."""
    found, seen = [], set[int]()
    for event in reversed(events):
        found.append(bool(seen) and lines_of(event.need) <= seen)
        if len(seen) == MODEL_LINES:
            continue
        if event.kind == "edit":  # a line is where it was, or as far off as the edit moved lines
            near = None if event.grown is None else range(-abs(event.grown), abs(event.grown) + 1)
            moved = lambda line: {min(max(1, line + by), MODEL_LINES) for by in near or ()}  # noqa: E731, B023
            seen = set() if near is None else {line for line in seen if moved(line) <= seen}
        elif event.cover is not None:
            seen |= lines_of(event.cover)
        elif event.kind == "write":
            seen = set()
    return found[::-1]


def agrees_with_the_model(index: ConversationIndex) -> None:
    told, found = history(index), superseded(index)
    pairs = [
        (event.block, covered)
        for events in told.files.values()
        for event, covered in zip(events, covered_by_later(events), strict=True)
    ]
    needed = {block for block, covered in pairs if not covered}
    by_model = {block for block, covered in pairs if covered} - needed - told.mixed
    assert {block for block, why in found.items() if why in ("read again", "written later")} == by_model - {
        block for block, why in found.items() if why == "tried again"
    }
    assert all(block not in needed for block, why in found.items() if why == "repeated")


spans = st.tuples(st.integers(1, 4), st.integers(0, 5)).map(lambda one: read("x", one[0], sum(one)))
tails = st.integers(94, 99).map(lambda start: read("x", start))
edits = st.integers(0, 2).map(lambda grown: edit(grown=grown))
BOTH = "*** Begin Patch\n*** Add File: x\n+a\n*** Add File: y\n+a\n*** End Patch"
others = st.sampled_from(
    [
        read(),
        write(),
        failed("write", path="x"),
        bash("sed -i s/a/b/ x"),
        bash("git log; cat x", shown(1, 100)),
        [a(call("apply_patch", input=BOTH)), r("ok")],
    ]
)


@settings(max_examples=200)
@given(st.lists(st.one_of(spans, spans, tails, edits, others), max_size=8))
def test_what_is_out_of_date_is_what_later_ones_show_line_by_line(parts: list[list[Said]]) -> None:
    agrees_with_the_model(indexed(talk(u("go"), *(one for part in parts for one in part))))


act = st.one_of(
    st.just("write"),
    st.tuples(st.just("edit"), st.integers(-3, 3)),
    st.tuples(st.just("read"), st.integers(1, 12), st.integers(0, 12)),
    st.just("read"),
)


@given(st.lists(act, max_size=12))
def test_no_line_of_the_file_is_lost(acts: list[Any]) -> None:
    """A file is read, edited and written for real: every line of it that was ever shown, and still is in it, stands
    in something that is not superseded."""
    lines = [f"first {number}" for number in range(10)]
    said: list[Said] = [u("go")]
    texts: list[set[str]] = [set()]
    for number, one in enumerate(acts):
        if one == "write":
            lines = [f"{number} written {at}" for at in range(8)]
            said += [a(call("write", path="x", content="\n".join(lines))), r("ok")]
            texts += [set(lines), set()]
        elif one[0] == "edit":
            place = min(number, max(0, len(lines) - 1))
            gone = lines[place : place + max(0, -one[1]) + 1]
            new = [f"{number} edited {at}" for at in range(max(1, len(gone) + one[1]))]
            lines[place : place + len(gone)] = new
            said += [a(call("edit", path="x", oldText="\n".join(gone), newText="\n".join(new))), r("ok")]
            texts += [set(new), set()]
        else:
            start, end = (1, len(lines)) if one == "read" else (one[1], min(len(lines), one[1] + one[2]))
            part = lines[start - 1 : end]
            asked = {"path": "x"} if one == "read" else {"path": "x", "offset": start, "limit": one[2] + 1}
            more = f"\n\n[{len(lines) - end} more lines in file. Use offset={end + 1} to continue]"
            said += [a(call("read", **asked)), r("\n".join(part) + (more if end < len(lines) else ""))]
            texts += [set(), set(part)]
    out = superseded(indexed(talk(*said)))
    known = set().union(*texts)
    kept = set().union(*(text for at, text in enumerate(texts) if BlockRef(at, 0) not in out))
    assert known & set(lines) <= kept
