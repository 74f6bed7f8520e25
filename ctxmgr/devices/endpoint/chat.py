"""Chat completions, as OpenAI and most servers of open models speak them: what is asked, and what comes.

1. Servers differ in two parameters: the name of the limit, and whether usage can be asked for in a stream.
   `ChatApi` is one way of asking; one that a server refuses is exchanged for another.
2. Only the first choice counts; reasoning and other members that we do not know are passed over.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from ctxmgr.devices.endpoint.api import REFUSED_BY_MODEL, Answer, Api, sound
from ctxmgr.model.compaction import CompletionRequest, CompletionUsage, Stop

ENDS: dict[str, Stop] = {
    "stop": "stop",
    "eos_token": "stop",  # text-generation-inference
    "stop_sequence": "stop",  # the same
    "end_turn": "stop",  # gateways to Anthropic's models, as is "max_tokens"
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral: the window is full
    "tool_calls": "toolUse",
    "function_call": "toolUse",  # OpenAI before tools
}
"""`finish_reason`: what it means. Any other is a fault: content_filter, vLLM's abort, what is new."""

WITHHELD = {"content_filter": "a content filter withheld the answer"}


@dataclass(frozen=True)
class ChatApi(Api):
    """`limit_key`: the limit's name there; `usage`: whether usage is asked for."""

    limit_key: str = "max_tokens"
    usage: bool = True

    def address(self, base: bytes) -> bytes:
        return base.rstrip(b"/") + b"/chat/completions"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]:
        system = [{"role": "system", "content": sound(ask.system)}] if ask.system else []
        body: dict[str, Any] = {
            "model": model,
            "messages": [*system, {"role": "user", "content": sound(ask.prompt)}],
            self.limit_key: ask.max_tokens,
            "stream": True,
        }
        if self.usage:
            body["stream_options"] = {"include_usage": True}
        return body

    def answer(self, max_tokens: int) -> Answer:
        return ChatAnswer(max_tokens)

    def refused_by(self, words: str) -> str:
        """Which of the two a refusal names: "usage", "limit", or "" for neither."""
        if self.usage and "stream_options" in words:
            return "usage"
        return "limit" if self.limit_key in words else ""

    def other(self, way: str) -> "ChatApi":
        if way == "usage":
            return ChatApi(self.limit_key, usage=False)
        return ChatApi("max_completion_tokens" if self.limit_key == "max_tokens" else "max_tokens", self.usage)


class _Part(msgspec.Struct, frozen=True):
    type: str = ""
    text: str | None = None


class _Content(msgspec.Struct, frozen=True):
    """A `delta` of a stream, or the `message` of an answer in one piece."""

    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None
    function_call: Any = None


class _Choice(msgspec.Struct, frozen=True):
    index: int = 0
    delta: _Content | None = None
    message: _Content | None = None
    finish_reason: str | None = None


class _Piece(msgspec.Struct, frozen=True):
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatAnswer(Answer):
    """An answer in pieces (`delta`) or in one (`message`)."""

    ends: ClassVar = ENDS
    withheld: ClassVar = WITHHELD

    def _hear(self, piece: object) -> None:
        came = msgspec.convert(piece, _Piece)
        self._faulty = self._faulty or bool(came.error)
        self._spent = _spent(came.usage) or self._spent
        for choice in came.choices or ():
            self._received = True
            if choice.index == 0:
                self._hear_choice(choice)

    def _hear_choice(self, choice: _Choice) -> None:
        self._end = choice.finish_reason or self._end
        message = choice.delta or choice.message
        if message is None:
            return
        self._add(_text(message.content))
        self._tools = self._tools or bool(message.tool_calls or message.function_call)
        if message.refusal:
            self._refusal = REFUSED_BY_MODEL


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):  # Mistral's reasoning models: the reasoning is a part of another type
        return "".join(part.text or "" for part in content if part.type == "text")
    return content or ""


def _spent(usage: Any) -> CompletionUsage | None:
    """None where it is not given, or not in a form that can be told: it is no reason to lose an answer."""
    if usage is None:
        return None
    try:
        known = msgspec.convert(usage, _Usage)
    except msgspec.MsgspecError:
        return None
    return CompletionUsage(max(known.prompt_tokens, 0), max(known.completion_tokens, 0))
