"""Turns what a chat-completions server sends, piece by piece, into a completion. Knows no network.

1. An answer is whole only where the server said why it ended. A stream that just stops is a fault, whatever
   text has come: half a summary looks like a whole one.
2. Text that grows far beyond what was asked for is cut: some servers take no notice of the limit, some models
   never stop.
3. A fault is told in words of ours. What a server writes in an error may quote the prompt or the key.
4. Only the first choice counts; reasoning and other members that we do not know are passed over.
"""

from typing import Any

import msgspec

from ctxmgr.model.compaction import Completion, CompletionUsage, Stop

CHARACTERS_A_TOKEN = 16
"""Text beyond this many characters a token asked for is cut. Customary is 4; tables and blanks reach 10."""

SPARE_CHARACTERS = 4_096
"""Added to that: a very small limit is no reason to cut a short answer."""

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

GARBAGE = "what came is no chat completion"
UNFINISHED = "the answer ended without a finish reason"
SERVER_FAULT = "the server reported an error in the middle of its answer"
TIMED_OUT = "timed out"


class EndpointFault(Exception):
    """A call that failed. The text says why, in words of ours.

    `again`: worth another try; `after`: seconds, where the server named them; `refused`: what the server wrote
    when it refused the request, to look for a parameter's name in: never to be shown.
    """

    def __init__(self, words: str, again: bool = False, after: float | None = None, refused: str = "") -> None:
        super().__init__(words)
        self.again, self.after, self.refused = again, after, refused


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


class Answer:
    """What has come so far of an answer that was asked to have at most `max_tokens`."""

    def __init__(self, max_tokens: int) -> None:
        self._limit = max_tokens * CHARACTERS_A_TOKEN + SPARE_CHARACTERS
        self._texts: list[str] = []
        self._length = 0
        self._end: str | None = None
        self._received = self._tools = self._refused = self._faulty = False
        self._spent: CompletionUsage | None = None

    @property
    def ended(self) -> bool:
        """Whether the server has said why it ended: what follows is of no weight (usage, the end mark)."""
        return self._end is not None

    def take(self, piece: object) -> bool:
        """Adds one decoded piece; False when no more is to be read. `msgspec.MsgspecError`: it is garbage."""
        came = msgspec.convert(piece, _Piece)
        self._faulty = self._faulty or bool(came.error)
        self._spent = _spent(came.usage) or self._spent
        for choice in came.choices or ():
            self._received = True
            if choice.index == 0:
                self._hear(choice)
        return self._length <= self._limit and not self._faulty

    def _hear(self, choice: _Choice) -> None:
        self._end = choice.finish_reason or self._end
        said = choice.delta or choice.message
        if said is None:
            return
        text = _text(said.content)
        self._texts.append(text)
        self._length += len(text)
        self._tools = self._tools or bool(said.tool_calls or said.function_call)
        self._refused = self._refused or bool(said.refusal)

    def completion(self) -> Completion:
        """What came of it, once no more is read."""
        if self._length > self._limit:
            return Completion(sound("".join(self._texts)[: self._limit]), "length", self._spent)
        if fault := self._fault():
            return Completion(stop="error", fault=fault, usage=self._spent)
        stop: Stop = "toolUse" if self._tools else ENDS[self._end or ""]
        return Completion(sound("".join(self._texts)), stop, self._spent)

    def _fault(self) -> str:
        if self._faulty:
            return SERVER_FAULT
        if self._refused:
            return "the model refused to answer"
        if self._end is None:
            return UNFINISHED if self._received else GARBAGE
        if self._end == "content_filter":
            return "a content filter withheld the answer"
        return "" if self._end in ENDS else "the answer ended for a reason that is not known"


def sound(text: str) -> str:
    """The text as UTF-8 can carry it: surrogates that make a pair are joined, lone ones become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


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
