"""Events of the OpenHands SDK: replies of several actions, results of three kinds, condensations."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxmgr.study.recordings.openhands import sdk
from ctxmgr.study.recordings.recording import UnreadableRecording
from tests.unit.study.recorded import Json, jsonl, load, messages, never_fails, odd_values, pairs_are_right, seen

AT = "2026-03-02T09:00:00.000000"


def parts(words: str) -> list[Json]:
    return [{"type": "text", "text": words}]


def event(id: str, kind: str, source: str = "agent", **more: Any) -> Json:
    return {"id": id, "timestamp": AT, "source": source, "kind": kind, **more}


def said(id: str, role: str, words: str, **more: Any) -> Json:
    source = "user" if role == "user" else "agent"
    return event(id, "MessageEvent", source, llm_message={"role": role, "content": parts(words)}, **more)


def acted(id: str, call: str, response: str, thought: str = "", **more: Any) -> Json:
    asked = {"id": call, "name": "run", "arguments": '{"c": 1}'}
    tool = {"tool_name": "run", "tool_call_id": call, "tool_call": asked, "llm_response_id": response}
    return event(id, "ActionEvent", thought=parts(thought), **tool, **more)


def gave(id: str, call: str, words: str, kind: str = "ObservationEvent", **more: Any) -> Json:
    observation = {"content": parts(words), **more}
    return event(id, kind, "environment", tool_name="run", tool_call_id=call, observation=observation)


EVENTS = [
    event("e0", "SystemPromptEvent", system_prompt={"type": "text", "text": "be good"}),
    said("e1", "user", "fix it", extended_content=parts("what a skill says")),
    acted(
        "e2", "t1", "r1", "looking", thinking_blocks=[{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
    ),
    acted("e3", "t2", "r1"),
    gave("e4", "t1", "one"),
    gave("e5", "t2", "two", is_error=True),
    event("e6", "ConversationStateUpdateEvent", "environment", key="x", value=1),
    said("e7", "assistant", "done"),
]


@pytest.mark.parametrize("listed", [True, False], ids=["a-list", "one-a-line"])
def test_events(tmp_path: Path, listed: bool) -> None:
    recording = load(tmp_path, json.dumps(EVENTS).encode() if listed else jsonl(*EVENTS))
    assert seen(recording) == [
        "u: fix it | what a skill says",
        "a: (hm) | looking | run {'c': 1} | run {'c': 1}",
        "r t1: one",
        "r! t2: two",
        "a: done",
    ]
    pairs_are_right(recording)
    assert messages(recording)[1]["content"][0]["thinkingSignature"] == "c2ln"
    assert recording.notes == (
        "a system prompt of 7 characters, sent beside the list",
        "events of kind ConversationStateUpdateEvent, no context: 1",
    )


def test_errors_and_rejections_answer_their_calls() -> None:
    events = [
        said("e1", "user", "a"),
        acted("e2", "t1", "r1"),
        event("e3", "AgentErrorEvent", tool_name="run", tool_call_id="t1", error="no such tool"),
        acted("e4", "t2", "r2"),
        event("e5", "UserRejectObservation", tool_name="run", tool_call_id="t2", rejection_reason="not this"),
    ]
    found = seen(sdk.read("f", jsonl(*events)))
    assert found[2] == "r! t1: no such tool"
    assert found[4] == "r! t2: not this"


def test_a_condensation() -> None:
    events = [
        said("e1", "user", "first"),
        acted("e2", "t1", "r1", "x"),
        gave("e3", "t1", "out"),
        acted("e4", "t2", "r2", "y"),
        gave("e5", "t2", "kept"),
        event("e6", "Condensation", "environment", forgotten_event_ids=["e2", "e3"], summary="what was done"),
        event("e7", "Condensation", "environment", forgotten_event_ids=["e4"], summary="all that was done"),
        said("e8", "user", "next"),
    ]
    found = seen(sdk.read("f", jsonl(*events)))
    assert found[-3:] == [
        "c e4: [User]: first\n\nwhat was done",
        "c all gone: [User]: first\n\nall that was done",
        "u: next",
    ]


def test_an_event_without_a_kind_is_said() -> None:
    with pytest.raises(UnreadableRecording, match="line 2: an event without a kind"):
        sdk.read("f", jsonl(EVENTS[1], {"id": "x"}))


@given(odd_values(EVENTS))
def test_no_odd_value_is_a_crash(events: list[Any]) -> None:
    never_fails(sdk.read, json.dumps(events).encode())
