"""Turns a recording of any host into the session tree that pi would have kept of it: one branch, root first.

What walks trees (planning, comparing, chains of compactions) takes a recording so. A pi session file is such a tree
already, with more in it than a recording holds: it is better taken as it is.
"""

from typing import Any

import msgspec

from ctxmgr.study.recordings import RecordedEntry, Recording

_encode = msgspec.json.Encoder().encode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def entries(recording: Recording) -> list[bytes]:
    """One JSON object an entry, each the parent of the next; times in milliseconds."""
    tree = []
    parent: str | None = None
    for entry in recording.entries:
        links: dict[str, Any] = {"id": entry.id, "parentId": parent}
        if entry.time_ms is not None:
            links["timestamp"] = entry.time_ms
        tree.append(_encode({**_content_fields(entry), **links}))
        parent = entry.id
    return tree


def _content_fields(entry: RecordedEntry) -> dict[str, Any]:
    """The entry without its place in the tree."""
    if entry.kind == "model":
        return {"type": "model_change", "modelId": entry.model}
    if entry.kind == "compaction":
        before = _fields(entry.message).get("tokensBefore", 0)
        kept = entry.first_kept or None
        return {
            "type": "compaction",
            "summary": entry.summary,
            "firstKeptEntryId": kept,
            "tokensBefore": before,
        }
    if entry.kind == "branch_summary":
        from_id = _fields(entry.message).get("fromId", "")
        return {"type": "branch_summary", "summary": entry.summary, "fromId": from_id}
    if entry.role == "custom":
        kept_fields = ("customType", "content", "display", "details")
        fields = _fields(entry.message)
        return {"type": "custom_message", **{name: fields[name] for name in kept_fields if name in fields}}
    return {"type": "message", "message": msgspec.Raw(entry.message)}
