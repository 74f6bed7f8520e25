"""Sets cache marks in a list of Anthropic's format, at the positions in a report.

1. A mark goes on the last block of a message that can have one: not on thinking, and not on an empty or blank text.
2. All marks of the list are equal: they copy the newest one that the program set itself, even within a result, so
   that its lifetime stays.
3. A request never has more than four, including those outside of the list. The ones closest to the end of the list
   are kept.
4. No other message keeps a mark. Without positions, the list and the program's own marks are unchanged.
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
    """The list to send, with marks on the messages at `breakpoints` of the report. Changed messages are new objects
    of the same kind: dicts, or JSON as bytes. `own_marks`: the number of marks outside of the list. `mark`: the
    mark to set (default: rule 2).
    """
    if not breakpoints:
        return list(messages)
    room = max(0, MARKS.most_marks - own_marks)
    places = set(sorted(set(breakpoints))[-room:]) if room else set()
    mark = mark or _newest(messages) or EPHEMERAL
    return [_with(message, mark if number in places else None) for number, message in enumerate(messages)]


def _with(message: M, mark: Any) -> M:
    """The message with only this mark, or without any if `mark` is None."""
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
    """Decodes the members of an object, and the blocks of its content list. Everything else stays JSON as it was
    spelled.
    """
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
    """The block without marks, including those within a result. Returns the same object if it has none."""
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
    """Whether a block can have a mark (rule 1)."""
    kind = _plain(block.get("type")) if isinstance(block, Mapping) else None
    if kind is None or kind in THINKING:
        return False
    return kind != "text" or bool(str(_plain(block.get("text")) or "").strip())


def _newest(messages: Sequence[Any]) -> Any:
    """The newest mark in the list (rule 2)."""
    for message in reversed(messages):
        if isinstance(message, bytes) and MARK.encode() not in message:
            continue
        mark = _newest_of(_opened(message) if isinstance(message, bytes) else message)
        if mark is not None:
            return mark
    return None


def _newest_of(holder: Any) -> Any:
    """The newest mark in a message or a result. A result's own mark counts as newer than those within it."""
    content = holder.get("content") if isinstance(holder, Mapping) else None
    for block in reversed(content) if isinstance(content, list | tuple) else ():
        own = block.get(MARK) if isinstance(block, Mapping) else None
        mark = own if _plain(own) else _newest_of(block)
        if mark is not None:
            return mark
    return None
