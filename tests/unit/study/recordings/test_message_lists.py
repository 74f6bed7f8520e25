"""Plain lists of messages: Cline's with results in the users' texts, chat completions, Anthropic's; Copilot CLI."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxmgr.study.recordings import copilot_cli, message_lists
from ctxmgr.study.recordings.recording import UnreadableRecording
from tests.unit.study.recorded import (
    AT,
    Json,
    jsonl,
    load,
    messages,
    never_fails,
    odd_values,
    pairs_are_right,
    seen,
)


def said(role: str, content: Any, **more: Any) -> Json:
    return {"role": role, "content": content, **more}


def texts(*words: str) -> list[Json]:
    return [{"type": "text", "text": text} for text in words]


def using(id: str, name: str, **given: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def chat(id: str, name: str, **given: Any) -> Json:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}


def gave(id: str, content: Any, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


ENVIRONMENT = "<environment_details>\nx\n</environment_details>"
READ = "Let me look.\n<read_file>\n<path>a.py</path>\n</read_file>"
ROOS = "<read_file>\n<args>\n<file>\n<path>a.py</path>\n</file>\n</args>\n</read_file>"
TASK = said("user", texts("<task>\ngo\n</task>"), ts=1)
LOOKED = ["u: <task>\ngo\n</task>", "a: Let me look. | read_file {'path': 'a.py'}"]

LISTS: list[tuple[str, Any, str, list[str]]] = [
    (
        "Cline: native calls, results as texts",
        [
            TASK,
            said("assistant", [using("t1", "read_file", path="a.py"), using("t2", "read_file", path="b.py")], ts=2),
            said("user", texts("[read_file for 'a.py'] Result:\nA", "[read_file for 'b.py'] Result:", "B"), ts=3),
        ],
        "Cline",
        [
            "u: <task>\ngo\n</task>",
            "a: read_file {'path': 'a.py'} | read_file {'path': 'b.py'}",
            "r t1: A",
            "r t2: B",
        ],
    ),
    (
        "Cline: calls as XML; what the host says of its surroundings is no result",
        [TASK, said("assistant", READ), said("user", texts("[read_file for 'a.py'] Result:", "A", ENVIRONMENT))],
        "Cline",
        [*LOOKED, "r read_file-3-0: A", f"u: {ENVIRONMENT}"],
    ),
    (
        "Roo: arguments within arguments, a result as one text, a summary of its own",
        [
            said("user", "<task>\ngo\n</task>", ts=1),
            said("assistant", f"Let me look.\n{ROOS}", ts=2),
            said("user", "[read_file for 'a.py'] Result:\nA", ts=3),
            said("user", "cut", isTruncationMarker=True, ts=4),
            said("assistant", "so far", isSummary=True, ts=5),
            said("user", "on", ts=6),
        ],
        "Cline",
        [*LOOKED, "r read_file-3-0: A", "c all gone: so far", "u: on"],
    ),
    (
        "chat completions",
        [
            said("system", "be good"),
            said("user", "go"),
            {"role": "assistant", "tool_calls": [chat("c1", "read", path="a"), chat("c2", "read", path="b")]},
            said("tool", "A", tool_call_id="c1"),
            said("tool", texts("B"), tool_call_id="c2"),
            said("assistant", "done", reasoning_content="hm"),
        ],
        "chat completions",
        ["u: go", "a: read {'path': 'a'} | read {'path': 'b'}", "r c1: A", "r c2: B", "a: (hm) | done"],
    ),
    (
        "Anthropic's messages",
        {
            "model": "m-1",
            "system": texts("be good"),
            "messages": [
                said("user", "go"),
                said("assistant", [using("t1", "Read", file_path="a")]),
                said("user", [gave("t1", texts("A"), is_error=True), *texts("and then?")]),
            ],
        },
        "chat completions",
        ["u: go", "a: Read {'file_path': 'a'}", "r! t1: A", "u: and then?"],
    ),
    (
        "chat completions before tools had ids",
        [
            said("user", "go"),
            said("assistant", None, function_call={"name": "read", "arguments": '{"path": "a"}'}),
            said("function", "A", name="read"),
        ],
        "chat completions",
        ["u: go", "a: read {'path': 'a'}", "r call-2: A"],
    ),
    (
        "in camelCase, as SDKs in TypeScript have it",
        [
            said("user", "go"),
            {"role": "assistant", "toolCalls": [chat("c1", "read", path="a")], "reasoningContent": "hm"},
            said("tool", "A", toolCallId="c1"),
            said("assistant", "done", toolCalls=None, parts=[]),
        ],
        "chat completions",
        ["u: go", "a: (hm) | read {'path': 'a'}", "r c1: A", "a: done"],
    ),
    (
        "Copilot CLI, in one file",
        {"sessionId": "s", "chatMessages": [said("user", "go"), said("assistant", "done")], "timeline": []},
        "Copilot CLI",
        ["u: go", "a: done"],
    ),
]


def test_lists_are_read_for_what_they_are(tmp_path: Path) -> None:
    for name, document, host, shown in LISTS:
        recording = load(tmp_path, json.dumps(document).encode())
        assert seen(recording) == shown, name
        assert recording.host == host, name
        pairs_are_right(recording)


def test_lines_are_a_list_too(tmp_path: Path) -> None:
    for name, document, _, shown in LISTS:
        if isinstance(document, list):
            assert seen(load(tmp_path, jsonl(*document))) == shown, name


GO = said("user", "go")
OTHERS: list[tuple[str, list[Json], str]] = [
    ("Bedrock", [said("user", [{"text": "go"}]), said("assistant", [{"toolUse": {"name": "r"}}])], "1: .*text"),
    ("Bedrock's call", [GO, said("assistant", [{"toolUse": {"toolUseId": "t1"}}])], "2: .*toolUse"),
    ("AI SDK", [GO, said("assistant", [{"type": "tool-call", "toolCallId": "t1"}])], "2: .*tool-call"),
    ("AI SDK's result", [GO, said("tool", [{"type": "tool-result", "toolName": "r"}])], "2: .*tool-result"),
    ("Goose", [GO, said("assistant", [{"type": "toolRequest", "id": "t1"}])], "2: .*toolRequest"),
    ("AI SDK's page", [GO, said("assistant", "", parts=[{"type": "tool-read", "input": {}}])], "2: .*parts"),
    (
        "Amp",
        [GO, said("user", [{"type": "tool_result", "toolUseID": "t1", "run": {"result": "never say it"}}])],
        "2: .*toolUseID",
    ),
    ("AI SDK 4's page", [GO, said("assistant", "", toolInvocations=[{"toolName": "r"}])], "2: .*toolInvocations"),
    (
        "two kinds",
        [GO, said("user", [{"type": "toolResponse"}, {"never say it": 1}])],
        "2: .*toolResponse, unnamed",
    ),
]


def test_a_message_of_blocks_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    for name, talk, says in OTHERS:
        for content in (json.dumps(talk).encode(), jsonl(*talk), json.dumps({"messages": talk}).encode()):
            with pytest.raises(UnreadableRecording, match=f"message {says}") as caught:
                load(tmp_path, content)
            assert "never say it" not in str(caught.value), name


def test_an_odd_block_beside_others_is_counted(tmp_path: Path) -> None:
    talk = [GO, said("assistant", [*texts("on it"), {"type": "hologram"}]), said("user", [])]
    recording = load(tmp_path, json.dumps(talk).encode())
    assert seen(recording)[:2] == ["u: go", "a: on it"]
    assert "blocks of kind hologram, which pi does not have: 1" in recording.notes
    media = ("image_url", "input_audio", "document", "web_search_tool_result", "server_tool_use")
    for kind in media:
        assert load(tmp_path, json.dumps([GO, said("assistant", [{"type": kind}])]).encode()).entries, kind


def test_a_byte_order_mark_is_none_of_the_text(tmp_path: Path) -> None:
    lines = "".join(json.dumps(message) + "\r\n" for message in (GO, said("assistant", "größer")))
    for encoding in ("utf-8-sig", "utf-16"):
        assert seen(load(tmp_path, lines.encode(encoding))) == ["u: go", "a: größer"]
        assert seen(load(tmp_path, json.dumps([GO]).encode(encoding))) == ["u: go"]


def test_a_mark_before_other_bytes_is_said(tmp_path: Path) -> None:
    for content in (b"\xff\xfe{", b"\xfe\xff\xd8", b"\xef\xbb\xbf\xff"):
        with pytest.raises(UnreadableRecording, match="it looks like utf-"):
            load(tmp_path, content)


def test_what_was_counted_and_asked() -> None:
    counted: Json = {"tokens": {"prompt": 100, "completion": 5, "cached": 900}}
    told = said("assistant", "x", metrics=counted, modelInfo={"modelId": "m-1"}, ts=7)
    talk = [TASK, told, said("assistant", "y", usage={"prompt_tokens": 9, "prompt_cache_hit_tokens": 4})]
    recording = message_lists.read("f", json.dumps(talk).encode())
    usages = [message["usage"] for message in messages(recording) if "usage" in message]
    assert [(usage["input"], usage["cacheRead"]) for usage in usages] == [(100, 900), (5, 4)]
    assert (recording.model, [entry.time_ms for entry in recording.entries]) == ("m-1", [1, 7, None])


def event(kind: str, **data: Any) -> Json:
    return {"type": kind, "data": data, "id": kind, "timestamp": AT, "parentId": None}


EVENTS = [
    event("session.start", sessionId="s", context={"cwd": "/w"}, selectedModel="m-1"),
    event("user.message", content="go", transformedContent="go <current_datetime>"),
    event(
        "assistant.message",
        content="I look.",
        reasoningText="hm",
        toolRequests=[{"toolCallId": "t1", "name": "view", "arguments": {"path": "a"}}],
    ),
    event("tool.execution_start", toolCallId="t1", toolName="view"),
    event("assistant.message", content="within", parentToolCallId="t1"),
    event("tool.execution_complete", toolCallId="t1", success=True, result={"content": "A"}),
    event("assistant.message", content="", toolRequests=[{"toolCallId": "t2", "name": "view", "arguments": {}}]),
    event("tool.execution_complete", toolCallId="t2", success=False, error={"message": "no such file"}),
    event("session.compaction_complete", success=True, summaryContent="so far", preCompactionTokens=9),
    event("user.message", content="on"),
]


def test_events_of_copilot_cli(tmp_path: Path) -> None:
    recording = load(tmp_path, jsonl(*EVENTS))
    assert seen(recording) == [
        "u: go <current_datetime>",
        "a: (hm) | I look. | view {'path': 'a'}",
        "r t1: A",
        "a: view {}",
        "r! t2: no such file",
        "c all gone: so far",
        "u: on",
    ]
    assert (recording.session_id, recording.cwd, recording.model) == ("s", "/w", "m-1")
    assert recording.notes == ("events of type tool.execution_start, no context: 1", "events of sub-agents: 1")


@pytest.mark.parametrize("reader", [message_lists, copilot_cli])
@given(odd=odd_values(EVENTS + [message for _, talk, _, _ in LISTS if isinstance(talk, list) for message in talk]))
def test_odd_values_are_read_or_refused(reader: Any, odd: list[Json]) -> None:
    never_fails(reader.read, jsonl(*odd))
