"""The scripted model server as Anthropic's API: what it sends, and what it refuses."""

import json
from typing import Any

import pytest

from tests.model_server import ModelServer, Reply
from tests.unit.devices.test_model_server import connected, received


def asking_messages(**more: Any) -> bytes:
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}], **more}
    content = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
    head = "POST /v1/messages HTTP/1.1\r\nanthropic-version: 2023-06-01\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def test_anthropics_messages_are_answered_by_their_path() -> None:
    async with ModelServer([Reply("one two", chunks=2, usage=(5, 3))] * 2) as server:
        reader, writer = await connected(server)
        writer.write(asking_messages(stream=True, system="be brief"))
        stream = (await received(reader))[1]
        writer.write(asking_messages())
        whole = json.loads((await received(reader))[1])
        writer.close()
    assert (server.requests[0].system, server.requests[0].prompt) == ("be brief", "hello")
    sent = [json.loads(one.partition(b"data: ")[2]) for one in stream.split(b"\n\n") if one]
    assert [one["type"] for one in sent] == [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert sent[0]["message"]["usage"]["input_tokens"] == whole["usage"]["input_tokens"] == 5
    assert sent[-2]["delta"]["stop_reason"] == whole["stop_reason"] == "end_turn"
    assert whole["content"] == [{"type": "text", "text": "one two"}]


# what Anthropic's API refuses
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"max_tokens": None}, "max_tokens"),
    ({"stream_options": {"include_usage": True}}, "stream_options"),
    ({"system": ""}, "system"),
    ({"messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "a"}]}, "messages"),
]


@pytest.mark.parametrize(("more", "named"), REFUSED, ids=[row[1] for row in REFUSED])
async def test_what_anthropics_api_would_refuse_is_a_fault_of_the_test(more: dict[str, Any], named: str) -> None:
    async with ModelServer([Reply()]) as server:
        reader, writer = await connected(server)
        writer.write(asking_messages(**more))
        assert b"500" in (await received(reader))[0]
        writer.close()
        (fault,) = server.faults
        server.faults.clear()
    assert named in fault
