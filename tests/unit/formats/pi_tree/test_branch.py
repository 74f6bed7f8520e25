"""Entries of a pi tree, and plain lists, as a branch: what each gives, edits, the model's list, what is broken."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import pi
from ctxmgr.formats.pi_tree import branch, view_branch
from ctxmgr.model.compaction import BranchEntry, BranchMessage, Details, in_list
from tests.notation import Said, a, call, r, sh, summary, think, u
from tests.unit.engine.trees import (
    Node,
    compacted,
    custom,
    left_behind,
    meta,
    omitted,
    path,
    prompt,
    replaced,
    texts,
)

ODD = '{ "role":"user" , "n":1.50, "content":"go","x":{"b":1,"a":-0.0} }'


def one(said: Said | Node) -> BranchEntry:
    (entry,) = path(said)
    return entry


def message(said: Said | Node) -> BranchMessage:
    (found,) = one(said).messages
    return found


def entry(message: str, **fields: Any) -> bytes:
    return b'{"id":"e1","parentId":null,"type":"message","message":' + message.encode() + b"}"


def test_a_message_stays_byte_for_byte() -> None:
    (found,) = branch.branch([entry(ODD)], None)
    assert found.messages[0].raw == ODD.encode()


def test_a_half_of_a_pair_breaks_nothing() -> None:
    half = r'{"role":"assistant","content":[{"type":"text","text":"cut \ud83d"},'
    half += r'{"type":"toolCall","id":"c","name":"read","arguments":{"path":"\ud83d\ude00","x":"\ude00"}}],"n":1.0}'
    (found,) = branch.branch([entry(half)], None)
    (said,) = found.messages
    assert said.raw == half.encode()
    assert said.content.text == "cut \ufffd"
    assert said.content.calls == (("read", 'path="\U0001f600", x="\\ude00"'),)
    assert said.view.role == "assistant"
    assert said.view.blocks[1].arguments == {"path": "\U0001f600", "x": "\ufffd"}
    assert said.utf16_units == 5 + 4 + len('{"path":"..","x":"\\ude00"}')


UNITS: list[tuple[str, Said | Node, int]] = [
    ("text", u("é\U0001f600"), 3),
    ("an image", Said({"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "ab"}]}), 4_802),
    ("a call as JavaScript spells it", a(call("read", n=1.0)), len('read{"n":1}')),
    ("a thought, not its signature", a(think("abc")), 3),
    ("a result", r("abc"), 3),
    ("a run, shown or not", sh("ls", "ab", excludeFromContext=True), 4),
    ("a custom message", custom("abc"), 3),
    ("a summary without its wrapping", left_behind("abc"), 3),
    ("a compaction's too", compacted("abc", "e1"), 3),
    ("a prompt with all it says", prompt("ab", sections={"s": "cd", "t": None}, toolsAdded=[]), 6),
    ("a role not known yet", Said({"role": "oracle", "content": "abc"}), 0),
    ("no content", Said({"role": "user", "content": None}), 0),
]


def test_units_as_pi_counts_them() -> None:
    for name, said, units in UNITS:
        assert message(said).utf16_units == units, name


GOOD = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}


def test_what_other_entries_give() -> None:
    told = json.loads(message(custom("n", details={"k": 1})).raw)
    assert told == {
        "role": "custom",
        "customType": "n",
        "content": "n",
        "display": True,
        "details": {"k": 1},
        "timestamp": 1_767_323_045_678,
    }
    assert json.loads(message(left_behind("s")).raw)["fromId"] == "e1"
    assert json.loads(message(compacted("s", "e1")).raw)["tokensBefore"] == 9
    assert message(compacted("s", "e1")).view.summary == "compaction"
    with_prompt = one(compacted("s", "e1", systemMessage={"role": "system", "content": "p"}))
    assert [each.system for each in with_prompt.messages] == [True, False]
    assert one(meta()).messages == ()
    assert not one(left_behind("")).visible
    assert one(prompt("p")).system


EDITED: list[tuple[str, Said | Node, Any, list[str]]] = [
    ("a user", u("x"), "new", ["new"]),
    ("by blocks", u("x"), [{"type": "text", "text": "new"}], ["new"]),
    ("an assistant", a("x"), "new", ["new"]),
    ("a result", r("x"), "new", ["new"]),
    ("a custom message", custom("x"), "new", ["new"]),
    ("a run stays", sh("ls", ""), "new", ["Ran `ls`\n(no output)"]),
    ("omitted", sh("ls", ""), None, []),
]


def test_edits() -> None:
    for name, said, content, expected in EDITED:
        edit = omitted("e1") if content is None else replaced("e1", content)
        found = path(said, replaced("e1", "older"), edit)[0]
        assert texts(found.messages) == expected, name
        assert found.visible, name
        assert found.unedited is None or found.unedited == one(said).messages, name


def test_an_edit_leaves_all_other_fields() -> None:
    edit = json.dumps(
        {"id": "e2", "parentId": "e1", "type": "context_edit", "targetId": "e1", "replacement": {"content": "z"}}
    )
    (found, _) = branch.branch([entry(ODD), edit.encode()], None)
    assert found.messages[0].raw == b'{"role":"user","n":1.50,"content":"z","x":{"b":1,"a":-0.0}}'


KEPT = (
    u("a"),
    prompt("p"),
    u("b"),
    prompt("q"),
    compacted("one", kept="e3"),
    u("c"),
    compacted("two", kept="e4"),
    u("d"),
)

LISTS: list[tuple[str, tuple[Said | Node, ...], list[str]]] = [
    ("without a compaction", (u("a"), meta(), a("b")), ["e1", "e2", "e3"]),
    ("what it kept, without prompts", KEPT[:6], ["e5", "e3", "e6"]),
    ("the newest alone counts", KEPT, ["e7", "e5", "e6", "e8"]),
    ("what it kept is not there", (u("a"), compacted("s", kept="x"), u("b")), ["e2", "e3"]),
    ("it kept nothing", (u("a"), compacted("s", kept="e2"), u("b")), ["e2", "e3"]),
]


def test_the_models_list() -> None:
    for name, session, ids in LISTS:
        found = in_list(path(*session))
        assert [entry.id for entry in found] == ids, name
        assert all(entry.messages == () for entry in found[1:] if entry.kind == "compaction"), name


def test_an_edit_outside_of_the_list_does_not_count_in_it() -> None:
    session = (omitted("e2"), u("kept"), compacted("s", kept="e2"), u("on"))
    assert texts(path(*session)[1].messages) == ["kept"]
    assert path(u("a"), omitted("e1"), compacted("s", kept="e4"), u("on"))[0].messages == ()


def test_a_list_stands_for_a_branch() -> None:
    said = [
        summary("so far", timestamp=5),
        u("a"),
        a("b", usage=GOOD, timestamp=5),
        a("c", usage=GOOD, timestamp=6),
    ]
    raw = [json.dumps(each.fields).encode() for each in said]
    found = view_branch.from_messages(pi, raw, ["k", "", "m", "n"])
    assert [entry.kind for entry in found] == ["compaction", "message", "message", "message"]
    assert [entry.id for entry in found] == ["k", "", "m", "n"]
    assert [entry.messages[0].raw for entry in found] == raw
    assert found[0].summary == "so far"
    assert [entry.messages[0].reading_tokens for entry in found] == [
        0,
        0,
        0,
        10,
    ]  # what was counted before it is gone


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
roles = st.sampled_from(["user", "assistant", "toolResult", "bashExecution", "custom", "branchSummary", "system"])
kinds = st.sampled_from(["message", "custom_message", "branch_summary", "compaction", "context_edit", "label"])
blocks = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image", "thinking", "toolCall"]) | values},
        optional=dict.fromkeys(("text", "thinking", "name", "arguments", "id"), values),
    ),
    max_size=3,
)
names = [
    "output",
    "command",
    "exitCode",
    "usage",
    "sections",
    "toolsAdded",
    "toolsRemoved",
    "nestedCalls",
    "summary",
]
messages = st.fixed_dictionaries(
    {"role": roles | values, "content": blocks | values}, optional=dict.fromkeys(names, values)
)
ids = st.sampled_from(["e1", "e2", "e3"])
trees = st.lists(
    st.fixed_dictionaries(
        {"id": ids, "type": kinds | values},
        optional={
            "parentId": ids | values,
            "message": messages | values,
            "replacement": st.fixed_dictionaries({"content": blocks | values}) | values,
            "targetId": ids,
            "firstKeptEntryId": ids | values,
            **dict.fromkeys(("summary", "details", "content", "systemMessage", "timestamp"), values),
        },
    ),
    max_size=6,
)


@given(trees)
def test_no_entry_is_an_error(tree: list[dict[str, Any]]) -> None:
    found = branch.branch([json.dumps(each).encode() for each in tree], None)
    for each in in_list(found):
        for shown in each.messages:
            json.dumps(
                [shown.content.text, shown.content.thinking, shown.content.calls], ensure_ascii=False
            ).encode()
            assert shown.utf16_units >= 0


def test_details_and_who_wrote_them() -> None:
    given = {"readFiles": ["a"], "modifiedFiles": ["b"]}
    assert one(compacted("s", "e1", details=given)).details == Details(("a",), ("b",))
    assert one(compacted("s", "e1", details={**given, "ctxmgr": {}}, fromHook=True)).details.ours
    assert one(compacted("s", "e1", fromHook=True)).from_hook
    assert one(compacted("s", "e1", details=5)).details == Details()


def test_a_header_is_no_entry() -> None:
    assert branch.branch([b'{"type":"session","id":"s","version":3}'], None) == ()
