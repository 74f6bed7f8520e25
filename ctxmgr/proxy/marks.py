"""Places cache marks on a rewritten list, where Anthropic's cache can use them.

1. A program's own marks stay on the messages that stay. If the last message lost its mark by being rewritten, it
   gets it back: without it, no part of the list would be cached.
2. The remaining marks go to the places that ctxmgr's report names, the end of the list first: where the program set
   no mark, or where its mark was removed with a message.
3. A prefix that is cached for an hour must precede all that is cached for less: a mark of ctxmgr before a program's
   mark for an hour is for an hour too; others are like the program's newest.
4. If the report names no place, as for a model that is not known to be Anthropic's: Anthropic looks for cached
   prefixes at a mark and up to 20 blocks before it. If the end of the last list that is still a prefix is further
   back, one more mark goes there, because otherwise all after the system prompt would be written again.
5. A request never has more than four marks, including those on system prompt and tools, and none if the program set
   none.
"""

import itertools
from collections.abc import Sequence

import msgspec

from ctxmgr.formats import is_marked, mark_count
from ctxmgr.model import MARKS
from ctxmgr.proxy.apis import MARKED, ListCall
from ctxmgr.proxy.body import elements, member, members, read_once

LIFETIMES_MS = {"5m": MARKS.lifetime_ms, "1h": 3_600_000}  # by a mark's `ttl`; the first without one
RETAINED = b'"24h"'  # by OpenAI, for a day at most; treated as an hour, as in `openai-day` of the model facts
NEVER_MARKED = (b'"thinking"', b'"redacted_thinking"')
_encode = msgspec.json.encode


def placed(
    messages: Sequence[bytes],
    prefix_count: int,
    others: int,
    mark: msgspec.Raw | None,
    breakpoints: Sequence[int] = (),
) -> list[bytes]:
    """The list with its marks. `prefix_count`: number of messages at its start that are a list sent before;
    `others`: marks of the request outside the list; `mark`: as the program sets them, None if it sets none.
    `breakpoints`: places in the list, from ctxmgr's report.
    """
    out = list(messages)
    if mark is None or not out:
        return out
    bearing = [index for index, raw in enumerate(out) if is_marked(raw)]  # few, even in a long list
    room = MARKS.most_marks - others - sum(mark_count(out[index]) for index in bearing)
    last_long, long_mark = _last_long(out, bearing, mark)
    for index in sorted({len(out) - 1, *breakpoints}, reverse=True):
        if room > 0 and 0 <= index < len(out) and not mark_count(out[index]):
            out[index], before = marked(out[index], long_mark if index < last_long else mark), out[index]
            room -= out[index] is not before
    if not breakpoints and 0 < prefix_count < len(out) and not mark_count(out[prefix_count - 1]):
        far = sum(map(block_count, out[prefix_count:])) >= MARKS.look_back_blocks
        if far and room > 0:
            out[prefix_count - 1] = marked(out[prefix_count - 1], long_mark if prefix_count <= last_long else mark)
    return out


def program_mark(call: ListCall) -> msgspec.Raw | None:
    """The program's newest mark in the list, otherwise beside it; None if it sets none."""
    if not call.api.places_marks:
        return None
    in_list = (own[-1] for raw in reversed(call.body.messages) if (own := message_marks(raw)))
    beside = (own[-1] for name in MARKED if (own := block_marks(call.body.members.get(name, b""))))
    return next(itertools.chain(in_list, beside), None)


def lifetime_ms(call: ListCall) -> int | None:
    """How long the program has the end of its list cached; None if it sets no mark and names no retention."""
    if call.body.members.get("prompt_cache_retention", b"").strip() == RETAINED:
        return LIFETIMES_MS["1h"]
    at_end = call.body.members.get("cache_control", b"null") if call.api.places_marks else b"null"
    mark = program_mark(call) if at_end.strip() == b"null" else at_end
    return None if mark is None else _lifetime_ms(mark)


def is_long(lifetime_ms: int | None) -> bool:
    """Whether the lifetime is longer than the default, which makes writes more expensive."""
    return lifetime_ms is not None and lifetime_ms > MARKS.lifetime_ms


def block_marks(raw: bytes) -> list[msgspec.Raw]:
    """The marks of these blocks, in order."""
    marks = (member(bytes(block), "cache_control") for block in elements(raw) or [])
    return [msgspec.Raw(mark) for mark in marks if mark not in (b"", b"null")]


@read_once
def message_marks(raw: bytes) -> list[msgspec.Raw]:
    return block_marks(member(raw, "content")) if is_marked(raw) else []


def _lifetime_ms(mark: msgspec.Raw | bytes) -> int:
    return LIFETIMES_MS.get(member(bytes(mark), "ttl").decode("utf-8", "replace").strip('"'), MARKS.lifetime_ms)


def _last_long(messages: Sequence[bytes], bearing: list[int], mark: msgspec.Raw) -> tuple[int, msgspec.Raw]:
    """The last of these places with a mark for longer than the default, and that mark; -1 and `mark` if there is
    none.
    """
    for index in reversed(bearing):
        for own in message_marks(messages[index]):
            if is_long(_lifetime_ms(own)):
                return index, own
    return -1, mark


def marked(raw: bytes, mark: msgspec.Raw) -> bytes:
    """The message with this mark on its last block that may have one, the rest spelled as before; unchanged if no
    block may.
    """
    content = member(raw, "content")
    if content.startswith(b'"') and content != b'""':
        blocks = [msgspec.Raw(b'{"type":"text","text":' + content + b"}")]
    else:
        blocks = elements(content) or []
    for index in range(len(blocks) - 1, -1, -1):
        fields = members(bytes(blocks[index]))
        if fields and bytes(fields.get("type", b"")) not in NEVER_MARKED and not _is_white(fields):
            blocks[index] = msgspec.Raw(_encode({**fields, "cache_control": mark}))
            return _encode({**(members(raw) or {}), "content": blocks})
    return raw


def _is_white(fields: dict[str, msgspec.Raw]) -> bool:
    """Whether it is a text of only white space."""
    if bytes(fields.get("type", b"")) != b'"text"':
        return False
    return not str(msgspec.json.decode(fields.get("text", b'""'))).strip()


def block_count(raw: bytes) -> int:
    blocks = elements(member(raw, "content"))
    return 1 if blocks is None else len(blocks)
