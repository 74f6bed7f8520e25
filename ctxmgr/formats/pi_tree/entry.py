"""Turns one entry of a pi session tree into what it gives to a model, before any edit of it.

Rules (pi 0.87.1):

1. A message entry gives its message, byte for byte; a custom message, a branch summary that says something and a
   compaction give a message made of their fields, a compaction that carries a prompt that prompt before it.
2. Where pi itself takes nothing of an entry, it is metadata: in the tree, but in no list.
3. Nothing here raises on any entry. What has no object in it, and the session's header, is none.
"""

import re
from typing import Any

import msgspec

from ctxmgr.formats.pi_messages import pi
from ctxmgr.formats.pi_tree import entries
from ctxmgr.formats.pi_tree import message as pi_message
from ctxmgr.formats.pi_tree.js_spelling import spelled, value, whole
from ctxmgr.model import View
from ctxmgr.model.compaction import BranchEntry, BranchMessage, Details, EntryKind, MessageContent

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
# any other escape and a whole pair are passed by; what is left of surrogates is half a pair (group 1)
_HALVES = re.compile(
    rb"\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class RawEntry(msgspec.Struct, frozen=True):
    """An entry before its message is read: place in the tree and its fields as they came."""

    id: str
    parent: str | None
    fields: dict[str, bytes]


def node(raw: bytes) -> RawEntry | None:
    """An entry, None where it can not be read or is the session's header."""
    try:
        fields = members(raw)
        id, parent = _plain(fields, "id"), _plain(fields, "parentId")
        if _plain(fields, "type") == "session":
            return None
    except UNREADABLE:
        return None
    return RawEntry(_text(id), parent if isinstance(parent, str) and parent else None, fields)


def members(raw: bytes) -> dict[str, bytes]:
    """The members of a JSON object, each as it came; of one with halves of surrogate pairs too."""
    try:
        return {name: bytes(one) for name, one in _fields(raw).items()}
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended = _mended(raw)
        found, at = {}, 0
        for name, one in _fields(mended).items():
            member = bytes(one)
            place = mended.find(member, at)
            place = place if place >= 0 else mended.index(member)  # a key that came twice: the last one counts
            found[name] = raw[place : place + len(member)]
            at = place + len(member)
        return found


def _mended(raw: bytes) -> bytes:
    """The same with U+FFFD for the escape of each half of a surrogate pair: as long, so every offset stays."""
    return _HALVES.sub(lambda found: rb"\ufffd" if found[1] else found[0], raw)


def _plain(fields: dict[str, bytes], name: str) -> Any:
    return value(fields[name]) if name in fields else None


def soft(fields: dict[str, bytes], name: str) -> Any:
    """A member's value, None where it can not be read."""
    try:
        return _plain(fields, name)
    except UNREADABLE:
        return None


def entry(node: RawEntry) -> BranchEntry:
    """What an entry is and gives before edits."""
    fields, type = node.fields, soft(node.fields, "type")
    kind = KINDS.get(type, "") if isinstance(type, str) else ""
    given = _given(kind, fields)
    first, target, summary = (soft(fields, name) for name in ("firstKeptEntryId", "targetId", "summary"))
    shown = kind != "branch" or bool(summary)  # an empty branch summary is in no list
    told = kind in ("branch", "compaction")
    return BranchEntry(
        node.id,
        node.parent,
        kind,
        given if shown else (),
        visible=shown and bool(given),
        answers=kind == "message" and any(one.content.speaker == "assistant" for one in given),
        summary=whole(_text(summary)) if told else "",
        first_kept=first if kind == "compaction" and isinstance(first, str) else None,
        details=_details(soft(fields, "details")) if told else Details(),
        from_hook=told and bool(soft(fields, "fromHook")),
        target=target if kind == "edit" and isinstance(target, str) else None,
        replaces=kind == "edit" and fields.get("replacement") != b"null",
        time_ms=entries.milliseconds(soft(fields, "timestamp")),
        unedited=None if shown else given,
        system=kind == "message" and any(one.system for one in given),
    )


def _given(kind: EntryKind, fields: dict[str, bytes]) -> tuple[BranchMessage, ...]:
    """The messages of an entry by its kind (rule 1)."""
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
    """What one message is to a cut and a summariser; one that can not be read is shown to nobody."""
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
    """The view; where half a surrogate pair or a number beyond all doubles is in the way, of what is meant."""
    view = pi.view(raw)
    known = role in pi_message.CUTTABLE or role == "toolResult"
    return pi.view(_mended(spelled(message).encode())) if known and view.role == "other" else view


def _details(told: Any) -> Details:
    if not isinstance(told, dict):
        return Details()
    read, modified = (_paths(told.get(name)) for name in ("readFiles", "modifiedFiles"))
    return Details(read, modified, ours="ctxmgr" in told)


def _paths(told: Any) -> tuple[str, ...]:
    return tuple(whole(path) for path in told if isinstance(path, str)) if isinstance(told, list) else ()


def _text(told: Any) -> str:
    return told if isinstance(told, str) else ""
