"""The spawned process writes compactions with the host's own model, and hears what a host may say wrong."""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.study.spawning.inprocess import InProcess
from tests.stdio.sidecar import MODEL, ROOT, SECRET, a
from tests.stdio.test_endpoint import (
    BAD,
    SLICES,
    SMALL,
    Fields,
    HostError,
    Silent,
    Writer,
    entries,
    good,
    kind,
    marks,
    removed,
    turn,
    turns,
)

WHOLE_TURNS = {"preset": "turns", "tokenizer": "estimate"}
CAN = {"complete": True, "embed": True, "requestCompaction": "whenIdle"}


def answered(params: Fields) -> Fields:
    usage = {"input": 100, "output": 10, "cacheRead": 5, "cacheWrite": 0}
    return {"text": good(params["prompt"]), "stopReason": "stop", "usage": usage}


@pytest.fixture(scope="module")
def process() -> Iterator[Writer]:
    """One process for the tests of this file; a session each. What it said is looked through at its end."""
    policy = {"preset": "turns", "tokenizer": "estimate"}
    with tempfile.TemporaryDirectory() as state, Writer(Path(state)).ready(policy=policy, **CAN) as one:
        yield one


@pytest.fixture
def writer(process: Writer) -> Writer:
    """Its model answers well, unless a test says otherwise."""
    process.heard.clear()
    process.handlers.clear()
    process.handlers["complete"] = answered
    return process


# the host's model


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


def hold(params: Fields) -> Any:
    raise Silent


def until_asked(writer: Writer, count: int, method: str = "complete") -> list[Fields]:
    """So many requests by this method, whole, none of them answered."""
    writer.handlers[method] = hold
    while len(writer.asked(method)) < count:
        writer.hear()
    return [message for message in writer.heard if message["method"] == method]


def reply(writer: Writer, request: Fields, result: Any) -> None:
    writer.send({"jsonrpc": "2.0", "id": request["id"], "result": result})


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
    ("no sections", {"text": BAD}, "no sections"),
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


# deadlines


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


# natural breaks


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


def subjects(texts: list[str]) -> list[list[float]]:
    """Vectors that break at two places: the subject changes with turn 5 and with turn 14."""
    found: list[list[float]] = []
    for text in texts:
        number = int((re.search(r"mark-(\d+)-", text) or ["", "0"])[1])
        found.append([float(number < 5), float(5 <= number < 14), float(number >= 14)])
    return found


def test_hosts_vectors_tell_where_to_cut(writer: Writer) -> None:
    session = writer.started("vectors")
    words = prompts(writer, session, breaks="natural")
    assert writer.asked("embed") == []
    writer.handlers["embed"] = lambda params: {"vectors": subjects(params["texts"])}
    cut = prompts(writer, session, breaks="natural", cohesion="host")
    (asked,) = writer.asked("embed")
    assert asked["sessionId"] == session
    assert len(asked["texts"]) >= 24
    assert cut != words
    begin = [prompt.partition("<conversation>")[2] for prompt in cut]
    assert any("mark-5-user" in text[:400] for text in begin)


BAD_VECTORS: list[Any] = [
    None,
    {},
    {"vectors": []},
    {"vectors": [[1.0]]},
    {"vectors": "x"},
    {"vectors": [["a"]]},
    [[1.0]],
    {"vectors": [[]] * 47},
    HostError,
]


def test_without_good_vectors_the_words_tell(writer: Writer) -> None:
    session = writer.started("bad vectors")
    words = prompts(writer, session, breaks="natural")
    for bad in BAD_VECTORS:

        def answer(params: Fields, bad: Any = bad) -> Any:
            if bad is HostError:
                raise HostError
            return bad

        writer.handlers["embed"] = answer
        assert prompts(writer, session, breaks="natural", cohesion="host") == words
        assert len(writer.asked("embed")) == 1


STRANGE_NUMBERS = [0.0, -1.0, 1e308, 5e-324]


@pytest.mark.parametrize("number", STRANGE_NUMBERS)
def test_vectors_of_strange_numbers_lose_nothing(writer: Writer, number: float) -> None:
    session = writer.started(f"strange {number}")
    writer.handlers["embed"] = lambda params: {"vectors": [[number] * 3 for _ in params["texts"]]}
    cut = prompts(writer, session, breaks="natural", cohesion="host")
    assert marks(" ".join(cut)) >= marks(json.dumps(turns(23)))


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


# written ahead


