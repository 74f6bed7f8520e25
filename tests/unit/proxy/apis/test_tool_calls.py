"""The tools that a model calls are read from its answer, in each API's shape, whole or in a stream."""

import json
from itertools import product
from typing import Any

import pytest

from ctxmgr.proxy.answers import UsageReader
from ctxmgr.proxy.apis import APIS, CalledTool, api_of
from tests.unit.proxy.provider import sse

ARGUMENTS = {"query": "owl", "limit": 3}
TEXT = json.dumps(ARGUMENTS)


def function(text: str, **more: Any) -> dict[str, Any]:
    return {"function": {"arguments": text, **more}, "index": 0}


ANTHROPIC = [
    {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "name": "search", "input": {}},
    },
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": TEXT[:9]}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": TEXT[9:]}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_stop"},
]
ITEM = {"type": "function_call", "name": "search", "arguments": TEXT}
RESPONSES = [
    {"type": "response.output_item.added", "item": {**ITEM, "arguments": ""}},
    {"type": "response.function_call_arguments.delta", "delta": TEXT},
    {"type": "response.output_item.done", "item": ITEM},
    {"type": "response.completed", "response": {"output": [ITEM], "usage": {"input_tokens": 1}}},
]
CHAT = [
    {"choices": [{"index": 0, "delta": {"tool_calls": [function(TEXT[:4], name="search")]}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [function(TEXT[4:])]}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
]
GEMINI = [{"candidates": [{"content": {"parts": [{"functionCall": {"name": "search", "args": ARGUMENTS}}]}}]}]
STREAMS = {"anthropic": ANTHROPIC, "responses": RESPONSES, "openai": CHAT, "gemini": GEMINI}
WHOLE = {
    "anthropic": {"content": [{"type": "text"}, {"type": "tool_use", "name": "search", "input": ARGUMENTS}]},
    "responses": {"object": "response", "output": [{"type": "message"}, ITEM]},
    "openai": {"choices": [{"message": {"tool_calls": [function(TEXT, name="search")]}}]},
    "gemini": GEMINI[0],
}
ODD: list[Any] = [
    {"type": "content_block_start", "index": [], "content_block": {"type": "tool_use"}},
    {"type": "content_block_delta", "index": {}, "delta": 3},
    {"type": "response.output_item.done", "item": [ITEM]},
    {"type": "response.output_item.done", "item": {**ITEM, "arguments": "{"}},
    {"type": [], "content": "text", "output": {}, "choices": [None, {"delta": []}], "candidates": [{"content": 1}]},
    {"choices": [{"message": {"tool_calls": [{"function": {"name": 3, "arguments": "{}"}}]}}]},
]


def told(api: str, events: list[Any], content_type: str) -> list[CalledTool]:
    found: list[CalledTool] = []
    reader = UsageReader(APIS[api], content_type, "", found.append)
    for event in events:
        raw = json.dumps(event).encode()
        reader.feed(b"data: " + raw + b"\n\n" if "stream" in content_type else raw)
    reader.end()
    return found


def test_of_a_stream() -> None:
    for api in STREAMS:
        assert told(api, STREAMS[api], "text/event-stream") == [CalledTool("search", ARGUMENTS)], api


def test_of_a_whole_answer() -> None:
    for api in WHOLE:
        assert told(api, [WHOLE[api]], "application/json") == [CalledTool("search", ARGUMENTS)], api


def test_a_call_is_told_with_its_own_end() -> None:
    found: list[CalledTool] = []
    reader = UsageReader(APIS["anthropic"], "text/event-stream", "", found.append)
    for event in ANTHROPIC[:-1]:
        reader.feed(b"data: " + json.dumps(event).encode() + b"\n\n")
    assert found == [CalledTool("search", ARGUMENTS)]


def test_what_can_not_be_read_is_no_call() -> None:
    for api, event in product(APIS, ODD):
        for content_type in ("text/event-stream", "application/json"):
            assert told(api, [event], content_type) == [], (api, event)


def test_usage_is_read_where_servers_put_it() -> None:
    usage = {"prompt_tokens": 9}
    for event, read in (
        ({"usage": usage}, usage),
        ({"choices": [{"usage": usage, "finish_reason": "stop"}]}, usage),  # Kimi's streams
        ({"choices": [], "x_groq": {"usage": usage}}, usage),
        ({"usage": usage, "timings": {"cache_n": 4}}, {**usage, "timings": {"cache_n": 4}}),  # llama.cpp
        ({"timings": {"cache_n": 4}}, {"timings": {"cache_n": 4}}),
        ({"usage": 3, "timings": [], "choices": 2, "x_groq": 1}, None),
    ):
        reader = UsageReader(APIS["openai"], "text/event-stream", "")
        reader.feed(b"data: " + json.dumps(event).encode() + b"\n\ndata: [DONE]\n\n")
        reader.end()
        assert reader.usage == read, event


START: dict[str, Any] = {"type": "message_start", "message": {"usage": {"input_tokens": 9_000, "output_tokens": 1}}}
END: dict[str, Any] = {"type": "message_stop"}


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ({"output_tokens": 7}, {"input_tokens": 9_000, "output_tokens": 7}),
        ({"input_tokens": 0, "output_tokens": 7}, {"input_tokens": 9_000, "output_tokens": 7}),
        ({"input_tokens": 8_000, "output_tokens": 0}, {"input_tokens": 8_000, "output_tokens": 1}),
        ({"cache_read_input_tokens": 0}, {"input_tokens": 9_000, "output_tokens": 1, "cache_read_input_tokens": 0}),
    ],
)
def test_what_comes_later_goes_over_what_came_before_but_for_a_zero(
    later: dict[str, Any], expected: dict[str, Any]
) -> None:
    api = api_of("POST", "/v1/messages")
    assert api is not None
    reader = UsageReader(api, "text/event-stream", "")
    reader.feed(sse(START, {"type": "message_delta", "usage": later}, END))
    reader.end()
    assert reader.usage == expected
