"""Shortens a long `context` request: one stand-in replaces the messages that its session already knows.

This happens before the request is parsed, which is what it saves. Inside a JSON string a quote is escaped, so the
pattern finds the first list of the params and the session that is named before it. A duplicate member is detected
after decoding: the stand-in must come first in the list, and the session must be the same.

Knows no session: the caller says how far a list is known.
"""

from collections.abc import Callable

import msgspec

from ctxmgr.model import expression
from ctxmgr.model.api.lifecycle import KNOWN_MESSAGES
from ctxmgr.wire.framing import Slice

STRIP_FROM = 32_768  # bytes of a request from which its known messages are recognised without a parse
HEAD = 4_096  # bytes in which the start of the message list is looked for
# Members whose values are neither objects nor lists, up to the list that belongs to the params themselves.
_MEMBERS = rb'(?:"[A-Za-z]+":(?:"(?:[^"\\]|\\.)*"|[^"{}\[\],\\]+),)*'
LIST_START = expression(rb'\s*\{%b"params":\{(%b)"messages":\[' % (_MEMBERS, _MEMBERS))
SESSION_ID = expression(rb'"sessionId":"([^"\\]{1,256})"')

# from a session's id, a request and the start of its list: the end of its known messages, and their number
FindPrefix = Callable[[str, bytes, int], tuple[int, int]]


class StrippedMessages(msgspec.Struct, frozen=True):
    """`count` messages that the session knows were removed from a request."""

    session_id: str = ""
    count: int = 0


def strip_prefix(body: bytes | Slice, prefix_end: FindPrefix) -> tuple[bytes, StrippedMessages]:
    """The request with its known messages replaced, and what was removed. Unchanged if nothing is known."""
    whole, start, stop = body if isinstance(body, Slice) else Slice(body, 0, len(body))
    if stop - start >= STRIP_FROM:
        match = LIST_START.match(whole, start, start + HEAD)
        named = SESSION_ID.search(match[1]) if match else None
        if match is not None and named is not None:
            id, listed = named[1].decode("utf-8", "replace"), match.end()
            end, count = prefix_end(id, whole, listed)
            if count and end <= stop:
                return whole[start:listed] + KNOWN_MESSAGES + whole[end:stop], StrippedMessages(id, count)
    return whole[start:stop], StrippedMessages()
