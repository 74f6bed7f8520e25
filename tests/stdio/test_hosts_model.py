"""Compactions by the host's own model and vectors, whatever it answers."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.inprocess import InProcess
from tests.stdio.compacting_sidecar import (
    BAD,
    CAN,
    SLICES,
    SMALL,
    WHOLE_TURNS,
    Fields,
    Writer,
    answered,
    hold,
    kind,
    marks,
    reply,
    turn,
    turns,
    until_asked,
)  # fmt: skip
from tests.stdio.sidecar import ROOT


@pytest.fixture(scope="module")
def process() -> Iterator[Writer]:
    """One process for the tests of this file; a session each. What it said is looked through at its end."""
    with tempfile.TemporaryDirectory() as state, Writer(Path(state)).ready(policy=WHOLE_TURNS, **CAN) as process:
        yield process


@pytest.fixture
def writer(process: Writer) -> Writer:
    """Its model answers well, unless a test says otherwise."""
    process.heard.clear()
    process.handlers.clear()
    process.handlers["complete"] = answered
    return process


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


def prompts(writer: Writer, session: str, **slices: Any) -> list[str]:
    """What the slices of a compaction hold, with these settings."""
    writer.heard.clear()
    policy = {"compaction": {"slices": {**SLICES, **slices}, "keepRecentTokens": 200, "reserveTokens": 10_000}}
    writer.call("setPolicy", sessionId=session, policy=policy)
    params = {"sessionId": session, "entries": turns(24), "strategy": "parallel-stitch"}
    details = writer.call("compact", **params)["compaction"]["details"]["ctxmgr"]
    assert "fallback" not in details
    asked = [params["prompt"] for params in writer.asked("complete")]
    return sorted(prompt for prompt in asked if kind(prompt) == "slice")


def test_vectors_of_strange_numbers_lose_nothing(writer: Writer) -> None:
    for number in (0.0, 1e308):
        session = writer.started(f"strange {number}")
        writer.handlers["embed"] = lambda params, number=number: {
            "vectors": [[number] * 3 for _ in params["texts"]]
        }
        cut = prompts(writer, session, breaks="natural", cohesion="host")
        assert marks(" ".join(cut)) >= marks(json.dumps(turns(23))), number


def test_host_that_never_gives_vectors_is_not_waited_for(writer: Writer) -> None:
    session = writer.started("no vectors", slices={**SLICES, "breaks": "natural", "cohesion": "host"})
    writer.handlers["embed"] = hold
    params = {"sessionId": session, "entries": turns(24), "strategy": "parallel-stitch"}
    for milliseconds in (0, 50):
        compaction = writer.call("compact", **params, deadlineMs=milliseconds)["compaction"]
        assert compaction["details"]["ctxmgr"]["fallback"]["reason"] == "cancelled"


def test_missing_embeddings_are_said_once_and_done_without(tmp_path: Path) -> None:
    (tmp_path / "wordllama.py").write_text("raise ImportError('not here')")
    path = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    with Writer(tmp_path / "state", environment=path).ready(policy=WHOLE_TURNS, **CAN) as writer:
        writer.handlers["complete"] = answered
        session = writer.started("s")
        words = prompts(writer, session, breaks="natural")
        for _ in range(2):
            assert prompts(writer, session, breaks="natural", cohesion="embeddings") == words
        assert writer.asked("embed") == []
        assert writer.leave() == 0
        assert writer.said.count("no embeddings") == 1
