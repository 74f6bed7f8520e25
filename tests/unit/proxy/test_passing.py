"""All that is no list of messages passes as it came, both ways: lines, headers, bodies, their pieces, and their
end."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.proxy import hearing
from tests.unit.proxy import raw
from tests.unit.proxy.lists import SESSION, conversation, request
from tests.unit.proxy.provider import answers, sse, turn

CLOSE = ("Connection", "close")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def scripted(answer: bytes, heads: list[bytes], bodies: list[bytes] | None = None) -> Any:
    """A provider that answers these very bytes to each request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            heads.append(await raw.head_of(reader))
            length = {name.lower(): value for name, value in raw.fields_of(heads[-1])}.get("content-length")
            body = await reader.readexactly(int(length or 0))
            if bodies is not None:
                bodies.append(body)
            writer.write(answer)

    return raw.listener(serve)


async def test_a_requests_line_and_headers_pass_in_their_order_as_they_were_spelled(rig: Any) -> None:
    heads: list[bytes] = []
    given = [
        ("x-Api-Key", "sk-1"),
        ("anthropic-beta", "one,two"),
        ("X-Twice", "1"),
        ("User-Agent", "prog/1 (x)"),
        ("x-twice", "2"),
        ("X-Name", "café"),
    ]
    line = "GET /v1/models?a=1&&b=%2F+x&c=%C3%A9 HTTP/1.1"
    async with scripted(OK, heads) as before:
        made = await rig(before=before)
        await raw.exchanged(made.proxy.url, raw.head(line.removesuffix(" HTTP/1.1"), *given, CLOSE))
    assert heads[0].split(b"\r\n")[0].decode() == line
    host, *rest = raw.fields_of(heads[0])
    assert host == ("Host", before.removeprefix("http://"))
    assert rest == [("X-Twice" if name == "x-twice" else name, value) for name, value in given]


async def test_an_answers_status_reason_and_headers_pass_in_their_order_as_they_were_spelled(rig: Any) -> None:
    fields = [
        ("request-id", "r-1"),
        ("Retry-After", "7"),
        ("Set-Cookie", "a=1"),
        ("x-Odd", "é"),
        ("set-cookie", "b=2"),
        ("Content-Length", "2"),
    ]
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    async with scripted(f"HTTP/1.1 299 Odd Reason\r\n{lines}\r\nok".encode(), []) as before:
        made = await rig(before=before)
        came = await raw.exchanged(made.proxy.url, raw.head("GET /v1/models", CLOSE))
    assert came.startswith(b"HTTP/1.1 299 Odd Reason\r\n")
    assert raw.fields_of(came) == [*fields, CLOSE]
    assert came.endswith(b"\r\n\r\nok")


