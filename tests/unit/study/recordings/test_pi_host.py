"""The stand-in for pi: weights, the cut, the summary, the files, and the tree that planning reads."""

import json
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import branch as pi_branch
from ctxmgr.model.compaction import in_list
from ctxmgr.study.recordings import pi_host, pi_sessions
from ctxmgr.study.recordings.building import RecordingBuilder
from ctxmgr.study.recordings.json_values import call, text_block
from ctxmgr.study.recordings.pi_host import HostMessage, item
from ctxmgr.study.recordings.recording import RecordedEntry, Recording
from tests.goldens import held
from tests.inprocess import InProcess


def message(id: str, **fields: Any) -> HostMessage:
    return item(id, json.dumps({**fields, "timestamp": 1}).encode())


def u(id: str, text: str) -> HostMessage:
    return message(id, role="user", content=text)


def a(id: str, text: str, **call: Any) -> HostMessage:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if call:
        arguments = {"path": call["path"]}
        blocks.append({"type": "toolCall", "id": f"call-{id}", "name": call["name"], "arguments": arguments})
    return message(id, role="assistant", content=blocks)


def r(id: str, text: str) -> HostMessage:
    return message(id, role="toolResult", toolCallId="x", content=[{"type": "text", "text": text}])


def test_weights_are_pis() -> None:
    assert u("1", "abcde").weight == 2
    assert u("1", "\U0001f44d" * 4).weight == 2  # two UTF-16 units each
    image = {"type": "image", "data": "x", "mimeType": "image/png"}
    assert message("1", role="user", content=[image]).weight == 1_200
    assert message("1", role="bashExecution", command="ls", output="abcdef").weight == 2
    assert a("1", "abcd", name="read", path="p").weight == -(-(4 + 4 + len('{"path":"p"}')) // 4)


def session() -> list[HostMessage]:
    return [
        *(u("1", "Fix the  report.\nPlease"), a("2", "ok", name="read", path="a.py"), r("3", "x" * 4_000)),
        *(a("4", "edit", name="edit", path="b.py"), r("5", "y" * 4_000), a("6", "done")),
        *(u("7", "Now the alerts"), a("8", "ok", name="read", path="b.py"), r("9", "z" * 4_000), a("10", "done")),
    ]


def test_the_newest_are_kept_and_a_result_is_no_cut() -> None:
    items = session()
    files = pi_host.files_of(items, {})
    assert files == {"a.py": "read", "b.py": "modified"}
    done = pi_host.compact(items, files, "c1", 5, keep=900)
    assert done is not None
    assert done.entry["firstKeptEntryId"] == "10"  # the budget is reached inside a result: cut after it
    done = pi_host.compact(items, files, "c1", 5, keep=1_002)
    assert done is not None
    assert [kept.id for kept in done.items] == ["c1", "8", "9", "10"]
    done = pi_host.compact(items, files, "c1", 5, keep=1_900)
    assert done is not None
    assert [kept.id for kept in done.items] == ["c1", "6", "7", "8", "9", "10"]


def test_nothing_to_compact() -> None:
    assert pi_host.compact(session(), {}, "c1", 5, keep=1_000_000) is None
    assert pi_host.compact([u("1", "x" * 9_000)], {}, "c1", 5, keep=10) is None


def test_the_summary_is_one_that_ctxmgr_reads_and_carries_on() -> None:
    items = session()
    files = pi_host.files_of(items, {})
    first = pi_host.compact(items, files, "c1", 5, keep=1_002)
    assert first is not None
    text = first.entry["summary"]
    assert text == held("study/host-summary.md", text)
    host = InProcess()
    host.notify("session_compact", sessionId="s", compactionEntry=first.entry)
    slots = {(fact["slot"], fact["text"]) for fact in host.request("getLedger", sessionId="s")["facts"]}
    assert ("goal", "Fix the report. Please") in slots
    assert ("file", "b.py") in slots
    more = [*first.items, u("11", "And the docs"), a("12", "w" * 9_000), u("13", "Last")]
    second = pi_host.compact(more, files, "c2", 6, keep=100)
    assert second is not None
    carried = second.entry["summary"]
    assert carried == held("study/host-summary-carried-on.md", carried)
    assert [kept.id for kept in second.items] == ["c2", "12", "13"]
    again = pi_host.compact(more, files, "c2", 6, keep=100)
    assert again is not None
    assert again.entry == second.entry


def test_it_compacts_in_any_window_however_small() -> None:
    for window, tokens in ((200_000, 183_616), (32_768, 16_384), (16_384, 8_192), (9, 4)):
        assert pi_host.compacts_above(window) == tokens, window


# a recording as a session tree


def recorded() -> Recording:
    some = RecordingBuilder("f", "a host")
    some.said([text_block("first")], 1_000, "u1")
    some.reply([call("c", "run", {})], 2_000, "a1", "m-1")
    some.result("c", [text_block("out")], 3_000, id="r1")
    some.said([text_block("by the way")], None, "n1", "a-host.note")
    some.compaction("what was done", 4_000, 99, "n1", "k1")
    some.reply([text_block("on")], 5_000, "a2", "m-2")
    return some.recording("s")


def test_entries_follow_each_other() -> None:
    entries = [json.loads(entry) for entry in pi_host.tree_entries(recorded())]
    kinds = ["message", "message", "message", "custom_message", "compaction", "model_change", "message"]
    assert [entry["type"] for entry in entries] == kinds
    assert [entry["parentId"] for entry in entries] == [None, *(entry["id"] for entry in entries[:-1])]
    assert entries[3] == {
        "type": "custom_message",
        "customType": "a-host.note",
        "content": [{"type": "text", "text": "by the way"}],
        "display": False,
        "id": "n1",
        "parentId": "r1",
    }
    assert (entries[4]["firstKeptEntryId"], entries[4]["tokensBefore"]) == ("n1", 99)
    assert entries[5]["modelId"] == "m-2"


def test_the_list_is_the_recordings() -> None:
    branch = pi_branch.branch(pi_host.tree_entries(recorded()), None)
    assert [entry.id for entry in in_list(branch) if entry.visible] == ["k1", "n1", "a2"]


def test_a_session_of_pi_comes_back_as_it_was() -> None:
    recording = recorded()
    branch = RecordedEntry("branch_summary", "b1", 6_000, b'{"fromId":"a1","summary":"B"}', "branchSummary", "B")
    recording = msgspec.structs.replace(recording, entries=(*recording.entries, branch))
    header = b'{"type":"session","version":3,"id":"s","cwd":""}\n'
    again = pi_sessions.read("f", header + b"\n".join(pi_host.tree_entries(recording)))
    assert [
        (entry.kind, entry.id, entry.time_ms, entry.role, entry.summary, entry.first_kept)
        for entry in again.entries
    ] == [
        (entry.kind, entry.id, entry.time_ms, entry.role, entry.summary, entry.first_kept)
        for entry in recording.entries
    ]
    texts = [entry.message for entry in recording.entries if entry.role in ("user", "assistant", "toolResult")]
    assert [entry.message for entry in again.entries if entry.role in ("user", "assistant", "toolResult")] == texts
