"""What is read of one request: whose list it holds, and what is to be done with it; what an API is; and the tools
that a model calls in one answer, put together from the pieces in which they come.

A call of a tool is told when all of it has come, before the program has the bytes that end it: the program cannot
have made it by then. What cannot be read is no call.
"""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal

import msgspec

from ctxmgr.formats import unmarked
from ctxmgr.proxy.body import UNREADABLE, ListBody, Message, elements, members, read_once

_decode = msgspec.json.Decoder().decode


class CalledTool(msgspec.Struct, frozen=True):
    """`name` as the program declared the tool."""

    name: str
    arguments: dict[str, Any]


class ToolCalls:
    """Of one answer. `tell` hears each call. `begun`: those that have not ended, by a key of their place in the
    answer: the name, and pieces of the arguments."""

    def __init__(self, tell: Callable[[CalledTool], None]) -> None:
        self._tell = tell
        self.begun: dict[Any, tuple[str, list[str]]] = {}

    def end(self, key: Any) -> None:
        """All of the call with this key has come, if there is one."""
        if key in self.begun:
            name, pieces = self.begun.pop(key)
            self.whole(name, "".join(pieces))

    def whole(self, name: Any, arguments: Any) -> None:
        """A call with its arguments, as an object or as its JSON."""
        if isinstance(arguments, str):
            try:
                arguments = _decode(arguments or "{}")
            except UNREADABLE:
                return
        if isinstance(name, str) and isinstance(arguments, dict):
            self._tell(CalledTool(name, arguments))


