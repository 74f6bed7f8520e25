"""Every strategy and format asks as it should, and writes what it is to."""

import json
import re

import pytest

from tests.model_server import ModelServer, Reply, Request
from tests.stdio.compacting_sidecar import KEY, SLICES, Holding, Writer, endpoint, kind, marks, removed, turns, well

STRATEGIES = [
    # strategy, calls by kind (s: the number of slices), most calls at once, most slices at once
    ("single-shot", {"history": "1", "turn": "1"}, 2, 0),
    ("parallel-stitch", {"slice": "s", "turn": "1", "merge": "1"}, 3, 2),
    ("sequential-accumulated", {"slice": "s", "turn": "1"}, 2, 1),
    ("sequential-rolling", {"slice": "s", "turn": "1"}, 2, 1),
    ("incremental", {"history": "1", "turn": "1"}, 2, 0),
]


@pytest.mark.parametrize(("strategy", "calls", "at_once", "slices_at_once"), STRATEGIES)
def test_strategy_asks_as_it_should(
    writer: Writer, strategy: str, calls: dict[str, str], at_once: int, slices_at_once: int
) -> None:
    """The server holds the first answers until as many calls are under way as the strategy makes at once."""
    script, most_slices = Holding(), 0

    def reply(request: Request) -> Reply:
        nonlocal most_slices
        open_slices = [one for one in server.requests if not one.ended and kind(one.prompt) == "slice"]
        most_slices = max(most_slices, len(open_slices))
        return script(request)

    tree = turns(24)
    with ModelServer.threaded(reply) as server:
        more = {"reserveTokens": 10_000, "slices": SLICES, "concurrency": 3}
        session = writer.started(strategy, **endpoint(server), **more)
        id = writer.begin("compact", sessionId=session, entries=tree, strategy=strategy)
        server.wait_until(lambda server: server.in_flight == at_once)
        script.gate.open()
        compaction = writer.result(id)["compaction"]
        requests = server.requests
    kinds = [kind(request.prompt) for request in requests]
    slices = kinds.count("slice")
    assert slices == 0 or slices >= 3
    assert {name: kinds.count(name) for name in kinds} == {
        name: slices if many == "s" else int(many) for name, many in calls.items()
    }
    assert server.most_in_flight == at_once
    assert most_slices >= slices_at_once if strategy == "parallel-stitch" else most_slices == slices_at_once
    details = compaction["details"]["ctxmgr"]
    assert (details["strategy"], details["calls"], details["retries"]) == (strategy, len(requests), 0)
    assert "fallback" not in details
    shown = marks(" ".join(request.prompt for request in requests))
    told = marks(compaction["summary"]) if strategy == "incremental" else set()
    users = {mark for mark in removed(tree, compaction) if mark.endswith("user")}
    assert users
    assert users <= shown | told
    if strategy != "incremental":
        assert removed(tree, compaction) <= shown
    for request, of in zip(requests, kinds, strict=True):
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.body["model"] == "writer"
        assert "tools" not in request.body
        limit = {"turn": 5_000, "history": 8_000, "merge": 8_000}.get(of, 8_000)
        assert request.body["max_tokens"] <= limit
        if of in ("turn", "merge") or strategy == "single-shot":
            assert request.body["max_tokens"] == limit
        assert re.search(r"says a good model", compaction["summary"])


def test_extractive_asks_nobody(writer: Writer) -> None:
    tree = turns(6)
    with ModelServer.threaded([]) as server:
        session = writer.started("extractive", **endpoint(server))
        answer = writer.call("compact", sessionId=session, entries=tree, strategy="extractive")
        assert server.requests == []
    assert answer["compaction"]["details"]["ctxmgr"]["calls"] == 0
    assert "mark-1-user" in answer["compaction"]["summary"]


FORMATS = [
    ("structured", "## Goal"),
    ("nine-section", "1. Primary Request and Intent"),
    ("handoff", "Notes from a model that worked on this before you."),
    ("continue", "## Goal"),
]


@pytest.mark.parametrize(("form", "heading"), FORMATS)
@pytest.mark.parametrize("strategy", ["single-shot", "extractive"])
def test_format(writer: Writer, form: str, heading: str, strategy: str) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started(f"{form} {strategy}", **endpoint(server))
        params = {"sessionId": session, "entries": turns(6), "format": form, "strategy": strategy}
        compaction = writer.call("compact", **params)["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert (details["format"], details["strategy"]) == (form, strategy)
    assert compaction["summary"].count(heading) == 1
    assert "<analysis>" not in compaction["summary"]
    assert bool(details.get("short")) is (form == "continue")
    assert compaction["summary"].count("<read-files>") == 1


def test_instructions_of_policy_and_call_are_in_every_prompt(writer: Writer) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started("instructed", instructions="Keep the commas.", **endpoint(server))
        writer.call("compact", sessionId=session, entries=turns(6), customInstructions="Keep the dots.")
        assert len(server.requests) == 2
        assert all("Keep the commas.\n\nKeep the dots." in request.prompt for request in server.requests)


def test_branch_that_was_left_is_summarised(writer: Writer) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started("branch", **endpoint(server))
        params = {"sessionId": session, "entries": turns(6), "oldLeafId": "e24", "targetId": "e8"}
        answer = writer.call("summarizeBranch", **params)
        (request,) = server.requests
    assert answer["commonAncestorId"] == "e8"
    assert answer["entriesSummarized"] == 16
    assert marks(request.prompt) == marks(json.dumps(turns(6)[8:]))
    assert "says a good model" in answer["summary"]["summary"]
