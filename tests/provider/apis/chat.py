"""OpenAI's chat completions: `/v1/chat/completions`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.provider.apis.api import Caches, asks_summary, event, pieces, text_of
from tests.provider.apis.openai import members, openai_error, openai_too_long
from tests.provider.caching import Usage
from tests.provider.playing import Answer, Came, Request
from tests.provider.rules import chat as rules
from tests.provider.tools import Tool

Json = dict[str, Any]


class Chat:
    def refused(self, body: Json, headers: Mapping[str, str]) -> str:
        return rules.refused(body)

    def request(self, body: Json) -> Request:
        messages = body["messages"]
        last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
        news, earlier = list(_came(messages[last + 1 :])), list(_came(messages[: last + 1]))
        functions = [one["function"] for one in body.get("tools", []) if one.get("type") == "function"]
        tools = [Tool(one["name"], one.get("parameters", {})) for one in functions]
        if body.get("response_format", {}).get("type") == "json_schema":
            return Request(news, earlier, tools, "title")
        if news and asks_summary(news[-1].text):
            return Request(news, earlier, tools, "summary")
        return Request(news, earlier, tools)

    def results(self, body: Json) -> Iterator[Came]:
        return (came for came in _came(body["messages"]) if came.id)

    def conversation(self, headers: Mapping[str, str]) -> str:
        return ""

    def use(self, body: Json, raw: bytes, caches: Caches) -> Usage:
        return caches.prefix.use(str(body["model"]), members(raw, "tools", "messages"))

    def output(self, answer: Answer, body: Json) -> list[Json]:
        text = json.dumps({"title": answer.text}) if answer.kind == "title" else answer.text
        message: Json = {"role": "assistant", "content": text or None, "refusal": None}
        calls = [_call(id, call.name, json.dumps(call.arguments)) for id, call in answer.calls]
        return [message | ({"tool_calls": calls} if calls else {})]

    def whole(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Json:
        choice = {"index": 0, "message": output[0], "logprobs": None, "finish_reason": _reason(answer)}
        return {**_head("chat.completion", answer, body), "choices": [choice], "usage": _usage(usage)}

    def events(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Iterator[bytes]:
        head = _head("chat.completion.chunk", answer, body)
        for delta in _deltas(output[0]):
            yield event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _reason(answer)}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            yield event({**head, "choices": [], "usage": _usage(usage)})
        yield b"data: [DONE]\n\n"

    def error(self, status: int, sentence: str) -> Json:
        return openai_error(status, sentence)

    def too_long(self, tokens: int, window_tokens: int) -> str:
        return openai_too_long(tokens, window_tokens)


def _came(messages: list[Json]) -> Iterator[Came]:
    for one in messages:
        if one["role"] == "tool":
            yield Came(str(one["tool_call_id"]), text_of(one.get("content")))
        elif one["role"] == "user" and isinstance(one.get("content"), list):
            yield from (Came("", text_of([part])) for part in one["content"])
        elif one["role"] == "user":
            yield Came("", text_of(one.get("content")))


def _call(id: str, name: str, arguments: str) -> Json:
    return {"id": f"call_{id}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _deltas(message: Json) -> Iterator[Json]:
    yield {"role": "assistant", "content": ""}
    for piece in pieces(message["content"] or ""):
        yield {"content": piece}
    for at, call in enumerate(message.get("tool_calls", [])):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{"index": at, "id": call["id"], "type": "function", "function": function}]}
        for piece in pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": at, "function": {"arguments": piece}}]}


def _head(kind: str, answer: Answer, body: Json) -> Json:
    return {"id": f"chatcmpl-{answer.place}", "object": kind, "created": 0, "model": body["model"]}


def _reason(answer: Answer) -> str:
    return "tool_calls" if answer.calls else "stop"


def _usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.sent,
        "completion_tokens": usage.output,
        "total_tokens": usage.sent + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.read},
    }
