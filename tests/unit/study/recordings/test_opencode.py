"""OpenCode exports: parts become blocks, tools give results, steps are calls; its own compactions and prunings."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxmgr.study.recordings import opencode
from ctxmgr.study.recordings.recording import UnreadableRecording
from tests.unit.study.recorded import (
    AT_MS,
    Json,
    load,
    messages,
    never_fails,
    odd_values,
    pairs_are_right,
    seen,
    usage,
)


def u(id: str, *parts: Json) -> Json:
    return {"info": {"id": id, "role": "user", "time": {"created": AT_MS}}, "parts": [*parts]}


def a(id: str, *parts: Json, **more: Any) -> Json:
    info = {"id": id, "role": "assistant", "modelID": "m-1", "time": {"created": AT_MS, "completed": AT_MS + 900}}
    return {"info": {**info, **more}, "parts": [*parts]}


def text(words: str, **more: Any) -> Json:
    return {"type": "text", "text": words, **more}


def tool(id: str, status: str, **state: Any) -> Json:
    time = {"start": AT_MS + 100, **({"end": AT_MS + 200} if status != "running" else {}), **state.pop("time", {})}
    return {
        "type": "tool",
        "callID": id,
        "tool": "read",
        "state": {"status": status, "input": {"p": 1}, "time": time, **state},
    }


def export(*talk: Json, **info: Any) -> bytes:
    document = {"info": {"id": "ses", "projectID": "p", "directory": "/w", **info}, "messages": [*talk]}
    return json.dumps(document, indent=2).encode()


START: Json = {"type": "step-start"}
TOKENS = {"total": 95, "input": 20, "output": 5, "reasoning": 2, "cache": {"read": 70, "write": 0}}
SESSION = [
    u("m1", text("fix it"), text("what @a holds", synthetic=True), text("not sent", ignored=True)),
    a(
        "m2",
        START,
        {"type": "reasoning", "text": "hm", "metadata": {"openai": {"reasoningEncryptedContent": "c2Vj"}}},
        tool("c1", "completed", output="text of a", time={"compacted": AT_MS + 5_000}),
        tool("c2", "error", error="no such file"),
        tool("c3", "running"),
        {"type": "step-finish", "tokens": TOKENS},
        tokens=TOKENS,
    ),
    a("m3", START, text("done"), tokens=TOKENS, finish="stop"),
]


def test_an_export(tmp_path: Path) -> None:
    recording = load(tmp_path, export(*SESSION))
    assert seen(recording) == [
        "u: fix it | what @a holds",
        "a: (hm) | read {'p': 1} | read {'p': 1} | read {'p': 1}",
        "r c1: text of a",
        "r! c2: no such file",
        "a: done",
    ]
    pairs_are_right(recording)
    assert messages(recording)[1]["usage"] == usage(20, 5, read=70)
    assert messages(recording)[1]["content"][0]["thinkingSignature"] == "c2Vj"
    assert [entry.pruned_ms for entry in recording.entries] == [None, None, AT_MS + 5_000, None, None]
    assert [entry.time_ms for entry in recording.entries] == [
        AT_MS,
        AT_MS + 200,
        AT_MS + 200,
        AT_MS + 200,
        AT_MS + 900,
    ]
    assert (recording.session_id, recording.cwd, recording.model) == ("ses", "/w", "m-1")
    assert "results that the host itself pruned later, kept whole here: 1" in recording.notes
    assert "calls without a result: 1" in recording.notes
    assert "text parts for the screen (ignored): 1" in recording.notes


def test_each_step_is_a_call() -> None:
    later = {"type": "step-finish", "tokens": {"input": 40, "output": 1, "cache": {"read": 0, "write": 9}}}
    parts = (START, tool("c1", "completed", output="x"), {"type": "step-finish", "tokens": TOKENS}, START)
    recording = opencode.read("f", export(u("m1", text("a")), a("m2", *parts, text("y"), later, tokens=TOKENS)))
    assert seen(recording) == ["u: a", "a: read {'p': 1}", "r c1: x", "a: y"]
    replies = [reply for reply in messages(recording) if reply["role"] == "assistant"]
    assert [reply["usage"] for reply in replies] == [usage(20, 5, read=70), usage(40, 1, written=9)]
    assert recording.entries[3].id == "m2#2"


def test_an_aborted_reply() -> None:
    error = {"name": "MessageAbortedError", "data": {"message": "stopped"}}
    recording = opencode.read("f", export(u("m1", text("a")), a("m2", error=error), u("m3", text("b"))))
    assert seen(recording) == ["u: a", "a: ", "u: b"]
    assert (messages(recording)[1]["stopReason"], messages(recording)[1]["errorMessage"]) == ("aborted", "stopped")


def test_a_compaction() -> None:
    for asked, kept in (({}, "all gone"), ({"tail_start_id": "m3"}, "m3")):
        talk = [
            u("m1", text("a")),
            a("m2", START, text("x"), tokens=TOKENS),
            u("m3", text("b")),
            a("m4", START, text("y"), tokens=TOKENS),
            u("m5", {"type": "compaction", "auto": True, **asked}),
            a("m6", START, text("what was done"), summary=True, parentID="m5"),
            u("m7", text("c")),
        ]
        recording = opencode.read("f", export(*talk))
        assert seen(recording) == ["u: a", "a: x", "u: b", "a: y", f"c {kept}: what was done", "u: c"], asked
        assert b'"tokensBefore":95' in recording.entries[4].message, asked


def test_a_compaction_that_failed_is_none() -> None:
    failed = a("m3", START, summary=True, parentID="m2", error={"name": "APIError"})
    recording = opencode.read("f", export(u("m1", text("a")), u("m2", {"type": "compaction"}), failed))
    assert seen(recording) == ["u: a"]
    assert "compactions that failed: 1" in recording.notes


def test_what_was_reverted_is_gone() -> None:
    for revert, expected, count in (
        ({"messageID": "m3"}, ["u: a", "a: x"], 2),
        ({"messageID": "m2", "partID": "p2"}, ["u: a", "a: x"], 2),
        ({"messageID": "gone"}, ["u: a", "a: x | y", "u: b", "a: z"], 0),
    ):
        parts = (
            START,
            text("x", id="p1"),
            *([text("y", id="p2")] if expected[1] != "a: x" or "partID" in revert else []),
        )
        talk = [u("m1", text("a")), a("m2", *parts), u("m3", text("b")), a("m4", START, text("z"))]
        recording = opencode.read("f", export(*talk, revert=revert))
        assert seen(recording) == expected, revert
        assert (f"messages that were reverted: {count}" in recording.notes) is bool(count), revert


def test_images() -> None:
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AA=="}
    file = {"type": "file", "mime": "text/plain", "url": "file:///w/a"}
    shot = tool("c1", "completed", output="", attachments=[image])
    recording = opencode.read("f", export(u("m1", text("a"), image, file), a("m2", START, shot)))
    assert seen(recording) == ["u: a | <image>", "a: read {'p': 1}", "r c1: <image>"]
    assert messages(recording)[0]["content"][1] == {"type": "image", "data": "AA==", "mimeType": "image/png"}
    assert "file parts (text/plain), whose text stands beside them: 1" in recording.notes


def test_what_can_not_be_read_is_said() -> None:
    for content, says in (
        (export(u("m1", text("a")))[:-30], r"f, line \d+: not JSON"),
        (
            export({"info": {"role": "other"}, "parts": []}),
            "message 1: neither from the user nor from the assistant",
        ),
        (export(), "no messages"),
    ):
        with pytest.raises(UnreadableRecording, match=says):
            opencode.read("f", content)


@given(odd_values(SESSION))
def test_no_odd_value_is_a_crash(talk: list[Any]) -> None:
    never_fails(opencode.read, export(*talk))
