"""Turns a session's id into the keys of its objects. An id never becomes part of a key: its digest does.

    heads/<32 hex digits>                                           the one head of a session
    objects/<32 hex digits>/<epoch>-<count>-<40 digits of sha256>   what a head names
    clock/<32 hex digits>                                           for a moment: to see what time it is there

The epoch comes first, so that what an older epoch left is told by its name; the count is that of the head for which
the object was made, so that no name is ever used for two objects, nor twice.
"""

import hashlib
import re
from urllib.parse import quote, unquote

HEADS = "heads/"
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


def digest_of(name: str) -> str:
    return name[-DIGEST_DIGITS:]


def escaped(session_id: str) -> str:
    """ASCII, for the head; an id may hold half of a surrogate pair."""
    return quote(session_id, safe="", errors="surrogatepass")


def unescaped(text: str) -> str:
    return unquote(text, errors="surrogatepass")


def _digits(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:SESSION_DIGITS]
