"""A session's head, the one object whose replacement commits a change, and the keys of a session's objects.

    heads/<32 hex digits>                                           the one head of a session
    objects/<32 hex digits>/<epoch>-<count>-<40 digits of sha256>   what a head names
    clock/<32 hex digits>                                           short-lived: reads the store's clock

1. No two heads of a session are equal: `count` grows with each, and two that are made at once for the same place
   have different owners. A tag is a digest of the bytes, so it identifies one head.
2. An id is never part of a key; its digest is.
3. A name starts with the epoch, so leftovers of an older epoch are recognized by name. The count is that of the
   head the object was made for, so no name is used twice.
"""

import hashlib
import re
from urllib.parse import quote, unquote

import msgspec

from ctxmgr.store.objects import HEADS, StoreFault

VERSION = 1
LEASE_MS = 30_000  # how long a killed owner blocks its session; renewing takes a request every third of it
LEASE_MS_AT_MOST = 600_000  # the longest lease accepted from a head that somebody else wrote


class Contents(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a head names, in order: the parts of the snapshot (`lines`) and of the archive (`rows`; the first
    `packed` are full). `seq`: number of the newest event in them. `size_bytes`: size of the snapshot on disk.
    `writer`: the owner who wrote them; a later owner may keep them unchanged.
    """

    writer: str = ""
    lines: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    seq: int = 0
    size_bytes: int = 0
    packed: int = 0

    @property
    def names(self) -> frozenset[str]:
        return frozenset((*self.lines, *self.rows))


class SessionHead(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """`owner`: a random word that identifies the writer, new for each claim. `epoch_number` grows with each claim,
    `count` with each head. `is_open`: the owner still works on the session. `session`: the escaped id, "" if the
    session was deleted. `is_purged`: it was deleted for its age or for lack of space; a machine that has it may
    store it again.
    """

    owner: str
    epoch_number: int = msgspec.field(name="epoch")
    count: int
    lease_ms: int = LEASE_MS
    is_open: bool = msgspec.field(default=False, name="open")
    session: str = ""
    contents: Contents = Contents()
    is_purged: bool = msgspec.field(default=False, name="purged")
    format_version: int = msgspec.field(default=VERSION, name="version")

    @property
    def deleted(self) -> bool:
        return not self.session


class UnreadableHead(StoreFault):
    """The object is not a head, or a newer ctxmgr wrote it."""


class _Version(msgspec.Struct):
    format_version: int = msgspec.field(default=VERSION, name="version")


_encode = msgspec.json.Encoder(order="deterministic").encode


def to_bytes(head: SessionHead) -> bytes:
    return _encode(head)


def from_bytes(content: bytes) -> SessionHead:
    """Raises UnreadableHead."""
    try:
        version = msgspec.json.decode(content, type=_Version).format_version
        if version > VERSION:
            raise UnreadableHead(f"it was stored by a newer ctxmgr (version {version}, known is {VERSION})")
        head = msgspec.json.decode(content, type=SessionHead)
    except msgspec.MsgspecError as fault:
        raise UnreadableHead("what the store holds of the session is no head") from fault
    numbers = head.epoch_number, head.count
    is_one = 0 < min(numbers) <= max(numbers) < NUMBERS and 0 < head.lease_ms <= LEASE_MS_AT_MOST
    is_one = is_one and 0 <= head.contents.packed <= len(head.contents.rows)
    if not is_one or not all(map(is_object_name, head.contents.names)):
        raise UnreadableHead("what the store holds of the session is no head")
    return head


CLOCK = "clock/"
SESSION_DIGITS = 32  # of sha256: 128 bits, so no two ids collide
DIGEST_DIGITS = 40
_NUMBER_DIGITS = 8
NUMBERS = 16**_NUMBER_DIGITS  # how many epochs and counts can be written
_NAME = re.compile(rf"[0-9a-f]{{{_NUMBER_DIGITS}}}-[0-9a-f]{{{_NUMBER_DIGITS}}}-[0-9a-f]{{{DIGEST_DIGITS}}}")


def head_key(session_id: str) -> str:
    return HEADS + _digits(session_id)


def objects_prefix(session_id: str) -> str:
    return f"objects/{_digits(session_id)}/"


def object_name(epoch: int, count: int, content: bytes) -> str:
    return f"{epoch:0{_NUMBER_DIGITS}x}-{count:0{_NUMBER_DIGITS}x}-{digest(content)}"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGEST_DIGITS]


def is_object_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def epoch_of(name: str) -> int:
    return int(name[:_NUMBER_DIGITS], 16)


def escaped(session_id: str) -> str:
    """ASCII, for the head. An id may hold half of a surrogate pair."""
    return quote(session_id, safe="", errors="surrogatepass")


def unescaped(text: str) -> str:
    return unquote(text, errors="surrogatepass")


def _digits(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:SESSION_DIGITS]
