"""The connection alone: bytes go in, effects come out, and the test decides when a ticket's value arrives."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.model.estimate import estimate
from ctxmgr.server import effects as do
from ctxmgr.server.config import SessionRequest
from ctxmgr.server.connection import Connection, ConnectionOptions
from ctxmgr.wire import errors

SECRET = "the-owl-flies-at-nine"
LONG = SECRET + " lorem ipsum" * 1_000  # over what is weighed without a thread


class Host:
    """Frames messages, carries out effects in order. What needs a device waits in `waiting` while `holds`."""

    def __init__(self, ndjson: bool = False, options: ConnectionOptions | None = None, holds: bool = False) -> None:
        self.connection = Connection(options or ConnectionOptions(), {"estimate": estimate})
        self.ndjson, self.holds = ndjson, holds
        self.sent: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.log: list[do.Effect] = []
        self.waiting: dict[int, do.Open | do.RunInThread] = {}
        self.saved: dict[str, list[bytes]] = {}
        self.ended: int | None = None
        self.carry_out(self.connection.receive(b""))

    def framed(self, message: Any) -> bytes:
        body = message if isinstance(message, bytes) else json.dumps(message, separators=(",", ":")).encode()
        return body + b"\n" if self.ndjson else b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def write(self, *messages: Any) -> list[dict[str, Any]]:
        """All in one chunk. What was sent because of it."""
        return self.write_bytes(b"".join(map(self.framed, messages)))

    def write_bytes(self, chunk: bytes) -> list[dict[str, Any]]:
        before = len(self.sent)
        self.carry_out(self.connection.receive(chunk))
        return self.sent[before:]

    def call(self, id: Any, method: str, **params: Any) -> dict[str, Any]:
        """The one answer to this request, which must come at once."""
        answers = [one for one in self.write(call(id, method, **params)) if one.get("id") == id]
        assert len(answers) == 1, answers
        return answers[0]

    def release(self, ticket: int) -> None:
        wanted = self.waiting.pop(ticket)
        if self.ended is not None:
            return  # the process has ended: nothing comes back any more
        value = (
            do.SnapshotLoaded(tuple(self.saved.get(wanted.session_id, ())))
            if isinstance(wanted, do.Open)
            else wanted.work()
        )
        self.carry_out(self.connection.resume(ticket, value))

    def release_all(self) -> None:
        while self.waiting:
            self.release(min(self.waiting))

    def carry_out(self, effects: list[do.Effect]) -> None:
        for effect in effects:
            self.log.append(effect)
            if isinstance(effect, do.Send):
                self.sent.append(unframed(b"".join(effect.parts), self.ndjson))
            elif isinstance(effect, do.Save | do.Begin):
                self.saved.setdefault(effect.session_id, []).append(effect.line)
            elif isinstance(effect, do.Log):
                self.said.append(effect.text)
            elif isinstance(effect, do.End):
                assert self.ended is None
                self.ended = effect.code
            elif isinstance(effect, do.Open | do.RunInThread):
                self.waiting[effect.ticket] = effect
                if not self.holds:
                    self.release(effect.ticket)

    def ready(self, *sessions: str, **capabilities: Any) -> "Host":
        """Initialized, with these sessions started."""
        holds, self.holds = self.holds, False
        policy = {"preset": "turns"}
        self.call("init", "initialize", protocolVersion="1.0", capabilities=capabilities, policy=policy)
        for session in sessions:
            assert "result" in self.call(f"start-{session}", "session_start", sessionId=session, model=MODEL)
        self.holds = holds
        return self


MODEL = {"id": "m", "contextWindow": 200_000}


def call(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def tell(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def cancel(id: Any) -> dict[str, Any]:
    return tell("$/cancelRequest", id=id)


def u(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": 1}


def a(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop", **more}


def unframed(frame: bytes, ndjson: bool) -> dict[str, Any]:
    if ndjson:
        body, newline, rest = frame.partition(b"\n")
        assert (newline, rest) == (b"\n", b"")
    else:
        header, _, body = frame.partition(b"\r\n\r\n")
        assert header == b"Content-Length: %d" % len(body)
    message: dict[str, Any] = json.loads(body)
    return message


def code_of(answer: dict[str, Any]) -> int | None:
    code: int | None = answer.get("error", {}).get("code")
    return code


@pytest.fixture(params=[False, True], ids=["content-length", "ndjson"])
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    one = Host(ndjson=request.param)
    yield one
    said = "\n".join(one.said) + json.dumps([answer["error"] for answer in one.sent if "error" in answer])
    assert SECRET not in said


# what a bad message costs

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
    ("empty batch", b"[]", None, errors.INVALID_REQUEST),
    ("null id", b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', None, errors.INVALID_REQUEST),
    ("object id", b'{"jsonrpc":"2.0","id":{},"method":"shutdown"}', None, errors.INVALID_REQUEST),
    ("no method", b'{"jsonrpc":"2.0","id":7}', 7, errors.INVALID_REQUEST),
    ("number as method", b'{"jsonrpc":"2.0","id":7,"method":7}', 7, errors.INVALID_REQUEST),
    ("version 1", b'{"jsonrpc":"1.0","id":7,"method":"shutdown"}', 7, errors.INVALID_REQUEST),
    ("params by place", b'{"jsonrpc":"2.0","id":7,"method":"getStatus","params":[1]}', 7, errors.INVALID_PARAMS),
    (
        "too deep",
        b'{"jsonrpc":"2.0","id":7,"method":"x","params":' + b"[" * 5000 + b"]" * 5000 + b"}",
        7,
        errors.INVALID_REQUEST,
    ),
    ("unknown method", b'{"jsonrpc":"2.0","id":7,"method":"nope"}', 7, errors.METHOD_NOT_FOUND),
    ("unknown $ method", b'{"jsonrpc":"2.0","id":7,"method":"$/nope"}', 7, errors.METHOD_NOT_FOUND),
    (
        "cancel as a request",
        b'{"jsonrpc":"2.0","id":7,"method":"$/cancelRequest","params":{"id":1}}',
        7,
        errors.INVALID_REQUEST,
    ),
    ("exit as a request", b'{"jsonrpc":"2.0","id":7,"method":"exit"}', 7, errors.INVALID_REQUEST),
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


@pytest.mark.parametrize(("body", "id", "code"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_message_costs_only_itself(host: Host, body: bytes, id: Any, code: int) -> None:
    host.ready("s")
    answer, following = host.write(body, call(8, "getStatus", sessionId="s"))
    assert (answer["id"], code_of(answer)) == (id, code)
    assert following["id"] == 8
    assert "result" in following
    assert host.ended is None


IDS = [
    b"0",
    b"-1",
    b"1.5",
    b"1e2",
    b"9" * 50,
    b'"x"',
    b'""',
    rb'"\u0061\n\"\\"',
    '"\N{OWL}"'.encode(),
    rb'"\ud83d"',
]


@pytest.mark.parametrize("id", IDS)
def test_id_comes_back_as_it_was_spelled(host: Host, id: bytes) -> None:
    host.ready("s")
    host.write(b'{"jsonrpc":"2.0","id":%b,"method":"getStatus","params":{"sessionId":"s"}}' % id)
    frame = next(b"".join(one.parts) for one in reversed(host.log) if isinstance(one, do.Send))
    assert b'{"jsonrpc":"2.0","id":%b,"result":{' % id in frame


INVALID: list[tuple[str, dict[str, Any], str]] = [
    ("getStatus", {}, "$.sessionId"),
    ("getStatus", {"sessionId": 1}, "$.sessionId"),
    ("context", {"sessionId": "s", "messages": {"0": SECRET}}, "$.messages"),
    ("context", {"sessionId": "s"}, "$"),
    ("context", {"sessionId": "s", "messages": [], "append": {"after": 0, "base": "", "messages": []}}, "$"),
    ("context", {"sessionId": "s", "messages": [], "overheadTokens": -1}, "$.overheadTokens"),
    ("turn_end", {"sessionId": "s", "message": {}, "usage": {"input": SECRET}}, "$.usage.input"),
    ("turn_end", {"sessionId": "s", "message": {}, "entryIds": {"toolResults": [1]}}, "$.entryIds.toolResults[0]"),
    ("session_start", {"sessionId": "t", "model": {"id": "m"}}, "$.model.contextWindow"),
    ("session_start", {"sessionId": "t", "model": {"id": "m", "contextWindow": 0}}, "$.model.contextWindow"),
    ("setPolicy", {"sessionId": "s", "policy": {"nope": 1}}, "$.policy.nope"),
    ("setPolicy", {"sessionId": "s", "policy": {"preset": "nope"}}, "$.policy.preset"),
    ("setPolicy", {"sessionId": "s", "policy": {"zones": {"yellow": 0.95}}}, "$.policy.zones"),
]


@pytest.mark.parametrize(("method", "params", "path"), INVALID)
def test_invalid_params_name_the_path(host: Host, method: str, params: dict[str, Any], path: str) -> None:
    answer = host.ready("s").call(1, method, **params)
    assert code_of(answer) == errors.INVALID_PARAMS
    assert answer["error"]["data"] == {"path": path}


# the order of a connection


def test_nothing_before_initialize(host: Host) -> None:
    assert code_of(host.call(1, "session_start", sessionId="s", model=MODEL)) == errors.NOT_INITIALIZED
    assert code_of(host.call(2, "shutdown")) == errors.NOT_INITIALIZED
    assert code_of(host.call(3, "rpc.discover")) == errors.NOT_INITIALIZED
    assert host.write(tell("turn_end", sessionId="s")) == []
    assert "result" in host.call(4, "initialize", protocolVersion="1.0")


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "$.protocolVersion"),
    ({"protocolVersion": "2.0"}, "$.protocolVersion"),
    ({"protocolVersion": "1.0", "messageFormat": "nope"}, "$.messageFormat"),
    ({"protocolVersion": "1.0", "policy": {"nope": 1}}, "$.policy.nope"),
    ({"protocolVersion": "1.0", "policy": {"zones": {"red": "x"}}}, "$.policy.zones.red"),
]


@pytest.mark.parametrize(("params", "path"), REFUSED)
def test_refused_initialize_may_be_tried_again(host: Host, params: dict[str, Any], path: str) -> None:
    answer = host.call(1, "initialize", **params)
    assert code_of(answer) == errors.INVALID_PARAMS
    assert answer["error"]["data"] == {"path": path}
    assert host.call(2, "initialize", protocolVersion="1.7")["result"]["protocolVersion"] == "1.0"


def test_only_exit_after_shutdown(host: Host) -> None:
    host.ready("s")
    answer = host.write(b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}')
    assert answer == [{"jsonrpc": "2.0", "id": 1, "result": None}]
    assert code_of(host.call(2, "getStatus", sessionId="s")) == errors.INVALID_REQUEST
    assert code_of(host.call(3, "shutdown")) == errors.INVALID_REQUEST
    host.write(tell("exit"))
    assert host.ended == 0


def test_exit_without_shutdown(host: Host) -> None:
    host.ready("s").write(tell("exit"), call(1, "getStatus", sessionId="s"))
    assert host.ended == 1
    assert any(isinstance(one, do.Close) and one.session_id == "s" for one in host.log)
    assert host.sent[-1]["id"] != 1


def test_shutdown_is_answered_after_what_came_before() -> None:
    host = Host(holds=True).ready("s", "t")
    assert host.write(long_context(1, "s"), long_context(2, "t"), call(3, "shutdown")) == []
    host.release(max(host.waiting))
    assert [one["id"] for one in host.sent[3:]] == [2]
    host.release_all()
    assert [one["id"] for one in host.sent[3:]] == [2, 1, 3]
    assert {one.session_id for one in host.log if isinstance(one, do.Close)} == {"s", "t"}


def test_end_of_input_lets_what_came_end() -> None:
    host = Host(holds=True).ready("s")
    host.write(long_context(1, "s"))
    host.carry_out(host.connection.eof())
    assert not [one for one in host.log if isinstance(one, do.End)]
    host.release_all()
    assert (host.sent[-1]["id"], host.ended) == (1, 0)


@pytest.mark.parametrize(
    "end", [b"Content-Length: x\r\n\r\n", b"nonsense\r\n\r\n", b"", b"Content-Length: 9\r\n\r\n{"]
)
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
    small = Host(host.ndjson, ConnectionOptions(max_message_bytes=20_000)).ready("s")
    big = call(7, "context", sessionId="s", messages=[u(LONG), u(LONG)])
    answer, following = small.write(big, call(8, "getStatus", sessionId="s"))
    assert (answer["id"], code_of(answer)) == (7, errors.INVALID_REQUEST)
    assert following["id"] == 8


def test_notification_for_a_request_is_said_and_not_answered(host: Host) -> None:
    host.ready("s")
    assert host.write(tell("getStatus", sessionId="s"), tell("nope"), tell("$/nope")) == []
    assert [line for line in host.said if "getStatus" in line]
    assert [line for line in host.said if "nope" in line] == ["unknown notification nope"]


def test_failed_notification_is_said_even_if_it_had_to_wait() -> None:
    host = Host(holds=True).ready("s")
    late = tell("session_shutdown", sessionId="s")
    host.write(long_context(1, "s"), late, tell("model_select", sessionId="s", model=MODEL))
    host.release_all()
    (said,) = host.said
    assert said.startswith("notification model_select: unknown session")


def test_missing_jsonrpc_is_taken_in_lines_only() -> None:
    body = b'{"id":1,"method":"initialize","params":{"protocolVersion":"1.0"}}'
    assert "result" in Host(ndjson=True).write(body)[0]
    assert code_of(Host().write(body)[0]) == errors.INVALID_REQUEST


def test_member_order_spaces_and_duplicates_do_not_matter(host: Host) -> None:
    host.ready("s")
    params = b'{"sessionId":"t", "sessionId": "s"}'
    body = b'{ "params" : %b ,\t"method":"getStatus","id" : 5, "jsonrpc":"2.0","more":1 }' % params
    assert host.write(body)[0]["result"]["seq"] == 0


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


def test_unpaired_surrogates_are_mended_and_said(host: Host) -> None:
    host.ready("s")
    message = rb'{"role":"user","content":"cut \ud83d here \\ud83d and \ude00"}'
    params = b'{"sessionId":"s","answer":"messages","messages":[%b]}' % message
    body = b'{"jsonrpc":"2.0","id":1,"method":"context","params":%b}' % params
    result = host.write(body)[0]["result"]
    assert result["messages"][0]["content"] == "cut \ufffd here \\ud83d and \ufffd"
    assert result["report"]["mended"] == 2


# cancelling


def long_context(id: Any, session: str, text: str = LONG) -> dict[str, Any]:
    return call(id, "context", sessionId=session, messages=[u(text)])


def test_cancelled_requests_are_answered_once_each() -> None:
    host = Host(holds=True).ready("s")
    host.write(
        long_context("running", "s"),
        long_context("queued", "s", LONG + "!"),
        call("last", "getStatus", sessionId="s"),
    )
    answers = host.write(cancel("queued"), cancel("running"), cancel("running"), cancel("never"))
    assert [(one["id"], code_of(one)) for one in answers] == [("queued", -32800), ("running", -32800)]
    host.release_all()
    assert host.sent[-1]["id"] == "last"
    assert host.sent[-1]["result"]["stats"]["contexts"] == 0
    assert max(Counter(one["id"] for one in host.sent).values()) == 1
    assert host.write(cancel("last")) == []


def test_cancelled_start_leaves_a_session_that_can_start() -> None:
    host = Host(holds=True).ready()
    host.write(call(1, "session_start", sessionId="s", model=MODEL), cancel(1))
    host.release_all()
    host.write(call(2, "session_start", sessionId="s", model=MODEL))
    host.release_all()
    assert [(one["id"], code_of(one)) for one in host.sent[1:]] == [(1, -32800), (2, None)]
    opened = sum(isinstance(one, do.Open) for one in host.log)
    closed = sum(isinstance(one, do.Close) for one in host.log)
    assert opened - closed == 1  # or the second start finds its own lock


@pytest.mark.parametrize("params", [{}, {"id": None}, {"id": {}}, [1], None, {"id": SECRET}])
def test_odd_cancels_cost_nothing(host: Host, params: Any) -> None:
    host.ready("s")
    odd = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params}
    answers = host.write(odd, call(1, "getStatus", sessionId="s"))
    assert [one["id"] for one in answers] == [1]


def test_id_in_use_is_refused() -> None:
    host = Host(holds=True).ready("s")
    answers = host.write(long_context(1, "s"), call(1, "getStatus", sessionId="s"))
    assert [code_of(one) for one in answers] == [errors.INVALID_REQUEST]
    host.release_all()
    assert "result" in host.sent[-1]
    assert "result" in host.write(call(1, "getStatus", sessionId="s"))[0]  # free again


# what a host may do in any order

SESSIONS = ["a", "b", "c"]
KINDS: list[Callable[[int, str], dict[str, Any]]] = [
    lambda id, session: long_context(id, session, f"{LONG} {id}"),
    lambda id, session: call(id, "context", sessionId=session, messages=[u("short")]),
    lambda id, session: call(id, "turn_end", sessionId=session, message=a(f"done {id}")),
    lambda id, session: call(id, "turn_end", sessionId=session, message=a(f"{LONG} {id}")),
    lambda id, session: call(id, "getStatus", sessionId=session),
    lambda id, session: call(id, "setPolicy", sessionId=session, policy={"nope": 1}),
    lambda id, session: tell("turn_end", sessionId=session, message=a(f"told {id}")),
]
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, len(KINDS) - 1), st.sampled_from(SESSIONS)),
        st.tuples(st.just("cancel"), st.integers(1, 40), st.just("")),
        st.tuples(st.just("release"), st.integers(0, 5), st.just("")),
    ),
    max_size=40,
)


@settings(max_examples=120, deadline=None)
@given(MOVES)
def test_every_request_is_answered_once_and_each_session_keeps_its_order(moves: list[tuple[str, int, str]]) -> None:
    host = Host(holds=True).ready(*SESSIONS)
    started = len(host.sent)
    asked: dict[int, tuple[str, str]] = {}
    for number, (move, which, session) in enumerate(moves, 1):
        if move == "say":
            message = KINDS[which](number, session)
            host.write(message)
            if "id" in message:
                asked[number] = (session, message["method"])
        elif move == "cancel":
            host.write(cancel(which))
        elif host.waiting:
            tickets = sorted(host.waiting)
            host.release(tickets[which % len(tickets)])
    while host.waiting:
        host.release(max(host.waiting))
    answers = host.sent[started:]
    assert Counter(one["id"] for one in answers) == Counter(asked.keys())
    seqs: dict[str, int] = dict.fromkeys(SESSIONS, 0)
    last: dict[str, int] = dict.fromkeys(SESSIONS, 0)
    for answer in answers:
        if code_of(answer) == errors.CANCELLED:
            continue
        session, method = asked[answer["id"]]
        assert answer["id"] > last[session], "answered before an earlier call of its session"
        last[session] = answer["id"]
        if "result" in answer:
            assert answer["result"]["seq"] >= seqs[session] + (method == "turn_end")
            seqs[session] = answer["result"]["seq"]


def test_sessions_do_not_wait_for_each_other() -> None:
    host = Host(holds=True).ready("s", "t")
    answers = host.write(
        long_context(1, "s"), call(2, "getStatus", sessionId="s"), call(3, "getStatus", sessionId="t")
    )
    assert [one["id"] for one in answers] == [3]


def test_change_is_saved_before_it_is_answered() -> None:
    host = Host().ready("s")
    host.log.clear()
    host.call(1, "turn_end", sessionId="s", message=a("done"))
    kinds = [type(one) for one in host.log if isinstance(one, do.Save | do.Send)]
    assert kinds == [do.Save, do.Send]


def test_session_that_ended_is_unknown_even_to_what_was_queued() -> None:
    host = Host(holds=True).ready("s")
    host.write(
        long_context(1, "s"),
        call(2, "session_shutdown", sessionId="s"),
        call(3, "turn_end", sessionId="s", message=a("too late")),
        long_context(4, "s", LONG + "!"),
    )
    host.release_all()
    outcome = {one["id"]: code_of(one) for one in host.sent[2:]}
    assert outcome == {1: None, 2: None, 3: errors.UNKNOWN_SESSION, 4: errors.UNKNOWN_SESSION}


def test_session_may_end_and_start_again_without_waiting() -> None:
    host = Host(holds=True).ready("s")
    host.write(
        long_context(1, "s"),
        call(2, "turn_end", sessionId="s", message=a("done")),
        call(3, "session_shutdown", sessionId="s"),
        call(4, "session_start", sessionId="s", model=MODEL),
        call(5, "turn_end", sessionId="s", message=a("again")),
    )
    host.release_all()
    host.write(call(6, "getStatus", sessionId="s"))
    answers = {one["id"]: one for one in host.sent[2:]}
    assert answers[4]["result"]["restored"] is True
    assert answers[6]["result"]["seq"] == 3  # turn_end, session_shutdown, turn_end
    assert sum(isinstance(one, do.Open) for one in host.log) == 2


# our own requests


def pressed(host: Host, session: str = "s") -> list[dict[str, Any]]:
    """A turn_end as a notification that reaches the compact zone."""
    usage = {"input": 190_000, "output": 100, "cacheRead": 0, "cacheWrite": 0}
    return host.write(tell("turn_end", sessionId=session, message=a("much"), usage=usage))


def test_compaction_is_requested_once_and_its_answer_heard(host: Host) -> None:
    host.ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    assert asked["method"] == "requestCompaction"
    assert asked["params"]["sessionId"] == "s"
    assert pressed(host) == []
    host.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"accepted": False}})
    assert host.call(1, "getStatus", sessionId="s")["result"]["latch"] == {"state": "cooldown", "failures": 1}


def test_answer_may_come_after_the_compaction(host: Host) -> None:
    host.ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    compacted = host.call(1, "session_compact", sessionId="s", compactionEntry={"summary": "## Goal\nwin"})
    assert compacted["result"]["status"]["latch"]["state"] == "idle"
    assert host.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"accepted": True}}) == []
    assert host.call(2, "getStatus", sessionId="s")["result"]["latch"]["state"] == "idle"


ODD_ANSWERS: list[dict[str, Any]] = [
    {"result": None},
    {"result": 7},
    {"result": {"accepted": "yes"}},
    {"error": {"code": -32601, "message": SECRET}},
    {"error": {"code": "x"}},
    {"error": "text"},
    {"error": {"code": 1, "message": "m", "data": {}, "extra": 1}},
    {"error": [1]},
]


@pytest.mark.parametrize("answer", ODD_ANSWERS)
def test_odd_answers_count_as_a_refusal(host: Host, answer: dict[str, Any]) -> None:
    host.ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    assert host.write({"jsonrpc": "2.0", "id": asked["id"], **answer}) == []
    assert host.call(1, "getStatus", sessionId="s")["result"]["latch"]["state"] == "cooldown"


@pytest.mark.parametrize("id", [b'"ctxmgr-77"', b"1", b'"nope"', b"1.5", b"null"])
def test_answers_nobody_waits_for_are_never_answered(host: Host, id: bytes) -> None:
    host.ready("s")
    assert host.write(b'{"jsonrpc":"2.0","id":%b,"result":{"accepted":true}}' % id) == []
    assert host.write(b'{"jsonrpc":"2.0","id":%b,"error":{"code":1,"message":"x"}}' % id) == []
    assert "result" in host.call(1, "getStatus", sessionId="s")


def test_answer_for_a_session_that_began_anew_changes_nothing() -> None:
    host = Host().ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    host.call(1, "session_shutdown", sessionId="s")
    host.call(2, "session_start", sessionId="s", model=MODEL)
    saved = len(host.saved["s"])
    host.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"accepted": False}})
    assert len(host.saved["s"]) == saved  # the old session's line would spoil the new one's snapshot


# long lists that are recognised without a parse


def long_list(count: int) -> list[dict[str, Any]]:
    return [u(f"question {number} " + "word " * 400) for number in range(count)]


def test_known_messages_are_recognised_in_a_long_request(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.ready("s")
    messages = long_list(30)
    host.call(1, "context", sessionId="s", messages=messages[:28])
    known: list[int] = []
    submit = host.connection.sessions.submit

    def watched(request: SessionRequest) -> Any:
        known.append(request.omitted_count)
        return submit(request)

    monkeypatch.setattr(host.connection.sessions, "submit", watched)
    result = host.call(2, "context", sessionId="s", messages=messages, answer="messages")["result"]
    assert known == [28]
    assert result["messages"][-1] == messages[-1]


def test_another_session_named_in_a_message_does_not_lend_its_list(host: Host) -> None:
    host.ready("a", "b")
    named = {"role": "user", "content": "x", "x": {"sessionId": "b"}}
    shared = [named, *long_list(30)]
    host.call(1, "context", sessionId="b", messages=shared)
    host.call(2, "context", sessionId="a", messages=[u("a's own first message"), u("and second")])
    sorted_keys = {"answer": "edits", "messages": [*shared, u("new")], "sessionId": "a"}
    _, *fresh = Host(host.ndjson).ready("a").call(3, "context", **sorted_keys)["result"]["edits"]
    packet, *rest = host.call(3, "context", **sorted_keys)["result"]["edits"]
    assert rest == fresh
    assert "a's own first message" in packet["put"]["content"]


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


# the transcript


def test_transcript_has_both_sides_and_is_json() -> None:
    host = Host(options=ConnectionOptions(record=True)).ready("s")
    host.write(b"{broken", b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":"\xff"}}', b'{"a":"\\ud83d"}')
    lines = [json.loads(one.line) for one in host.log if isinstance(one, do.Record)]
    assert lines[0]["ctxmgr"]["protocolVersion"] == "1.0"
    assert [one["from"] for one in lines[1:]] == ["host", "ctxmgr"] * 5
    assert [sorted(one) for one in lines[5::2]] == [["broken", "from"]] * 3


def test_weigher_changes_between_events_and_is_recorded() -> None:
    host = Host(options=ConnectionOptions(record=True), holds=True).ready("s")
    assert [one.name for one in host.log if isinstance(one, do.LoadWeigher)] == ["o200k_base"]
    host.write(long_context(1, "s"))
    host.carry_out(host.connection.weigher_loaded("o200k_base", lambda text: len(text), None))
    assert msgspec.json.decode(next(one.line for one in reversed(host.log) if isinstance(one, do.Record))) == {
        "from": "ctxmgr",
        "weigher": "o200k_base",
    }
    host.release_all()
    assert host.sent[-1]["result"]["report"]["rawTokens"] < len(LONG) / 2  # begun with the estimate
    assert host.write(call(2, "getStatus", sessionId="s"))[0]["result"]["weigher"] == "o200k_base"


def test_vocabulary_not_to_be_had_is_said_once_and_in_each_status(host: Host) -> None:
    host.ready("s")
    host.carry_out(host.connection.weigher_loaded("o200k_base", None, "weights are characters / 4"))
    host.call(1, "session_start", sessionId="t", model=MODEL)
    host.call(2, "setPolicy", sessionId="t", policy={"packetTokens": 900})
    for session in ("s", "t"):
        status = host.call(3, "getStatus", sessionId=session)["result"]
        assert status["notes"] == ["weights are characters / 4"]
        assert status["weigher"] == "estimate"
    assert host.said.count("weights are characters / 4") == 1
