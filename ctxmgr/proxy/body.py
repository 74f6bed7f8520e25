"""Turns the body of a request into its members and its message list, and a new list into a body.

1. Everything except the list stays byte for byte: a new list replaces the old one in place.
2. A compressed body is decoded, and sent decoded if its list was changed.
3. Half a surrogate pair, which is not valid JSON text, is read as U+FFFD, and sent as that in a changed list.
4. A body that unpacks to far more than its size is refused (`Decoder`): it is not a message list.
5. A body that cannot be read is not a call: it is sent unchanged, and the provider reports what is wrong. The same
   goes for a list with more JSON objects than a context window holds (`Crowded`), because reading it holds the
   interpreter's lock, and for an object with a duplicate name.

`RecentLists` reads only what is new in a list, because most lists continue an earlier one:

6. Messages at the start of a list that match an earlier list byte for byte are that list's objects.
7. Only the body without them is parsed; all its other members are the same. In doubt (the list is elsewhere, there
   is an extra comma), the whole body is parsed.

Large bodies are read in a thread, because the event loop serves other programs too.

8. A body is large by what is new in it, or by its compressed size.
9. Each step of a call needs something else of its messages, and reading 30 MB takes a tenth of a second. The result
   of a function of a message is stored with the message (`read_once`), so that the event loop reuses what a thread
   has read, and the next call what this one has.
"""

import itertools
import re
import sys
import zlib
from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from itertools import islice
from typing import Any, ParamSpec, TypeVar

import msgspec

from ctxmgr.wire import surrogates

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def members(raw: bytes) -> dict[str, msgspec.Raw] | None:
    """The members of a JSON object, in order; None if it is not one or cannot be read."""
    try:
        return _members(raw)
    except UNREADABLE:
        return None


def member(raw: bytes, name: str) -> bytes:
    """One member of a JSON object; b"" if it is missing."""
    return bytes((members(raw) or {}).get(name, b""))


def elements(raw: bytes) -> list[msgspec.Raw] | None:
    """The elements of a JSON list; None if it is not one or cannot be read."""
    try:
        return _elements(raw)
    except UNREADABLE:
        return None


def shared_count(former: Sequence[bytes], other: Sequence[bytes]) -> int:
    """The number of equal messages at the start of both lists."""
    count = 0
    for left, right in zip(former, other, strict=False):
        if left is not right and left != right:
            break
        count += 1
    return count


