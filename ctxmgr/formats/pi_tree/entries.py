"""Turns the entries of a host's session tree into what a session needs of them.

An entry is `{id, parentId, type, timestamp, ...}`; `type` is message (with `message`), compaction or branch_summary
(with `summary`), custom_message, or something that is not context (model_change, label, ...). Times are
milliseconds or ISO 8601 strings. Entries that cannot be read are skipped; they are never an error.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TypeVar

import msgspec

_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_value = msgspec.json.Decoder().decode


class TreeNode(Protocol):
    """Anything with a place in a tree."""

    @property
    def id(self) -> str: ...
    @property
    def parent(self) -> str | None: ...


Placed = TypeVar("Placed", bound=TreeNode)


class PiEntry(msgspec.Struct, frozen=True):
    """`kind` "" is an entry that is not context. `time_ms` in milliseconds since the epoch, None if unknown."""

    id: str
    parent: str | None
    kind: Literal["message", "compaction", "branch", ""]
    time_ms: int | None = None
    message: bytes = b""
    summary: str = ""


def milliseconds(time: Any) -> int | None:
    """An integer, a float or an ISO 8601 string as integer milliseconds since the epoch; otherwise None."""
    if isinstance(time, int | float) and not isinstance(time, bool) and abs(time) < 2**53:
        return int(time)
    if isinstance(time, str):
        try:
            moment = datetime.fromisoformat(time)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return round(moment.timestamp() * 1000)
        except ValueError:
            return None
    return None


def entry(raw: bytes) -> PiEntry | None:
    """One entry; None if it has no id or is not an object."""
    try:
        fields = _decode(raw)
        head = {
            name: _value(fields[name])
            for name in ("id", "parentId", "type", "timestamp", "summary")
            if name in fields
        }
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(head.get("id"), str):
        return None
    parent = head.get("parentId")
    parent = parent if isinstance(parent, str) else None
    time_ms, kind = milliseconds(head.get("timestamp")), head.get("type")
    if kind == "message" and "message" in fields:
        return PiEntry(head["id"], parent, "message", time_ms, message=bytes(fields["message"]))
    if kind in ("compaction", "branch_summary") and isinstance(head.get("summary"), str):
        return PiEntry(
            head["id"], parent, "compaction" if kind == "compaction" else "branch", time_ms, summary=head["summary"]
        )
    return PiEntry(head["id"], parent, "", time_ms)


def path(entries: Sequence[Placed], leaf: str | None) -> tuple[Placed, ...]:
    """The entries from the root to `leaf`, oldest first; without a leaf, to the last entry. A missing or repeated
    parent ends the path, so a broken tree gives the part that can be read.
    """
    by_id = {entry.id: entry for entry in entries}
    entry = by_id.get(leaf) if leaf is not None else (entries[-1] if entries else None)
    placed: dict[str, Placed] = {}
    while entry is not None and entry.id not in placed:
        placed[entry.id] = entry
        entry = by_id.get(entry.parent) if entry.parent is not None else None
    return tuple(reversed(placed.values()))