def object_of(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


class WrittenAnswer(msgspec.Struct, frozen=True):
    """An answer that the proxy writes itself, as the program asked for it: a stream of events, or one body."""

    content_type: str
    body: bytes


def event_bytes(content: dict[str, Any], name: str = "") -> bytes:
    """One event of a stream."""
    head = f"event: {name}\n".encode() if name else b""
    return b"%sdata: %s\n\n" % (head, msgspec.json.encode(content))


Headers = Mapping[str, str]  # by name, whatever its case

# `turn`: the next step of a conversation. `compaction`: the program asks for a summary of it. `aside`: a call
# beside any conversation (a title, a count of tokens), or of a talk without tools, of which nothing that leaves
# could be fetched again: it passes untouched.
Kind = Literal["turn", "compaction", "aside"]
Part = Literal["reply", "result", "other"]
"""What a message is of a step: the model's reply, what its tools gave, or neither."""

BYTES_A_TOKEN = 4
ID_BYTES = 8
MARK = b'"cache_control"'
LONE = b'"type":"text"'
MARKED = ("system", "tools")  # members beside the list that hold marks


# Programs that name their conversation whatever API they speak: the header with its name, and the one that a
# sub-agent adds. (opencode 1.18.33, tried.)
NAMING = {"opencode": ("x-session-id", "x-parent-session-id")}
ErrorKind = Literal[
    "permission_error", "invalid_request_error", "not_found_error", "request_too_large", "api_error"
]
"""Anthropic's words for an error, which OpenAI knows, too."""


class Speaker(msgspec.Struct, frozen=True):
    """Who sends a list, as far as the program says: its name, its conversation, and its sub-agent. "" where it says
    nothing. `window_id`: changes where the program begins its list anew. `parent`: the conversation that a
    sub-agent with one of its own works for."""

    program: str
    conversation: str = ""
    agent: str = ""
    is_subagent: bool = False
    window_id: str = ""
    parent: str = ""


class ProviderApi(ABC):
    """One shape of requests: where it is posted, what its list is called, what a program tells of itself, and what
    its answers and errors look like. `format`: the name of its messages' format."""

    format: ClassVar[str]
    paths: ClassVar[tuple[str, ...]]
    list_member: ClassVar[str] = "messages"
    has_marks: ClassVar[bool] = True
    """Its messages may bear cache marks, and a lone text may stand as a string or as a block."""

    places_marks: ClassVar[bool] = False
    """Marks are put on what was rewritten (`marks`)."""

    beside: ClassVar[tuple[str, ...]]
    """Members beside the list that count as input."""

    usage_member: ClassVar[str] = "usage"
    """Of an answer, or of its message or response: what the provider counted."""

    counts_member: ClassVar[str] = ""
    """Of an answer, beside its usage: what a server of this API counts more, "" for none."""

    end_signs: ClassVar[tuple[bytes, ...]] = ()
    """In the event that ends a streamed answer, where that is not `[DONE]`."""

    unbinding: ClassVar[tuple[str, str]] = ("", "")
    """The header, and the value in it, by which `unbound` may be asked for."""

    call_signs: ClassVar[tuple[bytes, ...]]
    """In every event of a stream that belongs to a tool's call; others need not be parsed."""

    def call_of(self, path: str, headers: Headers, body: ListBody) -> "ListCall":
        """What a request with this list asks for."""
        return ListCall(
            self,
            self.model(path, body),
            self.kind(path, headers, body),
            self.speaker(headers),
            body,
            self.rival(body.members),
            sum(len(body.members.get(name, b"")) for name in self.beside),
            self.window_tokens(headers),
        )

    def unbound(self, body: bytes) -> bytes:
        """The request's body, which asks the provider to drop the thoughts that it finds behind another list than
        they were made behind, instead of refusing the request."""
        return body

    def model(self, path: str, body: ListBody) -> str:
        return text_of(body.members.get("model"))

    @abstractmethod
    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind: ...

    def speaker(self, headers: Headers) -> Speaker:
        """Who sends a list, where the API itself tells nothing of it."""
        program = program_of(headers)
        name, header = NAMING.get(program, ("", ""))
        parent = headers.get(header, "")
        return Speaker(program, headers.get(name, ""), "", bool(parent), parent=parent)

    def rival(self, members: Mapping[str, bytes]) -> str:
        """What makes the provider itself drop or add messages; "" where nothing does."""
        return ""

    def window_tokens(self, headers: Headers) -> int:
        """Of the window that a request asks for; 0 where it asks for none."""
        return 0

    @abstractmethod
    def opens(self, event: dict[str, Any]) -> bool:
        """Whether an event of a stream only says that an answer begins, and has nothing of it."""

    @abstractmethod
    def says(self, event: dict[str, Any]) -> bool:
        """Whether an event of a stream, or a whole answer, has something of an answer."""

    @abstractmethod
    def is_cut(self, event: dict[str, Any]) -> bool:
        """Whether it ends an answer because there was no room for more of it."""

    cut_sign: ClassVar[bytes]
    """In every event by which `is_cut`."""

    cap_members: ClassVar[tuple[str, ...]]
    """Of a request: the most tokens that its answer may have."""

    def reply_cap(self, members: Mapping[str, bytes]) -> int | None:
        """How many tokens a request lets its answer have; None where it does not say."""
        caps = [cap for name in self.cap_members if (cap := count_of(members.get(name))) is not None]
        return min(caps, default=None)

    def count(self, usage: dict[str, Any], event: dict[str, Any]) -> None:
        """Adds to `usage` what an event of a stream, or a whole answer, tells of it. What comes later replaces what
        came before, but for a zero, which gateways tell of what they do not know."""
        choices = event.get("choices")
        within = choices[-1:] if isinstance(choices, list) else []
        if isinstance(counts := event.get(self.counts_member), dict):
            usage[self.counts_member] = counts
        for holder in (event, event.get("message"), event.get("response"), event.get("x_groq"), *within):
            told = holder.get(self.usage_member) if isinstance(holder, dict) else None
            if isinstance(told, dict):
                later = {name: value for name, value in told.items() if value is not None}
                usage |= {name: value for name, value in later.items() if value or name not in usage}

    @abstractmethod
    def part(self, message: dict[str, Any]) -> Part:
        """What a message is of a step."""

    @abstractmethod
    def read_calls(self, event: dict[str, Any], calls: ToolCalls) -> None:
        """Adds what an event of a streamed answer, or a whole answer, has of tools' calls."""

    def error(self, kind: ErrorKind, text: str) -> Any:
        """An error of the proxy's own, as JSON, in the shape that the program knows from its provider."""
        return {"error": {"type": kind, "message": text, "param": None, "code": None}}

    def written(self, call: "ListCall", text: str) -> WrittenAnswer | None:
        """The answer to this call that says no more than the text, with a usage of nothing; None of an API for
        which none is written here."""
        whole = self.whole(call.model, text)
        if whole is None:
            return None
        if call.body.members.get("stream", b"").strip() == b"true":
            return WrittenAnswer("text/event-stream", b"".join(self.events(whole, text, call.body)))
        return WrittenAnswer("application/json", msgspec.json.encode(whole))

    def whole(self, model: str, text: str) -> dict[str, Any] | None:
        """An answer that was not streamed (`written`)."""
        return None

    def events(self, whole: dict[str, Any], text: str, body: ListBody) -> Iterator[bytes]:
        """The same answer, streamed."""
        raise NotImplementedError

    @read_once
    def part_of(self, raw: bytes) -> Part:
        """What a message is of a step; what cannot be read is `other`."""
        try:
            message = _decode(raw)
        except UNREADABLE:
            return "other"
        return self.part(message) if isinstance(message, dict) else "other"

    def has_result(self, messages: Iterable[bytes]) -> bool:
        """Whether a message of this list holds what a tool gave."""
        return any(self.part_of(raw) == "result" for raw in messages)

    @read_once
    def plain(self, raw: bytes) -> bytes:
        """The message as ctxmgr gets it: without cache marks, and a lone text as a string; the very bytes where it
        is so. Programs write a message with one text as a list of blocks while it bears a mark, and as a string
        afterwards."""
        if not self.has_marks:
            return raw
        bare = unmarked(raw)
        made = _with_lone_text(bare) if LONE in bare else bare
        return raw if made is raw else Message(made)


class ListCall(msgspec.Struct, frozen=True):
    """One request with a list. `rival`: what of the request makes the provider itself drop or add messages, ""
    where nothing does. `overhead_bytes`: of what is sent beside the list and counts as input.
    `window_tokens`: of the window that the request asks for, 0 where it asks for none."""

    api: ProviderApi
    model: str
    kind: Kind
    speaker: Speaker
    body: ListBody
    rival: str = ""
    overhead_bytes: int = 0
    window_tokens: int = 0

    @property
    def format(self) -> str:
        """The name of its messages' format."""
        return self.api.format

    @property
    def overhead_tokens(self) -> int:
        """Roughly: JSON of prompts and of tools."""
        return self.overhead_bytes // BYTES_A_TOKEN

    @property
    def own_marks(self) -> int:
        """Cache marks outside of the list; a member of the request's own sets one on its last block."""
        within = sum(self.body.members.get(name, b"").count(MARK) for name in MARKED)
        return within + ("cache_control" in self.body.members)


def _with_lone_text(raw: bytes) -> bytes:
    """The message with a text that stands alone as its content."""
    message = members(raw) or {}
    blocks = elements(bytes(message.get("content", b""))) or []
    lone = members(bytes(blocks[0])) if len(blocks) == 1 else None
    if lone is None or lone.keys() != {"type", "text"} or bytes(lone["type"]) != b'"text"':
        return raw
    return msgspec.json.encode({**message, "content": lone["text"]})


def new_id(prefix: str) -> str:
    """Of an answer that is written here."""
    return f"{prefix}_ctxmgr{secrets.token_hex(ID_BYTES)}"


def text_of(raw: bytes | None) -> str:
    """A JSON string's text, "" where it is none."""
    try:
        value = msgspec.json.decode(raw or b"null")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return value if isinstance(value, str) else ""


def count_of(raw: bytes | None) -> int | None:
    """A JSON number's whole value, None where it is none or not positive."""
    try:
        value = msgspec.json.decode(raw or b"null")
    except UNREADABLE:
        return None
    return int(value) if type(value) in (int, float) and 0 < value < 2**53 else None


def is_empty(raw: bytes | None) -> bool:
    """Whether the member is missing, null, or an empty list."""
    return raw is None or raw.strip() in (b"", b"null") or raw.replace(b" ", b"") == b"[]"


def program_of(headers: Headers) -> str:
    """The name that a program gives itself: the first word of its user agent."""
    product = headers.get("user-agent", "").split("/")[0].split("(")[0].strip().lower()
    return "-".join(product.split()) if product.isprintable() else ""
