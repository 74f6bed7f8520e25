"""Reads what a provider counted from its answer, and the tools that its model calls, as its bytes pass: of a stream
of events, or of one body.

1. Anthropic tells the input with the first event and the output with the last: what comes later goes over what came
   before. OpenAI tells all of it once. Gemini tells all so far with each piece, of a stream of events or of one
   array; the one that ends it says why.
2. An answer that does not end as its kind ends was cut: what it told is no count of a turn.
3. A tool's call is told when all of it has come, before the program has the bytes that end it: the program can not
   have made it by then. What can not be read is no call.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ctxmgr.proxy.body import UNREADABLE, Decoder

# in every event that belongs to a call; others need not be parsed
SIGNS = (
    b'"tool_use"',
    b'"input_json_delta"',
    b'"content_block_stop"',
    b'"function_call"',
    b'"tool_calls"',
    b'"finish_reason"',
    b'"functionCall"',
)
_decode = msgspec.json.Decoder().decode


class CalledTool(msgspec.Struct, frozen=True):
    """`name` as the program declared the tool."""

    name: str
    arguments: dict[str, Any]


class ToolCallReader:
    """Of one answer. `tell` hears each call."""

    def __init__(self, tell: Callable[[CalledTool], None]) -> None:
        self._tell = tell
        self._begun: dict[Any, tuple[str, list[str]]] = {}  # by its place: the name, and pieces of its arguments

    def take(self, event: dict[str, Any]) -> None:
        """An event of a stream, or a whole answer."""
        kind = event.get("type")
        if kind == "response.output_item.done":
            self._items([event.get("item")])
        elif isinstance(kind, str) and kind.startswith("content_block_"):
            self._block(kind, event)
        else:
            self._items(event.get("content"))  # of Anthropic
            self._items(event.get("output"))  # of Responses
            for choice in _objects(event.get("choices")):
                self._choice(choice)
            for candidate in _objects(event.get("candidates")):
                for part in _objects(_object(candidate.get("content")).get("parts")):
                    call = _object(part.get("functionCall"))
                    self._whole(call.get("name"), call.get("args"))

    # within

    def _items(self, items: Any) -> None:
        for item in _objects(items):
            if item.get("type") == "tool_use":
                self._whole(item.get("name"), item.get("input"))
            elif item.get("type") == "function_call":
                self._whole(item.get("name"), item.get("arguments"))

    def _block(self, kind: str, event: dict[str, Any]) -> None:
        place, block = str(event.get("index")), _object(event.get("content_block"))
        if kind == "content_block_start" and block.get("type") == "tool_use":
            self._begun[place] = str(block.get("name")), []
        elif kind == "content_block_delta" and place in self._begun:
            self._begun[place][1].append(str(_object(event.get("delta")).get("partial_json") or ""))
        elif kind == "content_block_stop":
            self._end(place)

    def _choice(self, choice: dict[str, Any]) -> None:
        place = str(choice.get("index"))
        for call in _objects(_object(choice.get("message")).get("tool_calls")):
            function = _object(call.get("function"))
            self._whole(function.get("name"), function.get("arguments"))
        for call in _objects(_object(choice.get("delta")).get("tool_calls")):
            function = _object(call.get("function"))
            name, pieces = self._begun.setdefault((place, str(call.get("index"))), ("", []))
            pieces.append(str(function.get("arguments") or ""))
            self._begun[place, str(call.get("index"))] = str(function.get("name") or name), pieces
        if choice.get("finish_reason"):
            for at in [at for at in self._begun if isinstance(at, tuple) and at[0] == place]:
                self._end(at)

    def _end(self, place: Any) -> None:
        if place in self._begun:
            name, pieces = self._begun.pop(place)
            self._whole(name, "".join(pieces))

    def _whole(self, name: Any, arguments: Any) -> None:
        if isinstance(arguments, str):
            try:
                arguments = _decode(arguments or "{}")
            except UNREADABLE:
                return
        if isinstance(name, str) and isinstance(arguments, dict):
            self._tell(CalledTool(name, arguments))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (one for one in (value if isinstance(value, list) else ()) if isinstance(one, dict))


LARGEST_BYTES = 64 << 20  # of one body, or one line of a stream: of what is larger nothing is read
ENDS = (b'"message_stop"', b'"response.completed"', b'"response.incomplete"', b'"finishReason"')
NAMES = ("usage", "usageMetadata")
DONE = b"[DONE]"


class UsageReader:
    """Fed with the bytes of an answer as they came, compressed or not. `usage`: the provider's own object once the
    answer has ended, None where it told none or was cut. `calls`: hears of the tools, None where nobody does."""

    def __init__(self, content_type: str, encoding: str, calls: ToolCallReader | None = None) -> None:
        self._calls = calls
        self._decoder = Decoder(encoding)
        self._is_stream = content_type.lower().startswith("text/event-stream")
        self._buffer = bytearray()
        self._usage: dict[str, Any] = {}
        self._ended = False

    def feed(self, chunk: bytes) -> None:
        self._buffer += self._decoder.feed(chunk)
        if self._is_stream:
            *lines, rest = self._buffer.split(b"\n")
            self._buffer = rest
            for line in lines:
                self._line(line)
        if len(self._buffer) > LARGEST_BYTES:
            self._buffer.clear()

    def end(self) -> None:
        """The provider ended its answer as it should."""
        if self._is_stream:
            self._line(self._buffer)
        else:
            self._ended = True
            self._read(bytes(self._buffer))
        self._buffer.clear()

    @property
    def usage(self) -> dict[str, Any] | None:
        return self._usage if self._ended and self._usage else None

    def _line(self, line: bytearray) -> None:
        if not line.startswith(b"data:"):
            return
        if line[5:].strip() == DONE or any(end in line for end in ENDS):
            self._ended = True
        if b'"usage' in line or (self._calls is not None and any(sign in line for sign in SIGNS)):
            self._read(bytes(line[5:]))

    def _read(self, told: bytes) -> None:
        try:
            event = _decode(told)
        except UNREADABLE:
            return
        for one in event if isinstance(event, list) else [event]:
            if isinstance(one, dict):
                self._take(one)
                if self._calls is not None:
                    self._calls.take(one)

    def _take(self, event: dict[str, Any]) -> None:
        for holder in (event, event.get("message"), event.get("response")):
            for usage in (holder.get(name) for name in NAMES) if isinstance(holder, dict) else ():
                if isinstance(usage, dict):
                    self._usage |= {name: value for name, value in usage.items() if value is not None}
