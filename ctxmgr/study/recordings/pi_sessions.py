"""Turns a pi session file (format version 1, 2 or 3, or an export) into a recording, and a stream of pi's extension
events into a `Stream`.

1. The session is the path from the root to the leaf: the export's `leafId`, else the last entry.
2. Version 1 has no ids: entries follow each other, ids are assigned by counting, and a compaction names what it
   keeps by its place in the file.
3. A model's list holds what pi makes of an entry: a message unchanged, a `custom_message` as a custom message, a
   compaction and a branch summary as theirs; other entries are not context.
4. A line of a stream is `{"event", "receivedAt", "payload", "ctx"}`; `ctx` has session id, model, window and usage
   at that time.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.json_values import members, number, objects, table
from ctxmgr.study.recordings.recording import (
    DEFAULT_WINDOW,
    HostEvent,
    NoConversation,
    RecordedEntry,
    Recording,
    Stream,
    UnreadableRecording,
)

Fields = dict[str, msgspec.Raw]

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_NULL = msgspec.Raw(b"null")


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    header, entries, leaf = _file(name, content)
    if not entries:
        raise NoConversation(f"{name}: the session has no entries")
    standing = tuple(entry for fields in _path(entries, leaf) if (entry := _entry(fields)) is not None)
    return Recording(
        name=name,
        session_id=_text(header, "id") or name,
        model=_first_model(header, standing),
        entries=standing,
        cwd=_text(header, "cwd"),
    )


def tree(name: str, content: bytes) -> tuple[list[Fields], str | None]:
    """All entries of the file, on the path or not, and the leaf's id. Raises UnreadableRecording, with the line."""
    _, entries, leaf = _file(name, content)
    return entries, leaf


def _file(name: str, content: bytes) -> tuple[Fields, list[Fields], str | None]:
    """The header, all entries with ids, and the leaf's id."""
    lines = [(line, members(piece, name, line)) for line, piece in objects(content, name)]
    first = lines[0][1]
    if "header" in first and "entries" in first:
        raws = msgspec.json.decode(first["entries"], type=list[msgspec.Raw])
        leaf = _value(first, "leafId")
        header = members(bytes(first["header"]), name, 1)
        return header, [members(bytes(raw), name, 1) for raw in raws], leaf if isinstance(leaf, str) else None
    for line, fields in lines[1:]:
        if not _text(fields, "type"):
            raise UnreadableRecording(f"{name}, line {line}: an entry without a type")
        if "message" in fields:
            members(bytes(fields["message"]), name, line)
    entries = [fields for _, fields in lines]
    return first, numbered(entries[1:]), None


def numbered(entries: Sequence[Fields]) -> list[Fields]:
    """Entries of version 1 with ids and parents; later ones unchanged (rule 2). Without the header, whose place is
    0.
    """
    out: list[Fields] = []
    parent: msgspec.Raw = _NULL
    for place, fields in enumerate(entries, 1):
        if "id" not in fields:
            id = msgspec.Raw(_encode(f"{place:08x}"))
            fields = {**fields, "id": id, "parentId": parent}
            kept = _value(fields, "firstKeptEntryIndex")
            if isinstance(kept, int):
                fields["firstKeptEntryId"] = msgspec.Raw(_encode(f"{kept:08x}"))
        parent = fields["id"]
        out.append(fields)
    return out


def _path(entries: list[Fields], leaf: str | None) -> list[Fields]:
    """From the root to the leaf. A missing or repeated parent ends the walk."""
    by_id = {_text(fields, "id"): fields for fields in entries}
    entry = by_id.get(leaf) if leaf else entries[-1]
    path: dict[str, Fields] = {}
    while entry is not None and (id := _text(entry, "id")) not in path:
        path[id] = entry
        entry = by_id.get(_text(entry, "parentId"))
    return list(reversed(path.values()))


def _entry(fields: Fields) -> RecordedEntry | None:
    """Rule 3."""
    id, time_ms, summary = _text(fields, "id"), milliseconds(_value(fields, "timestamp")), _text(fields, "summary")
    match _text(fields, "type"):
        case "message" if "message" in fields:
            raw = bytes(fields["message"])
            role = str(_decode(raw).get("role", ""))
            if role == "hookMessage":  # its name in version 2
                role = "custom"
                raw = _encode({**msgspec.json.decode(raw, type=Fields), "role": role})
            return RecordedEntry("message", id, time_ms, raw, role)
        case "custom_message":
            names = ("customType", "content", "display", "details")
            kept = {name: fields[name] for name in names if name in fields}
            raw = _encode({"role": "custom", **kept, "timestamp": time_ms or 0})
            return RecordedEntry("message", id, time_ms, raw, "custom")
        case "compaction":
            raw = compaction_message(summary, _value(fields, "tokensBefore") or 0, time_ms or 0)
            first_kept = _text(fields, "firstKeptEntryId")
            return RecordedEntry("compaction", id, time_ms, raw, "compactionSummary", summary, first_kept)
        case "branch_summary":
            of = {"summary": summary, "fromId": _text(fields, "fromId"), "timestamp": time_ms or 0}
            raw = _encode({"role": "branchSummary", **of})
            return RecordedEntry("branch_summary", id, time_ms, raw, "branchSummary", summary)
        case "model_change":
            return RecordedEntry("model", id, time_ms, model=_text(fields, "modelId"))
    return None


def compaction_message(summary: str, tokens_before: int, time_ms: int) -> bytes:
    """The message that stands for everything a compaction summarized. `time_ms` in milliseconds."""
    body = {"role": "compactionSummary", "summary": summary, "tokensBefore": tokens_before, "timestamp": time_ms}
    return _encode(body)


def _first_model(header: Fields, entries: tuple[RecordedEntry, ...]) -> str:
    """The model that the session began with."""
    if model := _text(header, "modelId"):
        return model
    for entry in entries:
        if entry.model:
            return entry.model
        if entry.role == "assistant":
            return str(_decode(entry.message).get("model") or "unknown")
    return "unknown"


def _value(fields: Fields, name: str) -> Any:
    return _decode(fields[name]) if name in fields else None


def _text(fields: Fields, name: str) -> str:
    value = _value(fields, name)
    return value if isinstance(value, str) else ""


# a stream of events


def read_events(name: str, content: bytes) -> Stream:
    """Raises UnreadableRecording, with the line."""
    events = tuple(_event(piece, name, line) for line, piece in objects(content, name))
    first: dict[str, Any] = next((event.context for event in events if event.context.get("sessionId")), {})
    model = table(first, "model")
    window = number(model, "contextWindow")
    return Stream(
        name=name,
        session_id=str(first.get("sessionId") or name),
        model=str(model.get("id") or "unknown"),
        events=events,
        cwd=str(first.get("cwd") or ""),
        window=window or DEFAULT_WINDOW,
        says_window=bool(window),
    )


def _event(piece: bytes, name: str, line: int) -> HostEvent:
    fields = members(piece, name, line)
    try:
        event = _decode(fields["event"])
        payload = members(bytes(fields["payload"]), name, line)
        context: Any = _decode(fields.get("ctx", b"{}"))
        received = _decode(fields.get("receivedAt", b"null"))
    except KeyError as missing:
        raise UnreadableRecording(f"{name}, line {line}: an event without {missing}") from None
    if not isinstance(event, str) or not isinstance(context, dict):
        raise UnreadableRecording(f"{name}, line {line}: not an event")
    return HostEvent(event, int(received) if isinstance(received, int | float) else None, payload, context, line)
