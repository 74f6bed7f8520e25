"""Compares two messages of any format, ignoring spelling, and removes cache marks.

1. A cache mark is not content: `cache_control` of a message, of a block of its content, of a block in a result. A
   member of that name in a call's arguments is content.
2. A content that is a single block of text equals the string of that text: hosts write the block if they mark it,
   and the string otherwise.
3. Members have no order, and `1`, `1.0` and `1e0` are the same number.
"""

from typing import Any

import msgspec

from ctxmgr.formats import content
from ctxmgr.model import plain_numbers

MARK = "cache_control"
_HOLDERS = ("content", "output", "tool_calls")  # members that hold blocks
_DEPTH = 2  # levels of blocks: a message's, and those in a result
_BARE = frozenset(("type", "text"))

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder(order="deterministic").encode


def same_content(left: bytes, other: bytes) -> bool:
    """Whether both have the same content. A message that cannot be read equals only its own bytes."""
    return left == other or _content_bytes(left) == _content_bytes(other)


def is_marked(raw: bytes) -> bool:
    """Whether the message may have a cache mark. A quick check that may be true for a text that mentions marks."""
    return b'"cache_control"' in raw


def mark_count(raw: bytes) -> int:
    """The number of cache marks of a message (rule 1)."""
    if not is_marked(raw):
        return 0
    try:
        return _marks(_decode(raw), _DEPTH)
    except content.UNREADABLE:
        return 0


def _marks(message: Any, depth: int) -> int:
    if not isinstance(message, dict):
        return 0
    held = [message.get(name) for name in _HOLDERS] if depth else []
    within = sum(_marks(block, depth - 1) for blocks in held if isinstance(blocks, list) for block in blocks)
    return (MARK in message) + within


def compact(raw: bytes) -> bytes:
    """The same JSON without white space between its tokens; the same bytes if there is none, or if it is not JSON.
    All else is as it was: order, escapes, the spelling of numbers.
    """
    try:
        made = msgspec.json.format(raw, indent=-1)
    except content.UNREADABLE:
        return raw
    return raw if made == raw else made


def unmarked(raw: bytes) -> bytes:
    """The message without cache marks, otherwise spelled as before except for white space between members. Without
    marks, the same bytes.
    """
    if not is_marked(raw):
        return raw
    try:
        bare = _without(raw, _DEPTH)
    except content.UNREADABLE:
        return raw
    return raw if bare == raw else bare


def _content_bytes(raw: bytes) -> bytes:
    try:
        return _encode(plain_numbers(_bare(_decode(raw), _DEPTH)))
    except content.UNREADABLE:
        return raw


def _bare(message: Any, depth: int) -> Any:
    """Applies rules 1 and 2."""
    if not isinstance(message, dict):
        return message
    fields = {name: value for name, value in message.items() if name != MARK}
    for name in _HOLDERS:
        blocks = fields.get(name)
        if depth and isinstance(blocks, list):
            bare = [_bare(block, depth - 1) for block in blocks]
            fields[name] = bare[0]["text"] if len(bare) == 1 and _is_text(bare[0]) else bare
    return fields


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.keys() == _BARE and block["type"] in content.TEXTS


def _without(raw: bytes | msgspec.Raw, depth: int) -> bytes:
    fields = content.members(raw)
    changed = fields.pop(MARK, None) is not None
    for name in _HOLDERS:
        held = fields.get(name)
        if not depth or held is None or not bytes(held).lstrip().startswith(b"["):
            continue
        olds = content.elements(held)
        news = [_element(element, depth - 1) for element in olds]
        if any(new is not old for new, old in zip(news, olds, strict=True)):
            fields[name], changed = content.listed(news), True
    return msgspec.json.encode(fields) if changed else bytes(raw)


def _element(block: msgspec.Raw, depth: int) -> msgspec.Raw:
    if not bytes(block).lstrip().startswith(b"{"):
        return block
    bare = _without(block, depth)
    return block if bare == bytes(block) else msgspec.Raw(bare)
