"""Speaks HTTP with sockets alone, so that a test sees each byte: what a library would tidy stays."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from tests.serving import closed_to_others

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connect(url: str) -> Streams:
    parts = urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port, limit=1 << 26)


def head(line: str, *fields: tuple[str, str], host: str = "127.0.0.1") -> bytes:
    """A request's head. `line`: method and target."""
    lines = [f"{line} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in fields)]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n"


async def exchanged(url: str, *pieces: bytes) -> bytes:
    """All that comes back, until the other side closes."""
    reader, writer = await connect(url)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        return await reader.read()
    finally:
        writer.close()


async def head_of(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


def fields_of(head: bytes) -> list[tuple[str, str]]:
    """Names and values as they were spelled, in order."""
    lines = head.partition(b"\r\n\r\n")[0].decode("utf-8", "surrogateescape").split("\r\n")[1:]
    return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listener(serve: Serve) -> AsyncIterator[str]:
    """A provider made of sockets; its address."""

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(served, "127.0.0.1", 0, limit=1 << 26)
    listening = server.sockets[0]
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        await closed_to_others(listening.fileno())
        server.close()
