"""Puts cache marks on a list that was rewritten, where Anthropic's cache can use them.

1. A program's own marks stay on what stays. Where the last message lost its mark by being rewritten, it gets it
   back: without it nothing of the list would be kept.
2. What room is left is for the places that ctxmgr's report names, the end of the list first: where the program set
   no mark, or where its mark left with a message.
3. Where the report names none, as of a model that is not known to be Anthropic's: Anthropic looks for what it keeps
   at a mark and up to 20 blocks before it. Where the end of the last list that is still a prefix lies farther back,
   one more mark goes there: else all after the system prompt is written anew.
4. Never more than four in a request, those on system prompt and tools counted, and none where the program set none.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.formats import is_marked, mark_count
from ctxmgr.model import MARKS
from ctxmgr.proxy.members import elements, member, members

NEVER_MARKED = (b'"thinking"', b'"redacted_thinking"')
_encode = msgspec.json.encode


def placed(
    messages: Sequence[bytes],
    prefix_count: int,
    others: int,
    mark: msgspec.Raw | None,
    breakpoints: Sequence[int] = (),
) -> list[bytes]:
    """The list with its marks. `prefix_count`: so many of its messages are a list that was sent before; `others`:
    marks of the request outside the list; `mark`: as the program sets them; None where it sets none. `breakpoints`:
    places in the list, of ctxmgr's report."""
    out = list(messages)
    if mark is None or not out:
        return out
    room = MARKS.most_marks - others - sum(map(mark_count, out))
    for place in sorted({len(out) - 1, *breakpoints}, reverse=True):
        if room > 0 and 0 <= place < len(out) and not mark_count(out[place]):
            out[place], before = marked(out[place], mark), out[place]
            room -= out[place] is not before
    if not breakpoints and 0 < prefix_count < len(out) and not mark_count(out[prefix_count - 1]):
        far = sum(map(block_count, out[prefix_count:])) >= MARKS.look_back_blocks
        if far and room > 0:
            out[prefix_count - 1] = marked(out[prefix_count - 1], mark)
    return out


def newest_mark(messages: Sequence[bytes]) -> msgspec.Raw | None:
    """The program's mark that is farthest on in its list; None where it has none."""
    return next((mark for raw in reversed(messages) if (mark := mark_of(raw)) is not None), None)


def beside_mark(raw: bytes) -> msgspec.Raw | None:
    """Of blocks outside of the list, system prompt or tools: the mark of the last that has one."""
    found = [member(bytes(block), "cache_control") for block in elements(raw) or []]
    return next((msgspec.Raw(one) for one in reversed(found) if one not in (b"", b"null")), None)


def mark_of(raw: bytes) -> msgspec.Raw | None:
    """The mark on a block of a message, the last that has one; None where none has."""
    return beside_mark(member(raw, "content")) if is_marked(raw) else None


def marked(raw: bytes, mark: msgspec.Raw) -> bytes:
    """The message with this mark on the last of its blocks that can bear one, all else as it was spelled; as it is
    where none can."""
    told = member(raw, "content")
    if told.startswith(b'"') and told != b'""':
        blocks = [msgspec.Raw(b'{"type":"text","text":' + told + b"}")]
    else:
        blocks = elements(told) or []
    for at in range(len(blocks) - 1, -1, -1):
        fields = members(bytes(blocks[at]))
        if fields and bytes(fields.get("type", b"")) not in NEVER_MARKED and not _is_white(fields):
            blocks[at] = msgspec.Raw(_encode({**fields, "cache_control": mark}))
            return _encode({**(members(raw) or {}), "content": blocks})
    return raw


def _is_white(fields: dict[str, msgspec.Raw]) -> bool:
    """Is it a text that says nothing?"""
    if bytes(fields.get("type", b"")) != b'"text"':
        return False
    return not str(msgspec.json.decode(fields.get("text", b'""'))).strip()


def block_count(raw: bytes) -> int:
    blocks = elements(member(raw, "content"))
    return 1 if blocks is None else len(blocks)
