"""How a call ends: by its deadline, by being cancelled, with the endpoint; and what becomes of connections."""

import asyncio
import sys
from collections.abc import Callable

import httpx
import pytest

from ctxmgr.devices.endpoint import Chat
from ctxmgr.devices.endpoint import client as endpoint_client
from ctxmgr.devices.endpoint.apis import Answer
from ctxmgr.extras import needs
from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.model.policy import Endpoint
from tests.model_server import Gate, ModelServer, Reply, Request
from tests.unit.devices.endpoint.calls import APIS, ASK, Calls


def pass_by(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """The loop's clock, and no other, goes forward."""
    loop = asyncio.get_running_loop()
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + seconds)


def heard(monkeypatch: pytest.MonkeyPatch, what: Callable[[Answer], bool]) -> asyncio.Event:
    """Set when this has come of an answer."""
    event, take = asyncio.Event(), Answer.take

    def taking(answer: Answer, piece: object) -> bool:
        more = take(answer, piece)
        if what(answer):
            event.set()
        return more

    monkeypatch.setattr(Answer, "take", taking)
    return event


HELD = [pytest.param(None, id="before the answer"), pytest.param(1, id="in the middle")]


async def held(server: ModelServer, begun: asyncio.Event, hold_after: int | None) -> None:
    """Until the answer is held back, and what went before has been heard."""
    await server.until(lambda it: it.in_flight == 1)
    if hold_after is not None:
        await begun.wait()


@pytest.mark.parametrize("hold_after", HELD)
async def test_a_deadline_ends_the_call_and_closes_the_connection(
    hold_after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = heard(monkeypatch, lambda answer: answer._length > 0)
    reply = Reply("one two", hold=Gate(), hold_after=hold_after)
    async with ModelServer([reply]) as server, Calls(server.url, timeout_ms=9_000) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await held(server, begun, hold_after)
        pass_by(monkeypatch, 9)
        assert (await under_way).fault == "timed out after 9000 ms"
        await server.until(lambda it: it.requests[0].cancelled)


async def test_the_deadline_holds_for_pauses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def pause(_: float) -> None:
        pass_by(monkeypatch, 9)
        await asyncio.Event().wait()

    async with ModelServer([Reply(status=500)]) as server:
        chat = Chat(Endpoint(base_url=server.url, model="m", timeout_ms=9_000), {}, pause)
        assert (await chat.complete(ASK)).fault == "timed out after 9000 ms"
        await chat.close()


async def test_an_answer_with_its_reason_is_whole_though_its_end_never_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = heard(monkeypatch, lambda answer: answer.ended)
    reply = Reply("all", way="stays-open", hold=Gate())
    async with ModelServer([reply]) as server, Calls(server.url, timeout_ms=9_000) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await ended.wait()
        pass_by(monkeypatch, 9)
        done = await under_way
        assert (done.text, done.stop) == ("all", "stop")


@pytest.mark.parametrize("hold_after", HELD)
async def test_cancelling_closes_the_connection_at_once(
    hold_after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = heard(monkeypatch, lambda answer: answer._length > 0)
    reply = Reply("one two", hold=Gate(), hold_after=hold_after)
    async with ModelServer([reply, Reply("next")]) as server, Calls(server.url) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await held(server, begun, hold_after)
        under_way.cancel()
        with pytest.raises(asyncio.CancelledError):
            await under_way
        await server.until(lambda it: it.requests[0].cancelled)
        assert (await calls.complete()).text == "next"


async def test_closing_ends_the_call_under_way_and_refuses_later_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = heard(monkeypatch, lambda answer: answer._length > 0)
    reply = Reply("one two", hold=Gate(), hold_after=1)
    async with ModelServer([reply]) as server, Calls(server.url) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await held(server, begun, 1)
        await calls.chat.close()
        assert (await under_way).fault == "the endpoint is closed"
        assert (await calls.complete()).fault == "the endpoint is closed"
        await server.until(lambda it: it.in_flight == 0)
        assert len(server.requests) == 1


async def test_calls_side_by_side_do_not_mix() -> None:
    def reply(request: Request) -> Reply:
        return Reply(f"answer to {request.prompt}", chunks=9)

    async with ModelServer(reply) as server, Calls(server.url) as calls:
        asks = [CompletionRequest("slice", "", f"slice {number}", 100) for number in range(8)]
        done = await asyncio.gather(*(calls.complete(ask) for ask in asks))
    assert [one.text for one in done] == [f"answer to slice {number}" for number in range(8)]


@pytest.mark.parametrize("api", APIS)
async def test_a_connection_is_used_again(api: str) -> None:
    async with ModelServer([Reply(), Reply(), Reply()]) as server, Calls(server.url, api=api) as calls:
        for _ in range(3):
            await calls.complete()
    assert {request.connection for request in server.requests} == {0}


@pytest.mark.parametrize("api", APIS)
async def test_a_connection_that_stays_open_after_the_end_mark_is_let_go(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_client, "DRAIN_SECONDS", 0)
    reply = Reply("all", way="lingers", hold=Gate())
    async with ModelServer([reply]) as server, Calls(server.url, api=api) as calls:
        assert (await calls.complete()).text == "all"
        await server.until(lambda it: it.requests[0].cancelled)


async def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.delitem(sys.modules, "ctxmgr.devices.endpoint.client")
    async with Calls("http://127.0.0.1:1/v1") as calls:
        fault = f"the endpoint {needs('endpoint')}"
        assert await calls.complete() == Completion(stop="error", fault=fault, settled=True)


async def test_the_package_is_not_imported_before_the_first_call() -> None:
    code = (
        "import sys; from ctxmgr.devices.endpoint import Chat; from ctxmgr.model.policy import Endpoint; "
        "Chat(Endpoint(base_url='http://127.0.0.1:1/v1', model='m'), {}); "
        "print({'httpx', 'httpcore', 'anyio'} & set(sys.modules))"
    )
    done = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    assert (await done.communicate())[0].strip() == b"set()"


async def test_nothing_is_logged() -> None:
    """In a process of its own, which would show it."""
    code = (
        "import asyncio, logging; "
        "from tests.model_server import Reply; from tests.unit.devices.endpoint.calls import completed; "
        "logging.basicConfig(level=logging.INFO); "
        "print(asyncio.run(completed(Reply('fine'), Reply(status=500))).text)"
    )
    pipe = asyncio.subprocess.PIPE
    done = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=pipe, stderr=pipe)
    out, err = await done.communicate()
    assert (out.strip(), err) == (b"fine", b"")


def test_what_several_addresses_gave_is_looked_at() -> None:
    several = OSError("All connection attempts failed")
    several.__cause__ = ExceptionGroup("", [ConnectionRefusedError(), ConnectionRefusedError()])
    fault = httpx.ConnectError("")
    fault.__cause__ = several
    assert str(endpoint_client._connection(fault)) == "the connection was refused"
