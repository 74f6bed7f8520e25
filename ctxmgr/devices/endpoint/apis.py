"""The APIs of model servers: address, headers and request, and how an answer is read, piece by piece, into a
completion. Knows no network.

1. An answer is complete only if the server said why it ended. A stream that just stops is a fault, whatever text
   has come: half a summary looks like a whole one.
2. Text far beyond the requested length is cut. Some servers ignore the limit, and some models never stop.
3. Faults are described in our own words. A server's error text may quote the prompt or the key.

Chat completions, as OpenAI and most servers of open models speak them:

4. Servers differ in two parameters: the name of the limit, and whether usage can be requested in a stream.
   `ChatApi` is one variant; if a server refuses a parameter, another variant is used.
5. Only the first choice counts. Reasoning and unknown members are ignored.

Anthropic's messages, as Anthropic and gateways to its models speak them:

6. An answer comes as events with a `type`, or as one `message`. Unknown types are ignored, as Anthropic asks of
   clients. Thinking is not part of the text.
7. Usage comes in parts; the last report of each figure counts. Cached input counts as input too, which
   `input_tokens` excludes.
8. There is only one variant, so a refusal is final.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import msgspec

from ctxmgr.model.compaction import Completion, CompletionRequest, CompletionUsage, Stop

CHARACTERS_A_TOKEN = 16
"""Text beyond this many characters a token asked for is cut. Customary is 4; tables and blanks reach 10."""

SPARE_CHARACTERS = 4_096
"""Added to that: a very small limit is no reason to cut a short answer."""

GARBAGE = "what came is no answer of this API"
UNFINISHED = "the answer ended without a finish reason"
SERVER_FAULT = "the server reported an error in the middle of its answer"
TIMED_OUT = "timed out"
REFUSED_BY_MODEL = "the model refused to answer"


Figures = TypeVar("Figures")


class EndpointFault(Exception):
    """A failed call. The text says why, in our own words.

    `again`: a retry may help. `after`: seconds, if the server named them. `refused`: what the server wrote when it
    refused the request, only for finding a parameter's name; never shown.
    """

    def __init__(self, words: str, again: bool = False, after: float | None = None, refused: str = "") -> None:
        super().__init__(words)
        self.again, self.after, self.refused = again, after, refused


class Answer(ABC):
    """The answer so far. At most `max_tokens` were requested.

    A subclass reads pieces and maps the reasons to end: `ends`, and in our words `withheld`. Any other reason is a
    fault.
    """

    ends: ClassVar[Mapping[str, Stop]]
    withheld: ClassVar[Mapping[str, str]]

    def __init__(self, max_tokens: int) -> None:
        self._limit = max_tokens * CHARACTERS_A_TOKEN + SPARE_CHARACTERS
        self._texts: list[str] = []
        self._length = 0
        self._end: str | None = None
        self._received = self._tools = self._faulty = False
        self._refusal = ""
        self.closed = False  # the server said that nothing follows
        self._spent: CompletionUsage | None = None

    @property
    def ended(self) -> bool:
        """Whether the server said why the answer ended. Only usage and the end mark may follow."""
        return self._end is not None

    def take(self, piece: object) -> bool:
        """Adds one decoded piece. Returns False when no more is needed. Raises `msgspec.MsgspecError` if it is
        malformed.
        """
        self._hear(piece)
        return self._length <= self._limit and not self._faulty

    @abstractmethod
    def _hear(self, piece: object) -> None: ...

    def _add(self, text: str) -> None:
        self._texts.append(text)
        self._length += len(text)

    def completion(self) -> Completion:
        """The outcome, once nothing more is read."""
        if self._length > self._limit:
            return Completion(sound("".join(self._texts)[: self._limit]), "length", self._spent)
        if fault := self._fault():
            return Completion(stop="error", fault=fault, usage=self._spent)
        stop: Stop = "toolUse" if self._tools else self.ends[self._end or ""]
        return Completion(sound("".join(self._texts)), stop, self._spent)

    def _fault(self) -> str:
        if self._faulty:
            return SERVER_FAULT
        if self._refusal:
            return self._refusal
        if self._end is None:
            return UNFINISHED if self._received else GARBAGE
        if self._end in self.ends:
            return ""
        return self.withheld.get(self._end, "the answer ended for a reason that is not known")


def sound(text: str) -> str:
    """The text as UTF-8 can encode it: paired surrogates are joined, lone ones become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _counted(usage: Any, kind: type[Figures]) -> Figures | None:
    """None if it is missing or unreadable, which is no reason to lose an answer."""
    try:
        return None if usage is None else msgspec.convert(usage, kind)
    except msgspec.MsgspecError:
        return None


class Api(ABC):
    """One API, in one variant where servers differ."""

    @abstractmethod
    def address(self, base: bytes) -> bytes:
        """The request path, from the path of `baseUrl`."""

    @abstractmethod
    def headers(self, key: str | None) -> dict[str, str]:
        """The headers of this API. None: no key is sent."""

    @abstractmethod
    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]: ...

    @abstractmethod
    def answer(self, max_tokens: int) -> Answer:
        """A reader of one answer."""

    def refused_by(self, words: str) -> str:
        """The name of the refused parameter that has another variant; "" if there is none."""
        return ""

    def other(self, way: str) -> "Api":
        """The same with the other variant of this parameter."""
        return self


