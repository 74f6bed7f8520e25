"""Defines an API: what is read of one request (whose list it has, what to do with it), and the tool calls of one
answer, assembled from their pieces.

A tool call is reported when it is complete, before the program gets its last bytes, so the program cannot have made
the call yet. Anything that cannot be read is not a call.
"""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal

import msgspec

from ctxmgr.formats import compact, unmarked
from ctxmgr.proxy.body import UNREADABLE, ListBody, Message, elements, members, read_once

_decode = msgspec.json.Decoder().decode


class CalledTool(msgspec.Struct, frozen=True):
    """`name` as the program declared the tool."""

    name: str
    arguments: dict[str, Any]


class ToolCalls:
    """The tool calls of one answer. `tell` is called with each. `begun`: calls that are incomplete, by their place
    in the answer: the name, and pieces of the arguments.
    """

    def __init__(self, tell: Callable[[CalledTool], None]) -> None:
        self._tell = tell
        self.begun: dict[Any, tuple[str, list[str]]] = {}

    def end(self, key: Any) -> None:
        """Reports the call with this key as complete, if there is one."""
        if key in self.begun:
            name, pieces = self.begun.pop(key)
            self.whole(name, "".join(pieces))

    def whole(self, name: Any, arguments: Any) -> None:
        """Reports a complete call, with its arguments as an object or as JSON."""
        if isinstance(arguments, str):
            try:
                arguments = _decode(arguments or "{}")
            except UNREADABLE:
                return
        if isinstance(name, str) and isinstance(arguments, dict):
            self._tell(CalledTool(name, arguments))


def object_of(value: Any) -> dict[str, Any]:
    """The value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a list; none if it is not a list."""
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


class WrittenAnswer(msgspec.Struct, frozen=True):
    """An answer that the proxy writes itself, in the form that the program asked for: a stream of events, or one
    body.
    """

    content_type: str
    body: bytes


def event_bytes(content: dict[str, Any], name: str = "") -> bytes:
    """One event of a stream."""
    head = f"event: {name}\n".encode() if name else b""
    return b"%sdata: %s\n\n" % (head, msgspec.json.encode(content))


Headers = Mapping[str, str]  # by name, ignoring case

# `turn`: the next step of a conversation. `compaction`: the program asks for a summary of it. `aside`: a call
# outside any conversation (a title, a count of tokens), or of a chat without tools, whose model could not fetch
# removed content again: it passes unchanged.
Kind = Literal["turn", "compaction", "aside"]
Part = Literal["reply", "result", "other"]
"""The role of a message in a step: the model's reply, a tool's result, or neither."""

BYTES_A_TOKEN = 4
ID_BYTES = 8
MARK = b'"cache_control"'
LONE = b'"type":"text"'
MARKED = ("system", "tools")  # members beside the list that may have marks


# Programs that name their conversation with every API: the header with the conversation's name, and the one that a
# sub-agent adds. (Tested with opencode 1.18.33.)
NAMING = {"opencode": ("x-session-id", "x-parent-session-id")}
ErrorKind = Literal[
    "permission_error", "invalid_request_error", "not_found_error", "request_too_large", "api_error"
]
"""Anthropic's error types, which OpenAI uses too."""


class Speaker(msgspec.Struct, frozen=True):
    """The sender of a list, as far as the program says: its name, its conversation, and its sub-agent. "" is
    unknown.

    `window_id`: changes when the program starts its list anew. `parent`: the conversation for which a sub-agent
    with a conversation of its own works.
    """

    program: str
    conversation: str = ""
    agent: str = ""
    is_subagent: bool = False
    window_id: str = ""
    parent: str = ""


