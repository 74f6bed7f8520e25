"""OpenAI's chat completions: `POST /v1/chat/completions`, spoken by most programs and gateways.

Few programs say whose list they send: the list itself tells. A call without tools in whose list no tool gave
anything passes untouched: it is a title, a summary of its prompt, or a talk, of which the model could fetch nothing
again.
"""

from typing import Any

from ctxmgr.proxy.apis.provider_api import (
    Headers,
    Kind,
    Part,
    ProviderApi,
    ToolCalls,
    is_empty,
    object_of,
    objects_of,
)
from ctxmgr.proxy.body import ListBody


class ChatCompletions(ProviderApi):
    format = "openai"
    paths = ("/v1/chat/completions", "/chat/completions")
    beside = ("tools", "functions")
    counts_member = "timings"
    call_signs = (b'"tool_calls"', b'"finish_reason"')

    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind:
        without_tools = all(is_empty(body.members.get(name)) for name in self.beside)
        return "aside" if without_tools and not self.has_result(body.messages) else "turn"

    def opens(self, event: dict[str, Any]) -> bool:
        """Its first piece tells the role alone."""
        said = (
            choice.get("finish_reason") or any(value for name, value in _delta(choice).items() if name != "role")
            for choice in objects_of(event.get("choices"))
        )
        return not any(said)

    def part(self, message: dict[str, Any]) -> Part:
        role = message.get("role")
        return "reply" if role == "assistant" else "result" if role == "tool" else "other"

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