def reading(writer: Writer, session: str, tokens: int, **params: Any) -> Fields:
    params = {"sessionId": session, "message": a(f"noted at {tokens}", tokens), **params}
    answer: Fields = writer.call("turn_end", **params)
    return answer


def ahead(writer: Writer, session: str) -> list[Fields]:
    """A session whose compaction was written ahead; its tree, to the entry it was written on."""
    tree = begun_ahead(writer, session)
    while len(writer.asked("complete")) < 2:
        writer.hear()
    writer.call("planCompaction", entries=tree)  # what is older is computed first
    writer.handlers["complete"] = hold
    return tree


def begun_ahead(writer: Writer, session: str) -> list[Fields]:
    tree = turns(6)
    writer.started(session, prepareAhead=True)
    writer.call("session_start", sessionId=session, model=MODEL, entries=tree)
    writer.call("context", sessionId=session, messages=[entry["message"] for entry in tree])
    assert reading(writer, session, 100_000, entryIds={"message": "e25"})["commands"] == []
    return [*tree, *entries([a("noted at 100000", 100_000)], 25, "e24")]


def test_written_ahead_it_comes_with_the_command(writer: Writer) -> None:
    ahead(writer, "ahead, asked")
    (command,) = reading(writer, "ahead, asked", 130_000)["commands"]
    assert command["method"] == "requestCompaction"
    assert "says a good model" in command["params"]["compaction"]["summary"]
    assert len(writer.asked("complete")) == 2


def test_written_ahead_it_comes_with_the_request(writer: Writer) -> None:
    ahead(writer, "ahead, told")
    writer.handlers["requestCompaction"] = lambda params: {"accepted": True}
    writer.tell("turn_end", sessionId="ahead, told", message=a("noted", 130_000))
    while not writer.asked("requestCompaction"):
        writer.hear()
    (params,) = writer.asked("requestCompaction")
    assert params["compaction"]["firstKeptEntryId"] in {f"e{number}" for number in range(1, 26)}
    assert "says a good model" in params["compaction"]["summary"]


def test_written_ahead_it_answers_before_compact_unless_instructed(writer: Writer) -> None:
    tree = ahead(writer, "ahead, before")
    preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
    params = {"sessionId": "ahead, before", "preparation": preparation}
    ready = writer.call("session_before_compact", **params)["compaction"]
    assert "says a good model" in ready["summary"]
    assert len(writer.asked("complete")) == 2
    writer.handlers["complete"] = lambda params: {"text": good(params["prompt"], "another"), "stopReason": "stop"}
    fresh = writer.call("session_before_compact", **params, branchEntries=tree, customInstructions="Keep it.")
    assert "says another" in fresh["compaction"]["summary"]


def test_one_being_written_ahead_is_waited_for_up_to_the_deadline(writer: Writer) -> None:
    writer.handlers["complete"] = hold
    tree = begun_ahead(writer, "ahead, late")
    until_asked(writer, 2)
    preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
    params = {"sessionId": "ahead, late", "preparation": preparation, "branchEntries": tree}
    assert writer.call("session_before_compact", **params, deadlineMs=50) == {}
    answer = writer.ask("compact", sessionId="ahead, late", entries=tree, deadlineMs=50)
    assert answer["error"]["code"] == -32803
    waiting = writer.begin("session_before_compact", **params)
    writer.call("getStatus", sessionId="ahead, late")
    assert len(writer.asked("complete")) == 2
    for message in [message for message in writer.heard if message["method"] == "complete"]:
        reply(writer, message, answered(message["params"]))
    assert "says a good model" in writer.result(waiting)["compaction"]["summary"]
    assert len(writer.asked("complete")) == 2


def test_one_being_written_ahead_ends_with_its_branch(writer: Writer) -> None:
    """Its calls are taken back, and who waits for it writes its own."""
    writer.handlers["complete"] = hold
    tree = begun_ahead(writer, "ahead, left")
    old = until_asked(writer, 2)
    waiting = writer.begin("compact", sessionId="ahead, left", entries=tree)
    writer.call("session_tree", sessionId="ahead, left", newLeafId="e8", oldLeafId="e25")
    writer.handlers["complete"] = answered
    assert "says a good model" in writer.result(waiting)["compaction"]["summary"]
    assert [one["id"] for one in writer.asked("$/cancelRequest")] == [one["id"] for one in old]


# what is computed when (in process, with its work held)


def test_one_errand_computes_at_a_time_the_oldest_first() -> None:
    """The worker has two threads: with one errand in each, every `context` would wait for both."""
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
