"""Turns messages into the format that they are written in, told from members that one format alone has.

1. Marks of a format are roles, members and types of blocks that others do not write. A user's, an assistant's or a
   system's text alone is of every format: such a message marks none.
2. One mark of the format that was named is enough: what else such a list holds goes through as it came.
3. Without one, the format with the most messages marked is it. With as many of another, it can not be told.
4. `auto` becomes what the first marked messages are. Messages marked as others' alone, and not as what was named,
   are refused with the name of what they are.
5. A member that is null or empty is none: libraries write all members that they know.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import msgspec

from ctxmgr.formats import auto
from ctxmgr.formats.content import UNREADABLE
from ctxmgr.formats.table import AUTO, FORMATS
from ctxmgr.model import InvalidParams

ROLES = {
    **dict.fromkeys(("toolResult", "bashExecution", "branchSummary", "compactionSummary"), ("pi",)),
    **dict.fromkeys(("tool", "function"), ("openai",)),
    "developer": ("openai", "responses"),
    "model": ("gemini",),
}
BLOCKS = {
    "toolCall": "pi",
    **dict.fromkeys(("image_url", "input_audio", "file"), "openai"),
    **dict.fromkeys(
        ("tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "redacted_thinking"), "anthropic"
    ),
    **dict.fromkeys(("input_text", "output_text", "input_image", "input_file"), "responses"),
}
ITEMS = frozenset(
    ("reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response")
)
ITEMS |= {"compaction", "compaction_summary", "context_compaction", "compaction_trigger"}
ITEM_ENDINGS = ("_call", "_call_output")

_NONE = msgspec.Raw(b"")
_EMPTY = frozenset((b"", b"null", b"[]", b"{}", b'""'))


class _Marked(msgspec.Struct, frozen=True):
    """The members of a message by which it is told; others are passed over."""

    role: Any = None
    type: Any = None
    name: Any = None
    object: Any = None
    content: msgspec.Raw = _NONE
    message: msgspec.Raw = _NONE
    choices: msgspec.Raw = _NONE
    parts: msgspec.Raw = _NONE
    candidates: msgspec.Raw = _NONE
    tool_calls: msgspec.Raw = _NONE
    function_call: msgspec.Raw = _NONE
    tool_call_id: msgspec.Raw = _NONE
    reasoning_content: msgspec.Raw = _NONE
    custom_type: msgspec.Raw = msgspec.field(default=_NONE, name="customType")
    pi_stop: msgspec.Raw = msgspec.field(default=_NONE, name="stopReason")
    claude_stop: msgspec.Raw = msgspec.field(default=_NONE, name="stop_reason")


class _Block(msgspec.Struct, frozen=True):
    type: Any = None
    source: msgspec.Raw = _NONE
    signature: msgspec.Raw = _NONE
    content: msgspec.Raw = _NONE
    pi_signature: msgspec.Raw = msgspec.field(default=_NONE, name="thinkingSignature")
    mime: msgspec.Raw = msgspec.field(default=_NONE, name="mimeType")


_decode = msgspec.json.Decoder(_Marked).decode
_blocks = msgspec.json.Decoder(list[msgspec.Raw]).decode
_block = msgspec.json.Decoder(_Block).decode


def recognised(raws: Sequence[bytes], wanted: str = "") -> tuple[str, ...]:
    """The formats that these messages may be in (rules 2 and 3): one name as a rule, several where as many messages
    are marked as theirs, none where none is marked. `wanted`: the format that was named."""
    votes: Counter[str] = Counter()
    for raw in raws:
        names = _names(raw)
        if wanted in names:
            return (wanted,)
        votes.update(names)
    most = max(votes.values(), default=0)
    return tuple(name for name in FORMATS if most and votes[name] == most)


def messages_of(entries: Sequence[bytes]) -> list[bytes]:
    """The messages that entries of a session tree hold."""
    found = []
    for entry in entries:
        try:
            found.append(bytes(_decode(entry).message))
        except UNREADABLE:
            continue
    return found


def name_of(form: ModuleType) -> str:
    """The name by which a host names this format."""
    return next((name for name, module in FORMATS.items() if module is form), AUTO)


def settled(form: ModuleType, raws: Sequence[bytes], path: str) -> ModuleType | None:
    """The format that these messages are in, None while they do not show it: `form`, or where that is `auto` what
    they are marked as. Raises InvalidParams, for the params' member `path`, where they are marked as others' alone.
    """
    named = name_of(form)
    names = recognised(raws, named)
    if len(names) == 1 and (form is auto or names == (named,)):
        return FORMATS[names[0]]
    if not names or form is auto:
        return None
    right = " or ".join(f'"{name}"' for name in names)
    fix = f"set messageFormat, in initialize or session_start, to {right}"
    told = {"path": path}
    if len(names) == 1:
        fix, told = f'{fix}, or to "auto"', {"path": path, "messageFormat": names[0]}
    raise InvalidParams(
        f'invalid params at {path}: the messages are in the format {right}, not "{named}": {fix}', told
    )


def _names(raw: bytes) -> frozenset[str]:
    """The formats whose marks this message bears."""
    try:
        if raw.lstrip().startswith(b"["):  # the items of one answer
            return frozenset(name for one in _blocks(raw) for name in _marks(_decode(one)))
        return frozenset(_marks(_decode(raw)))
    except UNREADABLE:
        return frozenset()


def _marks(found: _Marked) -> Iterator[str]:
    role, kind = found.role, found.type
    if isinstance(role, str) and role in ROLES:
        yield from ROLES[role]
    if (role == "custom" and _there(found.custom_type)) or (role == "assistant" and _there(found.pi_stop)):
        yield "pi"
    own = (found.tool_calls, found.function_call, found.tool_call_id, found.reasoning_content, found.choices)
    if any(map(_there, own)) or found.name in ("compactionSummary", "branchSummary"):
        yield "openai"
    if role == "assistant" and _there(found.claude_stop):
        yield "anthropic"
    if role is None and isinstance(kind, str) and (kind in ITEMS or kind.endswith(ITEM_ENDINGS)):
        yield "responses"
    if found.object == "response":
        yield "responses"
    if _there(found.parts) or _there(found.candidates):
        yield "gemini"
    if bytes(found.content).startswith(b"["):
        for raw in _blocks(found.content):
            yield from _marks_of_block(raw)


def _marks_of_block(raw: msgspec.Raw) -> Iterator[str]:
    try:
        block = _block(raw)
    except UNREADABLE:
        return
    kind = block.type
    if isinstance(kind, str) and kind in BLOCKS:
        yield BLOCKS[kind]
    elif kind == "thinking" and (_there(block.signature) or _there(block.pi_signature)):
        yield "anthropic" if _there(block.signature) else "pi"
    elif kind == "compaction" or (kind in ("image", "document") and _there(block.source)):
        yield "anthropic"
    elif kind == "image" and _there(block.mime):
        yield "pi"


def _there(raw: msgspec.Raw) -> bool:
    """Rule 5."""
    return bytes(raw) not in _EMPTY