async def test_what_a_user_keeps_for_other_programs_is_never_sent(
    rig: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password of-another\n")
    monkeypatch.setenv("NETRC", str(netrc))
    made = await rig()
    await made.post(request(conversation(0)), headers={"x-api-key": "sk-1"})
    assert "authorization" not in {name.lower() for name, _ in made.upstream.asked[0].headers}


async def test_a_provider_behind_the_machines_http_proxy_is_reached_through_it(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: list[bytes] = []
    async with scripted(OK, heads) as between:
        monkeypatch.setenv("http_proxy", between)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        made = await rig(before="http://provider.test:81")
        await raw.exchanged(made.proxy.url, raw.head("GET /v1/models", CLOSE))
    assert heads[0].startswith(b"GET http://provider.test:81/v1/models HTTP/1.1\r\n")


async def test_any_method_and_path_pass(rig: Any) -> None:
    made = await rig()
    path = "/backend-api/x/" + "y" * 30_000 + "?q=1"
    for method in ("GET", "DELETE", "PUT", "PATCH", "OPTIONS"):
        async with made.session.request(method, made.proxy.url + path, data=b"\0\xff") as response:
            assert response.status == 200
        asked = made.upstream.asked[-1]
        assert (asked.method, asked.raw_path, asked.body) == (method, path, b"\0\xff")


async def test_an_answer_to_head_has_its_headers_and_no_body(rig: Any) -> None:
    async with scripted(b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", []) as before:
        made = await rig(before=before)
        came = await raw.exchanged(made.proxy.url, raw.head("HEAD /v1/models", CLOSE))
    assert raw.fields_of(came)[0] == ("Content-Length", "1234")
    assert came.endswith(b"\r\n\r\n")


async def test_an_answer_without_a_body_has_none(rig: Any) -> None:
    for status in ("204 No Content", "304 Not Modified"):
        async with scripted(f"HTTP/1.1 {status}\r\nETag: x\r\n\r\n".encode(), []) as before:
            made = await rig(before=before)
            came = await raw.exchanged(made.proxy.url, raw.head("GET /v1/models", CLOSE))
        assert came == f"HTTP/1.1 {status}\r\nETag: x\r\nConnection: close\r\n\r\n".encode()


async def test_a_redirect_is_the_programs_to_follow(rig: Any) -> None:
    heads: list[bytes] = []
    moved = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
    async with scripted(moved, heads) as before:
        made = await rig(before=before)
        came = await raw.exchanged(made.proxy.url, raw.head("GET /v1/models", CLOSE))
    assert came.startswith(b"HTTP/1.1 307 ")
    assert ("Location", "/other") in raw.fields_of(came)
    assert len(heads) == 1


async def test_an_error_passes_as_it_came(rig: Any) -> None:
    made = await rig()
    body = json.dumps({"type": "error", "error": {"type": "x_error", "message": "it is so"}}).encode()
    for count, status in enumerate((400, 401, 403, 404, 429, 500, 503, 529), 1):
        made.upstream.answer = answers(body, status, {"Content-Type": "application/json", "retry-after": "1"})
        response, came = await made.post(request(conversation(2)), headers=SESSION)
        assert (response.status, came, response.headers["retry-after"]) == (status, body, "1")
        assert len(made.upstream.asked) == count


async def test_an_events_bytes_pass_before_the_next_event_is_there(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hearing, "HELD_SECONDS", 0.0)  # what has no content is held so long
    pieces = [b"event: a\ndata: {}", b"\n\nevent: b\n", b"data: {}\n\n"]
    passed = [asyncio.Event() for _ in pieces]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        for piece, gone_on in zip(pieces, passed, strict=True):
            writer.write(piece)
            await gone_on.wait()

    async with raw.listener(serve) as before:
        made = await rig(before=before)
        async with made.session.post(made.proxy.url + "/v1/messages", data=request(conversation(0))) as response:
            for piece, gone_on in zip(pieces, passed, strict=True):
                assert await response.content.readany() == piece
                gone_on.set()
            assert await response.content.readany() == b""


@pytest.mark.parametrize("way", ["length", "chunked"])
async def test_an_answer_that_the_provider_cuts_is_cut_for_the_program(rig: Any, way: str) -> None:
    said = turn()[:60]
    head, body = {
        "length": (b"Content-Length: 10000", said),
        "chunked": (b"Transfer-Encoding: chunked", b"%x\r\n%b\r\n" % (len(said), said)),
    }[way]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + head + b"\r\n\r\n" + body)

    async with raw.listener(serve) as before:
        made = await rig(before=before)
        reader, writer = await raw.connect(made.proxy.url)
        asked = request(conversation(0))
        writer.write(raw.head("POST /v1/messages", ("Content-Length", str(len(asked)))) + asked)
        came = b""
        try:
            while piece := await reader.read(1 << 16):
                came += piece
        except ConnectionResetError:
            pass
        writer.close()
    assert said in came
    assert not came.endswith(b"0\r\n\r\n")
    assert made.proxy.rewriter.account.uncounted_calls == 1


async def test_a_connection_that_the_provider_breaks_before_it_answers_is_broken_for_the_program(rig: Any) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head_of(reader)

    async with raw.listener(serve) as before:
        made = await rig(before=before)
        try:
            came = await raw.exchanged(made.proxy.url, raw.head("GET /v1/models"))
        except ConnectionResetError:
            came = b""
    assert came == b""


async def test_a_provider_that_can_not_be_reached_is_told_in_the_programs_words(rig: Any) -> None:
    async with scripted(OK, []) as before:
        pass
    made = await rig(before=before)
    response, came = await made.post(request(conversation(0)), headers=SESSION)
    assert response.status == 502
    told = json.loads(came)
    assert (told["type"], told["error"]["type"]) == ("error", "api_error")
    assert "127.0.0.1 cannot be reached" in told["error"]["message"]


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
async def test_who_waits_for_100_continue_gets_it_and_the_provider_is_not_asked(rig: Any, path: str) -> None:
    heads: list[bytes] = []
    bodies: list[bytes] = []
    async with scripted(OK, heads, bodies) as before:
        made = await rig(before=before)
        reader, writer = await raw.connect(made.proxy.url)
        writer.write(raw.head(f"POST {path}", ("Expect", "100-continue"), ("Content-Length", "2")))
        assert await raw.head_of(reader) == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"{}")
        assert (await raw.head_of(reader)).startswith(b"HTTP/1.1 200 OK\r\n")
        writer.close()
    assert b"xpect" not in heads[0]
    assert bodies == [b"{}"]


async def test_a_connection_serves_one_request_after_another_on_both_sides(rig: Any) -> None:
    connections = 0
    answered = 3

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        for _ in range(answered):
            await raw.head_of(reader)
            writer.write(OK)
        await reader.read()

    async with raw.listener(serve) as before:
        made = await rig(before=before)
        reader, writer = await raw.connect(made.proxy.url)
        for _ in range(answered):
            writer.write(raw.head("GET /v1/models"))
            await raw.head_of(reader)
            assert await reader.readexactly(2) == b"ok"
        writer.close()
    assert connections == 1


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
@pytest.mark.parametrize("begun", [False, True], ids=["before the first byte", "amid the answer"])
async def test_a_program_that_goes_away_takes_its_request_with_it(
    rig: Any, monkeypatch: pytest.MonkeyPatch, path: str, begun: bool
) -> None:
    monkeypatch.setattr(hearing, "HELD_SECONDS", 0.0)  # what has no content is held so long
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head_of(reader)
        if begun:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + sse({"type": "ping"}))
        arrived.set()
        await reader.read()
        gone.set()

    async with raw.listener(serve) as before:
        made = await rig(before=before)
        reader, writer = await raw.connect(made.proxy.url)
        asked = request(conversation(0))
        writer.write(raw.head(f"POST {path}", ("Content-Length", str(len(asked)))) + asked)
        await arrived.wait()
        if begun:
            await raw.head_of(reader)
        writer.close()
        async with asyncio.timeout(10):
            await gone.wait()


async def test_a_websocket_is_answered_426_and_the_connection_goes_on_with_http(rig: Any) -> None:
    made = await rig()
    upgrade = (("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Key", "x"))
    reader, writer = await raw.connect(made.proxy.url)
    writer.write(raw.head("GET /v1/responses", *upgrade, ("openai-beta", "responses_websockets=2026-02-06")))
    told = await raw.head_of(reader)
    assert told.startswith(b"HTTP/1.1 426 Upgrade Required\r\n")
    writer.close()
    assert made.upstream.asked == []
    await made.session.get(made.proxy.url + "/v1/responses")
    assert len(made.upstream.asked) == 1
