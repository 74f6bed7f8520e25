"""Finds out whether an answer is a refusal before any of it goes to the program, so that the call can be repeated.

1. A status of 400 or more is one, and its body is read: an object, an array, HTML, a text, or nothing. If the body
   is cut, or takes too long (rule 4), what has arrived is used.
2. A stream with status 200 is held until an event is an error or has content of an answer: events before it only
   open the answer (`ProviderApi.opens`). No content of an answer is ever held.
3. A whole body with status 200 is held to its end: a program uses none of it before. Of an array, as in
   Gemini's streams, the first name decides, and of JSON lines the first line. A text or an HTML page, also in place
   of a stream, is no answer of any API; it is a refusal if its words say so. Spaces and newlines alone, with which
   a gateway keeps a connection alive, pass. A stream is recognised by its type or its first bytes.
4. Nothing is held for longer than HELD_SECONDS, nor more than HELD_BYTES: then it passes. Later errors are still
   read (`answers`), too late to try again.
5. A refusal is `binding` if a thinking block is in another list than the one it was made in, `size` if its words or
   its status say that the list was too long (`wordings`), `list` if the list may be at fault, and otherwise
   `other`, because any list would be refused. A 500 that only says that the server failed is `other`, because it
   passes by itself.
6. An answer that was cut before any content is a refusal for size if the context window was full (`Room`). It is
   held to its end, where its usage is.
"""

import asyncio
import contextlib
import re
from abc import ABC, abstractmethod
from typing import Any, Literal

import aiohttp
import msgspec

from ctxmgr.engine.pressure import is_full, wordings
from ctxmgr.formats import FORMATS
from ctxmgr.proxy.apis import ProviderApi
from ctxmgr.proxy.body import UNREADABLE, Decoder
from ctxmgr.proxy.events import ERROR, MARK, Event, EventReader, may_be_stream

HELD_SECONDS = 10.0  # enough for a refusal; slower answers come from a model that is reasoning
HELD_BYTES = 1 << 20  # the first event of a response repeats its tools and its instructions
NAME_BYTES = 64  # of an array, enough for its first name
TOLD_CHARACTERS = 4_000  # of an error that is not JSON
CUT_AT_ONCE = 4  # tokens of an answer that was cut at once, which shows a full context window, whatever its size
NEARLY_FULL = 0.9  # share of a context window, by an estimate
UNREADABLE_BODY = b"(unreadable)"
FULL = b'{"error":"context window exceeded: the answer was cut before it began"}'
OK, FIRST_REFUSAL = 200, 400
OF_LIST = (400, 422, 500)  # local servers refuse a list that their template does not accept with 500
INVALID, SERVER = 400, 500
_STATUS = re.compile(rb'"(?:code|status|status_code|statusCode)"\s*:\s*"?([45]\d\d)\b')
_INVALID = re.compile(rb"invalid|bad.?request|validation", re.IGNORECASE)
_decode = msgspec.json.Decoder().decode

RefusalKind = Literal["size", "list", "binding", "other"]


class Refusal(msgspec.Struct, frozen=True):
    """`told`: the error as ctxmgr gets it, in the form of `turn_end`. `is_sure`: it says that the list is at fault,
    and ctxmgr learns nothing from it. `is_guess`: only its status suggests the list.
    """

    kind: RefusalKind
    told: bytes
    is_sure: bool
    is_guess: bool = False


class Heard(msgspec.Struct, frozen=True):
    """`held`: the part of the answer read so far. `refusal`: None if it is not one, or unknown."""

    held: bytes
    refusal: Refusal | None


class Room(msgspec.Struct, frozen=True):
    """The room for an answer, in tokens: the model's context `window`, what was `sent` with the request by ctxmgr's
    count, and the `cap` that the request sets on its answer, None if it sets none.
    """

    window: int
    sent: float
    cap: int | None = None

    def is_full(self, usage: dict[str, Any]) -> bool:
        """Whether an answer without content was cut because the context window was full. `usage` is the provider's,
        empty if it sent none.
        """
        counted = FORMATS["openai"].usage(usage)
        if counted is None:
            return self.sent >= NEARLY_FULL * self.window
        is_at_once = counted.output_tokens <= CUT_AT_ONCE and (self.cap is None or self.cap > CUT_AT_ONCE)
        return is_at_once or is_full(counted, self.window)


