"""Anthropic's Messages API: `/v1/messages`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.provider.apis.api import Caches, asks_summary, event, pieces, text_of
from tests.provider.caching import Block, Usage, tokens
from tests.provider.playing import Answer, Came, Request
from tests.provider.rules import anthropic as rules
from tests.provider.seals import sealed
from tests.provider.tools import Tool

Json = dict[str, Any]
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Anthropic:
    def refused(self, body: Json, headers: Mapping[str, str]) -> str:
        if headers.get("anthropic-version") != "2023-06-01":
            return "anthropic-version: header is required"
        return rules.refused(body, headers.get("anthropic-beta", ""))

    def request(self, body: Json) -> Request:
        messages = body["messages"]
        last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
        news, earlier = list(_came(messages[last + 1 :])), list(_came(messages[: last + 1]))
        tools = [Tool(one["name"], one.get("input_schema", {})) for one in body.get("tools", [])]
        if body.get("output_config", {}).get("format"):
            return Request(news, earlier, tools, "title")
        if news and asks_summary(news[-1].text):
            return Request(news, earlier, tools, "summary")
        return Request(news, earlier, tools)

    def results(self, body: Json) -> Iterator[Came]:
        return (came for came in _came(body["messages"]) if came.id)

    def conversation(self, headers: Mapping[str, str]) -> str:
        names = (headers.get("x-claude-code-session-id", ""), headers.get("x-claude-code-agent-id", ""))
        return "/".join(name for name in names if name)

    def use(self, body: Json, raw: bytes, caches: Caches) -> Usage:
        return caches.marked.use(str(body["model"]), list(prompt(body)))

    def output(self, answer: Answer, body: Json) -> list[Json]:
        if answer.kind == "title":
            return [{"type": "text", "text": json.dumps({"title": answer.text})}]
        thinking = body.get("thinking", {})
        blocks: list[Json] = []
        if thinking.get("type", "disabled") != "disabled":
            thought = "" if thinking.get("display") == "omitted" else f"What is next after {answer.place}?"
            blocks.append({"type": "thinking", "thinking": thought, "signature": sealed(answer.place, thought)})
        if answer.text:
            blocks.append({"type": "text", "text": answer.text})
        for id, call in answer.calls:
            blocks.append({"type": "tool_use", "id": f"toolu_{id}", "name": call.name, "input": call.arguments})
        return blocks

    def whole(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Json:
        reason = "tool_use" if answer.calls else "end_turn"
        head = {"id": f"msg_{answer.place}", "type": "message", "role": "assistant", "model": body["model"]}
        return {**head, "content": output, "stop_reason": reason, "stop_sequence": None, "usage": _usage(usage)}

    def events(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Iterator[bytes]:
        whole = self.whole(answer, output, usage, body)
        started = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
        yield event({"type": "message_start", "message": started}, "message_start")
        for at, block in enumerate(output):
            begun, deltas = _streamed(block)
            yield event({"type": "content_block_start", "index": at, "content_block": begun}, "content_block_start")
            if at == 0:
                yield event({"type": "ping"}, "ping")
            for delta in deltas:
                yield event({"type": "content_block_delta", "index": at, "delta": delta}, "content_block_delta")
            yield event({"type": "content_block_stop", "index": at}, "content_block_stop")
        ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        told = {name: count for name, count in whole["usage"].items() if name != "cache_creation"}
        yield event({"type": "message_delta", "delta": ended, "usage": told}, "message_delta")
        yield event({"type": "message_stop"}, "message_stop")

    def error(self, status: int, sentence: str) -> Json:
        kind = ERRORS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": sentence}, "request_id": "req_scripted"}

    def too_long(self, tokens: int, window_tokens: int) -> str:
        return f"prompt is too long: {tokens} tokens > {window_tokens} maximum"


def prompt(body: Json) -> Iterator[Block]:
    """What the model is given, in the order in which it is cached. Deferred tools are no part of it."""
    for tool in body.get("tools", []):
        if not tool.get("defer_loading"):
            yield _block("", tool)
    system = body.get("system", [])
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        yield _block("", block)
    settings = json.dumps([body.get("thinking"), body.get("tool_choice")])  # another one, and no message is read
    for at, message in enumerate(body["messages"]):
        for block in rules.blocks_of(message):
            yield _block(f"{'' if at else settings}{message['role']}", block)


def _block(before: str, block: Json) -> Block:
    marks = [one["cache_control"] for one in (block, *_inner(block)) if one.get("cache_control")]
    mark = marks[-1].get("ttl", "5m") if marks else ""
    return Block(before + json.dumps(_without_marks(block)), mark)


def _inner(block: Json) -> list[Json]:
    content = block.get("content")
    return content if isinstance(content, list) else []


def _without_marks(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_marks(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_marks(one) for name, one in value.items() if name != "cache_control"}
    return value


def _came(messages: list[Json]) -> Iterator[Came]:
    for message in messages:
        for block in rules.blocks_of(message) if message["role"] == "user" else ():
            if block["type"] == "tool_result":
                yield Came(str(block["tool_use_id"]), text_of(block.get("content", "")))
            elif block["type"] == "text":
                yield Came("", str(block["text"]))


def _streamed(block: Json) -> tuple[Json, list[Json]]:
    """A block as it begins, and what is added to it."""
    match block["type"]:
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
            return {"type": "thinking", "thinking": "", "signature": ""}, deltas
        case "text":
            return {"type": "text", "text": ""}, [
                {"type": "text_delta", "text": piece} for piece in pieces(block["text"])
            ]
    arguments = ("", *pieces(json.dumps(block["input"])))
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in arguments]


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.written_5m,
            "ephemeral_1h_input_tokens": usage.written_1h,
        },
        "output_tokens": usage.output,
    }


def counted(body: Json) -> int:
    """What `/v1/messages/count_tokens` answers."""
    return sum(tokens(block.text) for block in prompt(body))
