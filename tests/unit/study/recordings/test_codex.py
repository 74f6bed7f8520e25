"""Codex rollouts: items become replies, usage comes later, outputs tell of failure, a compaction replaces all."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxmgr.study.recordings import codex
from ctxmgr.study.recordings.codex import SEALED, failed
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
    usage,
)

META = {"type": "session_meta", "timestamp": AT, "payload": {"id": "s", "cwd": "/w", "instructions": "be good"}}


def line(type: str, **payload: Any) -> Json:
    kind = payload.pop("kind", None)
    return {"timestamp": AT, "type": type, "payload": {**({"type": kind} if kind else {}), **payload}}


def said(role: str, *texts: str) -> Json:
    part = "output_text" if role == "assistant" else "input_text"
    parts = [{"type": part, "text": text} for text in texts]
    return line("response_item", kind="message", role=role, content=parts)


def reasoning(*summary: str) -> Json:
    parts = [{"type": "summary_text", "text": text} for text in summary]
    return line("response_item", kind="reasoning", summary=parts, encrypted_content="c2Vj")


def call(id: str, arguments: str = '{"cmd":"ls"}') -> Json:
    return line("response_item", kind="function_call", name="exec", arguments=arguments, call_id=id)


def output(id: str, text: Any = "ok") -> Json:
    return line("response_item", kind="function_call_output", call_id=id, output=text)


def counted(input: int, cached: int, output: int) -> Json:
    last = {"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output}
    info = {"last_token_usage": last, "model_context_window": 258_400}
    return line("event_msg", kind="token_count", info=info)


def setting(model: str) -> Json:
    return line("turn_context", model=model)


ROLLOUT = [
    META,
    said("developer", "rules"),
    said("user", "<recommended_plugins>", "# AGENTS.md instructions for /w"),
    setting("gpt-a"),
    said("user", "fix it"),
    line("event_msg", kind="user_message", message="fix it"),
    reasoning("thinking of it"),
    said("assistant", "looking"),
    call("c1"),
    line("response_item", kind="custom_tool_call", name="apply_patch", input="*** Begin", call_id="c2"),
    output("c1", "Process exited with code 0\nOutput:\nexit code: 9"),
    line(
        "response_item",
        kind="custom_tool_call_output",
        call_id="c2",
        output=[{"type": "input_text", "text": "Script failed\n"}, {"type": "input_text", "text": "why"}],
    ),
    counted(100, 60, 7),
    META,
    setting("gpt-b"),
    reasoning(),
    said("assistant", "done"),
    counted(150, 0, 9),
]


def test_a_rollout(tmp_path: Path) -> None:
    recording = load(tmp_path, jsonl(*ROLLOUT))
    assert seen(recording) == [
        "n codex.developer: rules",
        "n codex.user: <recommended_plugins> | # AGENTS.md instructions for /w",
        "u: fix it",
        "a: (thinking of it) | looking | exec {'cmd': 'ls'} | apply_patch {'input': '*** Begin'}",
        "r c1: Process exited with code 0\nOutput:\nexit code: 9",
        "r! c2: Script failed\n | why",
        "model gpt-b",
        "a: () | done",
    ]
    pairs_are_right(recording)
    replies = [reply for reply in messages(recording) if reply["role"] == "assistant"]
    assert [reply["usage"] for reply in replies] == [usage(40, 7, read=60), usage(150, 9)]
    assert replies[0]["content"][0]["thinkingSignature"] == "c2Vj"
    assert (recording.model, recording.window, recording.session_id) == ("gpt-a", 258_400, "s")
    assert recording.notes == (
        "a system prompt of 7 characters, sent beside the list",
        "events of type user_message, which tell it for the screen: 1",
        "lines of type session_meta, no context: 1",
    )


def test_usage_ends_a_reply_though_nothing_else_came_between() -> None:
    lines = [META, said("user", "a"), said("assistant", "x"), counted(1, 0, 1), said("assistant", "y")]
    assert seen(codex.read("f", jsonl(*lines))) == ["u: a", "a: x", "a: y"]


def test_a_replaced_history_is_told_in_the_summary() -> None:
    history = [
        said("user", "fix it")["payload"],
        said("developer", "rules")["payload"],
        {"type": "compaction", "encrypted_content": "c2Vj"},
    ]
    compacted = line("compacted", message="", replacement_history=history)
    lines = [META, said("user", "fix it"), said("assistant", "x"), counted(90, 0, 9), compacted, counted(0, 0, 0)]
    recording = codex.read("f", jsonl(*lines, said("assistant", "y")))
    assert seen(recording)[2:] == [f"c all gone: [User]: fix it\n\n[Host]: rules\n\n{SEALED}", "a: y"]
    assert b'"tokensBefore":99' in recording.entries[2].message
    assert "compaction items in a replaced history, encrypted: 1" in recording.notes


def test_an_old_compaction_names_its_summary() -> None:
    compacted = line("compacted", message="what was done")
    found = codex.read("f", jsonl(META, said("user", "a"), compacted))
    assert seen(found) == ["u: a", "c all gone: what was done"]


def test_turns_that_were_taken_back_are_gone() -> None:
    back = line("event_msg", kind="thread_rolled_back", num_turns=1)
    lines = [META, said("user", "a"), said("assistant", "x"), said("user", "b"), call("c"), output("c"), back]
    recording = codex.read("f", jsonl(*lines, said("user", "c")))
    assert seen(recording) == ["u: a", "a: x", "u: c"]
    assert "messages that were taken back: 3" in recording.notes


def test_a_reply_that_was_cut_off() -> None:
    lines = [META, said("user", "a"), call("c"), line("event_msg", kind="turn_aborted"), said("user", "b")]
    recording = codex.read("f", jsonl(*lines))
    assert messages(recording)[1]["stopReason"] == "aborted"
    assert "calls without a result: 1" in recording.notes


def test_what_an_output_says_of_failure() -> None:
    for text, expected in (
        ("Process exited with code 0\nOutput:\n", False),
        ("Wall time: 1\nProcess exited with code 101\nOutput:\n", True),
        ("Process exited with code 0\nOutput:\nProcess exited with code 1", False),  # a log that the command read
        ("Wall time 1\nOutput:\nProcess exited with code 1", False),
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno", True),
        ("Exit code: 0\n", False),
        (
            'Script completed\nOutput:\n\n{"chunk_id":"ab","wall_time_seconds":1.5e-6,"exit_code":1,"output":""}',
            True,
        ),
        ('Script completed\nOutput:\n\n{"chunk_id":"ab","wall_time_seconds":0,"exit_code":0,"output":""}', False),
        (
            'Script completed\nOutput:\n\n{"a":{"chunk_id":"1","wall_time_seconds":0,"exit_code":130,"output":""}'
            ',"b":{"chunk_id":"2","wall_time_seconds":1,"exit_code":0,"output":""}}',
            False,
        ),
        ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}', True),
        ("Script failed\n", True),
        ("", False),
        ([{"type": "input_text", "text": "Script failed"}], True),
        ({"content": "x", "success": False}, True),
        (None, False),
    ):
        assert failed(text) is expected, text


def test_what_the_provider_ran_is_counted() -> None:
    search = line("response_item", kind="web_search_call", action={"query": "q"})
    recording = codex.read("f", jsonl(META, said("user", "a"), search, said("assistant", "x")))
    assert "web_search_call items, which the provider ran and answered itself: 1" in recording.notes


def test_what_can_not_be_read_is_said() -> None:
    for content, says in (
        (jsonl(META, {"type": "response_item"}), "line 2: a line without a payload: 'response_item'"),
        (jsonl(META, said("user", "a"))[:-9], "line 2"),
        (jsonl(META), "no messages"),
    ):
        with pytest.raises(UnreadableRecording, match=says):
            codex.read("f", content)


@given(odd_values(ROLLOUT))
def test_no_odd_value_is_a_crash(lines: list[Any]) -> None:
    never_fails(codex.read, jsonl(*lines))
