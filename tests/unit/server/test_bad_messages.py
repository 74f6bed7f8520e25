"""Messages that are odd or wrong cost only themselves, and are answered by their id where they have one."""

import json
from collections import Counter
from typing import Any

import pytest

from ctxmgr.server import effects as do
from ctxmgr.server.connection import ConnectionConfig
from ctxmgr.wire import errors
from tests.unit.server.host import LONG, MODEL, SECRET, Host, call, code_of, long_context, tell, u

BAD: list[tuple[str, bytes, Any, int]] = [
    (
        "half an object",
        b'{"jsonrpc":"2.0","id":7,"method":"getStatus","params":{"sessionId":',
        7,
        errors.PARSE_ERROR,
    ),
    ("no JSON", b"{the-owl-flies-at-nine", None, errors.PARSE_ERROR),
    ("no UTF-8", b'{"jsonrpc":"2.0","id":7,"method":"getStatus","params":{"x":"\xff"}}', 7, errors.PARSE_ERROR),
    ("batch", b'[{"jsonrpc":"2.0","id":7,"method":"shutdown"}]', None, errors.INVALID_REQUEST),
    ("null id", b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', None, errors.INVALID_REQUEST),
    ("no method", b'{"jsonrpc":"2.0","id":7}', 7, errors.INVALID_REQUEST),
    ("version 1", b'{"jsonrpc":"1.0","id":7,"method":"shutdown"}', 7, errors.INVALID_REQUEST),
    ("params by place", b'{"jsonrpc":"2.0","id":7,"method":"getStatus","params":[1]}', 7, errors.INVALID_PARAMS),
    (
        "too deep",
        b'{"jsonrpc":"2.0","id":7,"method":"x","params":' + b"[" * 5000 + b"]" * 5000 + b"}",
        7,
        errors.INVALID_REQUEST,
    ),
    ("unknown method", b'{"jsonrpc":"2.0","id":7,"method":"nope"}', 7, errors.METHOD_NOT_FOUND),
    (
        "cancel as a request",
        b'{"jsonrpc":"2.0","id":7,"method":"$/cancelRequest","params":{"id":1}}',
        7,
        errors.INVALID_REQUEST,
    ),
    (
        "second initialize",
        b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"1.0"}}',
        7,
        errors.INVALID_REQUEST,
    ),
    (
        "unknown session",
        b'{"jsonrpc":"2.0","id":7,"method":"getStatus","params":{"sessionId":"nope"}}',
        7,
        errors.UNKNOWN_SESSION,
    ),
]


@pytest.mark.parametrize("ndjson", [False, True])
def test_bad_message_costs_only_itself(ndjson: bool) -> None:
    host = Host(ndjson).ready("s")
    for title, body, id, code in BAD:
        answer, following = host.write(body, call(8, "getStatus", sessionId="s"))
        assert (answer["id"], code_of(answer)) == (id, code), title
        assert following["id"] == 8
        assert "result" in following, title
        assert host.ended is None
        assert SECRET not in json.dumps(answer)


IDS = [b"0", b"-1", b"1.5", b"1e2", b"9" * 50, b'""', rb'"\u0061\n\"\\"', '"\N{OWL}"'.encode(), rb'"\ud83d"']


def test_id_comes_back_as_it_was_spelled(host: Host) -> None:
    host.ready("s")
    for id in IDS:
        host.write(b'{"jsonrpc":"2.0","id":%b,"method":"getStatus","params":{"sessionId":"s"}}' % id)
        frame = next(b"".join(one.parts) for one in reversed(host.log) if isinstance(one, do.Send))
        assert b'{"jsonrpc":"2.0","id":%b,"result":{' % id in frame


INVALID: list[tuple[str, dict[str, Any], str]] = [
    ("getStatus", {}, "$.sessionId"),
    ("context", {"sessionId": "s", "messages": {"0": SECRET}}, "$.messages"),
    ("context", {"sessionId": "s"}, "$"),
    ("context", {"sessionId": "s", "messages": [], "append": {"after": 0, "base": "", "messages": []}}, "$"),
    ("context", {"sessionId": "s", "messages": [], "overheadTokens": -1}, "$.overheadTokens"),
    ("turn_end", {"sessionId": "s", "message": {}, "usage": {"input": SECRET}}, "$.usage.input"),
    ("turn_end", {"sessionId": "s", "message": {}, "entryIds": {"toolResults": [1]}}, "$.entryIds.toolResults[0]"),
    ("session_start", {"sessionId": "t", "model": {"id": "m", "contextWindow": 0}}, "$.model.contextWindow"),
    ("setPolicy", {"sessionId": "s", "policy": {"preset": "nope"}}, "$.policy.preset"),
    ("setPolicy", {"sessionId": "s", "policy": {"zones": {"yellow": 0.95}}}, "$.policy.zones"),
]


def test_invalid_params_name_the_path(host: Host) -> None:
    host.ready("s")
    for method, params, path in INVALID:
        answer = host.call(1, method, **params)
        assert code_of(answer) == errors.INVALID_PARAMS, params
        assert answer["error"]["data"] == {"path": path}


