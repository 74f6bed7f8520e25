"""The scripted model server, by a client that knows bare sockets alone: it must be bad in the ways it says."""

import asyncio
import http.client
import json
from typing import Any

import pytest

from tests.model_server import Gate, ModelServer, Reply, Request, Way

Received = tuple[bytes, bytes, bool]  # head, what followed, whether the server ended the connection


def asking(prompt: str = "hello", path: str = "/v1/chat/completions", **more: Any) -> bytes:
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": prompt}]
    content = json.dumps({"model": "m", "messages": messages, **more}).encode()
    return b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (path.encode(), len(content), content)


STREAM: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}


async def connected(server: ModelServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", server.port)


async def received(reader: asyncio.StreamReader) -> Received:
    """One whole answer, or as much as there is before the server ends the connection."""
    head = b""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"chunked" not in head:
            length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
            return head, await reader.readexactly(length), False
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        return head, b"" if not head else b"cut", True
    return head, body, False


async def in_flight(server: ModelServer, count: int) -> None:
    await server.until(lambda it: it.in_flight == count)


async def answered(reply: Reply, **more: Any) -> Received:
    async with ModelServer([reply]) as server:
        reader, writer = await connected(server)
        writer.write(asking(**more))
        try:
            return await received(reader)
        finally:
            writer.close()


def events(body: bytes) -> list[Any]:
    parts = [part.removeprefix(b"data: ") for part in body.split(b"\n\n") if part]
    return [part if part == b"[DONE]" else json.loads(part) for part in parts]


def text_of(body: bytes) -> str:
    chunks = [event for event in events(body) if event != b"[DONE]" and event["choices"]]
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)


