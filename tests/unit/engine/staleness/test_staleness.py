"""What is out of date, read as conversations; and held against a model of files as sets of lines.

A file has 100 lines `line 1` to `line 100`; a read of some of them shows them as pi does, and says where to go on.
"""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, extend
from ctxmgr.engine.staleness.file_history import FileEvent, history
from ctxmgr.engine.staleness.staleness import superseded
from ctxmgr.formats import anthropic
from ctxmgr.model.messages import Message
from ctxmgr.session.reading import Reader
from tests.conversations import any_list
from tests.notation import Said, a, call, err, indexed, quarters, r, talk, u
from tests.translation import said as as_pi
from tests.translation import to_anthropic

LINES = 100


def shown(start: int, end: int) -> str:
    text = "\n".join(f"line {number}" for number in range(start, min(end, LINES) + 1))
    return (
        text if end >= LINES else f"{text}\n\n[{LINES - end} more lines in file. Use offset={end + 1} to continue]"
    )


def read(path: str = "x", start: int | None = None, end: int | None = None) -> list[Said]:
    asked: dict[str, Any] = {"path": path}
    asked |= {} if start is None else {"offset": start}
    asked |= {} if end is None else {"limit": end - (start or 1) + 1}
    return [a(call("read", **asked)), r(shown(start or 1, end or LINES))]


def write(path: str = "x") -> list[Said]:
    return [a(call("write", path=path, content=shown(1, LINES))), r("written")]


def edit(path: str = "x", grown: int = 0) -> list[Said]:
    return [a(call("edit", path=path, oldText="a", newText="b" + "\nb" * grown)), r("replaced")]


def bash(command: str, output: str = "ok") -> list[Said]:
    return [a(call("bash", command=command)), r(output)]


def failed(tool: str, **arguments: Any) -> list[Said]:
    return [a(call(tool, **arguments)), err("no")]


def cat_n(start: int, end: int) -> str:
    return "\n".join(f"{number:6}\tline {number}" for number in range(start, end + 1))


def out_of_date(*parts: list[Said]) -> dict[BlockRef, str]:
    return dict(superseded(indexed(talk(u("go"), *(one for part in parts for one in part))), {}))


