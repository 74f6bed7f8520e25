r"""Turns a body with unpaired surrogate escapes into one that decodes.

If a TypeScript host cuts a string inside an emoji, JSON.stringify writes a single `\ud83d`, and msgspec rejects the
whole message for it, skipped fields included. Called only when decoding has failed.

Rules:

1. An unpaired escape becomes `\ufffd`, the replacement character: the same six bytes, so every offset stays.
2. A high escape (d800 to dbff) right before a low one (dc00 to dfff) is a pair and stays.
3. An escaped backslash starts no escape: `\\ud83d` is text and stays.

Knows nothing of JSON except its escapes: other faults stay.
"""

from ctxmgr.model import expression

_REPLACEMENT = b"\\ufffd"  # as long as what it replaces
_BACKSLASH = 0x5C
_HIGH_DIGITS = b"89abAB"  # the fourth byte of \ud8.. to \udb..; the low ones have c to f there
_CANDIDATE = expression(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def mend(body: bytes) -> tuple[bytes, int] | None:
    """The repaired body and the number of replaced escapes. None if nothing needs repair."""
    unpaired = _unpaired(body)
    if not unpaired:
        return None
    mended = bytearray(body)
    for offset in unpaired:
        mended[offset : offset + len(_REPLACEMENT)] = _REPLACEMENT
    return bytes(mended), len(unpaired)


def _unpaired(body: bytes) -> list[int]:
    """Offsets of the escapes to replace, in order."""
    unpaired: list[int] = []
    waiting = -1  # offset of a high escape whose low one may be the next
    for match in _CANDIDATE.finditer(body):
        start = match.start()
        if _is_text(body, start):
            continue
        follows = waiting >= 0 and start == waiting + len(_REPLACEMENT)
        if body[start + 3] in _HIGH_DIGITS:
            if waiting >= 0:
                unpaired.append(waiting)
            waiting = start
        elif follows:
            waiting = -1
        else:
            if waiting >= 0:
                unpaired.append(waiting)
                waiting = -1
            unpaired.append(start)
    if waiting >= 0:
        unpaired.append(waiting)
    return unpaired


def _is_text(body: bytes, position: int) -> bool:
    """Whether the backslash at this offset is escaped: an odd number of backslashes precedes it."""
    start = position
    while start and body[start - 1] == _BACKSLASH:
        start -= 1
    return (position - start) % 2 == 1