UNHEARD = Heard(b"", None)
UNKNOWN_REFUSAL = Refusal("other", b"{}", False)


def refusal_of(status: int, content: bytes) -> Refusal:
    """The refusal in an answer with this status and decoded body."""
    try:
        error = _decode(content.removeprefix(MARK))
    except UNREADABLE:
        error = content.decode("utf-8", "replace")[:TOLD_CHARACTERS]
    if not error or (status == INVALID and _says_nothing(error)):
        error = f"{status} status code (no body)"
    told = msgspec.json.encode({"status": status, "error": error})
    words = FORMATS["openai"].view(told).error  # as `turn_end` reads it
    if wordings.says_of_binding(words):
        return Refusal("binding", told, True)
    if wordings.says_too_long(words):
        return Refusal("size", told, True)
    sure = wordings.says_of_list(words)
    is_guess = not sure and status == SERVER
    is_other = wordings.says_of_other_cause(words) or (is_guess and wordings.says_nothing(words))
    is_of_list = sure or (status in OF_LIST and not is_other)
    is_sure = (sure or status in OF_LIST[:2]) and not wordings.says_of_roles(words)
    return Refusal("list" if is_of_list else "other", told, is_sure, is_guess)


def _says_nothing(error: Any) -> bool:
    """Whether a body is JSON without an error and without a sentence: a gateway has dropped the provider's words
    (anomalyco/opencode#50761).
    """
    if not isinstance(error, dict):
        return False
    raw = msgspec.json.encode(error)
    return FORMATS["openai"].view(raw).stop != "error" and b" " not in raw


def status_in(failure: bytes) -> int:
    """The status for an error inside an answer: its own number, otherwise by its kind."""
    if match := _STATUS.search(failure):
        return int(match[1])
    return INVALID if _INVALID.search(failure) else SERVER


def refusing_words(body: bytes) -> bytes | None:
    """The body if it is not JSON and says that the list is at fault; None for any other."""
    refusal = refusal_of(SERVER, body)
    is_said = refusal.kind in ("size", "binding") or (refusal.kind == "list" and not refusal.is_guess)
    return body if is_said and not body.startswith((b"{", b"[")) else None


def failure_in(api: ProviderApi, event: bytes) -> bytes | None:
    """The error in an event of a stream, or in a whole answer; None if there is none."""
    view = FORMATS[api.format].view(event)
    return view.error.encode() if view.stop == "error" and view.error else None


async def heard(came: aiohttp.ClientResponse, api: ProviderApi, room: Room) -> Heard:
    """Reads enough to know whether the answer is a refusal. A failure meanwhile only ends this reading: a broken
    connection fails again when the answer is passed on.
    """
    is_refused = came.status >= FIRST_REFUSAL
    if came.status != OK and not is_refused:
        return UNHEARD
    kind, held = came.headers.get("content-type", "").lower(), bytearray()
    decoder = Decoder(came.headers.get("content-encoding", ""))
    is_stream = kind.startswith("text/event-stream")
    beginning: _Beginning = (
        _Refused(came.status) if is_refused else _Stream(api, room) if is_stream else _Whole(api, room)
    )
    try:
        with contextlib.suppress(TimeoutError, aiohttp.ClientError):
            async with asyncio.timeout(HELD_SECONDS):
                while not beginning.is_told and len(held) <= HELD_BYTES and not decoder.broken:
                    piece = await came.content.readany()
                    held += piece
                    if not piece:
                        beginning.end()
                        break
                    beginning.feed(decoder.feed(piece))
                    if isinstance(beginning, _Whole) and beginning.is_stream:
                        begun, beginning = beginning, _Stream(api, room)
                        beginning.feed(bytes(begun.content))
        refusal = beginning.refusal
    except Exception:  # noqa: BLE001  a fault of our own costs nothing but savings
        refusal = UNKNOWN_REFUSAL if is_refused else None
    return Heard(bytes(held), refusal)


class _Beginning(ABC):
    """The beginning of an answer. `failure`: the error in it."""

    is_told = False
    failure: bytes | None = None

    @property
    def refusal(self) -> Refusal | None:
        return None if self.failure is None else refusal_of(status_in(self.failure), self.failure)

    @abstractmethod
    def feed(self, piece: bytes) -> None: ...

    @abstractmethod
    def end(self) -> None: ...