# name, conversation after a user's message (1: first call, 2: its result, 3: second call, ...), what is superseded
TABLE: list[tuple[str, list[list[Said]], dict[int, str]]] = [
    ("one read", [read()], {}),
    ("a full read again", [read(), read()], {2: "read again"}),
    ("of another file", [read(), read("y")], {}),
    ("a part, then the whole", [read("x", 5, 9), read()], {2: "read again"}),
    ("the whole, then a part", [read(), read("x", 5, 9)], {}),
    ("a part, then more of it", [read("x", 5, 9), read("x", 1, 20)], {2: "read again"}),
    ("a part, then less of it", [read("x", 5, 9), read("x", 6, 9)], {}),
    ("one line less", [read("x", 5, 9), read("x", 5, 8)], {}),
    ("parts that overlap", [read("x", 5, 9), read("x", 7, 12)], {}),
    ("two parts that hold it together", [read("x", 5, 9), read("x", 1, 7), read("x", 8, 12)], {2: "read again"}),
    ("two parts with a gap", [read("x", 5, 9), read("x", 1, 6), read("x", 8, 12)], {}),
    ("parts that are the whole", [read(), read("x", 1, 50), read("x", 51, 150)], {2: "read again"}),
    ("one line short of the whole", [read(), read("x", 1, 50), read("x", 51, 99)], {}),
    ("a limit past the end", [read(), read("x", 1, 150)], {2: "read again"}),
    ("written later", [read(), write()], {2: "written later"}),
    ("a part, then written", [read("x", 5, 9), write()], {2: "written later"}),
    ("written, then read", [write(), read()], {1: "read again"}),
    ("written twice", [write(), write()], {1: "written later"}),
    ("written, a part is read", [write(), read("x", 5, 9)], {}),
    ("an edit after the only read", [read(), edit()], {}),
    ("an edit between two reads", [read(), edit(), read()], {2: "read again", 3: "read again"}),
    ("an edit, then written", [read(), edit(), write()], {2: "written later", 3: "written later"}),
    ("an edit, a part is read", [edit(), read("x", 5, 9)], {}),
    ("the same part around an edit of no length", [read("x", 5, 9), edit(), read("x", 5, 9)], {2: "read again"}),
    ("the same part around an edit that moves lines", [read("x", 5, 9), edit(grown=2), read("x", 5, 9)], {}),
    ("with so many lines on both sides", [read("x", 5, 9), edit(grown=2), read("x", 3, 11)], {2: "read again"}),
    ("too few before", [read("x", 5, 9), edit(grown=2), read("x", 4, 20)], {}),
    ("too few after", [read("x", 5, 9), edit(grown=2), read("x", 2, 10)], {}),
    ("two edits move more", [read("x", 5, 9), edit(grown=2), edit(grown=1), read("x", 3, 11)], {}),
    (
        "from the first line on nothing is before",
        [read("x", 1, 9), edit(grown=2), read("x", 1, 11)],
        {2: "read again"},
    ),
    ("to the last line nothing is after", [read("x", 90), edit(grown=2), read("x", 88)], {2: "read again"}),
    ("an edit of unknown length", [read("x", 5, 9), bash("sed -i s/a/b/ x"), read("x", 1, 50)], {}),
    (
        "and then the whole",
        [read("x", 5, 9), bash("sed -i s/a/b/ x"), read()],
        {2: "read again", 3: "read again"},
    ),
    ("a read that failed stands for nothing", [read(), failed("read", path="x")], {}),
    ("nor is it out of date", [failed("read", path="x"), read()], {}),
    ("a write that failed", [read(), failed("write", path="x", content="x")], {}),
    ("and then came", [failed("write", path="x", content="x"), write()], {1: "tried again"}),
    ("an edit that failed, then another file", [failed("edit", path="x"), edit("y")], {}),
    ("an edit that failed, then read", [failed("edit", path="x"), read()], {}),
    ("an edit that failed, then came", [failed("edit", path="x"), edit()], {1: "tried again"}),
    (
        "an answer that shows nothing",
        [read(), [a(call("read", path="x")), r("File unchanged since last read")]],
        {},
    ),
    ("a host that cleared", [read(), [a(call("read", path="x")), r("[Old tool result content cleared]")]], {}),
    (
        "a marker of ours",
        [read(), [a(call("read", path="x")), r('[output pruned — ~9 tokens | read path="x"]')]],
        {},
    ),
    ("a read that was cut", [read("x", 5, 9), [a(call("read", path="x")), r("a\n…9 tokens truncated…\nb")]], {}),
    (
        "its numbers count as far as they go",
        [
            [a(call("read", path="x", offset=5, limit=3)), r(cat_n(5, 7))],
            [a(call("read", path="x")), r(cat_n(1, 20) + "\n<response clipped>\n" + cat_n(80, 100))],
        ],
        {2: "read again"},
    ),
    (
        "and no farther",
        [
            [a(call("read", path="x", offset=80, limit=3)), r(cat_n(80, 82))],
            [a(call("read", path="x")), r(cat_n(1, 20) + "\n<response clipped>\n" + cat_n(80, 100))],
        ],
        {},
    ),
    (
        "nor over a gap in them",
        [
            [a(call("read", path="x", offset=80, limit=3)), r(cat_n(80, 82))],
            [a(call("read", path="x", limit=90)), r(cat_n(1, 20) + "\n...\n" + cat_n(60, 90))],
        ],
        {},
    ),
    (
        "a part around what may have been a write",
        [read("x", 5, 9), failed("bash", command="cat > x <<'EOF'\na\nEOF\npython x"), read("x", 5, 9)],
        {},
    ),
    (
        "an edit that shows its lines",
        [
            [a(call("edit", path="x", oldText="a", newText="b")), r("Here is `cat -n` of it:\n" + cat_n(3, 9))],
            read("x", 1, 20),
        ],
        {2: "read again"},
    ),
    ("by a shell", [bash("sed -n '5,9p' x", shown(5, 9)), bash("cat x", shown(1, 100))], {2: "read again"}),
    ("by shell and tool", [read("x", 5, 9), bash("cat ./x", shown(1, 100))], {2: "read again"}),
    ("a failure that a shell hid", [read(), bash("cat x | head -200", "cat: x: No such file or directory")], {}),
    (
        "a file shorter than asked for is read whole",
        [read(), bash("sed -n '1,200p' x", shown(1, 100))],
        {2: "read again"},
    ),
    ("not so one that may be longer", [read(), bash("sed -n '1,102p' x", shown(1, 100))], {}),
    ("one that is spelled as JSON", [read(), bash("sed -n '1,20p' x", '"' + "line\\n" * 20 + '"')], {}),
    ("what a shell does besides stays", [bash("git log; cat x", shown(1, 100)), read()], {}),
    ("a heredoc", [bash("cat > x <<'EOF'\nline\nEOF"), read()], {1: "read again"}),
    ("a heredoc and its run", [read(), bash("cat > x <<'EOF'\nline\nEOF\npython x")], {2: "written later"}),
    (
        "a heredoc whose run failed may stand",
        [read(), failed("bash", command="cat > x <<'EOF'\nline\nEOF\npython x")],
        {},
    ),
    ("tail may be anything", [bash("tail -5 x", "line"), read()], {2: "read again"}),
    ("and shows no lines one knows", [read("x", 96), bash("tail -5 x", "line")], {}),
    ("elsewhere", [bash("cd /v && cat x", shown(1, 100)), read()], {}),
    ("a relative path after a cd may be elsewhere", [read(), bash("cd /v"), bash("cat x", shown(1, 100))], {}),
    (
        "an absolute one is not",
        [read("/v/x"), bash("cd /v && ls"), bash("cat /v/x", shown(1, 100))],
        {2: "read again"},
    ),
    ("tests again", [bash("npm test"), bash("npm test")], {2: "repeated"}),
    ("the newest stays", [bash("git diff"), bash("git diff"), bash("git diff")], {2: "repeated", 4: "repeated"}),
    ("another command", [bash("npm test"), bash("npm test -- a")], {}),
    ("a run is no look", [bash("python a.py"), bash("python a.py")], {}),
    ("tests that fail stay", [bash("npm test"), failed("bash", command="npm test")], {}),
    ("also before they pass", [failed("bash", command="npm test"), bash("npm test")], {}),
    (
        "what does not matter",
        [
            [a(call("bash", command="ls", description="a")), r("x")],
            [a(call("bash", command="ls", timeout=3)), r("x")],
        ],
        {2: "repeated"},
    ),
    ("what does", [[a(call("grep", pattern="a")), r("x")], [a(call("grep", pattern="b")), r("x")]], {}),
    ("one that was cut", [bash("git diff"), bash("git diff", "a\n[Output truncated]")], {}),
    (
        "one that still runs",
        [bash("npm test"), bash("npm test", "Process running with session ID 7\nOutput:\n")],
        {},
    ),
    (
        "two files in a call",
        [
            [
                a(
                    call(
                        "apply_patch",
                        input="*** Begin Patch\n*** Add File: x\n+a\n*** Add File: y\n+a\n*** End Patch",
                    )
                ),
                r("ok"),
            ],
            read("x"),
        ],
        {},
    ),
    (
        "and both are read",
        [
            [
                a(
                    call(
                        "apply_patch",
                        input="*** Begin Patch\n*** Add File: x\n+a\n*** Add File: y\n+a\n*** End Patch",
                    )
                ),
                r("ok"),
            ],
            read("x"),
            read("y"),
        ],
        {1: "read again"},
    ),
    ("a call without a result", [read(), [a(call("write", path="x", content="a"))]], {}),
    ("an unsure path", [read("src/x"), read("/w/src/x")], {2: "read again"}),
    ("a path that may be two", [read("src/x"), read("/v/src/x"), read("/w/src/x")], {}),
]


