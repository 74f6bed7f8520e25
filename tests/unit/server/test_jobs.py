"""Jobs: model calls side by side, each request answered once, and whatever ends a job ends its calls."""

import itertools
import json
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from ctxmgr.model.compaction import LATE, Completion, CompletionRequest, CompletionUsage
from ctxmgr.model.policy import Endpoint
from ctxmgr.server.effects import Abandon, Complete, Effect, Record, StartTimer
from ctxmgr.server.jobs import Jobs
from ctxmgr.server.peer import Peer
from ctxmgr.session.work import Embed, Job, ModelRunner, Routine
from ctxmgr.wire.errors import REQUEST_FAILED, RpcError
from tests.inprocess import InProcess
from tests.stdio.compacting_sidecar import SMALL, turn, turns

HOST = ModelRunner("host", 100_000, concurrency=2)
SERVER = ModelRunner("endpoint", 100_000, None, Endpoint(base_url="http://127.0.0.1:1/v1", model="m"), 2)


def asks(count: int) -> tuple[CompletionRequest, ...]:
    return tuple(
        CompletionRequest("slice", "system", f"prompt {number}", 100, f"slice {number}") for number in range(count)
    )


def asking(count: int) -> Routine[Any]:
    return (yield asks(count))


class Bench:
    """Jobs with a peer whose messages are kept, and a host that answers by hand."""

    def __init__(self, record: bool = False) -> None:
        self.sent: list[dict[str, Any]] = []
        self.effects: list[Effect] = []
        self.peer = Peer({}, lambda parts: self.sent.append(json.loads(b"".join(parts))))
        self.jobs = Jobs(self.effects.append, self.peer, itertools.count(1), record)

    def start(self, steps: Routine[Any], via: ModelRunner = HOST, **more: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.jobs.start(Job(steps, via, **more), "s", future)
        return future

    def methods(self) -> list[str]:
        return [message["method"] for message in self.sent]

    def answer(self, number: int, result: Any = None, error: Any = None) -> None:
        """The host's answer to the request that was sent as the `number`th."""
        requests = [message for message in self.sent if "id" in message]
        assert self.peer.receive_answer(requests[number]["id"], result, error)

    def of(self, kind: type[Any]) -> Sequence[Any]:
        return [effect for effect in self.effects if isinstance(effect, kind)]


def test_calls_go_side_by_side_within_the_bound_and_come_back_in_order() -> None:
    bench = Bench()
    future = bench.start(asking(3))
    assert bench.methods() == ["complete", "complete"]
    bench.answer(1, {"text": "two", "stopReason": "stop"})
    assert bench.methods() == ["complete"] * 3
    bench.answer(2, {"text": "three", "stopReason": "max_tokens"})
    assert not future.done()
    bench.answer(0, {"text": "one", "stopReason": "end_turn", "usage": {"input": 5, "cacheRead": 2, "output": 1}})
    assert future.result() == (
        Completion("one", "stop", CompletionUsage(7, 1)),
        Completion("two"),
        Completion("three", "length"),
    )
    assert bench.jobs.idle


def test_a_cancelled_request_ends_the_hosts_calls() -> None:
    bench = Bench()
    future = bench.start(asking(3))
    future.cancel()
    cancelled = [message["params"]["id"] for message in bench.sent if message["method"] == "$/cancelRequest"]
    assert cancelled == [message["id"] for message in bench.sent if message["method"] == "complete"]
    assert bench.jobs.idle


def test_an_endpoint_is_asked_by_effects_and_told_to_stop() -> None:
    bench = Bench(record=True)
    future = bench.start(asking(3), SERVER)
    first, second = bench.of(Complete)
    assert bench.jobs.resume(first.ticket, Completion("one"))
    assert len(bench.of(Complete)) == 3
    assert [json.loads(record.line)["completed"] for record in bench.of(Record)] == [first.ticket]
    future.cancel()
    assert {effect.ticket for effect in bench.of(Abandon)} == {second.ticket, bench.of(Complete)[2].ticket}
    assert not bench.jobs.resume(second.ticket, Completion("late"))


def test_after_the_deadline_steps_go_on_without_a_model() -> None:
    def steps() -> Routine[Any]:
        first = yield asks(2)
        second = yield asks(1)
        return first, second

    bench = Bench()
    future = bench.start(steps(), deadline_ms=500)
    bench.answer(0, {"text": "in time"})
    bench.jobs.resume(bench.of(StartTimer)[0].ticket, None)
    assert future.result() == ((Completion("in time"), LATE), (LATE,))
    assert bench.methods() == ["complete", "complete", "$/cancelRequest"]


def test_vectors_come_from_the_host_or_not_at_all() -> None:
    def steps() -> Routine[Any]:
        return (yield Embed(("a", "b")))

    for result, expected in (
        ({"vectors": [[1.0, 2.0], [3.0, 4.0]]}, [[1.0, 2.0], [3.0, 4.0]]),
        ({"vectors": [[1.0]]}, None),
        ({"vectors": [[1.0], [1.0, 2.0]]}, None),
        ("no", None),
    ):
        bench = Bench()
        future = bench.start(steps())
        bench.answer(0, result)
        assert future.result() == expected


def test_progress_is_told_to_who_asked_for_it() -> None:
    bench = Bench()
    future = bench.start(asking(2), token="t")
    bench.answer(0, {"text": "one"})
    bench.answer(1, {"text": "two"})
    assert future.done()
    told = [message["params"] for message in bench.sent if message["method"] == "$/progress"]
    assert [one["token"] for one in told] == ["t"] * 4
    assert [one["value"] for one in told] == [
        {"kind": "begin"},
        {"kind": "report", "message": "slice 0"},
        {"kind": "report", "message": "slice 1"},
        {"kind": "end"},
    ]


def test_a_fault_in_the_steps_fails_the_request_alone() -> None:
    def steps() -> Routine[Any]:
        yield asks(1)
        raise KeyError("secret")

    bench = Bench()
    future = bench.start(steps())
    other = bench.start(asking(1))
    bench.answer(0, {"text": "x"})
    assert isinstance(future.exception(), KeyError)
    assert not other.done()


def test_the_end_of_a_session_ends_its_jobs() -> None:
    bench = Bench()
    future = bench.start(asking(1))
    bench.jobs.session_ended("other")
    assert not future.done()
    bench.jobs.session_ended("s")
    fault = future.exception()
    assert isinstance(fault, RpcError)
    assert fault.code == REQUEST_FAILED
    assert bench.methods() == ["complete", "$/cancelRequest"]


def test_usage_of_any_shape_costs_no_answer() -> None:
    shapes: list[Any] = [None, 5, "x", [], {"input": "many", "output": -1}, {"input": True, "output": 1e300}]
    for usage in shapes:
        bench = Bench()
        future = bench.start(asking(1))
        bench.answer(0, {"text": "one", "stopReason": "stop", "usage": usage})
        assert future.done(), usage
        (completion,) = future.result()
        assert completion.text == "one"
        assert completion.usage in (None, CompletionUsage())


def test_one_job_computes_at_a_time_the_oldest_first() -> None:
    """The worker has two threads: with one job in each, every `context` would wait for both."""
    driver = InProcess(hold=True, policy={"compaction": {**SMALL}}, capabilities={})
    ids = [driver.ask("compact", sessionId="s", entries=turns(count)) for count in (6, 2)]
    plan = driver.ask("planCompaction", entries=turns(2))
    messages = [*turn(1, "new words " * 1_000)]
    context = driver.ask("context", sessionId="s", messages=messages)
    assert driver.answer_to(context) is None  # it is held as well: new text is weighed in a thread
    driver.work()
    driver.work()
    assert driver.answer_to(context) is not None
    order = []
    while driver.work():
        order += [id for id in (*ids, plan) if driver.answer_to(id) is not None]
    assert order == [*ids, plan]
