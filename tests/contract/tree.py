"""Writes a host's session tree: entries with ids that count up, each a child of the one before unless said."""

from collections.abc import Sequence
from typing import Any

Fields = dict[str, Any]


class Tree:
    """`entries` in the order they were written, `leaf` where the next one hangs."""

    def __init__(self) -> None:
        self.entries: list[Fields] = []
        self.leaf: str | None = None

    def _add(self, kind: str, **fields: Any) -> str:
        id = f"e{len(self.entries) + 1}"
        at = 1_000 * (len(self.entries) + 1)
        self.entries.append({"type": kind, "id": id, "parentId": self.leaf, "timestamp": at, **fields})
        self.leaf = id
        return id

    def say(self, messages: Sequence[Fields]) -> list[str]:
        """One entry a message; their ids."""
        return [self._add("message", message=message) for message in messages]

    def compacted(self, compaction: Fields, **more: Any) -> str:
        """As a host writes what a compaction answered."""
        return self._add("compaction", **compaction, fromHook=True, **more)

    def note(self, text: str) -> str:
        return self._add("custom_message", customType="note", content=text, display=True)

    def label(self) -> str:
        return self._add("label", targetId=self.leaf, label="here")

    def back_to(self, id: str) -> None:
        """The next entry begins another branch."""
        self.leaf = id

    def entry(self, id: str) -> Fields:
        return next(entry for entry in self.entries if entry["id"] == id)

    def listed(self, compaction: Fields) -> list[Fields]:
        """The messages a host shows after this compaction: its summary and what it keeps of the newest path."""
        path, at = [], self.leaf
        while at is not None:
            path.append(self.entry(at))
            at = path[-1]["parentId"]
        path.reverse()
        ids = [entry["id"] for entry in path]
        kept = path[ids.index(compaction["firstKeptEntryId"]) :]
        summary = {"role": "compactionSummary", "summary": compaction["summary"], "tokensBefore": 1, "timestamp": 1}
        return [summary, *(entry["message"] for entry in kept if entry["type"] == "message")]
