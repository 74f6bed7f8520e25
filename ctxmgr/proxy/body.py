"""Turns the body of a request into its members and its message list, and a new list into a body.

1. All but the list stays byte for byte: a new list is put in the place of the old one.
2. A body that came compressed is read decoded, and goes on decoded where its list was changed.
3. Half of a surrogate pair, which is no valid JSON text, is read as U+FFFD, and goes on so in a list that changed.
4. What unpacks to far more than it came as is refused (`Decoder`): it is no list of messages.
5. What cannot be read is no call for us: it goes on as it came, and the provider says what is wrong with it. Nor
   is a list of more JSON objects than a model's window holds (`Crowded`): it is read under the interpreter's lock;
   nor an object in which a name stands twice.

`RecentLists` reads of each list what is new in it alone, for a list mostly goes on from one that came before:

6. Messages at the beginning that stand there byte for byte as in an earlier list are that list's very objects.
7. What is read is the body without them; it says the same of all else. Where that is in doubt (the list stands
   elsewhere, there is a comma too many), all of the body is read.

What is large is read in a thread: the loop has other programs to serve.

8. Large is what is new in a body, or compressed.
9. Each step of a call asks something else of its messages, and 30 MB take a tenth of a second to read. What a
   function of a message gave is kept with it (`read_once`), so that the loop finds what a thread has read, and the
   next call what this one has.
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
    """Of a JSON object, in their order; None where it is none or cannot be read."""
    try:
        return _members(raw)
    except UNREADABLE:
        return None


def member(raw: bytes, name: str) -> bytes:
    """One member of a JSON object; b"" where there is none."""
    return bytes((members(raw) or {}).get(name, b""))


def elements(raw: bytes) -> list[msgspec.Raw] | None:
    """Of a JSON list; None where it is none or cannot be read."""
    try:
        return _elements(raw)
    except UNREADABLE:
        return None


def shared_count(former: Sequence[bytes], other: Sequence[bytes]) -> int:
    """How many messages both lists begin with."""
    count = 0
    for left, right in zip(former, other, strict=False):
        if left is not right and left != right:
            break
        count += 1
    return count


PLAIN = ("", "identity")
_BEGIN, _COMMA = re.compile(rb"[ \t\n\r]*\{[ \t\n\r]*"), re.compile(rb"[ \t\n\r]*,[ \t\n\r]*")
_KEY = re.compile(rb'("(?:[^"\\]|\\.)*")[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)
_OBJECT = re.compile(rb'\{[ \t\n\r]*"')  # in a text the quote has a backslash before it
LARGEST_BYTES = 256 << 20  # of a body, decoded
LARGEST_RATIO = 16  # decoded to encoded, past FREE_BYTES
FREE_BYTES = 32 << 20  # as much as any provider takes: no list that one would take is refused
MOST_OBJECTS = 50_000  # a list of a million tokens has some 15,000


class UnreadableBody(ValueError):
    """It cannot be decoded or is no JSON object."""


class Bomb(UnreadableBody):
    """It unpacks to more than LARGEST_BYTES, or to more than LARGEST_RATIO times what it came as."""


class Crowded(UnreadableBody):
    """It holds more than MOST_OBJECTS."""


class Message(bytes):
    """One message as JSON, as it came. Its attributes are what was read of it (rule 9)."""


class ListBody(msgspec.Struct, frozen=True, dict=True):
    """A body with a list of messages. `before`, `after`: the bytes around it; `members`: all others as JSON;
    `messages`: each a `Message`."""

    before: bytes
    after: bytes
    members: dict[str, bytes]
    messages: list[bytes]

    @cached_property
    def list_bytes(self) -> int:
        """Of all messages."""
        return sum(map(len, self.messages))

    def with_messages(self, messages: Sequence[bytes]) -> bytes:
        return b"".join((self.before, b"[", b",".join(messages), b"]", self.after))


def members_of(body: bytes) -> dict[str, bytes]:
    """The members of a JSON object, each as JSON. Raises UnreadableBody."""
    fields = members(body)
    if fields is None:
        raise UnreadableBody("it is no JSON object")
    return {name: bytes(raw) for name, raw in fields.items()}


def list_body(body: bytes, name: str) -> ListBody | None:
    """The body whose member `name` is its list of messages; None where it has no such list. Raises
    UnreadableBody."""
    if sum(1 for _ in islice(_OBJECT.finditer(body), MOST_OBJECTS + 1)) > MOST_OBJECTS:
        raise Crowded(f"it holds more than {MOST_OBJECTS:,} JSON objects")
    mended = body  # every offset is the same in it
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
    """Where the list begins. Another member may hold the same bytes, so the members are walked, one behind another.
    Raises UnreadableBody where a name stands twice: nobody knows what the first held."""
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
    raise UnreadableBody("its list cannot be found: a name stands in it twice")


def decoded(body: bytes, encoding: str) -> bytes:
    """The body without its `content-encoding`. Raises UnreadableBody, and Bomb."""
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        decoder = Decoder(name)
        body = decoder.feed(body)
        if decoder.is_bomb:
            raise Bomb(f"it is {name} that unpacks to more than {LARGEST_RATIO} times what came")
        if decoder.broken or len(body) > LARGEST_BYTES:
            raise UnreadableBody(f"it is no {name}")
    return body


class Decoder:
    """Decodes a stream piece by piece. `broken`: it is not in this encoding, or in one that is not known here;
    `is_bomb`: what came of it so far is too much for what was fed. Then nothing more comes of it."""

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
    """Decodes the next bytes, to at most so many; None for an encoding that is not known."""
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


MOST_LISTS = 8  # held: programs, sub-agents and side calls that speak in turn
MOST_HELD_BYTES = 64 << 20  # of all of them


class Beginning(msgspec.Struct, frozen=True):
    """So many messages of an earlier list a body begins with. `offset`: where the next one stands."""

    count: int = 0
    offset: int = 0
    earlier: ListBody | None = None


class RecentLists:
    """The lists of one proxy."""

    def __init__(self) -> None:
        self._lists: list[tuple[str, ListBody]] = []  # by the list's member, used last at the end

    def beginning(self, body: bytes, name: str) -> Beginning:
        """The longest that is known. Reads nothing."""
        begins = (_shared(body, earlier) for member, earlier in self._lists if member == name)
        return max(begins, key=lambda known: (known.count, known.offset), default=Beginning())

    def read(self, body: bytes, name: str, known: Beginning | None = None) -> ListBody | None:
        """As `list_body`. Raises UnreadableBody."""
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
    """The newest, in no more than so many bytes."""
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
            if body.startswith(b",{", end):  # as nearly all write it
                offset = end + 1
            elif comma := _COMMA.match(body, end):
                offset = comma.end()
            else:
                break
            count += 1
    return Beginning(count, offset, earlier)


def _from(body: bytes, name: str, before: ListBody, count: int, offset: int) -> ListBody | None:
    """Rule 7."""
    if body.startswith(b"]", offset):
        return None
    rest = list_body(before.before + b"[" + body[offset:], name)
    if rest is None or rest.before != before.before:
        return None
    return msgspec.structs.replace(rest, messages=[*before.messages[:count], *rest.messages])


P = ParamSpec("P")
R = TypeVar("R")

LARGE_BYTES = 1 << 20  # of a body
THREADS = 2  # that read: more bodies wait, and are not unpacked meanwhile


_ITSELF = object()


def read_once(read: Callable[P, R]) -> Callable[P, R]:
    """For a pure function whose last parameter is the message. Where it gives the message itself, a mark is kept: a
    message that held itself would stay until the collector comes by."""

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
