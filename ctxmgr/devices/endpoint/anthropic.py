"""Anthropic's messages, as Anthropic and gateways to its models speak them: what is asked, and what comes.

1. An answer comes as events, each of which says its `type`, or as one `message`. Types that we do not know are
   passed over, as Anthropic asks of clients; thinking is no part of the text.
2. Usage comes in parts, and each figure is the last that was told. What a cache held or took is input too, which
   `input_tokens` leaves out here.
3. One way of asking is all there is: a refusal is final.
"""

from typing import Any, ClassVar

import msgspec

from ctxmgr.devices.endpoint.api import REFUSED_BY_MODEL, Answer, Api, sound
from ctxmgr.model.compaction import CompletionRequest, CompletionUsage, Stop

VERSION = "2023-06-01"  # of the API; the address has no newer one

ENDS: dict[str, Stop] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "toolUse",
}
"""`stop_reason`: what it means. Any other is a fault: pause_turn, which nothing asked here leads to, new ones."""

WITHHELD = {"refusal": REFUSED_BY_MODEL}
TELLING = ("message", "message_start", "content_block_start", "content_block_delta", "message_delta")


class AnthropicApi(Api):
    """`baseUrl` is what Anthropic's own clients call so: without `/v1`, which is not doubled where it is there."""

    def address(self, base: bytes) -> bytes:
        return base.rstrip(b"/").removesuffix(b"/v1") + b"/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": VERSION} | ({} if key is None else {"x-api-key": key})

    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]:
        system = {"system": sound(ask.system)} if ask.system else {}
        messages = [{"role": "user", "content": sound(ask.prompt)}]
        return {"model": model, "max_tokens": ask.max_tokens, **system, "messages": messages, "stream": True}

    def answer(self, max_tokens: int) -> Answer:
        return AnthropicAnswer(max_tokens)


class _Kind(msgspec.Struct, frozen=True):
    type: str = ""


class _Part(msgspec.Struct, frozen=True):
    """A block of content, or the `delta` of one or of the message."""

    type: str | None = None
    text: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct, frozen=True):
    content: list[_Part] | None = None
    stop_reason: str | None = None
    usage: Any = None


class _Event(_Message, frozen=True):
    """Of a type that is known; a message in one piece is one as well. Some servers send null for nothing."""

    message: _Message | None = None
    content_block: _Part | None = None
    delta: _Part | None = None


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None


class AnthropicAnswer(Answer):
    """An answer in events, or in one message."""

    ends: ClassVar = ENDS
    withheld: ClassVar = WITHHELD

    def __init__(self, max_tokens: int) -> None:
        super().__init__(max_tokens)
        self._figures: dict[str, int] = {}  # of usage

    def _hear(self, piece: object) -> None:
        kind = msgspec.convert(piece, _Kind).type
        self._faulty = self._faulty or kind == "error"
        self.closed = self.closed or kind == "message_stop"
        if kind not in TELLING:
            return
        event = msgspec.convert(piece, _Event)
        message, delta, block = event.message or _Message(), event.delta or _Part(), event.content_block or _Part()
        if kind != "content_block_delta" or delta.type == "text_delta":
            self._received = True
        self._end = message.stop_reason or event.stop_reason or delta.stop_reason or self._end
        self._hear_usage(message.usage or event.usage)
        for part in (*(message.content or event.content or ()), block, delta):
            if part.type in ("text", "text_delta"):
                self._add(part.text or "")
            self._tools = self._tools or part.type == "tool_use"

    def _hear_usage(self, usage: Any) -> None:
        """One that is not given, or not in a form that can be told, is no reason to lose an answer."""
        if not usage:
            return
        try:
            known = msgspec.structs.asdict(msgspec.convert(usage, _Usage))
        except msgspec.MsgspecError:
            return
        self._figures |= {name: max(tokens, 0) for name, tokens in known.items() if tokens is not None}
        figures = dict(self._figures)
        output = figures.pop("output_tokens", 0)
        self._spent = CompletionUsage(sum(figures.values()), output)