@pytest.mark.parametrize("end", [b"nonsense\r\n\r\n", b"", b"Content-Length: 9\r\n\r\n{"])
def test_broken_framing_lets_what_came_end(end: bytes) -> None:
    host = Host(holds=True).ready("s")
    host.write_bytes(host.framed(long_context(1, "s")) + end)
    host.carry_out(host.connection.eof())
    host.release_all()
    assert Counter(one["id"] for one in host.sent)[1] == 1
    if end:
        assert (host.sent[-2]["id"], code_of(host.sent[-2])) == (None, errors.PARSE_ERROR)
    assert host.ended == (1 if end else 0)


def test_oversized_message_is_answered_by_its_id(host: Host) -> None:
    small = Host(host.ndjson, ConnectionConfig(max_message_bytes=20_000)).ready("s")
    big = call(7, "context", sessionId="s", messages=[u(LONG), u(LONG)])
    answer, following = small.write(big, call(8, "getStatus", sessionId="s"))
    assert (answer["id"], code_of(answer)) == (7, errors.INVALID_REQUEST)
    assert following["id"] == 8


def test_notification_for_a_request_is_said_and_not_answered(host: Host) -> None:
    host.ready("s")
    assert host.write(tell("getStatus", sessionId="s"), tell("nope"), tell("$/nope")) == []
    assert [line for line in host.said if "getStatus" in line]
    assert [line for line in host.said if "nope" in line] == [
        "there is no method `nope`; `rpc.discover` lists them"
    ]


def test_failed_notification_is_said_even_if_it_had_to_wait() -> None:
    host = Host(holds=True).ready("s")
    late = tell("session_shutdown", sessionId="s")
    host.write(long_context(1, "s"), late, tell("model_select", sessionId="s", model=MODEL))
    host.release_all()
    (said,) = host.said
    assert said.startswith("notification model_select: unknown session")


def test_payload_keys_do_not_reach_the_envelope(host: Host) -> None:
    host.ready("s")
    odd = {
        "role": "user",
        "content": "x",
        "result": 1,
        "error": {"code": 1},
        "id": 99,
        "jsonrpc": "9",
        "method": "m",
    }
    answer = host.call(1, "context", sessionId="s", messages=[odd], answer="messages")
    assert sorted(answer) == ["id", "jsonrpc", "result"]
    assert answer["result"]["messages"] == [odd]


def test_missing_jsonrpc_is_taken_in_lines_only() -> None:
    body = b'{"id":1,"method":"initialize","params":{"protocolVersion":"1.0"}}'
    assert "result" in Host(ndjson=True).write(body)[0]
    assert code_of(Host().write(body)[0]) == errors.INVALID_REQUEST


def test_what_is_misspelled_is_answered_with_what_was_meant(host: Host) -> None:
    host.ready("s")
    for method, params, said in (
        ("getStatsu", {}, "there is no method `getStatsu`; did you mean `getStatus`?"),
        ("doMagic", {}, "there is no method `doMagic`; `rpc.discover` lists them"),
        (
            "getStatus",
            {"session_id": "s"},
            "invalid params at $.sessionId: unknown member `session_id`; did you mean `sessionId`?",
        ),
        ("getStatus", {}, "invalid params at $.sessionId: the member `sessionId` is missing"),
        (
            "setPolicy",
            {"sessionId": "s", "policy": {"zones": {"yelow": 0.4}}},
            "invalid params at $.policy.zones.yelow: unknown member `yelow`; did you mean `yellow`?",
        ),
        (
            "setPolicy",
            {"sessionId": "s", "policy": {"preset": "turn"}},
            "invalid params at $.policy.preset: `turn` is not one of `balanced`, `off`, `tools`, `turns`;"
            " did you mean `turns`?",
        ),
        (
            "context",
            {"sessionId": "s", "messages": [], "answer": "edit"},
            "invalid params at $.answer: `edit` is not one of `edits`, `messages`; did you mean `edits`?",
        ),
    ):
        (answer,) = host.write(call(7, method, **params))
        assert answer["error"]["message"] == said


def test_a_misspelled_member_that_may_be_missing_is_reported_once(host: Host) -> None:
    """It is no error: a host of a later version sends members that this one does not know."""
    typed = {"id": "m", "contextWindow": 1_000, "price": 5, "colour": "red"}
    host.ready()
    for id in ("t", "u"):
        assert "result" in host.write(call(7, "session_start", sessionId=id, model=typed))[0]
    assert [line for line in host.said if "session_start" in line or "colour" in line] == [
        "session_start: unknown member `price`; did you mean `prices`? (at $.model.price)"
    ]


def test_lines_that_are_no_message_are_each_answered_and_reported_once() -> None:
    host = Host(ndjson=True).ready("s")
    answers = host.write(b"DEBUG loading", b"  DEBUG ready", call(8, "getStatus", sessionId="s"))
    assert [(one["id"], code_of(one)) for one in answers[:2]] == [(None, errors.PARSE_ERROR)] * 2
    assert "result" in answers[2]
    assert len([line for line in host.said if "not JSON" in line]) == 1