class ProviderApi(ABC):
    """The shape of an API's requests: their path, the name of their list, what identifies a program, and the shape
    of answers and errors. `format`: the name of the message format.
    """

    format: ClassVar[str]
    paths: ClassVar[tuple[str, ...]]
    list_member: ClassVar[str] = "messages"
    has_marks: ClassVar[bool] = True
    """Whether messages may have cache marks, and a single text may be a string or a block."""

    places_marks: ClassVar[bool] = False
    """Whether rewritten lists get cache marks (`marks`)."""

    beside: ClassVar[tuple[str, ...]]
    """Members beside the list that count as input."""

    usage_member: ClassVar[str] = "usage"
    """The member of an answer, or of its message or response, with the usage."""

    counts_member: ClassVar[str] = ""
    """The member of an answer, beside its usage, in which some servers of this API put further counts; "" for
    none.
    """

    end_signs: ClassVar[tuple[bytes, ...]] = ()
    """Bytes in the event that ends a streamed answer, if that is not `[DONE]`."""

    unbinding: ClassVar[tuple[str, str]] = ("", "")
    """The header and its value that make `unbound` possible."""

    call_signs: ClassVar[tuple[bytes, ...]]
    """Bytes in every event of a stream that belongs to a tool call; others need not be parsed for it."""

    def call_of(self, path: str, headers: Headers, body: ListBody) -> "ListCall":
        """Describes a request with this list."""
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
        """The request's body, changed to ask the provider to drop thinking blocks that are bound to another list,
        instead of refusing the request.
        """
        return body

    def model(self, path: str, body: ListBody) -> str:
        return text_of(body.members.get("model"))

    @abstractmethod
    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind: ...

    def speaker(self, headers: Headers) -> Speaker:
        """The sender of a list, if the API itself says nothing about it."""
        program = program_of(headers)
        name, header = NAMING.get(program, ("", ""))
        parent = headers.get(header, "")
        return Speaker(program, headers.get(name, ""), "", bool(parent), parent=parent)

    def rival(self, members: Mapping[str, bytes]) -> str:
        """What makes the provider itself remove or add messages; "" for nothing."""
        return ""

    def window_tokens(self, headers: Headers) -> int:
        """Tokens of the context window that a request asks for; 0 if it asks for none."""
        return 0

    @abstractmethod
    def opens(self, event: dict[str, Any]) -> bool:
        """Whether an event of a stream only opens an answer, without any of its content."""

    @abstractmethod
    def says(self, event: dict[str, Any]) -> bool:
        """Whether an event of a stream, or a whole answer, has content."""

    @abstractmethod
    def is_cut(self, event: dict[str, Any]) -> bool:
        """Whether it ends an answer for lack of room."""

    cut_sign: ClassVar[bytes]
    """Bytes in every event for which `is_cut` is true."""

    cap_members: ClassVar[tuple[str, ...]]
    """Members of a request that limit the tokens of its answer."""

    def reply_cap(self, members: Mapping[str, bytes]) -> int | None:
        """The most tokens that a request allows for its answer; None if it does not say."""
        caps = [cap for name in self.cap_members if (cap := count_of(members.get(name))) is not None]
        return min(caps, default=None)

    def count(self, usage: dict[str, Any], event: dict[str, Any]) -> None:
        """Adds the usage in an event of a stream, or in a whole answer, to `usage`. Later values replace earlier
        ones, except for zeros, which gateways send for unknown counts.
        """
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
        """The role of a message in a step."""

    @abstractmethod
    def read_calls(self, event: dict[str, Any], calls: ToolCalls) -> None:
        """Adds the tool calls in an event of a stream, or in a whole answer, to `calls`."""

    def error(self, kind: ErrorKind, text: str) -> Any:
        """An error of the proxy itself, as JSON, in the shape of the provider's errors."""
        return {"error": {"type": kind, "message": text, "param": None, "code": None}}

    def written(self, call: "ListCall", text: str) -> WrittenAnswer | None:
        """The answer to this call that has only the text, with zero usage; None if the API has no such answer."""
        whole = self.whole(call.model, text)
        if whole is None:
            return None
        if call.body.members.get("stream", b"").strip() == b"true":
            return WrittenAnswer("text/event-stream", b"".join(self.events(whole, text, call.body)))
        return WrittenAnswer("application/json", msgspec.json.encode(whole))

    def whole(self, model: str, text: str) -> dict[str, Any] | None:
        """The answer, not streamed (`written`)."""
        return None

    def events(self, whole: dict[str, Any], text: str, body: ListBody) -> Iterator[bytes]:
        """The same answer, streamed."""
        raise NotImplementedError

    @read_once
    def part_of(self, raw: bytes) -> Part:
        """The role of a message in a step; `other` if it cannot be read."""
        try:
            message = _decode(raw)
        except UNREADABLE:
            return "other"
        return self.part(message) if isinstance(message, dict) else "other"

    def has_result(self, messages: Iterable[bytes]) -> bool:
        """Whether this list has a tool's result."""
        return any(self.part_of(raw) == "result" for raw in messages)

    @read_once
    def bare(self, raw: bytes) -> bytes:
        """The message as ctxmgr gets it: without cache marks, and a single text as a string. Returns the same bytes
        if nothing changes. Programs write a message with one text as a list of blocks while it has a mark, and as a
        string afterwards. Both must give the same bytes, so white space between tokens goes, too: what is left of
        a message when its mark is taken off has none.
        """
        if not self.has_marks:
            return raw
        bare = unmarked(compact(raw))
        made = _with_lone_text(bare) if LONE in bare else bare
        return raw if made is raw else Message(made)


class ListCall(msgspec.Struct, frozen=True):
    """One request with a list.

    `rival`: what in the request makes the provider itself remove or add messages, "" for nothing. `overhead_bytes`:
    size of what is sent beside the list and counts as input. `window_tokens`: the context window that the request
    asks for, 0 if it asks for none.
    """

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
        """The name of its message format."""
        return self.api.format

    @property
    def overhead_tokens(self) -> int:
        """A rough count, from the JSON of prompts and tools."""
        return self.overhead_bytes // BYTES_A_TOKEN

    @property
    def own_marks(self) -> int:
        """Cache marks outside the list. A mark of the request itself applies to its last block."""
        within = sum(self.body.members.get(name, b"").count(MARK) for name in MARKED)
        return within + ("cache_control" in self.body.members)


def _with_lone_text(raw: bytes) -> bytes:
    """The message with a single text block as string content."""
    message = members(raw) or {}
    blocks = elements(bytes(message.get("content", b""))) or []
    lone = members(bytes(blocks[0])) if len(blocks) == 1 else None
    if lone is None or lone.keys() != {"type", "text"} or bytes(lone["type"]) != b'"text"':
        return raw
    return msgspec.json.encode({**message, "content": lone["text"]})


def new_id(prefix: str) -> str:
    """An id for an answer that is written here."""
    return f"{prefix}_ctxmgr{secrets.token_hex(ID_BYTES)}"


def text_of(raw: bytes | None) -> str:
    """The text of a JSON string; "" if it is not one."""
    try:
        value = msgspec.json.decode(raw or b"null")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return value if isinstance(value, str) else ""


def count_of(raw: bytes | None) -> int | None:
    """The whole value of a JSON number; None if it is not one, or not positive."""
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
