"""OpenAI's responses: `POST /v1/responses`, and Codex, which uses it.

1. Codex names its thread in a header, and a spawned thread has its own; the number of its window counts
   compactions.
2. Codex asks for its own summary without tools, and for the provider's with a trigger as the last item.
3. A list that continues a response or conversation stored by the provider is incomplete; one that the provider
   compacts itself is changed.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ctxmgr.proxy.apis.provider_api import (
    Headers,
    Kind,
    Part,
    ProviderApi,
    Speaker,
    ToolCalls,
    event_bytes,
    is_empty,
    new_id,
    object_of,
    objects_of,
)
from ctxmgr.proxy.body import UNREADABLE, ListBody

COMPACT = ("/v1/responses/compact", "/responses/compact")
THREAD, SUBAGENT, WINDOW = "thread-id", "x-openai-subagent", "x-codex-window-id"
TURN = "x-codex-turn-metadata"
KEPT = ("previous_response_id", "conversation")
COMPACTS = b'"compaction"'
OPENING = ("response.created", "response.queued", "response.in_progress", "codex.rate_limits", "keepalive")
ENDING = ("response.completed", "response.incomplete", "response.failed")
TRIGGER = b'"compaction_trigger"'


class Responses(ProviderApi):
    format = "responses"
    paths = ("/v1/responses", "/responses", *COMPACT)
    list_member = "input"
    beside = ("instructions", "tools")
    has_marks = False
    end_signs = (b'"response.completed"', b'"response.incomplete"')
    call_signs = (b'"function_call"',)
    cut_sign = b'"max_output_tokens"'
    cap_members = ("max_output_tokens",)

    def read_calls(self, event: dict[str, Any], calls: ToolCalls) -> None:
        """Adds the tool calls to `calls`. In a stream, each item is complete in one event."""
        items = [event.get("item")] if event.get("type") == "response.output_item.done" else event.get("output")
        for item in objects_of(items):
            if item.get("type") == "function_call":
                calls.whole(item.get("name"), item.get("arguments"))

    def whole(self, model: str, text: str) -> dict[str, Any]:
        part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        said = {"type": "message", "id": new_id("msg"), "status": "completed", "role": "assistant"}
        usage: dict[str, Any] = dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 0)
        usage["input_tokens_details"] = {"cached_tokens": 0}
        usage["output_tokens_details"] = {"reasoning_tokens": 0}
        return {
            "id": new_id("resp"),
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "model": model,
            "output": [{**said, "content": [part]}],
            "usage": usage,
        }

    def events(self, whole: dict[str, Any], text: str, body: ListBody) -> Iterator[bytes]:
        (item,) = whole["output"]
        (part,) = item["content"]
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        told: list[tuple[str, dict[str, Any]]] = [
            ("created", {"response": begun}),
            ("in_progress", {"response": begun}),
            (
                "output_item.added",
                {"output_index": 0, "item": {**item, "status": "in_progress", "content": []}},
            ),
            ("content_part.added", {**at, "part": {**part, "text": ""}}),
            ("output_text.delta", {**at, "delta": text, "logprobs": []}),
            ("output_text.done", {**at, "text": text, "logprobs": []}),
            ("content_part.done", {**at, "part": part}),
            ("output_item.done", {"output_index": 0, "item": item}),
            ("completed", {"response": whole}),
        ]
        for number, (name, content) in enumerate(told):
            kind = f"response.{name}"
            yield event_bytes({"type": kind, "sequence_number": number, **content}, kind)

    def rival(self, members: Mapping[str, bytes]) -> str:
        if COMPACTS in members.get("context_management", b""):
            return "context_management: compaction"
        return next((name for name in KEPT if not is_empty(members.get(name))), "")

    def opens(self, event: dict[str, Any]) -> bool:
        return event.get("type") in OPENING

    def says(self, event: dict[str, Any]) -> bool:
        kind = str(event.get("type"))
        within = bool(event.get("output")) or bool(object_of(event.get("response")).get("output"))
        return within or (kind.startswith("response.") and kind not in (*OPENING, *ENDING))

    def is_cut(self, event: dict[str, Any]) -> bool:
        response = event if event.get("object") == "response" else object_of(event.get("response"))
        return object_of(response.get("incomplete_details")).get("reason") == "max_output_tokens"

    def part(self, message: dict[str, Any]) -> Part:
        kind = message.get("type", "message")
        if kind == "message":
            return "reply" if message.get("role") == "assistant" else "other"
        return "result" if isinstance(kind, str) and kind.endswith("_output") else "reply"

    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind:
        if path.endswith(COMPACT) or _asks_for_summary(headers):
            return "compaction"
        if body.messages and TRIGGER in body.messages[-1]:
            return "compaction"
        without_tools = is_empty(body.members.get("tools"))
        return "aside" if without_tools and not self.has_result(body.messages) else "turn"

    def speaker(self, headers: Headers) -> Speaker:
        thread = headers.get(THREAD, "")
        if not thread and "codex" not in headers.get("originator", ""):
            return super().speaker(headers)
        return Speaker("codex", thread, "", bool(headers.get(SUBAGENT)), headers.get(WINDOW, ""))


def _asks_for_summary(headers: Headers) -> bool:
    try:
        turn = msgspec.json.decode(headers.get(TURN, "null"))
    except UNREADABLE:
        return False
    return isinstance(turn, dict) and turn.get("request_kind") == "compaction"
