"""Turns the entries of a pi session tree into a branch: what each entry contributes to the model's list.

Rules (pi 0.87.1, as it projects the session):

1. A message entry contributes its message, byte for byte. A custom message, a branch summary with text and a
   compaction contribute a message made of their fields; a compaction that carries a prompt also contributes the
   prompt, before it.
2. Entries that pi itself does not use are metadata: in the tree, but in no list.
3. The path is followed from the leaf to the root by `parentId`. The session's header, and an entry that cannot be
   read, are not entries; a cycle or a missing parent ends the path.
4. The newest edit of an entry counts: null omits it, anything else is its new content, if it is a user's, an
   assistant's, a tool's or a custom message. For entries in the model's list, edits outside the list do not count.
5. Nothing here raises, whatever the entry.

Does not know cuts, token counts or future summaries.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.formats.content import text
from ctxmgr.formats.pi_messages import pi
from ctxmgr.formats.pi_tree import entries
from ctxmgr.formats.pi_tree import message as pi_message
from ctxmgr.formats.pi_tree.js_spelling import spelled, value, whole
from ctxmgr.model import View, expression
from ctxmgr.model.compaction import BranchEntry, BranchMessage, Details, EntryKind, MessageContent, places_in_list

KINDS: dict[str, EntryKind] = {
    "message": "message",
    "custom_message": "note",
    "branch_summary": "branch",
    "compaction": "compaction",
    "context_edit": "edit",
}
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError)

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode
# Skips other escapes and whole pairs; any remaining surrogate is half a pair (group 1).
_HALVES = expression(
    rb"\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class RawEntry(msgspec.Struct, frozen=True):
    """An entry before its message is read: its place in the tree, and its fields unchanged."""

    id: str
    parent: str | None
    fields: dict[str, bytes]


def node(raw: bytes) -> RawEntry | None:
    """The entry; None if it cannot be read or is the session's header."""
    try:
        fields = members(raw)
        id, parent = _plain(fields, "id"), _plain(fields, "parentId")
        if _plain(fields, "type") == "session":
            return None
    except UNREADABLE:
        return None
    return RawEntry(text(id), parent if isinstance(parent, str) and parent else None, fields)


def members(raw: bytes) -> dict[str, bytes]:
    """The members of a JSON object, each byte for byte, even with halves of surrogate pairs."""
    try:
        return {name: bytes(value) for name, value in _fields(raw).items()}
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended = _mended(raw)
        by_name, offset = {}, 0
        for name, value in _fields(mended).items():
            member = bytes(value)
            start = mended.find(member, offset)
            start = start if start >= 0 else mended.index(member)  # for a duplicate key, the last one counts
            by_name[name] = raw[start : start + len(member)]
            offset = start + len(member)
        return by_name


def _mended(raw: bytes) -> bytes:
    """The same JSON with U+FFFD instead of each escaped half of a surrogate pair. The length, and so each offset,
    stays.
    """
    return _HALVES.sub(lambda match: rb"\ufffd" if match[1] else match[0], raw)


def _plain(fields: dict[str, bytes], name: str) -> Any:
    return value(fields[name]) if name in fields else None


def soft(fields: dict[str, bytes], name: str) -> Any:
    """The value of a member; None if it cannot be read."""
    try:
        return _plain(fields, name)
    except UNREADABLE:
        return None


def entry(node: RawEntry) -> BranchEntry:
    """The kind and messages of an entry before edits."""
    fields, type = node.fields, soft(node.fields, "type")
    kind = KINDS.get(type, "") if isinstance(type, str) else ""
    given = _given(kind, fields)
    first, target, summary = (soft(fields, name) for name in ("firstKeptEntryId", "targetId", "summary"))
    shown = kind != "branch" or bool(summary)  # an empty branch summary is in no list
    has_summary = kind in ("branch", "compaction")
    return BranchEntry(
        node.id,
        node.parent,
        kind,
        given if shown else (),
        visible=shown and bool(given),
        answers=kind == "message" and any(message.content.speaker == "assistant" for message in given),
        summary=whole(text(summary)) if has_summary else "",
        first_kept=first if kind == "compaction" and isinstance(first, str) else None,
        details=_details(soft(fields, "details")) if has_summary else Details(),
        from_hook=has_summary and bool(soft(fields, "fromHook")),
        target=target if kind == "edit" and isinstance(target, str) else None,
        replaces=kind == "edit" and fields.get("replacement") != b"null",
        time_ms=entries.milliseconds(soft(fields, "timestamp")),
        unedited=None if shown else given,
        system=kind == "message" and any(message.system for message in given),
    )


