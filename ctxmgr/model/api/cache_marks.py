"""Puts cache marks onto a list of Anthropic's format, where a report says that they belong.

1. A mark stands on the last block of a message that can bear one: no thinking, no text that is empty or white.
2. All marks of the list are alike: as the newest that the program set itself, within a result too, so that its
   lifetime stays.
3. Never more than four in a request, those outside of the list counted: the ones farthest on in the list stay.
4. No other message keeps one. Without a place to mark the list is as it was: its marks are the program's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ctxmgr.model.api.given import M
from ctxmgr.model.prices import MARKS, OWN_MARKS

EPHEMERAL = {"type": "ephemeral"}
MARK = "cache_control"
THINKING = ("thinking", "redacted_thinking")


def with_cache_marks(
    messages: Sequence[M], breakpoints: Sequence[int] | None, *, own_marks: int = OWN_MARKS, mark: Any = None
) -> list[M]:
    """The list to send, with marks on the messages at `breakpoints` of the report. Messages that change are new
    objects, of the kind that they were: dicts, or JSON as bytes. `own_marks` of the request outside of the list.
    `mark`: what to set; absent, as rule 2 has it."""
    if not breakpoints:
        return list(messages)
    room = max(0, MARKS.most_marks - own_marks)
    places = set(sorted(set(breakpoints))[-room:]) if room else set()
    mark = mark or _newest(messages) or EPHEMERAL
    return [_with(message, mark if number in places else None) for number, message in enumerate(messages)]


def _with(message: M, mark: Any) -> M:
    """The message with this mark alone; None: with none."""
    if isinstance(message, bytes) and mark is None and MARK.encode() not in message:
        return message
    fields: Any = _opened(message) if isinstance(message, bytes) else message
    content = fields.get("content") if isinstance(fields, Mapping) else None
    if mark is not None and isinstance(_plain(content), str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list | tuple):
        return message
    blocks = [_bare(block) for block in content]
    marked = next((number for number in range(len(blocks) - 1, -1, -1) if _may_bear(blocks[number])), None)
    if mark is not None and marked is not None:
        blocks[marked] = {**blocks[marked], MARK: mark}
    elif content is not fields["content"] or all(new is old for new, old in zip(blocks, content, strict=True)):
        return message
    made: Any = {**fields, "content": blocks}
    return msgspec.json.encode(made) if isinstance(message, bytes) else made  # type: ignore[return-value]


def _opened(raw: bytes) -> Any:
    """An object as its members, and what a list of content holds too; all else stays JSON, as it was spelled."""
    if not raw.lstrip().startswith(b"{"):
        return msgspec.Raw(raw)
    fields: dict[str, Any] = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    if bytes(fields.get("content", b"")).lstrip().startswith(b"["):
        blocks = msgspec.json.decode(fields["content"], type=list[msgspec.Raw])
        fields["content"] = [_opened(bytes(block)) for block in blocks]
    return fields


def _plain(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value


def _bare(block: Any) -> Any:
    """Without marks, those within a result too; the very block where it has none."""
    if not isinstance(block, Mapping):
        return block
    held = block.get("content")
    inner = [_bare(block) for block in held] if isinstance(held, list | tuple) else []
    changed = any(new is not old for new, old in zip(inner, held or (), strict=False))
    if MARK not in block and not changed:
        return block
    fields = {name: value for name, value in block.items() if name != MARK}
    return {**fields, "content": inner} if changed else fields


def _may_bear(block: Any) -> bool:
    """Rule 1."""
    kind = _plain(block.get("type")) if isinstance(block, Mapping) else None
    if kind is None or kind in THINKING:
        return False
    return kind != "text" or bool(str(_plain(block.get("text")) or "").strip())


def _newest(messages: Sequence[Any]) -> Any:
    """Rule 2."""
    for message in reversed(messages):
        if isinstance(message, bytes) and MARK.encode() not in message:
            continue
        mark = _newest_of(_opened(message) if isinstance(message, bytes) else message)
        if mark is not None:
            return mark
    return None


def _newest_of(holder: Any) -> Any:
    """Of what a message or a result holds; a result's own mark stands behind those within it."""
    content = holder.get("content") if isinstance(holder, Mapping) else None
    for block in reversed(content) if isinstance(content, list | tuple) else ():
        own = block.get(MARK) if isinstance(block, Mapping) else None
        mark = own if _plain(own) else _newest_of(block)
        if mark is not None:
            return mark
    return None
