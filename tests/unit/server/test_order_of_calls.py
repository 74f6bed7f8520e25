"""Each request is answered once, each session keeps its order, and a cancelled call holds nothing up."""

import itertools
from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.model import Message
from ctxmgr.server import effects as do
from ctxmgr.server.session_queue import SessionQueue, SessionQueues
from ctxmgr.session import Reader
from ctxmgr.wire import errors
from tests.unit.server.host import LONG, MODEL, SECRET, Host, a, call, code_of, long_context, tell, u


def cancel(id: Any) -> dict[str, Any]:
    return tell("$/cancelRequest", id=id)


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


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The messages that are decoded and weighed, as they are."""
    found: list[bytes] = []
    plain = Reader._message

    def counted(self: Reader, raw: bytes) -> Message:
        found.append(raw)
        return plain(self, raw)

    monkeypatch.setattr(Reader, "_message", counted)
    return found


def test_the_work_of_a_cancelled_request_is_kept_for_the_next(read: list[bytes]) -> None:
    never, host = Host(holds=True).ready("s"), Host(holds=True).ready("s")
    expected = answer_to(never, long_context(2, "s"))
    read.clear()
    host.write(long_context(1, "s"), cancel(1), long_context(2, "s"))
    assert [code_of(one) for one in host.sent[-1:]] == [-32800]
    host.release(min(host.waiting))
    assert len(read) == 1
    assert not host.waiting  # no thread was asked for a second time
    assert host.sent[-1] == expected


def test_a_call_that_is_cancelled_while_it_waits_changes_nothing() -> None:
    host = Host(holds=True).ready("s")
    host.write(long_context(1, "s"), call(2, "turn_end", sessionId="s", message=a("done")), cancel(2))
    host.release_all()
    assert host.call(3, "getStatus", sessionId="s")["result"]["seq"] == 0


def test_what_was_kept_is_not_taken_for_another_state() -> None:
    never, host = Host(holds=True).ready("s"), Host(holds=True).ready("s")
    host.write(long_context(1, "s"), cancel(1))
    host.release_all()
    for each in (never, host):
        each.call(2, "setPolicy", sessionId="s", policy={"preset": "tools"})
    assert answer_to(host, long_context(3, "s")) == answer_to(never, long_context(3, "s"))


def test_another_session_is_answered_while_a_long_list_is_worked_on() -> None:
    host = Host(holds=True).ready("long", "other")
    short = call(2, "context", sessionId="other", messages=[u("short")])
    answers = host.write(long_context(1, "long"), short, call(3, "getStatus", sessionId="other"))
    assert [one["id"] for one in answers] == [2, 3]
    host.release_all()
    assert host.sent[-1]["id"] == 1


def answer_to(host: Host, request: dict[str, Any]) -> dict[str, Any]:
    host.write(request)
    host.release_all()
    assert host.sent[-1]["id"] == request["id"]
    return host.sent[-1]


def test_odd_cancels_cost_nothing(host: Host) -> None:
    host.ready("s")
    for params in ({}, {"id": None}, {"id": {}}, [1], None, {"id": SECRET}):
        odd = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params}
        answers = host.write(odd, call(1, "getStatus", sessionId="s"))
        assert [answer["id"] for answer in answers] == [1], params


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


def test_a_call_that_an_answer_submits_waits_behind_those_before_it() -> None:
    tickets: list[int] = []
    done: list[int] = []
    queues = SessionQueues(lambda ticket, queue, wanted: tickets.append(ticket), itertools.count(1))
    queues.by_session["s"] = SessionQueue("s")

    def parks() -> Generator[str, None, None]:
        yield "what a device brings"

    def submit(number: int) -> Any:
        return queues.submit(queues.by_session["s"], parks, lambda _: done.append(number))

    first = submit(1)
    submit(2)
    first.add_done_callback(lambda _: submit(3))
    while tickets:
        queues.resume(tickets.pop(0), None)
    assert done == [1, 2, 3]
