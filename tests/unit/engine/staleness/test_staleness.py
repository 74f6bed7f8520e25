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
from tests.unit.engine.staleness.stale_lists import bash, edit, failed, read, shown


def cat_n(start: int, end: int) -> str:
    return "\n".join(f"{number:6}\tline {number}" for number in range(start, end + 1))


def out_of_date(*parts: list[Said]) -> dict[BlockRef, str]:
    return dict(superseded(indexed(talk(u("go"), *(one for part in parts for one in part)))))


# name, conversation after a user's message (1: first call, 2: its result, 3: second call, ...), what is superseded
TABLE: list[tuple[str, list[list[Said]], dict[int, str]]] = [
    ("the same part around an edit that moves lines", [read("x", 5, 9), edit(grown=2), read("x", 5, 9)], {}),
    ("a write that failed", [read(), failed("write", path="x", content="x")], {}),
    ("an edit that failed, then another file", [failed("edit", path="x"), edit("y")], {}),
    ("a host that cleared", [read(), [a(call("read", path="x")), r("[Old tool result content cleared]")]], {}),
    (
        "a marker of ours",
        [read(), [a(call("read", path="x")), r('[output pruned — ~9 tokens | read path="x"]')]],
        {},
    ),
    ("a read that was cut", [read("x", 5, 9), [a(call("read", path="x")), r("a\n…9 tokens truncated…\nb")]], {}),
    (
        "and no farther",
        [
            [a(call("read", path="x", offset=80, limit=3)), r(cat_n(80, 82))],
            [a(call("read", path="x")), r(cat_n(1, 20) + "\n<response clipped>\n" + cat_n(80, 100))],
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
    ("by shell and tool", [read("x", 5, 9), bash("cat ./x", shown(1, 100))], {2: "read again"}),
    ("a failure that a shell hid", [read(), bash("cat x | head -200", "cat: x: No such file or directory")], {}),
    ("not so one that may be longer", [read(), bash("sed -n '1,102p' x", shown(1, 100))], {}),
    ("what a shell does besides stays", [bash("git log; cat x", shown(1, 100)), read()], {}),
    ("a heredoc", [bash("cat > x <<'EOF'\nline\nEOF"), read()], {1: "read again"}),
    ("a heredoc and its run", [read(), bash("cat > x <<'EOF'\nline\nEOF\npython x")], {2: "written later"}),
    ("tail may be anything", [bash("tail -5 x", "line"), read()], {2: "read again"}),
    ("a relative path after a cd may be elsewhere", [read(), bash("cd /v"), bash("cat x", shown(1, 100))], {}),
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
