"""OpenAI's Responses API: `/v1/responses`, nothing stored."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.provider.apis.api import Caches, asks_summary, event, pieces, text_of
from tests.provider.apis.openai import members, openai_error, openai_too_long
from tests.provider.caching import Usage
from tests.provider.playing import Answer, Came, Request
from tests.provider.rules import responses as rules
from tests.provider.seals import opened, sealed
from tests.provider.tools import Tool

Json = dict[str, Any]


class Responses:
    def refused(self, body: Json, headers: Mapping[str, str]) -> str:
        return rules.refused(body)

    def request(self, body: Json) -> Request:
        items = rules.items_of(body)
        end = max((at for at, one in enumerate(items) if not _is_models(one)), default=-1)  # then an answer was cut
        last = max((at for at, one in enumerate(items[:end]) if _is_models(one)), default=-1)
        news, earlier = list(_came(items[last + 1 :])), list(_came(items[: last + 1]))
        later = [one for item in items if rules.kind_of(item) == "additional_tools" for one in item["tools"]]
        tools = [tool for one in (*body.get("tools", []), *later) for tool in _tools(one)]
        if body.get("text", {}).get("format", {}).get("type") == "json_schema":
            return Request(news, earlier, tools, "title")
        if rules.kind_of(items[-1]) == "compaction_trigger" or (news and asks_summary(news[-1].text)):
            return Request(news, earlier, tools, "summary")
        return Request(news, earlier, tools)

    def results(self, body: Json) -> Iterator[Came]:
        return (came for came in _came(rules.items_of(body)) if came.id)

    def conversation(self, headers: Mapping[str, str]) -> str:
        return headers.get("thread-id", "")

    def use(self, body: Json, raw: bytes, caches: Caches) -> Usage:
        return caches.prefix.use(str(body["model"]), members(raw, "instructions", "tools", "input"))

    def output(self, answer: Answer, body: Json) -> list[Json]:
        if rules.kind_of(rules.items_of(body)[-1]) == "compaction_trigger":
            return [{"type": "compaction", "id": f"cmp_{answer.place}", "encrypted_content": sealed(answer.text)}]
        text = json.dumps({"title": answer.text}) if answer.kind == "title" else answer.text
        items: list[Json] = []
        if "reasoning.encrypted_content" in (body.get("include") or []):
            seal = sealed(f"What is next after {answer.place}?")
            items.append(
                {"type": "reasoning", "id": f"rs_{answer.place}", "summary": [], "encrypted_content": seal}
            )
        if text:
            part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
            head = {"type": "message", "id": f"msg_{answer.place}", "status": "completed", "role": "assistant"}
            items.append({**head, "content": [part]})
        for id, call in answer.calls:
            kind, member = ("custom_tool_call", "input") if call.custom else ("function_call", "arguments")
            value = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
            head = {"type": kind, "id": f"fc_{id}", "status": "completed", "call_id": f"call_{id}"}
            named = {"name": call.name} | ({"namespace": call.namespace} if call.namespace else {})
            items.append({**head, **named, member: value})
        return items

    def whole(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Json:
        head = {"id": f"resp_{answer.place}", "object": "response", "created_at": 0, "status": "completed"}
        settings = {"error": None, "incomplete_details": None, "model": body["model"], "store": False}
        return {**head, **settings, "output": output, "usage": _usage(usage)}

    def events(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Iterator[bytes]:
        for number, (kind, content) in enumerate(self._told(answer, output, usage, body)):
            yield event({"type": kind, "sequence_number": number, **content}, kind)

    def _told(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Iterator[tuple[str, Json]]:
        whole = self.whole(answer, output, usage, body)
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        yield "response.created", {"response": begun}
        yield "response.in_progress", {"response": begun}
        for at, item in enumerate(output):
            yield "response.output_item.added", {"output_index": at, "item": _begun(item)}
            for kind, content in _grown(item):
                yield kind, {"item_id": item["id"], "output_index": at, **content}
            yield "response.output_item.done", {"output_index": at, "item": item}
        yield "response.completed", {"response": whole}

    def error(self, status: int, sentence: str) -> Json:
        return openai_error(status, sentence)

    def too_long(self, tokens: int, window_tokens: int) -> str:
        return openai_too_long(tokens, window_tokens)


def _is_models(item: Json) -> bool:
    return rules.kind_of(item) in (*rules.CALLS, "reasoning") or item.get("role") == "assistant"


def _came(items: list[Json]) -> Iterator[Came]:
    for one in items:
        kind = rules.kind_of(one)
        if kind in rules.OUTPUTS:
            yield Came(str(one["call_id"]), text_of(one.get("output", one.get("tools"))))
        elif kind == "message" and one["role"] == "user":
            yield Came("", text_of(one["content"]))
        elif kind == "compaction":
            yield Came("", opened(one["encrypted_content"]) or "")


def _tools(one: Json) -> Iterator[Tool]:
    if one["type"] == "namespace":
        for tool in one["tools"]:
            yield Tool(tool["name"], tool.get("parameters", {}), tool.get("type") == "custom", one["name"])
    elif one["type"] in ("function", "custom"):
        yield Tool(one["name"], one.get("parameters", {}), custom=one["type"] == "custom")


def _begun(item: Json) -> Json:
    match item["type"]:
        case "message":
            return {**item, "status": "in_progress", "content": []}
        case "function_call":
            return {**item, "status": "in_progress", "arguments": ""}
        case "custom_tool_call":
            return {**item, "status": "in_progress", "input": ""}
    return item


def _grown(item: Json) -> Iterator[tuple[str, Json]]:
    """The events between an item's beginning and its end."""
    if item["type"] == "message":
        part = item["content"][0]
        place = {"content_index": 0}
        yield "response.content_part.added", {**place, "part": {**part, "text": ""}}
        for piece in pieces(part["text"]):
            yield "response.output_text.delta", {**place, "delta": piece, "logprobs": []}
        yield "response.output_text.done", {**place, "text": part["text"], "logprobs": []}
        yield "response.content_part.done", {**place, "part": part}
    elif item["type"] in ("function_call", "custom_tool_call"):
        name = "arguments" if item["type"] == "function_call" else "input"
        kind = "function_call_arguments" if name == "arguments" else "custom_tool_call_input"
        for piece in pieces(item[name]):
            yield f"response.{kind}.delta", {"delta": piece}
        yield f"response.{kind}.done", {name: item[name]}


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.sent,
        "input_tokens_details": {"cached_tokens": usage.read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.sent + usage.output,
    }