@pytest.mark.parametrize(("name", "parts", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_what_is_superseded(name: str, parts: list[list[Said]], expected: dict[int, str]) -> None:
    assert out_of_date(*parts) == {BlockRef(at, 0): reason for at, reason in expected.items()}


def test_several_results_in_one_message() -> None:
    """Anthropic's: the unit number tells them apart, and their order is that of the units."""
    steps = [a(call("read", path="x"), call("read", path="y")), r(shown(1, 100)), r(shown(1, 100))]
    steps += [
        a(call("edit", path="y", oldText="a", newText="b"), call("read", path="y")),
        r("ok"),
        r(shown(1, 100)),
    ]
    raws = [json.dumps(one).encode() for one in to_anthropic(as_pi(u("go"), *steps))]
    messages = Reader(anthropic, quarters, "test").read(raws)
    assert superseded(indexed(messages), {}) == {BlockRef(2, 1): "read again", BlockRef(3, 0): "read again"}


def test_a_window_tells_its_file() -> None:
    window = "[File: /w/a.py (90 lines total)]\n(9 more lines above)\n10:a\n11:b\n12:c\n(78 more lines below)"
    wider = "[File: /w/a.py (90 lines total)]\n(8 more lines above)\n9:a\n10:b\n11:c\n12:c\n(78 more lines below)"
    found = out_of_date(
        [a(call("open", path="/w/a.py", line_number=11)), r(window)], [a(call("scroll_up")), r(wider)]
    )
    assert found == {BlockRef(2, 0): "read again"}
    refused = "Your proposed edit has introduced new syntax error(s).\n" + window
    tried = [a(call("edit", replacement_text="x", start_line=10, end_line=10)), r(refused)]
    assert history(indexed(talk(u("go"), *tried)), {}).files == {}


def test_the_memo_changes_nothing() -> None:
    memo: dict[str, Any] = {}
    said = [u("go"), *read(), *edit(), *read(), *bash("npm test"), *bash("npm test")]
    for size in range(1, len(said) + 1):
        messages = talk(*said[:size])
        index = indexed(messages)
        assert superseded(index, memo) == superseded(index, {})
    assert memo


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
    told, found = history(index, {}), superseded(index, {})
    pairs = [
        (event.unit, covered)
        for events in told.files.values()
        for event, covered in zip(events, covered_by_later(events), strict=True)
    ]
    needed = {unit for unit, covered in pairs if not covered}
    by_model = {unit for unit, covered in pairs if covered} - needed - told.mixed
    assert {unit for unit, why in found.items() if why in ("read again", "written later")} == by_model - {
        unit for unit, why in found.items() if why == "tried again"
    }
    assert all(unit not in needed for unit, why in found.items() if why == "repeated")


@given(any_list)
def test_any_list(messages: tuple[Message, ...]) -> None:
    """Only what is there is told; nothing that failed; what is still needed stays, and no more."""
    index = extend(ConversationIndex(), messages)
    memo: dict[str, Any] = {}
    found = superseded(index, memo)
    assert superseded(index, memo) == found
    for ref in found:
        unit = index.block(ref)
        assert unit.kind in ("call", "result")
        assert not (unit.kind == "result" and (unit.is_error or unit.doubtful))


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


@settings(max_examples=500)
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
    out = superseded(indexed(talk(*said)), {})
    known = set().union(*texts)
    kept = set().union(*(text for at, text in enumerate(texts) if BlockRef(at, 0) not in out))
    assert known & set(lines) <= kept
