"""Compare with a model: what is asked, what it cost, and what a failed call is."""

from pathlib import Path
from typing import get_args

import pytest

from ctxmgr.model.compaction import Strategy
from tests.model_server import ModelServer, Reply
from tests.unit.study.compare.command.running import Compare, answer, endpoint, recorded

ASKING: tuple[Strategy, ...] = tuple(strategy for strategy in get_args(Strategy) if strategy != "extractive")


def test_an_endpoint_is_asked_once_and_its_own_counts_are_shown(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path)
    with ModelServer.threaded(lambda request: Reply(answer(request), usage=(1_000, 50))) as server:
        first = compare(path, *endpoint(server))["rows"]
        asked = len(server.requests)
        second = compare(path, *endpoint(server))["rows"]
        assert len(server.requests) == asked
    assert [row["model"] for row in first] == [*["m"] * len(ASKING), "none"]
    assert asked == sum(row["calls"] for row in first) >= len(ASKING)
    for row in first[:-1]:
        assert (row["inputTokens"], row["outputTokens"]) == (1_000 * row["calls"], 50 * row["calls"])
        assert row["weighedCalls"] == 0
        assert row["probes"] is not None
    assert not any(row.pop("reused") for row in first)
    assert all(row.pop("reused") for row in second)
    assert first == second


def test_an_endpoint_may_speak_anthropics_messages(tmp_path: Path, compare: Compare) -> None:
    """The same address in the other dialect is another row: it is asked anew."""
    arguments: tuple[str | Path, ...] = (recorded(tmp_path), "--strategy", "single-shot")
    with ModelServer.threaded(lambda request: Reply(answer(request), usage=(1_000, 50))) as server:
        (row,) = compare(*arguments, *endpoint(server), "--api", "anthropic")["rows"]
        assert {request.path for request in server.requests} == {"/v1/messages"}
        assert (row["inputTokens"], row["outputTokens"]) == (1_000 * row["calls"], 50 * row["calls"])
        assert row["fallbacks"] == []
        assert compare(*arguments, *endpoint(server), "--api", "anthropic")["rows"][0]["reused"]
        assert not compare(*arguments, *endpoint(server), "--api", "chat")["rows"][0]["reused"]
        assert {request.path for request in server.requests} == {"/v1/messages", "/v1/chat/completions"}
        assert compare(*arguments, *endpoint(server))["rows"][0]["reused"]


def test_what_a_provider_does_not_report_is_weighed_and_marked(tmp_path: Path, compare: Compare) -> None:
    with ModelServer.threaded(lambda request: Reply(answer(request), usage=None)) as server:
        (row,) = compare(recorded(tmp_path), *endpoint(server), "--strategy", "single-shot")["rows"]
    assert row["weighedCalls"] == row["calls"] > 0
    assert row["inputTokens"] > row["outputTokens"] > 0
    assert f"~{row['inputTokens']:,}" in (tmp_path / "out" / "comparison.md").read_text()


def test_a_refused_answer_is_a_result_and_a_failed_call_is_none(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path)
    arguments: tuple[str | Path, ...] = (path, "--strategy", "single-shot")
    with ModelServer.threaded(lambda _: Reply("I can not do that.")) as server:
        (row,) = compare(*arguments, *endpoint(server))["rows"]
        assert "no sections" in row["fallbacks"][0]
        assert row["retries"] > 0
        assert compare(*arguments, *endpoint(server))["rows"][0]["reused"]
    with ModelServer.threaded(lambda _: Reply("nobody is let in", status=401)) as server:
        arguments = (*arguments, "--format", "handoff")
        (row,) = compare(*arguments, *endpoint(server), code=1)["rows"]
        assert row["fallbacks"]
        assert not compare(*arguments, *endpoint(server), code=1)["rows"][0]["reused"]


def test_the_key_is_sent_and_written_nowhere(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sesame")
    with ModelServer.threaded(lambda request: Reply(answer(request))) as server:
        compare(recorded(tmp_path), *endpoint(server), "--api-key-env", "SOME_KEY", "--strategy", "single-shot")
        assert {request.headers["authorization"] for request in server.requests} == {"Bearer sesame"}
    assert not any("sesame" in path.read_text() for path in (tmp_path / "out").iterdir())
