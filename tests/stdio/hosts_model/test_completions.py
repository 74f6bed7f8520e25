"""Compactions are written with the host's own model, whatever it answers."""

import json
from typing import Any

import pytest

from tests.inprocess import InProcess
from tests.stdio.compacting_sidecar import (
    BAD,
    SLICES,
    SMALL,
    Fields,
    HostError,
    Writer,
    answered,
    hold,
    kind,
    marks,
    removed,
    reply,
    turn,
    turns,
    until_asked,
)
from tests.stdio.sidecar import SECRET


def test_hosts_model_writes_history_and_turn(writer: Writer) -> None:
    tree = turns(6)
    session = writer.started("model")
    compaction = writer.call("compact", sessionId=session, entries=tree)["compaction"]
    asked = writer.asked("complete")
    assert sorted(params["purpose"] for params in asked) == ["history", "turn-prefix"]
    assert {params["sessionId"] for params in asked} == {session}
    assert {params["purpose"]: params["maxTokens"] for params in asked} == {"history": 3_200, "turn-prefix": 2_000}
    assert marks(" ".join(params["prompt"] for params in asked)) == removed(tree, compaction)
    details = compaction["details"]["ctxmgr"]
    assert (details["calls"], details["inputTokens"], details["outputTokens"]) == (2, 210, 20)
    assert compaction["details"]["readFiles"] == [f"src/part{number}.py" for number in range(1, 7)]
    assert compaction["summary"].count("says a good model") >= 2


AT_ONCE = [
    ("parallel-stitch", ["slice", "slice"]),
    ("sequential-accumulated", ["slice", "turn"]),
    ("sequential-rolling", ["slice", "turn"]),
]


@pytest.mark.parametrize(("strategy", "kinds"), AT_ONCE)
def test_hosts_model_is_asked_no_more_than_twice_at_once(writer: Writer, strategy: str, kinds: list[str]) -> None:
    session = writer.started(strategy, slices=SLICES, concurrency=2)
    id = writer.begin("compact", sessionId=session, entries=turns(24), strategy=strategy)
    first = until_asked(writer, 2)
    writer.call("getStatus", sessionId=session)
    assert [kind(params["prompt"]) for params in writer.asked("complete")] == kinds
    writer.handlers["complete"] = answered
    for request in first:
        reply(writer, request, answered(request["params"]))
    compaction = writer.result(id)["compaction"]
    assert compaction["details"]["ctxmgr"]["calls"] == len(writer.asked("complete")) >= 4
    assert "fallback" not in compaction["details"]["ctxmgr"]


BAD_ANSWERS: list[tuple[str, Any, str]] = [
    ("an error", HostError, "failed"),
    ("null", None, "failed"),
    ("text", BAD, "failed"),
    ("a list", [BAD], "failed"),
    ("text that is none", {"text": {"of": BAD}}, "failed"),
    ("another stop reason", {"text": BAD, "stopReason": "whatever"}, "failed"),
    ("an error of the model", {"text": BAD, "stopReason": "error", "errorMessage": SECRET}, "failed"),
    ("nothing", {}, "empty"),
    ("cut off", {"text": BAD, "stopReason": "length"}, "truncated"),
    ("a tool", {"text": BAD, "stopReason": "toolUse"}, "called a tool"),
    ("aborted", {"text": BAD, "stopReason": "aborted"}, "cancelled"),
    ("5 MB", {"text": f"{BAD}\n" * 400_000}, "truncated"),
]


@pytest.mark.parametrize(("name", "bad", "reason"), BAD_ANSWERS, ids=[name for name, _, _ in BAD_ANSWERS])
def test_bad_answer_never_becomes_a_summary(writer: Writer, name: str, bad: Any, reason: str) -> None:
    def answer(params: Fields) -> Any:
        if bad is HostError:
            raise HostError
        return bad

    session = writer.started(f"bad {name}")
    writer.handlers["complete"] = answer
    compaction = writer.call("compact", sessionId=session, entries=turns(2))["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert (details["strategy"], details["fallback"]["reason"]) == ("extractive", reason)
    assert len(writer.asked("complete")) == (2 if reason == "cancelled" else 4)
    assert BAD not in json.dumps(compaction)
    assert SECRET not in json.dumps(details)
    assert "mark-1-user" in compaction["summary"]


def test_prose_never_becomes_the_summary_and_stands_in_it_as_critical_context(writer: Writer) -> None:
    session = writer.started("prose")
    writer.handlers["complete"] = lambda params: {"text": BAD}
    compaction = writer.call("compact", sessionId=session, entries=turns(2))["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert (details["strategy"], details["fallback"]["reason"]) == ("extractive", "no sections")
    before, _, after = compaction["summary"].partition("## Critical Context")
    assert BAD not in before
    assert BAD in after
    assert "mark-1-user" in compaction["summary"]


def test_usage_of_any_shape_costs_no_answer(writer: Writer) -> None:
    session = writer.started("usage")
    shapes: list[Any] = [None, 5, "x", [], {"input": "many", "output": -1}, {"input": True, "output": 1e300}]
    for usage in shapes:

        def answer(params: Fields, usage: Any = usage) -> Fields:
            return {**answered(params), "usage": usage}

        writer.handlers["complete"] = answer
        details = writer.call("compact", sessionId=session, entries=turns(2))["compaction"]["details"]["ctxmgr"]
        assert "fallback" not in details
        assert details.get("inputTokens", 0) == details.get("outputTokens", 0) == 0


def test_host_that_never_answers_gets_its_turn_back(writer: Writer) -> None:
    writer.handlers["complete"] = hold
    tree = turns(6)
    session = writer.started("never")
    preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
    params = {"sessionId": session, "preparation": preparation, "branchEntries": tree}
    assert writer.call("session_before_compact", **params, deadlineMs=50) == {}
    compaction = writer.call("compact", sessionId=session, entries=tree, deadlineMs=50)["compaction"]
    assert compaction["details"]["ctxmgr"]["fallback"]["reason"] == "cancelled"
    asked = [message["id"] for message in writer.heard if message["method"] == "complete"]
    assert [params["id"] for params in writer.asked("$/cancelRequest")] == asked


def test_late_answer_is_said_once_and_does_nothing(writer: Writer) -> None:
    session = writer.started("too late")
    id = writer.begin("compact", sessionId=session, entries=turns(6), deadlineMs=50)
    late = until_asked(writer, 2)
    compaction = writer.result(id)["compaction"]
    before = writer.said.count("\n")
    reply(writer, late[0], {"text": BAD, "stopReason": "stop"})
    assert writer.call("getStatus", sessionId=session)["seq"] == 0
    assert BAD not in compaction["summary"]
    again = writer.begin("compact", sessionId=session, entries=turns(6))
    fresh = until_asked(writer, 4)[2:]
    reply(writer, late[1], {"text": BAD, "stopReason": "stop"})
    for request in fresh:
        reply(writer, request, answered(request["params"]))
    assert "says a good model" in writer.result(again)["compaction"]["summary"]
    assert writer.said.count("\n") - before <= 2


def test_cancelled_compaction_takes_its_calls_back(writer: Writer) -> None:
    session = writer.started("cancelled")
    id = writer.begin("compact", sessionId=session, entries=turns(6))
    requests = until_asked(writer, 2)
    writer.tell("$/cancelRequest", id=id)
    assert writer.answer(id)["error"]["code"] == -32800
    while len(writer.asked("$/cancelRequest")) < 2:
        writer.hear()
    assert [one["id"] for one in writer.asked("$/cancelRequest")] == [one["id"] for one in requests]


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
