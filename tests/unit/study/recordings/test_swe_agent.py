"""Trajectories of SWE-agent and mini-swe-agent: tool calls, actions in the text, return codes, repeated ids."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxmgr.study.recordings import swe_agent
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


def said(role: str, content: Any, **more: Any) -> Json:
    return {"role": role, "content": content, **more}


def using(words: str, id: str, **more: Any) -> Json:
    call = {"id": id, "type": "function", "function": {"name": "open", "arguments": '{"path": "a"}'}}
    return said("assistant", words, tool_calls=[call], **more)


SYSTEM = said("system", "be good")
TASK = said("user", "fix it")


def swe(*history: Json) -> bytes:
    return json.dumps({"environment": "main", "trajectory": [], "history": history, "info": {}}, indent=2).encode()


def mini(*talk: Json, **info: Any) -> bytes:
    return json.dumps({"info": info, "messages": talk, "trajectory_format": "mini-swe-agent-1.1"}).encode()


CALLING = [
    SYSTEM,
    said("user", "a demonstration", is_demo=True),
    TASK,
    using("looking", "c1"),
    said("tool", "text of a", tool_call_ids=["c1"]),
    using("again", "c1"),
    said("tool", "text of a again", tool_call_ids=["c1"]),
]


def test_tool_calls_whose_ids_come_again(tmp_path: Path) -> None:
    recording = load(tmp_path, swe(*CALLING))
    assert seen(recording) == [
        "u: fix it",
        "a: looking | open {'path': 'a'}",
        "r c1: text of a",
        "a: again | open {'path': 'a'}",
        "r c1: text of a again",
    ]
    pairs_are_right(recording)
    assert recording.host == "SWE-agent"
    assert recording.notes == (
        "a system prompt of 7 characters, sent beside the list",
        "demonstrations, which belong to the prompt: 1",
        "tool-call ids that come again, kept as they are: 1",
    )


def test_actions_in_the_text(tmp_path: Path) -> None:
    history = [
        SYSTEM,
        TASK,
        said("assistant", "look\n```\nls\n```", thought="look\n", action="ls\n"),
        said("user", "a.py"),
        said("assistant", "I do not know"),
        said("user", "your output had no command"),
        said("assistant", "one\n```\nfirst\n```\ntwo\n```\nsecond\nline\n```"),
    ]
    assert seen(load(tmp_path, swe(*history))) == [
        "u: fix it",
        "a: look | bash {'command': 'ls\\n'}",
        "r action-3: a.py",
        "a: I do not know",
        "u: your output had no command",
        "a: one\n```\nfirst\n```\ntwo | bash {'command': 'second\\nline'}",
    ]


def test_a_bare_list_of_mini(tmp_path: Path) -> None:
    talk = [
        SYSTEM,
        TASK,
        said("assistant", "look\n\n```mswea_bash_command\ncat a\n```"),
        said("user", "<returncode>1</returncode>\n<output>\nno\n</output>"),
        said("assistant", "again\n\n```bash\nls\n```"),
        said("user", "<returncode>0</returncode>\n<output>\na\n</output>"),
    ]
    recording = load(tmp_path, json.dumps(talk, indent=2).encode())
    assert [text.split(":")[0] for text in seen(recording)] == ["u", "a", "r! action-3", "a", "r action-5"]
    assert recording.host == "mini-swe-agent"
    pairs_are_right(recording)


def test_mini_with_tool_calls(tmp_path: Path) -> None:
    counted = {"prompt_tokens": 90, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 70}}
    response = {"timestamp": AT_MS / 1000, "response": {"model": "m-1", "usage": counted}}
    talk = [
        SYSTEM,
        TASK,
        using("", "c1", extra=response),
        said("tool", "x", tool_call_id="c1", extra={"returncode": 2, "timestamp": AT_MS / 1000 + 1.5}),
        said("exit", "diff"),
    ]
    recording = load(tmp_path, mini(*talk, config={"environment": {"cwd": "/w"}}))
    assert seen(recording) == ["u: fix it", "a: open {'path': 'a'}", "r! c1: x"]
    assert messages(recording)[1]["usage"] == usage(20, 5, read=70)
    assert [entry.time_ms for entry in recording.entries] == [None, AT_MS, AT_MS + 1500]
    assert (recording.model, recording.cwd) == ("m-1", "/w")
    assert "exit messages, no context: 1" in recording.notes


def test_what_a_return_code_says() -> None:
    for text, returned, expected in (
        ("<returncode>0</returncode>", None, False),
        ("<returncode>-9</returncode>", None, True),
        ("the log says <returncode>1</returncode>", None, False),
        ("x", 1, True),
        ("<returncode>1</returncode>", 0, False),
    ):
        assert swe_agent.failed(text, returned) is expected, text


def test_what_can_not_be_read_is_said() -> None:
    for content, says in (
        (swe(TASK, {"content": "x"}), "message 2: a message without a role"),
        (swe(TASK)[:-8], r"f, line \d+: not JSON"),
        (swe(SYSTEM), "no messages"),
    ):
        with pytest.raises(UnreadableRecording, match=says):
            swe_agent.read("f", content)


@given(odd_values(CALLING))
def test_no_odd_value_is_a_crash(history: list[Any]) -> None:
    never_fails(swe_agent.read, swe(*history))
