"""OpenAI's chat completions: `POST /v1/chat/completions`, used by most programs and gateways.

Few programs name their conversation; it is recognised by the list. A call without tools, in whose list there is no
tool result, passes unchanged: it is a title, a summary, or a chat whose model could not fetch anything again.
"""

from collections.abc import Iterator
from typing import Any

from ctxmgr.proxy.apis.provider_api import (
    Headers,
    Kind,
    Part,
    ProviderApi,
    ToolCalls,
    event_bytes,
    is_empty,
    new_id,
    object_of,
    objects_of,
)
from ctxmgr.proxy.body import ListBody

USAGE_ASKED = b'"include_usage":true'


class ChatCompletions(ProviderApi):
    format = "openai"
    paths = ("/v1/chat/completions", "/chat/completions")
    beside = ("tools", "functions")
    counts_member = "timings"
    call_signs = (b'"tool_calls"', b'"finish_reason"')
    cut_sign = b'"length"'
    cap_members = ("max_completion_tokens", "max_tokens")

    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind:
        without_tools = all(is_empty(body.members.get(name)) for name in self.beside)
        return "aside" if without_tools and not self.has_result(body.messages) else "turn"

    def opens(self, event: dict[str, Any]) -> bool:
        """Whether it has only the role, as the first event."""
        ends = any(choice.get("finish_reason") for choice in objects_of(event.get("choices")))
        return not ends and not self.says(event)

    def says(self, event: dict[str, Any]) -> bool:
        deltas = (_delta(choice) for choice in objects_of(event.get("choices")))
        return any(value for delta in deltas for name, value in delta.items() if name != "role")

    def is_cut(self, event: dict[str, Any]) -> bool:
        return any(choice.get("finish_reason") == "length" for choice in objects_of(event.get("choices")))

    def part(self, message: dict[str, Any]) -> Part:
        role = message.get("role")
        return "reply" if role == "assistant" else "result" if role == "tool" else "other"

    def whole(self, model: str, text: str) -> dict[str, Any]:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 0)
        head = {"id": new_id("chatcmpl"), "object": "chat.completion", "created": 0, "model": model}
        return {**head, "choices": [choice], "usage": usage}

    def events(self, whole: dict[str, Any], text: str, body: ListBody) -> Iterator[bytes]:
        head = {**whole, "object": "chat.completion.chunk"}
        usage = head.pop("usage")
        deltas: list[tuple[dict[str, str], str | None]] = [
            ({"role": "assistant", "content": ""}, None),
            ({"content": text}, None),
            ({}, "stop"),
        ]
        for delta, reason in deltas:
            yield event_bytes({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
        if USAGE_ASKED in body.members.get("stream_options", b"").replace(b" ", b""):
            yield event_bytes({**head, "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    def read_calls(self, event: dict[str, Any], calls: ToolCalls) -> None:
        for choice in objects_of(event.get("choices")):
            number = str(choice.get("index"))
            for call in objects_of(object_of(choice.get("message")).get("tool_calls")):
                function = object_of(call.get("function"))
                calls.whole(function.get("name"), function.get("arguments"))
            for call in objects_of(object_of(choice.get("delta")).get("tool_calls")):
                function = object_of(call.get("function"))
                key = number, str(call.get("index"))
                name, pieces = calls.begun.get(key, ("", []))
                pieces.append(str(function.get("arguments") or ""))
                calls.begun[key] = str(function.get("name") or name), pieces
            if choice.get("finish_reason"):
                for key in [key for key in calls.begun if key[0] == number]:
                    calls.end(key)


def _delta(choice: dict[str, Any]) -> dict[str, Any]:
    return object_of(choice.get("delta") or choice.get("message"))
