"""OpenAI's responses: `POST /v1/responses`, and Codex, which speaks it.

1. Codex names its thread in a header, a spawned thread has its own; the number of its window counts compactions.
2. Its own summary is asked for without tools, the provider's with a trigger as the last item.
3. A list that goes on from a response or a conversation which the provider keeps is not all of it; one that the
   provider compacts by itself is another one than it was.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ctxmgr.proxy.apis.provider_api import (
    Headers,
    Kind,
    Part,
    ProviderApi,
    Speaker,
    ToolCalls,
    is_empty,
    objects_of,
)
from ctxmgr.proxy.body import UNREADABLE, ListBody

COMPACT = ("/v1/responses/compact", "/responses/compact")
THREAD, SUBAGENT, WINDOW = "thread-id", "x-openai-subagent", "x-codex-window-id"
TURN = "x-codex-turn-metadata"
KEPT = ("previous_response_id", "conversation")
COMPACTS = b'"compaction"'
OPENING = ("response.created", "response.queued", "response.in_progress", "codex.rate_limits", "keepalive")
TRIGGER = b'"compaction_trigger"'


class Responses(ProviderApi):
    format = "responses"
    paths = ("/v1/responses", "/responses", *COMPACT)
    list_member = "input"
    beside = ("instructions", "tools")
    has_marks = False
    end_signs = (b'"response.completed"', b'"response.incomplete"')
    call_signs = (b'"function_call"',)

    def read_calls(self, event: dict[str, Any], calls: ToolCalls) -> None:
        """In a stream each item is told as it is done."""
        items = [event.get("item")] if event.get("type") == "response.output_item.done" else event.get("output")
        for item in objects_of(items):
            if item.get("type") == "function_call":
                calls.whole(item.get("name"), item.get("arguments"))

    def rival(self, members: Mapping[str, bytes]) -> str:
        if COMPACTS in members.get("context_management", b""):
            return "context_management: compaction"
        return next((name for name in KEPT if not is_empty(members.get(name))), "")

    def opens(self, event: dict[str, Any]) -> bool:
        return event.get("type") in OPENING

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
