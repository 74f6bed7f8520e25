"""Simulates pi: the message list and the tree it keeps, how it counts messages, and how it compacts. Knows nothing
of ctxmgr.

1. Counts are pi's: characters / 4, rounded up per message; an image counts as 4 800 characters.
2. A compaction keeps the newest messages of about `keep` tokens, cut where pi may cut: never at a tool result.
3. The summary is written without a model, in pi's structure and from the messages alone: same list, same text.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ctxmgr.study.recordings.pi_sessions import compaction_message
from ctxmgr.study.recordings.recording import RecordedEntry, Recording

KEEP_TOKENS = 20_000  # pi's default keepRecentTokens
RESERVE = 16_384  # pi's default reserveTokens: it compacts by itself above window - reserve
IMAGE_CHARACTERS = 4_800  # pi's size of an image
GOAL_CHARACTERS = 300
REQUEST_CHARACTERS = 120
REQUESTS_LISTED = 20
FILES_LISTED = 40
CUT_AT = frozenset({"user", "assistant", "bashExecution", "custom", "branchSummary"})
_WRITES = {"write", "edit"}

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def compacts_above(window: int) -> int:
    """Tokens of a request. The reserve is at most half of a window; otherwise a small one would have no room."""
    return max(window - RESERVE, window // 2)


class HostMessage(msgspec.Struct, frozen=True):
    """One message of the list: its bytes, decoded, and its tokens; `id` of its entry."""

    id: str
    raw: bytes
    role: str
    message: dict[str, Any]
    weight: int

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """Of its content; none if that is a text."""
        return _blocks(self.message)

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [block for block in self.blocks if block.get("type") == "toolCall"]


Write = Callable[[Sequence[HostMessage], Sequence[HostMessage]], str]


class HostCompaction(msgspec.Struct, frozen=True):
    """What the host wrote: the entry as `session_compact` reports it, and the list that continues from it."""

    entry: dict[str, Any]
    items: tuple[HostMessage, ...]


def item(id: str, raw: bytes) -> HostMessage:
    message = _decode(raw)
    role = str(message.get("role", ""))
    return HostMessage(id, raw, role, message, -(-_characters(message) // 4))


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in _blocks(message) if block.get("type") == "text")


def compact(
    items: Sequence[HostMessage],
    files: dict[str, str],
    id: str,
    time_ms: int,
    keep: int = KEEP_TOKENS,
    write: Write | None = None,
) -> HostCompaction | None:
    """The host's compaction of this list, None if there is nothing to compact.

    `files`: all paths that were read or modified so far, path to "read" or "modified". `time_ms` in milliseconds.
    `write`: writes the summary of what goes and what stays, instead of rule 3.
    """
    cut = _cut(items, keep)
    removed = [item for item in items[:cut] if item.role != "compactionSummary"]
    if not removed:
        return None
    previous = next((item.message["summary"] for item in items[:cut] if item.role == "compactionSummary"), "")
    before = sum(item.weight for item in items)
    summary = write(removed, items[cut:]) if write else _summary(previous, [*removed], items[cut:], files)
    entry = {
        "type": "compaction",
        "id": id,
        "parentId": items[-1].id,
        "timestamp": time_ms,
        "summary": summary,
        "firstKeptEntryId": items[cut].id,
        "tokensBefore": before,
    }
    return HostCompaction(entry, (item(id, compaction_message(summary, before, time_ms)), *items[cut:]))


def files_of(items: Sequence[HostMessage], files: dict[str, str]) -> dict[str, str]:
    """`files` plus those that the calls of these messages read or modified."""
    out = dict(files)
    for item in items:
        for call in item.calls:
            arguments = call.get("arguments")
            path = arguments.get("path") if isinstance(arguments, dict) else None
            if isinstance(path, str) and call.get("name") in _WRITES:
                out[path] = "modified"
            elif isinstance(path, str) and call.get("name") == "read":
                out.setdefault(path, "read")
    return out


def tree_entries(recording: Recording) -> list[bytes]:
    """The session tree that pi would have kept of a recording of any host: one branch, root first, one JSON object
    per entry, each the parent of the next; times in milliseconds. A pi session file already is such a tree, with
    more in it than a recording, and is better used directly.
    """
    parents = (None, *(entry.id for entry in recording.entries))
    links = (
        {"id": entry.id, "parentId": parent, **({} if entry.time_ms is None else {"timestamp": entry.time_ms})}
        for parent, entry in zip(parents, recording.entries, strict=False)
    )
    return [
        _encode({**_content_fields(entry), **link}) for entry, link in zip(recording.entries, links, strict=True)
    ]


def _content_fields(entry: RecordedEntry) -> dict[str, Any]:
    """The entry without its place in the tree."""
    if entry.kind == "model":
        return {"type": "model_change", "modelId": entry.model}
    if entry.kind == "compaction":
        return {
            "type": "compaction",
            "summary": entry.summary,
            "firstKeptEntryId": entry.first_kept or None,
            "tokensBefore": _fields(entry.message).get("tokensBefore", 0),
        }
    if entry.kind == "branch_summary":
        from_id = _fields(entry.message).get("fromId", "")
        return {"type": "branch_summary", "summary": entry.summary, "fromId": from_id}
    if entry.role == "custom":
        kept_fields = ("customType", "content", "display", "details")
        fields = _fields(entry.message)
        return {"type": "custom_message", **{name: fields[name] for name in kept_fields if name in fields}}
    return {"type": "message", "message": msgspec.Raw(entry.message)}


def _cut(items: Sequence[HostMessage], keep: int) -> int:
    """The place from which messages are kept: the first valid cut with at most about `keep` tokens from there on;
    the last valid one if a single message is larger than that.
    """
    weight = 0
    for index in range(len(items) - 1, -1, -1):
        weight += items[index].weight
        if weight >= keep:
            allowed = [position for position, item in enumerate(items) if item.role in CUT_AT]
            after = [position for position in allowed if position >= index]
            return after[0] if after else allowed[-1] if allowed else 0
    return 0


def _summary(
    previous: str, removed: Sequence[HostMessage], kept: Sequence[HostMessage], files: dict[str, str]
) -> str:
    goal = _section(previous, "## Goal")
    done = [line for line in _section(previous, "### Done").split("\n") if line.startswith("- [x]")]
    requests = [text_of(item.message) for item in removed if item.role == "user"]
    done += [f"- [x] {_shortened(text, REQUEST_CHARACTERS)}" for text in requests if text.strip()]
    newest = next(
        (text_of(item.message) for item in (*reversed(kept), *reversed(removed)) if item.role == "user"), ""
    )
    if not goal:
        goal = _shortened(requests[0] if requests else newest, GOAL_CHARACTERS) or "(not stated)"
    current = _shortened(newest, REQUEST_CHARACTERS) or "(none)"
    parts = [
        f"## Goal\n{goal}",
        "## Constraints & Preferences\n- (none)",
        "## Progress\n### Done\n" + ("\n".join(done[-REQUESTS_LISTED:]) or "- (none)"),
        f"### In Progress\n- [ ] {current}",
        "### Blocked\n- (none)",
        "## Key Decisions\n- (none)",
        f"## Next Steps\n1. Go on with: {current}",
    ]
    for tag, state in (("read-files", "read"), ("modified-files", "modified")):
        paths = sorted(path for path, was in files.items() if was == state)[:FILES_LISTED]
        if paths:
            parts.append(f"<{tag}>\n" + "\n".join(paths) + f"\n</{tag}>")
    return "\n\n".join(parts)


def _section(summary: str, heading: str) -> str:
    """The text under a heading of a summary written here."""
    _, _, rest = summary.partition(f"{heading}\n")
    return rest.partition("\n\n")[0].strip()


def _shortened(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3].rstrip() + "..."


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _characters(message: dict[str, Any]) -> int:
    """As pi counts: UTF-16 units of what a model reads."""
    texts = [message[name] for name in ("summary", "command", "output") if isinstance(message.get(name), str)]
    if isinstance(message.get("content"), str):
        texts.append(message["content"])
    images = 0
    for block in _blocks(message):
        if block.get("type") == "toolCall":
            texts += [str(block.get("name", "")), msgspec.json.encode(block.get("arguments")).decode()]
        images += block.get("type") == "image"
        texts += [block[name] for name in ("text", "thinking") if isinstance(block.get(name), str)]
    units = sum(len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts)
    return units + images * IMAGE_CHARACTERS