CHAT_ENDS: dict[str, Stop] = {
    "stop": "stop",
    "eos_token": "stop",  # text-generation-inference
    "stop_sequence": "stop",  # the same
    "end_turn": "stop",  # gateways to Anthropic's models, as is "max_tokens"
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral: the context window is full
    "tool_calls": "toolUse",
    "function_call": "toolUse",  # OpenAI before tools
}
"""`finish_reason`: what it means. Any other is a fault: content_filter, vLLM's abort, what is new."""

CHAT_WITHHELD = {"content_filter": "a content filter withheld the answer"}


@dataclass(frozen=True)
class ChatApi(Api):
    """`limit_key`: the name of the limit; `usage`: whether usage is requested."""

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
        """Which of the two parameters a refusal names: "usage", "limit", or "" for neither."""
        if self.usage and "stream_options" in words:
            return "usage"
        return "limit" if self.limit_key in words else ""

    def other(self, way: str) -> "ChatApi":
        if way == "usage":
            return replace(self, usage=False)
        limit_key = "max_completion_tokens" if self.limit_key == "max_tokens" else "max_tokens"
        return replace(self, limit_key=limit_key)


class _ChatPart(msgspec.Struct, frozen=True):
    type: str = ""
    text: str | None = None


class _Content(msgspec.Struct, frozen=True):
    """A `delta` of a stream, or the `message` of a whole answer."""

    content: str | list[_ChatPart] | None = None
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


class _ChatUsage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatAnswer(Answer):
    """An answer in pieces (`delta`) or whole (`message`)."""

    ends: ClassVar = CHAT_ENDS
    withheld: ClassVar = CHAT_WITHHELD

    def _hear(self, piece: object) -> None:
        came = msgspec.convert(piece, _Piece)
        self._faulty = self._faulty or bool(came.error)
        if known := _counted(came.usage, _ChatUsage):
            self._spent = CompletionUsage(max(known.prompt_tokens, 0), max(known.completion_tokens, 0))
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


def _text(content: str | list[_ChatPart] | None) -> str:
    if isinstance(content, list):  # Mistral's reasoning models: reasoning is a part of another type
        return "".join(part.text or "" for part in content if part.type == "text")
    return content or ""


ANTHROPIC_VERSION = "2023-06-01"  # of the API; the address has no version

ANTHROPIC_ENDS: dict[str, Stop] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "toolUse",
}
"""`stop_reason`: what it means. Any other is a fault: pause_turn, which nothing asked here leads to, new ones."""

ANTHROPIC_WITHHELD = {"refusal": REFUSED_BY_MODEL}
ANTHROPIC_TELLING = ("message", "message_start", "content_block_start", "content_block_delta", "message_delta")


class AnthropicApi(Api):
    """`baseUrl` as Anthropic's own clients define it: without `/v1`, which is not doubled if present."""

    def address(self, base: bytes) -> bytes:
        return base.rstrip(b"/").removesuffix(b"/v1") + b"/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": ANTHROPIC_VERSION} | ({} if key is None else {"x-api-key": key})

    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]:
        system = {"system": sound(ask.system)} if ask.system else {}
        messages = [{"role": "user", "content": sound(ask.prompt)}]
        return {"model": model, "max_tokens": ask.max_tokens, **system, "messages": messages, "stream": True}

    def answer(self, max_tokens: int) -> Answer:
        return AnthropicAnswer(max_tokens)


class _Kind(msgspec.Struct, frozen=True):
    type: str = ""


class _AnthropicPart(msgspec.Struct, frozen=True):
    """A block of content, or the `delta` of one or of the message."""

    type: str | None = None
    text: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct, frozen=True):
    content: list[_AnthropicPart] | None = None
    stop_reason: str | None = None
    usage: Any = None


class _Event(_Message, frozen=True):
    """An event of a known type; a whole message is one too. Some servers send null for nothing."""

    message: _Message | None = None
    content_block: _AnthropicPart | None = None
    delta: _AnthropicPart | None = None


class _AnthropicUsage(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None


class AnthropicAnswer(Answer):
    """An answer in events, or in one message."""

    ends: ClassVar = ANTHROPIC_ENDS
    withheld: ClassVar = ANTHROPIC_WITHHELD

    def __init__(self, max_tokens: int) -> None:
        super().__init__(max_tokens)
        self._figures: dict[str, int] = {}  # of usage

    def _hear(self, piece: object) -> None:
        kind = msgspec.convert(piece, _Kind).type
        self._faulty = self._faulty or kind == "error"
        self.closed = self.closed or kind == "message_stop"
        if kind not in ANTHROPIC_TELLING:
            return
        event = msgspec.convert(piece, _Event)
        message, delta, block = (
            event.message or _Message(),
            event.delta or _AnthropicPart(),
            event.content_block or _AnthropicPart(),
        )
        if kind != "content_block_delta" or delta.type == "text_delta":
            self._received = True
        self._end = message.stop_reason or event.stop_reason or delta.stop_reason or self._end
        self._hear_usage(message.usage or event.usage)
        for part in (*(message.content or event.content or ()), block, delta):
            if part.type in ("text", "text_delta"):
                self._add(part.text or "")
            self._tools = self._tools or part.type == "tool_use"

    def _hear_usage(self, usage: Any) -> None:
        told = _counted(usage or None, _AnthropicUsage)
        if told is None:
            return
        known = msgspec.structs.asdict(told)
        self._figures |= {name: max(tokens, 0) for name, tokens in known.items() if tokens is not None}
        figures = dict(self._figures)
        output = figures.pop("output_tokens", 0)
        self._spent = CompletionUsage(sum(figures.values()), output)
