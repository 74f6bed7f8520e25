"""The one object of a session that commits, its head; and the keys of its objects.

    heads/<32 hex digits>                                           the one head of a session
    objects/<32 hex digits>/<epoch>-<count>-<40 digits of sha256>   what a head names
    clock/<32 hex digits>                                           for a moment: to see what time it is there

1. No two heads of a session are ever equal: `count` grows with each, and two that are made at once for the same
   place differ in their `owner`. So a tag, which is a digest of the bytes, stands for one head alone.
2. An id never becomes part of a key: its digest does.
3. The epoch comes first in a name, so that what an older epoch left is told by its name; the count is that of the
   head for which the object was made, so that no name is ever used for two objects, nor twice.
"""

import hashlib
import re
from urllib.parse import quote, unquote

import msgspec

from ctxmgr.store.objects import HEADS, StoreFault

VERSION = 1
LEASE_MS = 30_000  # a killed owner holds its session up for so long; renewing is a request each third of it
LEASE_MS_AT_MOST = 600_000  # of a head that somebody else wrote


class Contents(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a head names: in this order the parts of the snapshot (`lines`) and of the archive (`rows`, of which the
    first `packed` are full). `seq`: of the newest event among them; `size_bytes` of the snapshot, as it lies on a
    disk. `writer`: the owner who wrote them, which a later one may have taken over as they are."""

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
    """`owner`: a random word of who wrote it, made anew for each claim. `epoch_number` grows with each claim,
    `count` with each head. `is_open`: its owner goes on with the session. `session` is escaped; "" where it was
    deleted. `is_purged`: for its age, or want of room: who has it may store it anew."""

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
    """It is of a newer ctxmgr, or no head."""


class _Version(msgspec.Struct):
    format_version: int = msgspec.field(default=VERSION, name="version")


_encode = msgspec.json.Encoder(order="deterministic").encode


def to_bytes(head: SessionHead) -> bytes:
    return _encode(head)


def from_bytes(content: bytes) -> SessionHead:
    """UnreadableHead."""
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
SESSION_DIGITS = 32  # of sha256: 128 bits, no two ids meet
DIGEST_DIGITS = 40
_NUMBER_DIGITS = 8
NUMBERS = 16**_NUMBER_DIGITS  # of epochs and counts, so many can be written
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
    """ASCII, for the head; an id may hold half of a surrogate pair."""
    return quote(session_id, safe="", errors="surrogatepass")


def unescaped(text: str) -> str:
    return unquote(text, errors="surrogatepass")


def _digits(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:SESSION_DIGITS]
