"""What is out of date, read as conversations.

A file has 100 lines `line 1` to `line 100`; a read of some of them shows them as pi does, and says where to go on.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.staleness import superseded
from tests.notation import Said, a, call, indexed, r, talk, u

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


def edit(path: str = "x") -> list[Said]:
    return [a(call("edit", path=path, oldText="a", newText="b")), r("replaced")]


def bash(command: str, output: str = "ok") -> list[Said]:
    return [a(call("bash", command=command)), r(output)]


def out_of_date(*parts: list[Said]) -> dict[BlockRef, str]:
    return dict(superseded(indexed(talk(u("go"), *(one for part in parts for one in part)))))


# name, conversation after a user's message (1: first call, 2: its result, 3: second call, ...), what is superseded
TABLE: list[tuple[str, list[list[Said]], dict[int, str]]] = [
    ("the same part again", [read("x", 5, 9), read("x", 5, 9)], {2: "read again"}),
    ("a host that cleared", [read(), [a(call("read", path="x")), r("[Old tool result content cleared]")]], {}),
    ("a read that was cut", [read("x", 5, 9), [a(call("read", path="x")), r("a\n…9 tokens truncated…\nb")]], {}),
    ("by shell and tool", [read("x", 5, 9), bash("cat ./x", shown(1, 100))], {2: "read again"}),
    ("a failure that a shell hid", [read(), bash("cat x | head -200", "cat: x: No such file or directory")], {}),
    ("what a shell does besides stays", [bash("git log; cat x", shown(1, 100)), read()], {}),
    ("a heredoc and its run", [read(), bash("cat > x <<'EOF'\nline\nEOF\npython x")], {2: "written later"}),
    ("tail may be anything", [bash("tail -5 x", "line"), read()], {2: "read again"}),
    ("a relative path after a cd may be elsewhere", [read(), bash("cd /v"), bash("cat x", shown(1, 100))], {}),
    ("tests again", [bash("npm test"), bash("npm test")], {2: "repeated"}),
    ("the newest stays", [bash("git diff"), bash("git diff"), bash("git diff")], {2: "repeated", 4: "repeated"}),
    ("an unsure path", [read("src/x"), read("/w/src/x")], {2: "read again"}),
    ("a path that may be two", [read("src/x"), read("/v/src/x"), read("/w/src/x")], {}),
]


def test_what_is_superseded() -> None:
    for name, parts, expected in TABLE:
        assert out_of_date(*parts) == {BlockRef(at, 0): reason for at, reason in expected.items()}, name


act = st.one_of(
    st.just("write"),
    st.tuples(st.just("edit"), st.integers(-3, 3)),
    st.tuples(st.just("read"), st.integers(1, 12), st.integers(0, 12)),
    st.just("read"),
)


@given(st.lists(act, max_size=12))
def test_no_line_of_the_file_is_lost(acts: list[Any]) -> None:
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
