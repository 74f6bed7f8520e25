"""Anthropic's messages: `POST /v1/messages`, and Claude Code, which uses it.

1. Claude Code names its conversation in one header and a sub-agent in another; both survive resumes and
   compactions.
2. Its request for a summary has one beta name more than its other calls.
3. A context window of a million tokens is requested by a beta name. The model's id does not show it: Claude Code
   removes the `[1m]`.
4. From Claude Fable 5.1 and Opus 5.5 on, a thinking block is bound to everything that preceded it when it was made.
   In another list it is refused, or dropped if the request asks for that. (platform.claude.com, "preserved
   thinking".)
5. A call without tools does not belong to the conversation: a title, a check. For other programs than Claude Code,
   a call also belongs to it if its list has a tool's result.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ctxmgr.proxy.apis.provider_api import (
    ErrorKind,
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
from ctxmgr.proxy.body import UNREADABLE, ListBody, members

SESSION, AGENT = "x-claude-code-session-id", "x-claude-code-agent-id"
SUMMARISES = "fallback-credit-2026-06-01"
MILLION_BETA, MILLION = "context-1m-", 1_000_000
BINDING, DROPPED = "block_binding", {"prefix_mismatch_behavior": "drop_block"}
ADAPTIVE = msgspec.Raw(b'"adaptive"')  # the default of these models
RIVALS = ("clear_tool_uses", "compact")  # types of edits of a list by the provider, as prefixes


class Anthropic(ProviderApi):
    format = "anthropic"
    places_marks = True
    paths = ("/v1/messages",)
    beside = ("system", "tools")
    unbinding = ("anthropic-beta", "thinking-binding-controls-2026-08-01")
    end_signs = (b'"message_stop"',)
    cut_sign = b'"max_tokens"'
    cap_members = ("max_tokens",)
    call_signs = (b'"tool_use"', b'"input_json_delta"', b'"content_block_stop"')

    def opens(self, event: dict[str, Any]) -> bool:
        """A text that begins with nothing opens it, too: gateways send its start before the provider answers."""
        block = object_of(event.get("content_block"))
        return event.get("type") in ("message_start", "ping") or (block.get("type"), block.get("text")) == (
            "text",
            "",
        )

    def says(self, event: dict[str, Any]) -> bool:
        return bool(event.get("content")) or str(event.get("type")).startswith("content_block")

    def is_cut(self, event: dict[str, Any]) -> bool:
        return "max_tokens" in (event.get("stop_reason"), object_of(event.get("delta")).get("stop_reason"))

    def part(self, message: dict[str, Any]) -> Part:
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            return "reply"
        blocks = content if role == "user" and isinstance(content, list) else []
        has_result = any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
        return "result" if role == "tool" or has_result else "other"

    def read_calls(self, event: dict[str, Any], calls: ToolCalls) -> None:
        for block in objects_of(event.get("content")):
            if block.get("type") == "tool_use":
                calls.whole(block.get("name"), block.get("input"))
        kind, key = event.get("type"), str(event.get("index"))
        if kind == "content_block_start":
            block = object_of(event.get("content_block"))
            if block.get("type") == "tool_use":
                calls.begun[key] = str(block.get("name")), []
        elif kind == "content_block_delta" and key in calls.begun:
            calls.begun[key][1].append(str(object_of(event.get("delta")).get("partial_json") or ""))
        elif kind == "content_block_stop":
            calls.end(key)

    def whole(self, model: str, text: str) -> dict[str, Any]:
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
        return {
            "id": new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": dict.fromkeys(names, 0),
        }

    def events(self, whole: dict[str, Any], text: str, body: ListBody) -> Iterator[bytes]:
        told: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
                "usage": whole["usage"],
            },
            {"type": "message_stop"},
        ]
        return (event_bytes(one, one["type"]) for one in told)

    def error(self, kind: ErrorKind, text: str) -> Any:
        return {"type": "error", "error": {"type": kind, "message": text}}

    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind:
        if not is_empty(body.members.get("tools")):
            return "compaction" if SUMMARISES in headers.get("anthropic-beta", "") else "turn"
        return "aside" if headers.get(SESSION) or not self.has_result(body.messages) else "turn"

    def speaker(self, headers: Headers) -> Speaker:
        conversation, agent = headers.get(SESSION, ""), headers.get(AGENT, "")
        return Speaker("claude", conversation, agent, bool(agent)) if conversation else super().speaker(headers)

    def rival(self, members: Mapping[str, bytes]) -> str:
        try:
            edits = msgspec.json.decode(members.get("context_management", b"{}")).get("edits") or []
            types = [str(edit["type"]) for edit in edits]
        except (*UNREADABLE, AttributeError, KeyError, TypeError):
            return ""
        return next((f"context_management: {type}" for type in types if type.startswith(RIVALS)), "")

    def unbound(self, body: bytes) -> bytes:
        """The body with a request to drop bound thinking blocks (rule 4)."""
        fields = members(body) or {}
        thinking = members(bytes(fields.get("thinking", b""))) or {"type": ADAPTIVE}
        return msgspec.json.encode({**fields, "thinking": {**thinking, BINDING: DROPPED}})

    def window_tokens(self, headers: Headers) -> int:
        return MILLION if MILLION_BETA in headers.get("anthropic-beta", "") else 0
