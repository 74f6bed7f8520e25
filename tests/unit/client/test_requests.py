"""What ctxmgr asks of the program: compactions, completions, vectors; and what the events bring."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from ctxmgr.client import AsyncClientSession, Host
from ctxmgr.model.api.compaction import CompleteParams, CompleteResult
from ctxmgr.model.api.lifecycle import RequestCompactionParams
from ctxmgr.model.api.reports import TelemetryEvent
from tests.unit.client.scripted import Scripted, ScriptedLink, begun, user

REPLY = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
HIGH = {"tokens": 190_000}
WANTED = {
    "sessionId": "s",
    "reason": "threshold",
    "zone": "red",
    "tokens": 1,
    "threshold": 1,
    "contextWindow": 2,
    "deliver": "whenIdle",
}
COMPLETE = {"sessionId": "s", "purpose": "history", "system": "be brief", "prompt": "go", "maxTokens": 9}


async def heard(link: ScriptedLink) -> dict[str, Any]:
    await link.script.until(lambda: bool(link.heard))
    return link.heard.pop(0)


async def said(script: Scripted, method: str) -> Any:
    await script.until(lambda: method in script.methods())
    return script.last(method)


async def test_a_command_goes_to_the_callback_as_a_request_does(script: Scripted) -> None:
    asked: list[RequestCompactionParams] = []

    async def compact(wanted: RequestCompactionParams) -> bool:
        asked.append(wanted)
        return True

    async with script.client(Host(on_request_compaction=compact)) as client:
        session = await begun(client)
        done = await session.turn_end(REPLY, usage=HIGH)
        assert done.commands == []  # or a program compacts twice
        script.links[0].ask("requestCompaction", WANTED)
        assert (await heard(script.links[0]))["result"] == {"accepted": True}
        assert [one.reason for one in asked] == ["threshold", "threshold"]
        assert "session_compact_failed" not in script.methods()


async def test_a_turn_end_as_a_notification_is_followed_by_a_request(script: Scripted) -> None:
    asked: list[RequestCompactionParams] = []
    host = Host(on_request_compaction=lambda wanted: asked.append(wanted) or True)
    async with script.client(host) as client:
        session = await begun(client)
        assert await session.turn_end(REPLY, usage=HIGH, notify=True) is None
        assert (await heard(script.links[0]))["result"] == {"accepted": True}
        assert asked[0].tokens == 190_000
        status = await session.status()
        assert status.latch.state == "asked"


def refusing(wanted: RequestCompactionParams) -> bool:
    return False


def failing(wanted: RequestCompactionParams) -> bool:
    raise OSError


@pytest.mark.parametrize(("callback", "reason"), [(refusing, "refused"), (failing, "the host's callback failed")])
async def test_a_command_that_is_refused_is_reported(script: Scripted, callback: Any, reason: str) -> None:
    async with script.client(Host(on_request_compaction=callback)) as client:
        session = await begun(client)
        await session.turn_end(REPLY, usage=HIGH)
        assert (await said(script, "session_compact_failed"))["reason"] == reason


async def test_a_request_without_a_callback_is_refused(script: Scripted) -> None:
    async with script.client() as client:
        await begun(client)
        script.links[0].ask("requestCompaction", WANTED)
        assert (await heard(script.links[0]))["result"]["accepted"] is False
        script.links[0].ask("complete", COMPLETE)
        assert (await heard(script.links[0]))["error"]["code"] == -32601


async def test_declared_is_what_there_is_a_callback_for(script: Scripted) -> None:
    async def complete(wanted: CompleteParams) -> CompleteResult:
        return CompleteResult(f"{wanted.system}: {wanted.prompt}")

    async with script.client(Host(on_complete=complete, on_embed=lambda texts: [[1.0]] * len(texts))) as client:
        await begun(client)
        declared = script.last("initialize")["capabilities"]
        assert declared == {"requestCompaction": "whenIdle", "complete": True, "embed": True, "retrieve": False} | {
            "edits": True
        }
        script.links[0].ask("complete", COMPLETE)
        assert (await heard(script.links[0]))["result"] == {"text": "be brief: go"}
        script.links[0].ask("embed", {"sessionId": None, "texts": ["a", "b"]})
        assert (await heard(script.links[0]))["result"] == {"vectors": [[1.0], [1.0]]}


async def test_an_instruction_goes_to_the_callback_that_has_the_list(script: Scripted) -> None:
    def plain(wanted: CompleteParams) -> CompleteResult:
        return CompleteResult(wanted.prompt)

    def at_the_end(wanted: CompleteParams) -> CompleteResult:
        return CompleteResult(f"at the end: {wanted.instruction}")

    async with script.client(Host(on_complete=plain, on_complete_on_context=at_the_end)) as client:
        await begun(client)
        assert script.last("initialize")["capabilities"]["completeOnContext"] is True
        script.links[0].ask("complete", {**COMPLETE, "system": "", "prompt": "", "instruction": "sum up"})
        assert (await heard(script.links[0]))["result"] == {"text": "at the end: sum up"}
        script.links[0].ask("complete", COMPLETE)
        assert (await heard(script.links[0]))["result"] == {"text": "go"}


async def test_a_plain_function_runs_in_a_thread_and_a_coroutine_on_the_loop(script: Scripted) -> None:
    threads: list[str] = []

    def plain(wanted: CompleteParams) -> CompleteResult:
        threads.append(threading.current_thread().name)
        return CompleteResult("x")

    async def on_the_loop(texts: Any) -> list[list[float]]:
        threads.append(threading.current_thread().name)
        return []

    async with script.client(Host(on_complete=plain, on_embed=on_the_loop)) as client:
        await begun(client)
        script.links[0].ask("complete", COMPLETE)
        await heard(script.links[0])
        script.links[0].ask("embed", {"sessionId": None, "texts": []})
        await heard(script.links[0])
    here = threading.current_thread().name
    assert (threads[0] != here, threads[1] == here) == (True, True)


async def test_a_completion_that_fails_is_an_error_without_its_text(script: Scripted) -> None:
    def fails(wanted: CompleteParams) -> CompleteResult:
        raise ValueError("a secret")

    async with script.client(Host(on_complete=fails)) as client:
        await begun(client)
        script.links[0].ask("complete", COMPLETE)
        error = (await heard(script.links[0]))["error"]
        assert error["code"] == -32803
        assert "secret" not in error["message"]


async def test_a_completion_that_is_taken_back_is_cancelled(script: Scripted) -> None:
    begun_at, ended = asyncio.Event(), asyncio.Event()

    async def waits(wanted: CompleteParams) -> CompleteResult:
        begun_at.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    async with script.client(Host(on_complete=waits)) as client:
        await begun(client)
        link = script.links[0]
        link.ask("complete", COMPLETE, "q7")
        await begun_at.wait()
        link.say({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "q7"}})
        assert (await heard(link))["error"]["code"] == -32800
        assert ended.is_set()


async def test_the_events_reach_the_session(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        compacted = await session.session_compact("The bug is fixed.", time_ms=5)
        assert compacted.status.summaries.compaction == 1
        failed = await session.session_compact_failed("no model")
        assert failed is not None
        moved = await session.session_tree({"newLeafId": None})
        assert moved is not None
        prepared = {"firstKeptEntryId": "e1", "messagesToSummarize": []}
        left = await session.before_compact({"preparation": prepared, "deadlineMs": 1_000})
        assert left.compaction is None
        assert await session.before_tree({"preparation": {"entriesToSummarize": []}}) is not None
        assert client.trouble is None


async def test_an_event_that_can_not_be_read_is_trouble_and_nothing_else(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        assert await session.turn_end({"role": object()}) is None
        assert await session.turn_end(REPLY, usage={"input": -1}) is None
        assert await session.turn_end(REPLY, usage={"input": object()}) is None
        assert client.trouble.kind == "error"
        assert await session.turn_end(REPLY) is not None
        assert client.trouble is None


async def test_telemetry_is_asked_for_and_heard_where_there_is_a_callback(script: Scripted) -> None:
    heard: list[TelemetryEvent] = []
    async with script.client(Host(on_telemetry=heard.append)) as client:
        session = await begun(client)
        assert await session.context([user("Hello?")])
        await script.until(lambda: bool(heard))
    assert script.last("initialize")["capabilities"]["telemetry"] is True
    assert heard[0].name == "ctxmgr.list"
    assert heard[0].attributes["gen_ai.conversation.id"] == "s"


async def test_a_callback_of_telemetry_that_raises_costs_no_list(script: Scripted) -> None:
    heard: list[str] = []

    def broken(event: TelemetryEvent) -> None:
        heard.append(event.name)
        raise ZeroDivisionError("the program's own")

    async with script.client(Host(on_telemetry=broken)) as client:
        session = await begun(client)
        for _ in range(2):
            assert (await session.context([user("Hello?")])) is not None
        await script.until(lambda: len(heard) == 2)
        assert client.trouble is None


BETWEEN_LISTS: list[Callable[[AsyncClientSession], Awaitable[object]]] = [
    lambda session: session.session_compact("The bug is fixed."),
    lambda session: session.session_tree({"newLeafId": None}),
    lambda session: session.turn_end({"content": object()}),  # no JSON: nothing is told
]


async def test_after_a_compaction_a_move_and_a_fault_the_list_travels_whole(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        for number, change in enumerate(BETWEEN_LISTS):
            await session.context([user(1)])
            await change(session)
            await session.context([user(1), user(2)])
            assert not any("append" in params for _, name, params in script.asked if name == "context"), number
