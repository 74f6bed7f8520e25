"""Who begins a request and does not go on holds nothing, and what is large or unpacks without end stops nobody."""

import asyncio
import gzip
import io
import json
import random
import socket
import struct
import threading
import zlib
from collections.abc import Callable
from typing import Any

import brotli
import pytest

from ctxmgr.model.api import given
from ctxmgr.proxy import body, passing
from ctxmgr.proxy.apis import provider_api
from tests.unit.proxy import raw
from tests.unit.proxy.lists import SESSION, conversation, marked, request, step

SOON = 0.05  # seconds; what is waited for is the end of the connection
MEGABYTE = 1 << 20
LISTS = ["/v1/messages", "/v1/files"]  # read, and passed as it comes


async def ended(reader: asyncio.StreamReader) -> bytes:
    """All that came until the connection ended, however it did."""
    came = b""
    try:
        while piece := await reader.read(MEGABYTE):
            came += piece
    except ConnectionResetError:
        pass
    return came


async def test_half_a_head_is_given_up(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "HEAD_SECONDS", SOON)
    made = await rig()
    reader, writer = await raw.connect(made.proxy.url)
    writer.write(b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-")
    assert await ended(reader) == b""
    writer.close()


async def test_half_a_head_after_a_request_is_given_up(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "HEAD_SECONDS", SOON)
    made = await rig()
    reader, writer = await raw.connect(made.proxy.url)
    writer.write(raw.head("GET /healthz"))
    await raw.head_of(reader)
    writer.write(b"GET /v1/mod")
    told = await ended(reader)
    assert reader.at_eof()
    assert b"HTTP/1.1" not in told
    writer.close()


async def test_a_connection_on_which_nothing_is_asked_is_closed(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "IDLE_SECONDS", SOON)
    made = await rig()
    reader, writer = await raw.connect(made.proxy.url)
    assert await ended(reader) == b""
    writer.close()


async def test_who_waits_for_an_answer_is_not_given_up(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider answers once the half head of another connection was given up."""
    monkeypatch.setattr(passing, "HEAD_SECONDS", SOON)
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head_of(reader)
        await gone.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    async with raw.listener(serve) as before:
        made = await rig(before=before)
        waiting = asyncio.create_task(
            raw.exchanged(made.proxy.url, raw.head("GET /v1/models", ("Connection", "close")))
        )
        reader, writer = await raw.connect(made.proxy.url)
        writer.write(b"GET /v1/mod")
        await ended(reader)
        writer.close()
        gone.set()
        assert (await waiting).endswith(b"ok")


@pytest.mark.parametrize("path", LISTS)
async def test_half_a_body_is_given_up(rig: Any, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(passing, "BODY_SECONDS", SOON)
    made = await rig()
    reader, writer = await raw.connect(made.proxy.url)
    writer.write(raw.head(f"POST {path}", ("Content-Length", "1000")) + b'{"messages":')
    assert await ended(reader) == b""
    writer.close()
    assert made.upstream.asked == []


# a provider that resets


def reset(writer: asyncio.StreamWriter) -> None:
    """Ends the connection so that the other side gets an error, and not an end."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.mark.parametrize(("path", "size"), [(LISTS[0], 8 * MEGABYTE), (LISTS[1], 100)])
async def test_a_providers_reset_is_a_reset_for_the_program(rig: Any, path: str, size: int) -> None:
    """Before it answers, be it while the request still goes out."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head_of(reader)
        reset(writer)

    async with raw.listener(serve) as before:
        made = await rig(before=before)
        asked = request([{"role": "user", "content": "x" * size}])
        reader, writer = await raw.connect(made.proxy.url)
        writer.write(raw.head(f"POST {path}", ("Content-Length", str(len(asked))), *SESSION.items()) + asked)
        assert await ended(reader) == b""
        writer.close()


# what unpacks without end


def _zstd(content: bytes) -> bytes:
    from backports import zstd

    return zstd.compress(content)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": _zstd,
}


async def test_a_body_that_unpacks_without_end_is_refused(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "FREE_BYTES", MEGABYTE)
    made = await rig()
    asked = request([{"role": "user", "content": "x" * (3 * MEGABYTE)}])
    response, told = await made.post(gzip.compress(asked), headers={"Content-Encoding": "gzip", **SESSION})
    assert (response.status, made.upstream.asked) == (413, [])
    assert json.loads(told)["error"]["message"] == (
        "ctxmgr: the body was not forwarded: its gzip data decompresses to more than 16 times its size"
    )


def test_nothing_unpacks_to_more_than_the_largest_body(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "LARGEST_BYTES", 1_000)
    with pytest.raises(body.Bomb):
        body.decoded(gzip.compress(random.Random(1).randbytes(1_001)), "gzip")


def test_what_a_provider_may_take_is_not_refused_however_well_it_is_packed() -> None:
    """And past that it may unpack to sixteen times what came: program text comes to a fifth, base64 to three
    quarters."""
    packed = gzip.compress(b"x" * body.FREE_BYTES)
    assert len(packed) < body.FREE_BYTES // 500
    assert len(body.decoded(packed, "gzip")) == body.FREE_BYTES
    with pytest.raises(body.Bomb):
        body.decoded(gzip.compress(b"x" * (body.FREE_BYTES + 1)), "gzip")


@pytest.mark.parametrize("encoding", PACKED)
def test_past_that_sixteen_times_what_came_is_the_most(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setattr(body, "FREE_BYTES", 1)
    some = random.Random(1).randbytes(10_000)
    assert body.decoded(PACKED[encoding](some + b"x" * 130_000), encoding) == some + b"x" * 130_000
    with pytest.raises(body.Bomb):
        body.decoded(PACKED[encoding](some + b"x" * 200_000), encoding)


def test_what_comes_in_pieces_is_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "FREE_BYTES", 1_000)
    decoder = body.Decoder("gzip")
    packed = gzip.compress(b"x" * 10_000)
    made = b"".join(decoder.feed(packed[at : at + 8]) for at in range(0, len(packed), 8))
    assert decoder.is_bomb
    assert len(made) <= 1_000


# what is large


READERS = ((body, "_members"), (body, "_elements"), (provider_api, "_decode"), (given, "_any"))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool]]:
    """Of what is parsed the bytes, and whether it was on the loop."""
    main, sizes = threading.get_ident(), list[tuple[int, bool]]()

    def watched(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def reading(content: Any) -> Any:
            sizes.append((len(content), threading.get_ident() == main))
            return read(content)

        return reading

    for module, name in READERS:
        monkeypatch.setattr(module, name, watched(getattr(module, name)))
    return sizes


async def test_the_loop_reads_nothing_large(rig: Any, parsed: list[tuple[int, bool]]) -> None:
    """A call is read in a thread, with what the steps after it ask of its messages."""
    made, said = await rig(), conversation(2)
    for text in ("x" * (2 * body.LARGE_BYTES), "y" * (2 * body.LARGE_BYTES)):
        said = [*said, {"role": "user", "content": [{"type": "text", "text": text}]}]
        await made.post(io.BytesIO(request(said)), headers=SESSION)
        said = [*said, {"role": "assistant", "content": "Seen."}]
    assert 0 < max(size for size, on_loop in parsed if on_loop) < body.LARGE_BYTES


async def test_of_a_list_that_goes_on_what_is_new_is_parsed(rig: Any, parsed: list[tuple[int, bool]]) -> None:
    made, said = await rig(window=1_000_000), conversation(150, lines=200)
    for number in (150, 151, 152):
        said = [*said, *step(number)]
        parsed.clear()
        await made.post(io.BytesIO(request(marked(said))), headers=SESSION)
    new = len(request(step(150)))
    assert new < sum(size for size, _ in parsed) < 20 * new < len(request(said)) / 2


def test_of_lists_that_were_read_no_more_is_held_than_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "MOST_HELD_BYTES", 250)
    lists = body.RecentLists()
    for letter in "abc":
        said = [{"role": "user", "content": letter * 30}, {"role": "assistant", "content": letter * 30}]
        assert lists.read(request(said), "messages") is not None
    assert [one.messages[0][-10:-3] for _, one in lists._lists] == [b"b" * 7, b"c" * 7]
    assert lists.read(request([{"role": "user", "content": "d" * 300}]), "messages") is not None
    assert lists._lists == []


def test_a_message_that_is_read_as_itself_does_not_hold_itself() -> None:
    read, raw = [], body.Message(b'{"role":"user"}')

    @body.read_once
    def same(given: bytes) -> bytes:
        read.append(given)
        return given

    assert [same(raw) is raw, same(raw) is raw, len(read)] == [True, True, 1]
    assert not any(value is raw for value in vars(raw).values())


def test_where_a_name_stands_twice_it_is_not_looked_for_without_end() -> None:
    lists = b",".join([b"[]"] * 50_000)
    with pytest.raises(body.UnreadableBody):
        body.list_body(b'{"system":[%b],"messages":[],"messages":[]}' % lists, "messages")
