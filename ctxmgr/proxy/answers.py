"""Reads the provider's usage, and the model's tool calls, from an answer while its bytes pass: a stream of events,
or one body. The API (`apis/`) knows how to recognise each.

1. Anthropic sends the input count with the first event and the output count with the last. OpenAI sends both once.
   Gemini sends all counts so far with each part, of a stream of events or of one array; the last part has the stop
   reason. Kimi's streams have usage in the choice (platform.moonshot.ai/docs), Groq's in `x_groq`
   (console.groq.com/docs); llama.cpp's server has `timings` beside it (tools/server/README.md).
2. An error may come in the middle of an answer, or in its place.
3. An answer without its regular end was cut: its usage is not the count of a turn.
4. An exception in this reader ends only the reading: the answer passes, and is not counted.
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.proxy.apis import CalledTool, ProviderApi, ToolCalls
from ctxmgr.proxy.body import UNREADABLE, Decoder
from ctxmgr.proxy.events import ERROR, LARGEST_BYTES, MARK, Event, EventReader, may_be_stream
from ctxmgr.proxy.hearing import Refusal, failure_in, refusal_of, status_in

_decode = msgspec.json.Decoder().decode
_FAILS = re.compile(rb'"errors?"\s*:\s*[^\sn]|"response\.failed"|"type"\s*:\s*"error"')
DONE = b"[DONE]"  # the end of a stream of chat completions, and of gateways


class UsageReader:
    """Gets the bytes of an answer as they come, compressed or not.

    `usage`: the provider's usage object once the answer has ended, None if it had none or was cut. `failure`: the
    error in the answer, None if there was none. `is_cut`: the answer ended for lack of room. `tell`: called with
    each tool call; None if they are not needed.
    """

    def __init__(
        self,
        api: ProviderApi,
        content_type: str,
        encoding: str,
        tell: Callable[[CalledTool], None] | None = None,
    ) -> None:
        self._api = api
        members = [f'"{name}"'.encode() for name in (api.usage_member, api.counts_member) if name]
        self._signs = (*members, api.cut_sign)
        self._calls = ToolCalls(tell) if tell is not None else None
        self._decoder = Decoder(encoding)
        is_stream = content_type.lower().startswith("text/event-stream")
        self._is_stream: bool | None = is_stream or None  # None: decided by its first bytes
        self._buffer, self._events = bytearray(), EventReader()
        self._usage: dict[str, Any] = {}
        self._ended = self._is_deaf = self.is_cut = False
        self.failure: Refusal | None = None

    def feed(self, chunk: bytes) -> None:
        self._unless_deaf(self._feed, chunk)

    def end(self) -> None:
        """Called when the provider ended its answer regularly."""
        self._unless_deaf(self._end)

    @property
    def usage(self) -> dict[str, Any] | None:
        return self._usage if self._ended and self._usage and not self._is_deaf else None

    def _unless_deaf(self, read: Callable[..., None], *given: bytes) -> None:
        """Calls `read`, and stops reading after an exception (rule 4)."""
        if not self._is_deaf:
            try:
                read(*given)
            except Exception:  # noqa: BLE001
                self._is_deaf = True
                self._buffer.clear()

    def _feed(self, chunk: bytes) -> None:
        plain = self._decoder.feed(chunk)
        if self._is_stream is None:
            plain = bytes(self._buffer) + plain
            self._buffer.clear()
            self._is_stream = may_be_stream(plain)
        if self._is_stream:
            for event in self._events.feed(plain):
                self._event(event)
            return
        self._buffer += plain
        if len(self._buffer) > LARGEST_BYTES:
            self._buffer.clear()

    def _end(self) -> None:
        if not self._is_stream:
            self._ended = True
            whole = bytes(self._buffer).removeprefix(MARK)
            self._buffer.clear()
            if _FAILS.search(whole):
                self._fail(whole)
            if self._read(whole):
                return
            for event in self._events.feed(whole):  # lines of JSON
                self._event(event)
        for event in self._events.end():
            self._event(event)

    def _event(self, event: Event) -> None:
        name, data = event
        if data == DONE or any(sign in data for sign in self._api.end_signs):
            self._ended = True
        if name == ERROR or _FAILS.search(data):
            self._fail(data, name)
        has_calls = self._calls is not None and any(sign in data for sign in self._api.call_signs)
        if has_calls or any(sign in data for sign in self._signs):
            self._read(data)

    def _fail(self, content: bytes, name: bytes = b"") -> None:
        failure = failure_in(self._api, content) or (content if name == ERROR else None)
        if failure is not None:
            self.failure = refusal_of(status_in(failure), failure)

    def _read(self, content: bytes) -> bool:
        """Reads usage and tool calls from JSON. Returns whether it was readable."""
        try:
            event = _decode(content)
        except UNREADABLE:
            return False
        for item in event if isinstance(event, list) else [event]:
            if isinstance(item, dict):
                self._api.count(self._usage, item)
                self.is_cut |= self._api.is_cut(item)
                if self._calls is not None:
                    self._api.read_calls(item, self._calls)
        return True
