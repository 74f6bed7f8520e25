"""Gemini CLI's sessions: one object, or a line a message."""

import json
from pathlib import Path

from hypothesis import given

from ctxmgr.study.recordings import gemini_cli
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

HEAD: Json = {"sessionId": "s1", "projectHash": "p", "startTime": AT, "lastUpdated": AT, "kind": "main"}


def user(id: str, content: object) -> Json:
    return {"id": id, "timestamp": AT, "type": "user", "content": content}


def reply(id: str, content: object = "", **more: object) -> Json:
    return {"id": id, "timestamp": AT, "type": "gemini", "content": content, "model": "gemini-2.5-pro", **more}


def called(id: str, output: str, status: str = "success") -> Json:
    answer = {"error" if status == "error" else "output": output}
    result = [{"functionResponse": {"id": id, "name": "read_file", "response": answer}}]
    return {
        "id": id,
        "name": "read_file",
        "args": {"absolute_path": "/a"},
        "result": result,
        "status": status,
        "timestamp": AT,
    }


TOKENS = {"input": 1_000, "cached": 600, "output": 20, "thoughts": 30, "tool": 0, "total": 1_050}
LOOKED = reply(
    "m2",
    "Let me look.",
    toolCalls=[called("c1", "x = 1")],
    tokens=TOKENS,
    thoughts=[{"subject": "Plan", "description": "Read."}],
)
SESSION = [user("m1", [{"text": "fix it"}]), LOOKED, reply("m3", [{"text": "done"}])]
SEEN = [
    "u: fix it",
    "a: (Plan\nRead.) | Let me look. | read_file {'absolute_path': '/a'}",
    "r c1: x = 1",
    "a: done",
]


def test_one_object_and_a_line_a_message_are_read_the_same(tmp_path: Path) -> None:
    whole = load(tmp_path, json.dumps({**HEAD, "messages": SESSION}, indent=2).encode())
    lines = load(tmp_path, jsonl(HEAD, *SESSION))
    assert seen(whole) == seen(lines) == SEEN
    assert (lines.host, lines.session_id, lines.model) == ("Gemini CLI", "s1", "gemini-2.5-pro")
    pairs_are_right(lines)


def test_usage_holds_no_token_twice(tmp_path: Path) -> None:
    recording = load(tmp_path, jsonl(HEAD, *SESSION))
    assert messages(recording)[1]["usage"] == {**usage(400, 50, read=600), "totalTokens": 1_050}


def test_a_message_that_comes_again_stands_where_it_came_first(tmp_path: Path) -> None:
    begun = reply("m2", "Let me look.")
    recording = load(tmp_path, jsonl(HEAD, SESSION[0], begun, {"$set": {"lastUpdated": AT}}, *SESSION[1:]))
    assert seen(recording) == SEEN


def test_what_was_rewound_is_no_context(tmp_path: Path) -> None:
    wrong = [user("m4", "no"), reply("m5", "yes")]
    recording = load(tmp_path, jsonl(HEAD, *SESSION, *wrong, {"$rewindTo": "m4"}))
    assert seen(recording) == SEEN
    again = load(tmp_path, jsonl(HEAD, *wrong, {"$rewindTo": "gone"}, *SESSION))
    assert seen(again) == SEEN


def test_a_list_that_was_masked_changes_nothing_that_was_written_before(tmp_path: Path) -> None:
    masked = reply("m2", "Let me look.", toolCalls=[called("c1", "[masked]")])
    answered = user("m9", [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x"}}}])
    change = {"$set": {"messages": [SESSION[0], masked, answered, SESSION[2], user("m4", "go on")]}}
    assert seen(load(tmp_path, jsonl(HEAD, *SESSION, change))) == [*SEEN, "u: go on"]


def test_what_failed_and_what_is_for_the_screen(tmp_path: Path) -> None:
    failed = reply("m2", toolCalls=[called("c1", "no such file", "error")])
    shown = {"id": "m6", "timestamp": AT, "type": "info", "content": "Update available"}
    recording = load(tmp_path, jsonl(HEAD, SESSION[0], shown, failed))
    assert seen(recording)[1:] == ["a: read_file {'absolute_path': '/a'}", "r! c1: no such file"]
    assert "messages of type info, for the screen: 1" in recording.notes


def test_a_picture_is_a_picture(tmp_path: Path) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    sound = {"inlineData": {"mimeType": "audio/wav", "data": "AA=="}}
    recording = load(tmp_path, jsonl(HEAD, user("m1", ["look", picture, sound])))
    assert seen(recording) == ["u: look | <image>"]


@given(odd_values([HEAD, *SESSION, {"$rewindTo": "m3"}, {"$set": {"messages": [SESSION[0]]}}]))
def test_odd_values(odd: list[Json]) -> None:
    never_fails(gemini_cli.read, jsonl(*odd))