async def test_a_stream_has_the_pieces_the_reason_the_usage_and_the_end_mark() -> None:
    head, body, ended = await answered(Reply("one two three", chunks=4, usage=(5, 3)), **STREAM)
    assert b"200" in head.split(b"\r\n")[0]
    assert b"text/event-stream" in head
    *pieces, finish, usage, done = events(body)
    assert text_of(body) == "one two three"
    assert len(pieces) == 1 + 4
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert usage["usage"] == {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
    assert done == b"[DONE]"
    assert not ended


async def test_usage_comes_only_where_it_is_asked_for() -> None:
    _, body, _ = await answered(Reply(), stream=True)
    assert all(event == b"[DONE]" or "usage" not in event for event in events(body))


async def test_an_answer_that_is_no_stream() -> None:
    _, body, _ = await answered(Reply("all of it", stop="length", usage=(5, 3)))
    answer = json.loads(body)
    assert answer["choices"][0]["message"]["content"] == "all of it"
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["usage"]["completion_tokens"] == 3


async def test_a_tool_call_has_its_call() -> None:
    _, body, _ = await answered(Reply("", stop="tool"), **STREAM)
    last = next(one["choices"][0] for one in events(body) if one["choices"][0]["finish_reason"])
    assert last["finish_reason"] == "tool_calls"
    assert last["delta"]["tool_calls"][0]["function"]["name"] == "read"


async def test_an_error_has_its_status_headers_and_code() -> None:
    reply = Reply("slow down", status=429, headers={"Retry-After": "0"}, code="rate", param="p")
    head, body, _ = await answered(reply, **STREAM)
    assert b"HTTP/1.1 429" in head
    assert b"Retry-After: 0" in head
    assert json.loads(body)["error"] == {"message": "slow down", "type": "error", "param": "p", "code": "rate"}


async def test_another_path_is_not_found_and_uses_no_reply() -> None:
    async with ModelServer([Reply()]) as server:
        reader, writer = await connected(server)
        writer.write(asking(path="/v2/chat") + asking())
        assert b"404" in (await received(reader))[0]
        assert b"200" in (await received(reader))[0]
        writer.close()


# way, whether the connection ends before the answer's end, what the body holds, what it does not
BAD: list[tuple[Way, bool, bytes, bytes]] = [
    ("hangs-up", True, b"", b"data"),
    ("breaks-off", True, b"cut", b"[DONE]"),
    ("half-json", False, b'{"content": "one tw', b"[DONE]"),
    ("unfinished", False, b"[DONE]", b'"finish_reason": "stop"'),
    ("no-end-mark", False, b'"finish_reason": "stop"', b"[DONE]"),
    ("error-event", False, b'data: {"error"', b"[DONE]"),
    ("garbage", False, b"<html>", b"data"),
    ("garbled", False, b"{not json}", b"[DONE]"),
    ("other-json", False, b'["of"', b"choices"),
    ("one-piece", False, b'"message"', b"delta"),
    ("compressed", False, b"[DONE]", b"choices"),
]


@pytest.mark.parametrize(("way", "ends", "holds", "lacks"), BAD, ids=[row[0] for row in BAD])
async def test_a_bad_answer_is_bad_in_its_way(way: Way, ends: bool, holds: bytes, lacks: bytes) -> None:
    _, body, ended = await answered(Reply("one two three four", way=way), **STREAM)
    assert ended is ends
    assert holds in body
    assert lacks not in body


@pytest.mark.parametrize("way", ["endless", "endless-line"])
async def test_an_endless_answer_ends_when_the_client_goes_away(way: Way) -> None:
    async with ModelServer([Reply("x" * 100, way=way)]) as server:
        reader, writer = await connected(server)
        writer.write(asking(**STREAM))
        for _ in range(64):  # more than all the buffers between hold
            assert await reader.readexactly(1 << 16)
        assert server.in_flight == 1
        writer.close()
        await server.until(lambda it: it.requests[0].cancelled)
        assert server.in_flight == 0


async def test_an_answer_is_held_back_until_the_gate_opens() -> None:
    gate = Gate()
    async with ModelServer([Reply(hold=gate)]) as server:
        reader, writer = await connected(server)
        writer.write(asking(**STREAM))
        await server.until(lambda it: it.in_flight == 1)
        assert server.requests[0].ended == ""
        gate.open()
        assert text_of((await received(reader))[1]) == "ok"
        await server.until(lambda it: it.requests[0].ended == "answered")
        writer.close()


async def test_an_answer_is_held_back_in_the_middle() -> None:
    gate = Gate()
    async with ModelServer([Reply("abc", hold=gate, hold_after=1)]) as server:
        reader, writer = await connected(server)
        writer.write(asking(**STREAM))
        came = await reader.readuntil(b'{"content": "a"}')
        assert b'"b"' not in came
        gate.open()
        assert b'"b"' in await reader.readuntil(b"[DONE]")
        writer.close()


async def test_it_sees_a_client_go_away_while_it_holds_an_answer_back() -> None:
    async with ModelServer([Reply(hold=Gate())]) as server:
        _, writer = await connected(server)
        writer.write(asking())
        await server.until(lambda it: it.in_flight == 1)
        writer.transport.abort()
        await server.until(lambda it: it.requests[0].cancelled)


async def test_requests_are_recorded_with_how_many_were_in_flight() -> None:
    gate = Gate()
    async with ModelServer(lambda _: Reply(hold=gate)) as server:
        open_ones = [await connected(server) for _ in range(3)]
        for number, (_, writer) in enumerate(open_ones):
            writer.write(asking(f"number {number}"))
            await in_flight(server, number + 1)
        gate.open()
        for reader, writer in open_ones:
            await received(reader)
            writer.close()
        await server.until(lambda it: it.in_flight == 0)
    assert server.most_in_flight == 3
    assert [request.others for request in server.requests] == [0, 1, 2]
    assert [request.connection for request in server.requests] == [0, 1, 2]
    assert [request.prompt for request in server.requests] == ["number 0", "number 1", "number 2"]
    assert server.requests[0].system == "be brief"
    assert server.requests[0].headers["host"] == "x"


async def test_a_connection_takes_more_than_one_request() -> None:
    def reply(request: Request) -> Reply:
        return Reply(request.prompt.upper())

    async with ModelServer(reply) as server:
        reader, writer = await connected(server)
        writer.write(asking("one", **STREAM) + asking("two", **STREAM))
        assert text_of((await received(reader))[1]) == "ONE"
        assert text_of((await received(reader))[1]) == "TWO"
        writer.close()
    assert [request.connection for request in server.requests] == [0, 0]


async def unscripted(fault: Exception | None) -> None:
    async with ModelServer([]) as server:
        reader, writer = await connected(server)
        writer.write(asking())
        assert b"500" in (await received(reader))[0]
        writer.close()
        if fault is not None:
            raise fault


async def test_a_request_without_a_reply_is_a_fault_of_the_test() -> None:
    with pytest.raises(AssertionError, match="the script has 0 replies"):
        await unscripted(None)


async def test_a_fault_in_the_test_is_not_hidden_by_one_of_the_server() -> None:
    with pytest.raises(KeyError):
        await unscripted(KeyError())


def test_it_serves_a_test_without_a_loop() -> None:
    gate = Gate()
    with ModelServer.threaded([Reply("held", hold=gate), Reply("two")]) as server:
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        body = json.dumps({"model": "m", "messages": []})
        client.request("POST", "/v1/chat/completions", body)
        server.wait_until(lambda it: it.in_flight == 1)
        gate.open()
        assert json.loads(client.getresponse().read())["choices"][0]["message"]["content"] == "held"
        client.request("POST", "/v1/chat/completions", body)
        assert b"two" in client.getresponse().read()
        client.close()
    assert len(server.requests) == 2


def test_a_fault_in_the_thread_reaches_the_test() -> None:
    def fail() -> None:
        with ModelServer.threaded([]) as server:
            client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            client.request("POST", "/v1/chat/completions", "{}")
            assert client.getresponse().read()
            client.close()

    with pytest.raises(AssertionError, match="no reply to request 1"):
        fail()


async def test_every_wait_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.model_server.server.LIMIT_SECONDS", 0.01)
    server = ModelServer([Reply(hold=Gate())])

    async def wait_in_vain() -> None:
        async with server:
            reader, writer = await connected(server)
            writer.write(asking())
            assert (await received(reader))[2]
            writer.close()

    with pytest.raises(AssertionError, match="took longer"):
        await wait_in_vain()
