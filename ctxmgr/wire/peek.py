"""Turns the first bytes of a message into its id, where the message itself cannot be read.

Only an `id` of the message itself counts: params are full of ids of tool calls. The bytes may be cut off or broken
anywhere. Knows no framing and no envelope.
"""

import re
from typing import Literal

import msgspec

# "call": a request or a notification, answered with its id or null. "response": to one of our own requests;
# never answered, the request with that id fails instead. "notification": known not to wait for an answer.
FaultKind = Literal["call", "notification", "response"]

PEEK_BYTES = 512  # every client tried writes jsonrpc, id and method before params

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,"]|[^\s{}\[\]:,"]+', re.DOTALL)
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Peek(msgspec.Struct, frozen=True):
    """What the first bytes of a message tell: the JSON of its id, whether it answers a request of ours."""

    id: bytes | None = None
    kind: FaultKind = "call"


def peek(body: bytes) -> Peek:
    """Look for a message's own id in its first `PEEK_BYTES`, which may be cut off or broken anywhere."""
    found, call, response = None, False, False
    tokens = _outer_tokens(body[:PEEK_BYTES])
    for index, token in enumerate(tokens):
        if token != b":":
            continue
        key, value, after = tokens[index - 1], tokens[index + 1], tokens[index + 2]
        if key == b'"id"':
            # A number that the cut shortened is another number: only what a comma follows is whole.
            found = value if after == b"," and _is_id(value) else None
        elif value != b"null":
            call = call or key in (b'"method"', b'"params"')
            response = response or key in (b'"result"', b'"error"')
    return Peek(found, "response" if response and not call else "call")


def _outer_tokens(head: bytes) -> list[bytes]:
    """The tokens of the outermost object, an inner one shown by its opening bracket, its end by a comma.

    Two empty tokens follow, so that whoever stands on a colon can look at what comes after it.
    """
    tokens: list[bytes] = []
    depth = 0
    for match in _TOKEN.finditer(head):
        token = match[0]
        if token == b'"' or (depth == 0 and token != b"{"):
            break  # a string that is cut off, or no object
        if token in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                tokens.append(b",")
                break
            continue
        if depth == 1:
            tokens.append(token)
        if token in (b"{", b"["):
            depth += 1
    return [*tokens, b"", b""]


def _is_id(value: bytes) -> bool:
    """Whether this is the JSON of a string or a number, the two that an answer can be matched by."""
    if not value.startswith(b'"'):
        return _NUMBER.fullmatch(value) is not None
    import json  # which a start does not wait for

    try:
        json.loads(value.decode())  # takes unpaired surrogates, which are echoed as they came
    except ValueError:
        return False
    return True
