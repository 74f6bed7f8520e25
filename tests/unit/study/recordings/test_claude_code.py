"""Claude Code transcripts: streamed blocks, results between them, forks, compactions, what the host adds."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxmgr.study.recordings import claude_code
from ctxmgr.study.recordings.recording import UnreadableRecording
from tests.unit.study.recorded import (
    AT,
    AT_MS,
    Json,
    jsonl,
    load,
    messages,
    never_fails,
    odd_values,
    pairs_are_right,
    seen,
    usage,
)

COUNTED = {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 11}


def line(uuid: str, parent: str | None, type: str, **more: Any) -> Json:
    fields = {"parentUuid": parent, "uuid": uuid, "sessionId": "s", "cwd": "/w", "isSidechain": False}
    return {**fields, "type": type, "timestamp": AT, **more}


def u(uuid: str, parent: str | None, content: Any, **more: Any) -> Json:
    return line(uuid, parent, "user", message={"role": "user", "content": content}, **more)


def a(uuid: str, parent: str | None, id: str, block: Json, **more: Any) -> Json:
    message = {"id": id, "role": "assistant", "model": "m-1", "content": [block], "usage": COUNTED, **more}
    return line(uuid, parent, "assistant", message=message)


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def use(id: str, **input: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": input}


def gave(id: str, content: Any, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def boundary(uuid: str, logical: str) -> Json:
    about = {"trigger": "auto", "preTokens": 167_000}
    return line(uuid, None, "system", subtype="compact_boundary", logicalParentUuid=logical, compactMetadata=about)


STREAMED = [
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    u("1", None, "fix it"),
    a("2", "1", "msg", {"type": "thinking", "thinking": "hm", "signature": "c2ln"}),
    a("3", "2", "msg", use("t1", command="ls")),
    line("4", "3", "progress", data={"type": "bash_progress"}),
    u("5", "3", [gave("t1", "one")]),
    a("6", "3", "msg", use("t2", command="false"), usage={**COUNTED, "output_tokens": 9}),
    u("7", "6", [gave("t2", [text("two")], is_error=True)]),
    a("8", "7", "next", text("done")),
]


def test_the_blocks_of_a_reply_are_one_message_and_parallel_results_stand_behind_it(tmp_path: Path) -> None:
    recording = load(tmp_path, jsonl(*STREAMED))
    assert seen(recording) == [
        "u: fix it",
        "a: (hm) | Bash {'command': 'ls'} | Bash {'command': 'false'}",
        "r t1: one",
        "r! t2: two",
        "a: done",
    ]
    pairs_are_right(recording)
    reply = messages(recording)[1]
    assert reply["usage"] == usage(3, 9, read=70, written=11)
    assert reply["content"][0]["thinkingSignature"] == "c2ln"
    assert (reply["stopReason"], reply["model"], reply["timestamp"]) == ("toolUse", "m-1", AT_MS)
    assert (recording.session_id, recording.cwd, recording.model) == ("s", "/w", "m-1")
    assert recording.notes == (
        "lines of type file-history-snapshot, no context: 1",
        "lines of type progress (bash_progress), no context: 1",
    )


def test_what_a_transcript_holds(tmp_path: Path) -> None:
    for case, lines, expected in (
        (
            "two-prompts-of-one-parent",
            [u("1", None, "a"), u("2", "1", "left"), a("3", "2", "m", text("x")), u("4", "1", "taken")],
            ["u: a", "u: taken"],
        ),
        (
            "parents-that-are-not-there",
            [u("1", "gone", "a"), u("2", "1", "b"), u("3", "gone-too", "c")],
            ["u: a", "u: b", "u: c"],
        ),
        ("two-roots", [u("1", None, "another conversation"), u("2", None, "this one")], ["u: this one"]),
        ("a-circle", [u("1", "2", "a"), u("2", "1", "b")], ["u: a", "u: b"]),
        (
            "a-sub-agent",
            [u("1", None, "a"), u("2", "1", "sub", isSidechain=True), u("3", "1", "b")],
            ["u: a", "u: b"],
        ),
        (
            "the-host's-own-words",
            [u("1", None, "a"), u("2", "1", [text("base")], isMeta=True), u("3", "2", "b")],
            ["u: a", "n claude-code.meta: base", "u: b"],
        ),
        (
            "a-command-of-the-screen",
            [u("1", None, "a"), line("2", "1", "system", subtype="local_command", content="/ide")],
            ["u: a", "n claude-code.local_command: /ide"],
        ),
        (
            "words-beside-a-result",
            [u("0", None, "go"), a("1", "0", "m", use("t")), u("2", "1", [gave("t", "no"), text("do this")])],
            ["u: go", "a: Bash {}", "r t: no", "u: do this"],
        ),
        (
            "a-result-without-its-call",
            [u("1", None, [gave("t0", "from before the file")]), a("2", "1", "m", text("x"))],
            ["r t0: from before the file", "a: x"],
        ),
        (
            "a-compaction",
            [
                u("1", None, "a"),
                boundary("2", "1"),
                u("3", "2", "told again", isCompactSummary=True),
                u("4", "3", "b"),
            ],
            ["u: a", "c all gone: told again", "u: b"],
        ),
        (
            "a-compaction-of-a-branch",
            [u("1", None, "a"), u("2", "1", "b"), u("3", "1", "left"), boundary("4", "2"), u("5", "4", "c")],
            ["u: a", "u: b", "c all gone: ", "u: c"],
        ),
        (
            "a-compaction-without-summary",
            [u("1", None, "a"), boundary("2", "not-there"), u("3", "2", "b")],
            ["u: a", "c all gone: ", "u: b"],
        ),
        (
            "an-image",
            [u("1", None, [{"type": "image", "source": {"data": "AA==", "media_type": "image/png"}}])],
            ["u: <image>"],
        ),
    ):
        assert seen(load(tmp_path, jsonl(*lines))) == expected, case


def test_what_is_left_out_is_counted() -> None:
    lines = [
        u("1", None, "a"),
        u("2", "1", "left"),
        u("3", "1", [{"type": "document"}, text("b")]),
        line("4", "3", "progress", data={"type": "agent_progress"}),
        u("5", "3", "sub", isSidechain=True),
    ]
    assert claude_code.read("f", jsonl(*lines)).notes == (
        "lines of sub-agents (isSidechain): 1",
        "user lines of another branch: 1",
        "lines of type progress (agent_progress), no context: 1",
        "blocks of kind document, which pi does not have: 1",
    )


def test_a_reply_that_the_host_made_up_is_of_no_model() -> None:
    failed = line(
        "3",
        "2",
        "assistant",
        isApiErrorMessage=True,
        message={"id": "e", "model": "<synthetic>", "content": [text("overloaded")]},
    )
    recording = claude_code.read("f", jsonl(u("1", None, "a"), a("2", "1", "m", text("x")), failed))
    assert seen(recording) == ["u: a", "a: x", "a: overloaded"]
    last = messages(recording)[-1]
    assert (last["stopReason"], last["errorMessage"], "model" in last) == ("error", "overloaded", False)


def test_a_compaction_knows_when_and_how_much() -> None:
    summary = u("3", "2", "told again", isCompactSummary=True)
    (_, found) = claude_code.read("f", jsonl(u("1", None, "a"), boundary("2", "1"), summary)).entries
    assert (found.id, found.time_ms, found.first_kept) == ("2", AT_MS, "")
    assert b'"tokensBefore":167000' in found.message


def test_what_can_not_be_read_is_said() -> None:
    for content, says in (
        (jsonl(*STREAMED)[:-20], "line 9"),
        (jsonl(STREAMED[1], line("2", "1", "assistant")), "line 2: a line of type assistant without a message"),
        (jsonl(line("1", None, "system", subtype="turn_duration")), "no messages"),
    ):
        with pytest.raises(UnreadableRecording, match=says):
            claude_code.read("f", content)


@given(odd_values(STREAMED))
def test_no_odd_value_is_a_crash(lines: list[Any]) -> None:
    never_fails(claude_code.read, jsonl(*lines))