def _given(kind: EntryKind, fields: dict[str, bytes]) -> tuple[BranchMessage, ...]:
    """The messages of an entry, by its kind (rule 1)."""
    if kind == "message":
        raw = fields.get("message", b"null")
        return () if raw == b"null" else (message_of(raw),)
    made: dict[str, Any] = {}
    if kind == "note":
        made = {"role": "custom", **_some(fields, "customType", "content", "display", "details")}
        if fields.get("content", b"null") == b"null":
            made["content"] = []
    elif kind == "branch" or kind == "compaction":
        role, beside = ("branchSummary", "fromId") if kind == "branch" else ("compactionSummary", "tokensBefore")
        made = {"role": role, "summary": "", **_some(fields, "summary", beside)}
    if not made:
        return ()
    made["timestamp"] = entries.milliseconds(soft(fields, "timestamp"))
    prompt = fields.get("systemMessage", b"") if kind == "compaction" else b""
    carried = (message_of(prompt),) if prompt.startswith(b"{") else ()
    return (*carried, message_of(_encode(made)))


def _some(fields: dict[str, bytes], *names: str) -> dict[str, msgspec.Raw]:
    return {name: msgspec.Raw(fields[name]) for name in names if name in fields}


def message_of(raw: bytes) -> BranchMessage:
    """What a cut and a summariser need of one message. One that cannot be read is not shown to a model."""
    try:
        message = value(raw)
    except UNREADABLE:
        message = None
    if not isinstance(message, dict):
        return BranchMessage(raw, pi.view(raw), MessageContent(""), 0)
    role = message.get("role")
    role = role if isinstance(role, str) else ""
    return BranchMessage(
        raw,
        _view(raw, message, role),
        pi_message.content_of(message),
        pi_message.counted(message),
        opens_turn=role in pi_message.OPENING,
        cuttable=role in pi_message.CUTTABLE,
        reading_tokens=pi_message.reading(message),
        system=role == "system",
        prompt=pi_message.prompt(message),
        nested=pi_message.nested(message),
    )


def _view(raw: bytes, message: dict[str, Any], role: str) -> View:
    """The view. If half a surrogate pair or a number too large for a double prevents reading, those are replaced
    first.
    """
    view = pi.view(raw)
    known = role in pi_message.CUTTABLE or role == "toolResult"
    return pi.view(_mended(spelled(message).encode())) if known and view.role == "other" else view


def _details(fields: Any) -> Details:
    if not isinstance(fields, dict):
        return Details()
    read, modified = (_paths(fields.get(name)) for name in ("readFiles", "modifiedFiles"))
    return Details(read, modified, ours="ctxmgr" in fields)


def _paths(listed: Any) -> tuple[str, ...]:
    return tuple(whole(path) for path in listed if isinstance(path, str)) if isinstance(listed, list) else ()


def branch(raws: Sequence[bytes], leaf: str | None) -> tuple[BranchEntry, ...]:
    """The path from the root to `leaf` (None: the last entry), edits applied, oldest first.

    `raws` is the whole tree in the host's order, one item per entry. An unknown leaf gives an empty path.
    """
    nodes = [node for node in map(node, raws) if node is not None]
    path = entries.path(nodes, leaf)
    return _edited([entry(node) for node in path], path)


def _edited(entries: Sequence[BranchEntry], nodes: Sequence[RawEntry]) -> tuple[BranchEntry, ...]:
    """The entries of a path with its edits applied (rule 4)."""
    edits = [number for number, entry in enumerate(entries) if entry.kind == "edit" and entry.target]
    if not edits:
        return tuple(entries)
    listed = frozenset(places_in_list(entries))
    anywhere = {entries[number].target: nodes[number].fields for number in edits}
    inside = {entries[number].target: nodes[number].fields for number in edits if number in listed}
    changed = list(entries)
    for number, entry in enumerate(entries):
        edit = (inside if number in listed else anywhere).get(entry.id)
        if edit is None or not entry.messages:
            continue
        messages = _after(entry.messages, edit.get("replacement", b""))
        if messages is not entry.messages:
            changed[number] = msgspec.structs.replace(entry, messages=messages, unedited=entry.messages)
    return tuple(changed)


def _after(messages: tuple[BranchMessage, ...], replacement: bytes) -> tuple[BranchMessage, ...]:
    """The messages of an entry after its edit; unchanged if the edit cannot be read."""
    if replacement == b"null":
        return ()
    try:
        content = members(replacement)["content"]
        plain = value(content)
    except (*UNREADABLE, KeyError):
        return messages
    return tuple(_with_content(message, content, plain) for message in messages)


def _with_content(message: BranchMessage, content: bytes, plain: Any) -> BranchMessage:
    fields = {name: msgspec.Raw(value) for name, value in members(message.raw).items()}
    role = soft({"role": bytes(fields.get("role", b"null"))}, "role")
    if not isinstance(role, str) or role not in pi_message.EDITABLE:
        return message
    if isinstance(plain, str) and role in ("assistant", "toolResult"):
        content = b'[{"type":"text","text":' + content + b"}]"
    fields["content"] = msgspec.Raw(content)
    return message_of(_encode(fields))
