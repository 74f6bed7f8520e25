"""Puts cache marks on a list that was rewritten, where Anthropic's cache can use them.

1. A program's own marks stay on what stays. Where the last message lost its mark by being rewritten, it gets it
   back: without it nothing of the list would be kept.
2. Anthropic looks for what it keeps at a mark and up to 20 blocks before it. Where the end of the last list that is
   still a prefix lies farther back, one more mark goes there: else all after the system prompt is written anew.
3. Never more than four in a request, and none where the program set none.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.formats import is_marked, mark_count
from ctxmgr.proxy.members import elements, member, members

MOST_MARKS = 4
LOOK_BACK_BLOCKS = 20
NEVER_MARKED = (b'"thinking"', b'"redacted_thinking"')
_encode = msgspec.json.encode


def placed(messages: Sequence[bytes], prefix_count: int, others: int, mark: msgspec.Raw | None) -> list[bytes]:
    """The list with its marks. `prefix_count`: so many of its messages are a list that was sent before; `others`:
    marks of the request outside the list; `mark`: the program's own, on its last message; None where it has
    none."""
    out = list(messages)
    if mark is None or not out:
        return out
    if not is_marked(out[-1]):
        out[-1] = marked(out[-1], mark)
    if 0 < prefix_count < len(out) and not mark_count(out[prefix_count - 1]):
        far = sum(map(block_count, out[prefix_count:])) >= LOOK_BACK_BLOCKS
        if far and others + sum(map(mark_count, out)) < MOST_MARKS:
            out[prefix_count - 1] = marked(out[prefix_count - 1], mark)
    return out


def mark_of(raw: bytes) -> msgspec.Raw | None:
    """The mark on the last block of a message; None where it has none."""
    blocks = elements(member(raw, "content")) if is_marked(raw) else None
    mark = member(bytes(blocks[-1]), "cache_control") if blocks else b""
    return msgspec.Raw(mark) if mark not in (b"", b"null") else None


def marked(raw: bytes, mark: msgspec.Raw) -> bytes:
    """The message with this mark on its last block, all else as it was spelled; as it is where that can bear
    none."""
    told = member(raw, "content")
    if told.startswith(b'"') and told != b'""':
        blocks = [msgspec.Raw(b'{"type":"text","text":' + told + b"}")]
    else:
        blocks = elements(told) or []
    last = members(bytes(blocks[-1])) if blocks else None
    if not last or bytes(last.get("type", b"")) in NEVER_MARKED or bytes(last.get("text", b"")) == b'""':
        return raw
    blocks[-1] = msgspec.Raw(_encode({**last, "cache_control": mark}))
    return _encode({**(members(raw) or {}), "content": blocks})


def block_count(raw: bytes) -> int:
    blocks = elements(member(raw, "content"))
    return 1 if blocks is None else len(blocks)
