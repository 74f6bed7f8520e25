"""OpenAI's chat completions: `POST /v1/chat/completions`, spoken by most programs and gateways.

Few programs say whose list they send: the list itself tells. A call without tools in whose list no tool gave
anything passes untouched: it is a title, a summary of its prompt, or a talk, of which the model could fetch nothing
again.
"""

from typing import Any

from ctxmgr.proxy.apis.provider_api import Headers, Kind, Part, ProviderApi, is_empty
from ctxmgr.proxy.body import ListBody


class ChatCompletions(ProviderApi):
    format = "openai"
    paths = ("/v1/chat/completions", "/chat/completions")
    beside = ("tools", "functions")

    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind:
        without_tools = all(is_empty(body.members.get(name)) for name in self.beside)
        return "aside" if without_tools and not self.has_result(body.messages) else "turn"

    def part(self, message: dict[str, Any]) -> Part:
        role = message.get("role")
        return "reply" if role == "assistant" else "result" if role == "tool" else "other"
