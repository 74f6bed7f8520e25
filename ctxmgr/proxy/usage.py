"""Reads what a provider counted from its answer, and the tools that its model calls, as its bytes pass: of a stream
of events, or of one body.

1. Anthropic tells the input with the first event and the output with the last: what comes later goes over what came
   before. OpenAI tells all of it once. Gemini tells all so far with each piece, of a stream of events or of one
   array; the one that ends it says why.
2. An answer that does not end as its kind ends was cut: what it told is no count of a turn.
"""

from typing import Any

import msgspec

from ctxmgr.proxy.apis import SIGNS, ToolCallReader
from ctxmgr.proxy.body import Decoder
from ctxmgr.proxy.members import UNREADABLE

LARGEST_BYTES = 64 << 20  # of one body, or one line of a stream: of what is larger nothing is read
ENDS = (b'"message_stop"', b'"response.completed"', b'"response.incomplete"', b'"finishReason"')
NAMES = ("usage", "usageMetadata")
DONE = b"[DONE]"
_decode = msgspec.json.Decoder().decode


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
