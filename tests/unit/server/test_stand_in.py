"""Known messages of a long request are replaced by one, and no other session lends its list."""

import json
from typing import Any

import pytest

from ctxmgr.server.config import SessionRequest
from ctxmgr.wire import Slice, StrippedMessages, errors, strip_prefix
from tests.unit.server.host import Host, code_of, u


def long_list(count: int) -> list[dict[str, Any]]:
    return [u(f"question {number} " + "word " * 100) for number in range(4 * count)]


def test_known_messages_are_recognised_in_a_long_request(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.ready("s")
    messages = long_list(30)
    host.call(1, "context", sessionId="s", messages=messages[:118])
    known: list[int] = []
    submit = host.connection.sessions.submit

    def watched(request: SessionRequest) -> Any:
        known.append(request.omitted_count)
        return submit(request)

    monkeypatch.setattr(host.connection.sessions, "submit", watched)
    result = host.call(2, "context", sessionId="s", messages=messages, answer="messages")["result"]
    assert known == [118]
    assert result["messages"][-1] == messages[-1]


def test_another_session_named_in_a_message_does_not_lend_its_list(host: Host) -> None:
    host.ready("a", "b")
    named = {"role": "user", "content": "x", "x": {"sessionId": "b"}}
    shared = [named, *long_list(18)]
    host.call(1, "context", sessionId="b", messages=shared)
    host.call(2, "context", sessionId="a", messages=[u("a's own first message"), u("and second")])
    sorted_keys = {"answer": "messages", "messages": [*shared, u("new")], "sessionId": "a"}
    answers = [one.call(3, "context", **sorted_keys)["result"] for one in (host, Host(host.ndjson).ready("a"))]
    found, fresh = ([one for one in answer["messages"] if one["role"] != "custom"] for answer in answers)
    assert found == fresh  # but for the packet


def test_appended_messages_that_repeat_the_list_are_appended(host: Host) -> None:
    host.ready("s")
    first = u("go on")
    base = host.call(1, "context", sessionId="s", messages=[first])["result"]["base"]
    more = {"after": 1, "base": base, "messages": [first, *long_list(30)]}
    answer = host.call(2, "context", sessionId="s", append=more, answer="messages")
    assert code_of(answer) is None


def test_session_named_twice_does_not_lend_its_list(host: Host) -> None:
    host.ready("a", "b")
    shared = long_list(30)
    host.call(1, "context", sessionId="b", messages=shared)
    host.call(2, "context", sessionId="a", messages=[u("a's own first message"), u("and second")])
    start = b'{"jsonrpc":"2.0","id":3,"method":"context","params":{"sessionId":"b","messages":'
    body = json.dumps([*shared, u("new")], separators=(",", ":")).encode()
    answer = host.write(start + body + b',"sessionId":"a"}}')[0]
    assert code_of(answer) == errors.INVALID_REQUEST
    assert len(host.call(4, "explain", sessionId="a")["result"]["verdicts"]) == 2


def test_what_lies_behind_a_request_is_no_part_of_it() -> None:
    listed = b",".join(json.dumps(message).encode() for message in long_list(30))
    whole = b'{"params":{"sessionId":"s","messages":[' + listed + b"]}}"
    known = whole.index(listed) + len(listed), 30  # as the session has it
    cut = Slice(whole, 0, len(whole) - 100)  # by a header that says too little
    assert strip_prefix(cut, lambda id, body, start: known) == (cut.taken(), StrippedMessages())
    found, stripped = strip_prefix(whole, lambda id, body, start: known)
    assert stripped == StrippedMessages("s", 30)
    assert len(found) < 100
