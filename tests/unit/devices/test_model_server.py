"""The scripted model server makes a test fail where it is asked what no server would answer."""

import asyncio
import json
from typing import Any

import pytest

from tests.model_server import ModelServer, Reply


async def status(server: ModelServer, path: str, body: dict[str, Any]) -> bytes:
    """The first line of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nanthropic-version: 2023-06-01\r\nContent-Length: {len(content)}\r\n\r\n"
    writer.write(head.encode() + content)
    line = await reader.readline()
    writer.close()
    return line


async def test_a_request_without_a_reply_is_a_fault_of_the_test() -> None:
    async def ask() -> None:
        async with ModelServer([]) as server:
            assert b"500" in await status(server, "/v1/chat/completions", {"model": "m", "messages": []})

    with pytest.raises(AssertionError, match="the script has 0 replies"):
        await ask()


# what Anthropic's API refuses, and the word for it
USER = {"role": "user", "content": "a"}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"messages": [USER]}, "max_tokens"),
    ({"max_tokens": 9, "messages": [USER], "stream_options": {"include_usage": True}}, "stream_options"),
    ({"max_tokens": 9, "messages": [USER], "system": ""}, "system"),
    ({"max_tokens": 9, "messages": [{"role": "system", "content": "be brief"}, USER]}, "messages"),
]


async def test_what_anthropics_api_would_refuse_is_a_fault_of_the_test() -> None:
    for body, word in REFUSED:
        async with ModelServer([Reply()]) as server:
            assert b"500" in await status(server, "/v1/messages", {"model": "m", **body})
            (fault,) = server.faults
            server.faults.clear()
        assert word in fault
