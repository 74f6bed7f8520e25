"""Turns a pi session file (format version 1, 2 or 3, or an export) into a recording.

1. The session is the path from the root to the leaf: the export's `leafId`, else the last entry.
2. Version 1 has no ids: entries follow each other, ids are counted up, and a compaction names what it keeps by
   its place in the file.
3. What a model's list holds of an entry is what pi makes of it: a message as it is, a `custom_message` as a custom
   message, a compaction and a branch summary as theirs; other entries are no context.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.json_values import members, objects
from ctxmgr.study.recordings.recording import RecordedEntry, Recording, UnreadableRecording

Fields = dict[str, msgspec.Raw]

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_NULL = msgspec.Raw(b"null")


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    header, entries, leaf = _file(name, content)
    if not entries:
        raise UnreadableRecording(f"{name}: the session has no entries")
    path = [_entry(fields) for fields in _path(entries, leaf)]
    standing = tuple(entry for entry in path if entry is not None)
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
    """Entries of version 1 with ids and parents; later ones as they are (rule 2). Without the header, whose place
    is 0."""
    out: list[Fields] = []
    parent: msgspec.Raw = _NULL
    for number, fields in enumerate(entries, 1):
        if "id" not in fields:
            id = msgspec.Raw(_encode(f"{number:08x}"))
            fields = {**fields, "id": id, "parentId": parent}
            kept = _value(fields, "firstKeptEntryIndex")
            if isinstance(kept, int):
                fields["firstKeptEntryId"] = msgspec.Raw(_encode(f"{kept:08x}"))
        parent = fields["id"]
        out.append(fields)
    return out


def _path(entries: list[Fields], leaf: str | None) -> list[Fields]:
    """From the root to the leaf. A parent that is missing, or comes again, ends the walk."""
    by_id = {_text(fields, "id"): fields for fields in entries}
    entry = by_id.get(leaf) if leaf else entries[-1]
    path: dict[str, Fields] = {}
    while entry is not None and (id := _text(entry, "id")) not in path:
        path[id] = entry
        entry = by_id.get(_text(entry, "parentId"))
    return list(reversed(path.values()))


def _entry(fields: Fields) -> RecordedEntry | None:
    build = _ENTRIES.get(_text(fields, "type"))
    return build(fields, _text(fields, "id"), milliseconds(_value(fields, "timestamp"))) if build else None


def _message(fields: Fields, id: str, time_ms: int | None) -> RecordedEntry | None:
    if "message" not in fields:
        return None
    raw = bytes(fields["message"])
    role = str(_decode(raw).get("role", ""))
    if role == "hookMessage":  # its name in version 2
        role, raw = "custom", _with(raw, role="custom")
    return RecordedEntry("message", id, time_ms, raw, role)


def _custom_message(fields: Fields, id: str, time_ms: int | None) -> RecordedEntry:
    names = ("customType", "content", "display", "details")
    kept = {name: fields[name] for name in names if name in fields}
    return RecordedEntry(
        "message", id, time_ms, _encode({"role": "custom", **kept, "timestamp": time_ms or 0}), "custom"
    )


def _compaction(fields: Fields, id: str, time_ms: int | None) -> RecordedEntry:
    summary = _text(fields, "summary")
    message = compaction_message(summary, _value(fields, "tokensBefore") or 0, time_ms or 0)
    kept = _text(fields, "firstKeptEntryId")
    return RecordedEntry("compaction", id, time_ms, message, "compactionSummary", summary, kept)


def _branch_summary(fields: Fields, id: str, time_ms: int | None) -> RecordedEntry:
    summary = _text(fields, "summary")
    body = {
        "role": "branchSummary",
        "summary": summary,
        "fromId": _text(fields, "fromId"),
        "timestamp": time_ms or 0,
    }
    return RecordedEntry("branch_summary", id, time_ms, _encode(body), "branchSummary", summary)


def _model_change(fields: Fields, id: str, time_ms: int | None) -> RecordedEntry:
    return RecordedEntry("model", id, time_ms, model=_text(fields, "modelId"))


_ENTRIES: dict[str, Callable[[Fields, str, int | None], RecordedEntry | None]] = {
    "message": _message,
    "custom_message": _custom_message,
    "compaction": _compaction,
    "branch_summary": _branch_summary,
    "model_change": _model_change,
}


def compaction_message(summary: str, tokens_before: int, time_ms: int) -> bytes:
    """The message that stands for all that a compaction summarised; `time_ms` in milliseconds."""
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


def _with(raw: bytes, **changes: Any) -> bytes:
    return _encode({**msgspec.json.decode(raw, type=Fields), **changes})


def _value(fields: Fields, name: str) -> Any:
    return _decode(fields[name]) if name in fields else None


def _text(fields: Fields, name: str) -> str:
    value = _value(fields, name)
    return value if isinstance(value, str) else ""
