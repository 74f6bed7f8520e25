"""OpenHands: events before its SDK, an evaluation's output, the model calls of a run, events of the SDK."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxmgr.study.recordings.openhands import read_completions, read_events, read_sdk
from ctxmgr.study.recordings.recording import UnreadableRecording
from tests.unit.study.recorded import (
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

AT = "2026-03-02T09:00:00.000000"  # OpenHands writes no zone; it is read as UTC
COUNTED = {
    "prompt_tokens": 84,
    "completion_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 70},
    "cache_creation_input_tokens": 11,
}


def asked(response: str, call: str, *calls: str, text: str = "looking") -> Json:
    """The metadata of an action: call `call` of a response with these calls."""
    tools = [{"id": id, "function": {"name": "bash", "arguments": '{"command": "ls"}'}} for id in calls or (call,)]
    model = {
        "id": response,
        "model": "m-1",
        "usage": COUNTED,
        "choices": [{"message": {"role": "assistant", "content": text, "tool_calls": tools}}],
    }
    return {"function_name": "bash", "tool_call_id": call, "model_response": model}


def action(id: int, kind: str, source: str = "agent", metadata: Json | None = None, **args: Any) -> Json:
    more = {"tool_call_metadata": metadata} if metadata else {}
    return {"id": id, "timestamp": AT, "source": source, "action": kind, "args": args, **more}


def saw(id: int, kind: str, content: str, call: str = "", cause: int = -1, **extras: Any) -> Json:
    more = {"tool_call_metadata": {"tool_call_id": call}} if call else {}
    event = {
        "id": id,
        "timestamp": AT,
        "source": "agent",
        "observation": kind,
        "content": content,
        "extras": extras,
    }
    return {**event, **more, **({"cause": cause} if cause >= 0 else {})}


def coded(exit_code: int, suffix: str = "") -> Json:
    return {"exit_code": exit_code, "prefix": "", "suffix": suffix}


EVENTS = [
    action(0, "system", content="be good"),
    action(1, "message", "user", content="fix it", image_urls=["data:image/png;base64,AA=="]),
    action(2, "recall", "user", query="fix it"),
    saw(3, "recall", "the workspace", cause=2),
    action(4, "run", metadata=asked("resp", "t1", "t1", "t2"), command="ls"),
    action(5, "run", metadata=asked("resp", "t2", "t1", "t2"), command="ls"),
    saw(6, "run", "one", "t1", metadata=coded(0, "\n[done]")),
    saw(7, "run", "two", cause=5, metadata=coded(2)),
    saw(8, "agent_state_changed", ""),
    action(9, "message", content="done"),
]


def test_events(tmp_path: Path) -> None:
    recording = load(tmp_path, json.dumps(EVENTS, indent=1).encode())
    assert seen(recording) == [
        "u: fix it | <image>",
        "n openhands.recall: the workspace",
        "a: looking | bash {'command': 'ls'} | bash {'command': 'ls'}",
        "r t1: one\n[done]",
        "r! t2: two",
        "a: done",
    ]
    pairs_are_right(recording)
    assert messages(recording)[2]["usage"] == usage(3, 5, read=70, written=11)
    assert (recording.model, recording.entries[0].time_ms) == ("m-1", AT_MS)
    assert recording.notes == (
        "a system prompt of 7 characters, sent beside the list",
        "recall actions, no context: 1",
        "agent_state_changed observations, no context: 1",
    )


def test_an_evaluations_output(tmp_path: Path) -> None:
    run = {"instance_id": "i-1", "metadata": {"llm_config": {"model": "m-0"}}, "history": EVENTS[:2]}
    recording = load(tmp_path, jsonl(run))
    assert (recording.session_id, recording.model) == ("i-1", "m-0")
    with pytest.raises(UnreadableRecording, match="line 2: a second run"):
        read_events("f", jsonl(run, run))


def test_actions_without_the_models_response() -> None:
    events = [
        action(1, "message", "user", content="a"),
        action(2, "run", command="ls", thought="hm", hidden=False),
        saw(3, "run", "x", cause=2, exit_code=1),
        saw(4, "error", "bad", cause=1),
        action(5, "run", "user", command="pwd"),
    ]
    assert seen(read_events("f", json.dumps(events).encode())) == [
        "u: a",
        "a: hm | run {'command': 'ls'}",
        "r! call-2: x",
        "n openhands.error: bad",
        "n openhands.user_action: run: pwd",
    ]


def test_what_an_observation_says_of_failure() -> None:
    observations = [
        (saw(2, "run", "x", cause=1, metadata=coded(0)), "r"),
        (saw(2, "run", "x", cause=1, metadata=coded(1)), "r!"),
        (saw(2, "run", "still there", cause=1, metadata=coded(-1)), "r"),
        (saw(2, "edit", "ERROR:\nNo replacement", cause=1), "r!"),
        (saw(2, "read", "ERROR: of a log", cause=1), "r"),
        (saw(2, "error", "x", cause=1), "r!"),
    ]
    for observation, expected in observations:
        events = [action(1, "run", command="ls"), observation]
        assert seen(read_events("f", json.dumps(events).encode()))[1].split()[0] == expected, observation


def test_a_condensation_keeps_its_first_events_in_the_summary() -> None:
    for forgotten in (
        {"forgotten_event_ids": [2, 3, 4]},
        {"forgotten_events_start_id": 2, "forgotten_events_end_id": 4},
    ):
        events = [
            action(1, "message", "user", content="first"),
            action(2, "message", content="x"),
            action(3, "run", metadata=asked("r1", "t1")),
            saw(4, "run", "out", "t1"),
            action(5, "run", metadata=asked("r2", "t2")),
            saw(6, "run", "kept", "t2"),
            action(7, "condensation", summary="what was done", summary_offset=1, **forgotten),
            action(8, "message", content="y"),
        ]
        recording = read_events("f", json.dumps(events).encode())
        assert seen(recording)[-2:] == ["c event-5: [User]: first\n\nwhat was done", "a: y"], forgotten
        assert b'"tokensBefore":89' in recording.entries[-2].message, forgotten


def test_what_can_not_be_read_is_said() -> None:
    for content, says in (
        (b'[{"id": 1, "action": 2}]', "event 1: neither an action nor an observation"),
        (b'[{"id": 1,\n"action": }]', "line 2"),
        (json.dumps([EVENTS[0]]).encode(), "no messages"),
    ):
        with pytest.raises(UnreadableRecording, match=says):
            read_events("f", content)


@given(odd_values(EVENTS))
def test_no_odd_value_is_a_crash(events: list[Any]) -> None:
    never_fails(read_events, json.dumps(events).encode())


# the model calls of a run

SYSTEM = {"role": "system", "content": [{"type": "text", "text": "be good"}]}
HEADER = {"header": True, "instance": "i-1", "calls": 2}


def said(role: str, text: str, **more: Any) -> Json:
    return {"role": role, "content": [{"type": "text", "text": text}], **more}


def using(text: str, id: str) -> Json:
    return said("assistant", text, tool_calls=[{"id": id, "function": {"name": "bash", "arguments": "{}"}}])


def called(number: int, total: int, *new: Json, **more: Any) -> Json:
    counted = {"prompt_tokens": 10 * (number + 1), "completion_tokens": 1}
    about = {"timestamp": 1_772_442_000.5 + number, "model": "m-1", "usage": counted}
    return {"call": number, "n_messages": total, "new_messages": [*new], **about, **more}


CALLS = [
    HEADER,
    called(0, 2, SYSTEM, said("user", "fix it")),
    called(1, 4, using("looking", "t1"), said("tool", "ERROR:\nno", tool_call_id="t1", name="bash")),
    called(2, 6, using("again", "t2"), said("tool", "x", tool_call_id="t2"), assistant=said("assistant", "done")),
]


def test_calls(tmp_path: Path) -> None:
    recording = load(tmp_path, jsonl(*CALLS))
    assert seen(recording) == [
        "u: fix it",
        "a: looking | bash {}",
        "r! t1: ERROR:\nno",
        "a: again | bash {}",
        "r t2: x",
        "a: done",
    ]
    pairs_are_right(recording)
    replies = [reply for reply in messages(recording) if reply["role"] == "assistant"]
    assert [reply["usage"]["input"] for reply in replies] == [10, 20, 30]
    assert replies[0]["timestamp"] == AT_MS + 500
    assert recording.session_id == "i-1"


def test_another_attempt_starts_anew_and_a_router_is_no_change_of_model() -> None:
    again = called(3, 3, SYSTEM, said("user", "fix it"), said("user", "go on"), reset=2)
    last = called(4, 4, said("assistant", "ok"), model="m-2")
    recording = read_completions("f", jsonl(*CALLS, again, last))
    assert seen(recording) == ["u: fix it", "u: go on", "a: ok"]
    assert "messages of an earlier attempt, or that were written anew: 5" in recording.notes
    assert messages(recording)[-1]["usage"]["input"] == 40


def test_a_history_that_is_written_anew_keeps_its_start() -> None:
    anew = called(3, 3, said("user", "what was done"))
    recording = read_completions("f", jsonl(*CALLS[:2], CALLS[2], anew))
    assert seen(recording) == ["u: fix it", "u: what was done"]


def test_what_a_text_says_of_failure() -> None:
    for text, expected in (
        ("x\n[Command finished with exit code 2]", "r!"),
        ("x\n[Command finished with exit code 0]", "r"),
        ("x\n[The command completed with exit code 1.]", "r!"),
        ("[Command finished with exit code 2]\nand more", "r"),
        ("", "r"),
    ):
        call = called(1, 2, using("looking", "t1"), said("tool", text, tool_call_id="t1"))
        assert seen(read_completions("f", jsonl(call)))[1].split()[0] == expected, text


def test_a_call_without_messages_is_said() -> None:
    with pytest.raises(UnreadableRecording, match="line 2: a call without new_messages"):
        read_completions("f", jsonl(HEADER, {"call": 0}))


@given(odd_values(CALLS))
def test_no_odd_value_in_a_call_is_a_crash(calls: list[Any]) -> None:
    never_fails(read_completions, jsonl(*calls))


# events of the SDK


def parts(words: str) -> list[Json]:
    return [{"type": "text", "text": words}]


def event(id: str, kind: str, source: str = "agent", **more: Any) -> Json:
    return {"id": id, "timestamp": AT, "source": source, "kind": kind, **more}


def sdk_said(id: str, role: str, words: str, **more: Any) -> Json:
    source = "user" if role == "user" else "agent"
    return event(id, "MessageEvent", source, llm_message={"role": role, "content": parts(words)}, **more)


def acted(id: str, call: str, response: str, thought: str = "", **more: Any) -> Json:
    asked = {"id": call, "name": "run", "arguments": '{"c": 1}'}
    tool = {"tool_name": "run", "tool_call_id": call, "tool_call": asked, "llm_response_id": response}
    return event(id, "ActionEvent", thought=parts(thought), **tool, **more)


def gave(id: str, call: str, words: str, kind: str = "ObservationEvent", **more: Any) -> Json:
    observation = {"content": parts(words), **more}
    return event(id, kind, "environment", tool_name="run", tool_call_id=call, observation=observation)


SDK_EVENTS = [
    event("e0", "SystemPromptEvent", system_prompt={"type": "text", "text": "be good"}),
    sdk_said("e1", "user", "fix it", extended_content=parts("what a skill says")),
    acted(
        "e2", "t1", "r1", "looking", thinking_blocks=[{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
    ),
    acted("e3", "t2", "r1"),
    gave("e4", "t1", "one"),
    gave("e5", "t2", "two", is_error=True),
    event("e6", "ConversationStateUpdateEvent", "environment", key="x", value=1),
    sdk_said("e7", "assistant", "done"),
]


@pytest.mark.parametrize("listed", [True, False], ids=["a-list", "one-a-line"])
def test_sdk_events(tmp_path: Path, listed: bool) -> None:
    recording = load(tmp_path, json.dumps(SDK_EVENTS).encode() if listed else jsonl(*SDK_EVENTS))
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
        sdk_said("e1", "user", "a"),
        acted("e2", "t1", "r1"),
        event("e3", "AgentErrorEvent", tool_name="run", tool_call_id="t1", error="no such tool"),
        acted("e4", "t2", "r2"),
        event("e5", "UserRejectObservation", tool_name="run", tool_call_id="t2", rejection_reason="not this"),
    ]
    shown = seen(read_sdk("f", jsonl(*events)))
    assert shown[2] == "r! t1: no such tool"
    assert shown[4] == "r! t2: not this"


def test_a_condensation_of_the_sdk() -> None:
    events = [
        sdk_said("e1", "user", "first"),
        acted("e2", "t1", "r1", "x"),
        gave("e3", "t1", "out"),
        acted("e4", "t2", "r2", "y"),
        gave("e5", "t2", "kept"),
        event("e6", "Condensation", "environment", forgotten_event_ids=["e2", "e3"], summary="what was done"),
        event("e7", "Condensation", "environment", forgotten_event_ids=["e4"], summary="all that was done"),
        sdk_said("e8", "user", "next"),
    ]
    shown = seen(read_sdk("f", jsonl(*events)))
    assert shown[-3:] == [
        "c e4: [User]: first\n\nwhat was done",
        "c all gone: [User]: first\n\nall that was done",
        "u: next",
    ]


def test_an_event_without_a_kind_is_said() -> None:
    with pytest.raises(UnreadableRecording, match="line 2: an event without a kind"):
        read_sdk("f", jsonl(SDK_EVENTS[1], {"id": "x"}))


@given(odd_values(SDK_EVENTS))
def test_no_odd_value_in_an_sdk_event_is_a_crash(events: list[Any]) -> None:
    never_fails(read_sdk, json.dumps(events).encode())
