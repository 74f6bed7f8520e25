"""What is out of date, read as conversations; and held against a model of files as sets of lines.

A file has 100 lines `line 1` to `line 100`; a read of some of them shows them as pi does, and says where to go on.
"""

import json

import pytest

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.staleness.file_history import history
from ctxmgr.engine.staleness.staleness import superseded
from ctxmgr.formats import anthropic
from ctxmgr.session.reading import Reader
from tests.notation import Said, a, call, indexed, quarters, r, talk, u
from tests.translation import said as as_pi
from tests.translation import to_anthropic
from tests.unit.engine.staleness.stale_lists import bash, edit, failed, read, shown, write


def cat_n(start: int, end: int) -> str:
    return "\n".join(f"{number:6}\tline {number}" for number in range(start, end + 1))


def out_of_date(*parts: list[Said]) -> dict[BlockRef, str]:
    return dict(superseded(indexed(talk(u("go"), *(one for part in parts for one in part)))))


# name, conversation after a user's message (1: first call, 2: its result, 3: second call, ...), what is superseded
TABLE: list[tuple[str, list[list[Said]], dict[int, str]]] = [
    ("one read", [read()], {}),
    ("a full read again", [read(), read()], {2: "read again"}),
    ("of another file", [read(), read("y")], {}),
    (
        "a write whose result the host took out",
        [read(), [a(call("write", path="x", content="y")), r("[Old tool result content cleared]")]],
        {2: "written later"},
    ),
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
    """Anthropic's: the block number tells them apart, and their order is that of the blocks."""
    steps = [a(call("read", path="x"), call("read", path="y")), r(shown(1, 100)), r(shown(1, 100))]
    steps += [
        a(call("edit", path="y", oldText="a", newText="b"), call("read", path="y")),
        r("ok"),
        r(shown(1, 100)),
    ]
    raws = [json.dumps(one).encode() for one in to_anthropic(as_pi(u("go"), *steps))]
    messages = Reader(anthropic, quarters).read(raws)
    assert superseded(indexed(messages)) == {BlockRef(2, 1): "read again", BlockRef(3, 0): "read again"}


def test_a_window_tells_its_file() -> None:
    window = "[File: /w/a.py (90 lines total)]\n(9 more lines above)\n10:a\n11:b\n12:c\n(78 more lines below)"
    wider = "[File: /w/a.py (90 lines total)]\n(8 more lines above)\n9:a\n10:b\n11:c\n12:c\n(78 more lines below)"
    found = out_of_date(
        [a(call("open", path="/w/a.py", line_number=11)), r(window)], [a(call("scroll_up")), r(wider)]
    )
    assert found == {BlockRef(2, 0): "read again"}
    refused = "Your proposed edit has introduced new syntax error(s).\n" + window
    tried = [a(call("edit", replacement_text="x", start_line=10, end_line=10)), r(refused)]
    assert history(indexed(talk(u("go"), *tried))).files == {}
