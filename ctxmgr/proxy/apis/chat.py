"""OpenAI's chat completions: `POST /v1/chat/completions`, spoken by most programs and gateways.

Few programs say whose list they send: the list itself tells. A call without tools in whose list no tool gave
anything passes untouched: it is a title, a summary of its prompt, or a talk, of which the model could fetch nothing
again.
"""

from typing import Any

from ctxmgr.proxy.apis.provider_api import Headers, ListCall, Part, ProviderApi, is_empty, speaker_of, text_of
from ctxmgr.proxy.body import ListBody

BESIDE = ("tools", "functions")


class ChatCompletions(ProviderApi):
    format = "openai"
    paths = ("/v1/chat/completions", "/chat/completions")

    def call_of(self, path: str, headers: Headers, body: ListBody) -> ListCall:
        members = body.members
        return ListCall(
            self,
            text_of(members.get("model")),
            "aside" if self._is_aside(body) else "turn",
            speaker_of(headers),
            body,
            "",
            sum(len(members.get(name, b"")) for name in BESIDE),
        )

    def part(self, message: dict[str, Any]) -> Part:
        role = message.get("role")
        return "reply" if role == "assistant" else "result" if role == "tool" else "other"

    def _is_aside(self, body: ListBody) -> bool:
        without_tools = all(is_empty(body.members.get(name)) for name in BESIDE)
        return without_tools and not self.has_result(body.messages)
