"""`ctxmgr ab --next-action`: what is sent, to whom, and what is said of it."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.next_action import requests
from tests.model_server import ModelServer, Reply, Request
from tests.provider.rules import chat
from tests.unit.study.compare.command.running import recorded

CALLS = 12


def reply(command: str) -> Reply:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    return Reply(whole={"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})


def steady(request: Request) -> Reply:
    return reply("make")


def by_list(request: Request) -> Reply:
    """What ctxmgr took out changes the next step."""
    return reply("make" if "ctxmgr" in json.dumps(request.body["messages"]) else "git status")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("recorded"), turns=20, size=6_000)


def arguments(session: Path, server: ModelServer, *more: str) -> list[str]:
    given = ("--window", "20000", "--preset", "turns", "--calls", str(CALLS), "--model", "m")
    return ["ab", "--next-action", str(session), "--endpoint", server.url, *given, *more]


def compared(session: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(arguments(session, server, "--yes", "--json")) == 0
    out: dict[str, Any] = json.loads(capsys.readouterr().out)
    return out


def test_both_lists_go_out_twice_and_no_provider_refuses_them(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer.threaded(steady) as server:
        told = compared(session, server, capsys)
    assert len(told["calls"]) == CALLS
    assert len(server.requests) == 4 * CALLS
    assert all(chat.refused(request.body) == "" for request in server.requests)
    assert all(request.body["max_tokens"] == requests.MAX_TOKENS for request in server.requests)
    changed = [request for request in server.requests if "ctxmgr" in json.dumps(request.body["messages"])]
    assert len(changed) == 2 * CALLS
    assert told["verdict"].startswith("No change shown")


def test_the_recordings_own_system_prompt_goes_with_each_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be terse."}]
    for number in range(20):
        function = {"name": "bash", "arguments": json.dumps({"command": f"cat {number}"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages += [
            {"role": "user", "content": f"Show {number}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number} of it\n" * 400},
            {"role": "assistant", "content": "Done."},
        ]
    session = tmp_path / "session.json"
    session.write_text(json.dumps({"messages": messages}))
    with ModelServer.threaded(steady) as server:
        assert main(arguments(session, server, "--yes", "--json")) == 0
    assert {request.body["messages"][0]["content"] for request in server.requests} == {"Be terse."}
    assert "own system prompt" in capsys.readouterr().err


def test_a_list_that_changes_the_next_action_is_said_to(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer.threaded(by_list) as server:
        told = compared(session, server, capsys)
    assert told["verdict"].startswith("ctxmgr's list changes the next action")
    assert told["agreement"]["tool"]["changed"] == 0
    assert told["agreement"]["tool and target"]["changed"] == 1


def test_nothing_is_sent_before_its_cost_was_agreed_to(
    session: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    with ModelServer.threaded([]) as server:
        assert main([*arguments(session, server), "--model", "claude-opus-4-5"]) == 2
    said = capsys.readouterr().err
    assert f"{CALLS} of " in said
    assert "at most $" in said
    assert "nothing was sent" in said
    assert "has no system prompt: the same short one goes with each list." in said
    assert server.requests == []


def test_calls_that_failed_are_left_out_and_said(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer.threaded(lambda request: Reply("no", status=400)) as server:
        assert main(arguments(session, server, "--yes")) == 1
    assert f"no call was answered: {CALLS} left out: 400: the request was refused" in capsys.readouterr().err


def test_a_session_that_is_left_as_it_is_has_nothing_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer.threaded([]) as server:
        assert main(arguments(recorded(tmp_path, turns=1), server, "--yes")) == 0
    assert "nothing to compare" in capsys.readouterr().out


def test_wrong_usage_is_said(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given, said in (
        (["missing.jsonl", "--endpoint", "http://x"], "missing.jsonl"),
        ([str(session)], "--endpoint says whom to ask"),
    ):
        assert main(["ab", "--next-action", *given]) == 2
        assert said in capsys.readouterr().err