PLAIN = ("", "identity")
_BEGIN, _COMMA = re.compile(rb"[ \t\n\r]*\{[ \t\n\r]*"), re.compile(rb"[ \t\n\r]*,[ \t\n\r]*")
_KEY = re.compile(rb'("(?:[^"\\]|\\.)*")[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)
_OBJECT = re.compile(rb'\{[ \t\n\r]*"')  # a quote inside a text has a backslash before it
LARGEST_BYTES = 256 << 20  # of a body, decoded
LARGEST_RATIO = 16  # decoded to encoded size, beyond FREE_BYTES
FREE_BYTES = 32 << 20  # as much as any provider accepts, so no acceptable list is refused
MOST_OBJECTS = 50_000  # a list of a million tokens has about 15,000


class UnreadableBody(ValueError):
    """The body cannot be decoded or is not a JSON object."""


class Bomb(UnreadableBody):
    """The body unpacks to more than LARGEST_BYTES, or to more than LARGEST_RATIO times its size."""


class Crowded(UnreadableBody):
    """The body has more than MOST_OBJECTS objects."""


class Message(bytes):
    """One message as JSON, unchanged. Its attributes store what was read of it (rule 9)."""


class ListBody(msgspec.Struct, frozen=True, dict=True):
    """A body with a message list. `before`, `after`: the bytes around it; `members`: all other members as JSON;
    `messages`: a `Message` each.
    """

    before: bytes
    after: bytes
    members: dict[str, bytes]
    messages: list[bytes]

    @cached_property
    def list_bytes(self) -> int:
        """Bytes of all messages."""
        return sum(map(len, self.messages))

    def with_messages(self, messages: Sequence[bytes]) -> bytes:
        return b"".join((self.before, b"[", b",".join(messages), b"]", self.after))


def members_of(body: bytes) -> dict[str, bytes]:
    """The members of a JSON object, each as JSON. Raises UnreadableBody."""
    fields = members(body)
    if fields is None:
        raise UnreadableBody("it is not a JSON object")
    return {name: bytes(raw) for name, raw in fields.items()}


def list_body(body: bytes, name: str) -> ListBody | None:
    """The body whose member `name` is its message list; None if it has no such list. Raises UnreadableBody."""
    if sum(1 for _ in islice(_OBJECT.finditer(body), MOST_OBJECTS + 1)) > MOST_OBJECTS:
        raise Crowded(f"it has more than {MOST_OBJECTS:,} JSON objects")
    mended = body  # same length, so each offset stays
    try:
        fields = members_of(body)
    except UnreadableBody:
        mended, _ = surrogates.mend(body) or (body, 0)
        fields = members_of(mended)
    content = fields.get(name, b"")
    if not content.startswith(b"["):
        return None
    messages = elements(content)
    if messages is None:
        raise UnreadableBody("its list cannot be read")
    start = _list_start(mended, fields, name)
    others = {member: raw for member, raw in fields.items() if member != name}
    return ListBody(body[:start], body[start + len(content) :], others, [Message(raw) for raw in messages])


def _list_start(body: bytes, fields: dict[str, bytes], name: str) -> int:
    """The offset of the list. Another member may have the same bytes, so the members are walked in order. Raises
    UnreadableBody for a duplicate name, because the first value is unknown.
    """
    start, left, separator = -1, dict(fields), _BEGIN.match(body)
    while left and separator is not None:
        key = _KEY.match(body, separator.end())
        if key is None:
            break
        member = msgspec.json.decode(key[1], type=str)
        value = left.pop(member, b"")
        if not value or not body.startswith(value, key.end()):
            break
        start = key.end() if member == name else start
        end = key.end() + len(value)
        if not left and body[end:].lstrip().startswith(b"}"):
            return start
        separator = _COMMA.match(body, end)
    raise UnreadableBody("its list cannot be located: a member name occurs twice")


def decoded(body: bytes, encoding: str) -> bytes:
    """The body without its `content-encoding`. Raises UnreadableBody and Bomb."""
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        decoder = Decoder(name)
        body = decoder.feed(body)
        if decoder.is_bomb:
            raise Bomb(f"its {name} data decompresses to more than {LARGEST_RATIO} times its size")
        if decoder.broken or len(body) > LARGEST_BYTES:
            raise UnreadableBody(f"it is not valid {name}")
    return body


class Decoder:
    """Decodes a stream piece by piece. `broken`: the encoding is wrong or unknown. `is_bomb`: the output is too
    large for the input so far. After either there is no more output.
    """

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        self._decode, self._packs = _decoding(name), name not in PLAIN
        self.broken, self.is_bomb = self._decode is None, False
        self._fed = self._made = 0

    def feed(self, chunk: bytes) -> bytes:
        if self.broken or self._decode is None:
            return b""
        self._fed += len(chunk)
        room = min(LARGEST_BYTES, max(FREE_BYTES, LARGEST_RATIO * self._fed)) - self._made
        try:
            decoded_chunk = self._decode(chunk, room + 1)
        except Exception:  # noqa: BLE001  each library has its own error for bytes that are not its own
            self.broken = True
            return b""
        self._made += len(decoded_chunk)
        if self._packs and len(decoded_chunk) > room:
            self.broken = self.is_bomb = True
            return b""
        return decoded_chunk


def _decoding(encoding: str) -> Callable[[bytes, int], bytes] | None:
    """A function that decodes the next bytes, to at most a given number; None for an unknown encoding."""
    if encoding in PLAIN:
        return lambda chunk, _: chunk
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress
    if encoding == "deflate":
        return zlib.decompressobj().decompress
    if encoding == "br":
        import brotli

        process = brotli.Decompressor().process
        return lambda chunk, most: bytes(process(chunk, output_buffer_limit=most))
    if encoding == "zstd":
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return zstd.ZstdDecompressor().decompress
    return None


MOST_LISTS = 8  # stored: programs, sub-agents and side calls that take turns
MOST_HELD_BYTES = 64 << 20  # of all of them


class Beginning(msgspec.Struct, frozen=True):
    """The number of messages of an earlier list at the start of a body. `offset`: where the next one begins."""

    count: int = 0
    offset: int = 0
    earlier: ListBody | None = None


class RecentLists:
    """The recent lists of one proxy."""

    def __init__(self) -> None:
        self._lists: list[tuple[str, ListBody]] = []  # by the list's member, most recently used last

    def beginning(self, body: bytes, name: str) -> Beginning:
        """The longest known list at the start of the body. Parses nothing."""
        begins = (_shared(body, earlier) for member, earlier in self._lists if member == name)
        return max(begins, key=lambda known: (known.count, known.offset), default=Beginning())

    def read(self, body: bytes, name: str, known: Beginning | None = None) -> ListBody | None:
        """Like `list_body`. Raises UnreadableBody."""
        known = known or self.beginning(body, name)
        count, before = known.count, known.earlier
        body_list = _from(body, name, before, count, known.offset) if before is not None and count else None
        if body_list is None:
            body_list = list_body(body, name)
        if body_list is not None and body_list.messages:
            if before is not None and count >= len(before.messages) - 1:
                self._lists = [(member, earlier) for member, earlier in self._lists if earlier is not before]
            self._lists = _newest_lists([*self._lists[1 - MOST_LISTS :], (name, body_list)])
        return body_list


def _newest_lists(lists: list[tuple[str, ListBody]]) -> list[tuple[str, ListBody]]:
    """The newest lists within the limit of bytes."""
    sizes = itertools.accumulate(body.list_bytes for _, body in reversed(lists))
    fitting = sum(size <= MOST_HELD_BYTES for size in sizes)
    return lists[len(lists) - fitting :]


def _shared(body: bytes, earlier: ListBody) -> Beginning:
    start = earlier.before + b"["
    count = offset = 0
    if body.startswith(start):
        offset = len(start)
        for raw in earlier.messages:
            if not body.startswith(raw, offset):
                break
            end = offset + len(raw)
            if body.startswith(b",{", end):  # the usual spelling
                offset = end + 1
            elif comma := _COMMA.match(body, end):
                offset = comma.end()
            else:
                break
            count += 1
    return Beginning(count, offset, earlier)


def _from(body: bytes, name: str, before: ListBody, count: int, offset: int) -> ListBody | None:
    """Parses the body without the known messages (rule 7)."""
    if body.startswith(b"]", offset):
        return None
    rest = list_body(before.before + b"[" + body[offset:], name)
    if rest is None or rest.before != before.before:
        return None
    return msgspec.structs.replace(rest, messages=[*before.messages[:count], *rest.messages])


P = ParamSpec("P")
R = TypeVar("R")

LARGE_BYTES = 1 << 20  # of a body
THREADS = 2  # readers; further bodies wait and are not unpacked meanwhile


_ITSELF = object()


def read_once(read: Callable[P, R]) -> Callable[P, R]:
    """Caches a pure function whose last parameter is the message. If it returns the message itself, a marker is
    stored, because a message that refers to itself would stay in memory until the garbage collector runs.
    """

    @wraps(read)
    def reader(*given: P.args, **named: P.kwargs) -> R:
        raw = given[-1]
        if not isinstance(raw, Message):
            return read(*given, **named)
        known: dict[Any, Any] = vars(raw)
        key = (read, *given[:-1])
        if key not in known:
            made = read(*given, **named)
            known[key] = _ITSELF if made is raw else made
        value: R = given[-1] if known[key] is _ITSELF else known[key]  # type: ignore[assignment]
        return value

    return reader