class _Refused(_Beginning):
    """The body of an answer with an error status. If it is cut or takes too long, what has arrived is used."""

    def __init__(self, status: int) -> None:
        self._status, self._content, self._unread = status, bytearray(), UNREADABLE_BODY

    def feed(self, piece: bytes) -> None:
        self._content += piece

    def end(self) -> None:
        self._unread = b""

    @property
    def refusal(self) -> Refusal:
        return refusal_of(self._status, bytes(self._content) or self._unread)


class _Stream(_Beginning):
    """The first events of a stream."""

    def __init__(self, api: ProviderApi, room: Room) -> None:
        self._api, self._room, self._events = api, room, EventReader()
        self._usage: dict[str, Any] = {}
        self._is_cut = False  # rule 6
        self._content, self._has_event = bytearray(), False

    def feed(self, piece: bytes) -> None:
        if not self._has_event and len(self._content) <= HELD_BYTES:
            self._content += piece
        for event in self._events.feed(piece):
            self._hear(event)

    def end(self) -> None:
        for event in self._events.end():
            self._hear(event)
        if not self._has_event:
            self.failure = refusing_words(bytes(self._content))
        if not self.is_told:
            self._end()

    def _hear(self, event: Event) -> None:
        self._has_event = True
        if self.is_told:
            return
        self.failure = failure_in(self._api, event.data) or (event.data if event.name == ERROR else None)
        try:
            told = _decode(event.data)
            self._api.count(self._usage, told)
            is_opening = self.failure is None and (self._api.opens(told) or self._may_be_full(told))
        except (*UNREADABLE, AttributeError):  # `[DONE]`, or an unknown event
            is_opening = False
        if self.failure is None and (not is_opening or any(sign in event.data for sign in self._api.end_signs)):
            self._end()
        self.is_told = self.is_told or self.failure is not None

    def _may_be_full(self, event: dict[str, Any]) -> bool:
        """Whether the answer was cut without any content so far (rule 6)."""
        self._is_cut = (self._is_cut or self._api.is_cut(event)) and not self._api.says(event)
        return self._is_cut

    def _end(self) -> None:
        """Decides; later events add nothing."""
        self.is_told = True
        if self._is_cut and self._room.is_full(self._usage):
            self.failure = FULL


class _Whole(_Beginning):
    """A whole answer, or a streamed array."""

    def __init__(self, api: ProviderApi, room: Room) -> None:
        self._api, self._room, self.content, self._has_line = api, room, bytearray(), False
        self.is_stream = False

    def feed(self, piece: bytes) -> None:
        self.content += piece
        begins = bytes(self.content[:NAME_BYTES]).removeprefix(MARK).lstrip()
        may_be = may_be_stream(begins)
        self.is_stream = may_be is True
        is_blank = not begins and bool(self.content)
        is_array = begins.startswith(b"[") and b'"error"' not in begins and len(self.content) >= NAME_BYTES
        self.is_told = is_blank or is_array or len(self.content) > HELD_BYTES
        if not self.is_told and not self._has_line and b"\n" in piece:
            self._line(bytes(self.content).removeprefix(MARK).lstrip().partition(b"\n"))

    def _line(self, parts: tuple[bytes, bytes, bytes]) -> None:
        """Decides by the first line, if that is a complete JSON value, as in JSON lines."""
        line, end, _ = parts
        self._has_line = bool(end)
        if end:
            with contextlib.suppress(*UNREADABLE):
                _decode(line)
                self.failure, self.is_told = failure_in(self._api, line), True

    def end(self) -> None:
        body = bytes(self.content).removeprefix(MARK).lstrip()
        self.failure, self.is_told = failure_in(self._api, body) or refusing_words(body), True
        if self.failure is None and self._api.cut_sign in body:
            with contextlib.suppress(*UNREADABLE, AttributeError):
                self._hear_cut(_decode(body))

    def _hear_cut(self, answer: dict[str, Any]) -> None:
        """Checks whether the context window was full (rule 6)."""
        usage: dict[str, Any] = {}
        self._api.count(usage, answer)
        if self._api.is_cut(answer) and not self._api.says(answer) and self._room.is_full(usage):
            self.failure = FULL
