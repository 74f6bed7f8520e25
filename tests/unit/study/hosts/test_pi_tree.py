"""A recording as a session tree: what planning sees of it is what the recording says."""

import json

import msgspec

from ctxmgr.formats.pi_tree import branch as pi_branch
from ctxmgr.model.compaction import in_list
from ctxmgr.study.hosts import pi_host
from ctxmgr.study.recordings import pi_sessions
from ctxmgr.study.recordings.blocks import call, text_block
from ctxmgr.study.recordings.building import RecordingBuilder
from ctxmgr.study.recordings.recording import RecordedEntry, Recording


def session() -> Recording:
    some = RecordingBuilder("f", "a host")
    some.said([text_block("first")], 1_000, "u1")
    some.reply([call("c", "run", {})], 2_000, "a1", "m-1")
    some.result("c", [text_block("out")], 3_000, id="r1")
    some.said([text_block("by the way")], None, "n1", "a-host.note")
    some.compaction("what was done", 4_000, 99, "n1", "k1")
    some.reply([text_block("on")], 5_000, "a2", "m-2")
    return some.recording("s")


def test_entries_follow_each_other() -> None:
    entries = [json.loads(entry) for entry in pi_host.tree_entries(session())]
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
    branch = pi_branch.branch(pi_host.tree_entries(session()), None)
    assert [entry.id for entry in in_list(branch) if entry.visible] == ["k1", "n1", "a2"]


def test_a_session_of_pi_comes_back_as_it_was() -> None:
    recording = session()
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
