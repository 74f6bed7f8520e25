"""What hooks get: an event's fields, the id under which its session is saved, and the program's transcript, turned
into the list that its model has seen since the last compaction.

Messages are in the format of the program's provider: Anthropic's for Claude Code, OpenAI's items for Codex.
1. A line that cannot be read is skipped: the newest one may be incomplete.
2. Claude Code's lines are a tree. The list is the path to the newest line, with all blocks of its replies and all
   results of their calls, which are children of each other. Lines with the same message id are one reply.
3. Codex writes the list after a compaction into the rollout (`compacted`), and how many turns the user took back.
4. Codex' own messages to its model, which it repeats after a compaction, are not in the list: developer messages,
   and user messages that begin with a tag or with the files of rules.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Fields = Mapping[str, Any]
"""A hook's event, as the program sends it."""

Cut = Callable[[str, str], str]
"""Turns a text, and its name in a result, into a shorter one, or the same."""


def session_id(fields: Fields) -> str:
    return f"hooks-{fields.get('session_id', '')}"


Json = dict[str, Any]

USERS = ("message", "user")

BOUNDARY = ("subtype", "compact_boundary")
COMPACTED = ("type", "compacted")


def _lines(content: bytes) -> Iterator[Json]:
    for line in content.splitlines():
        try:
            fields = json.loads(line)
        except ValueError:  # rule 1
            continue
        if isinstance(fields, dict):
            yield fields


def _since(content: bytes, member: str, value: str) -> bytes:
    """From the last line on that has this member: its value may be an argument of a tool in others."""
    at = len(content)
    while (at := content.rfind(f'"{value}"'.encode(), 0, at)) >= 0:
        end, at = content.find(b"\n", at), content.rfind(b"\n", 0, at) + 1
        if any(line.get(member) == value for line in _lines(content[at : end if end >= 0 else None])):
            return content[at:]
    return content


def claude(content: bytes) -> list[Json]:
    lines = [
        line for line in _lines(_since(content, *BOUNDARY)) if line.get("uuid") and not line.get("isSidechain")
    ]
    messages: list[Json] = []
    reply = None
    for line in _on_path(lines):
        message = line["message"]
        told = {"role": message.get("role"), "content": message.get("content")}
        if reply is not None and reply == message.get("id"):
            messages[-1]["content"] = [*messages[-1]["content"], *_blocks(line)]
        else:
            messages.append(told)
        reply = message.get("id") if isinstance(told["content"], list) else None
    return messages


def _on_path(lines: list[Json]) -> list[Json]:
    """The path to the newest line (rule 2). A missing parent is replaced by the line before."""
    places = {line["uuid"]: index for index, line in enumerate(lines)}
    path, index = set[str](), max((index for index, line in enumerate(lines) if _is_told(line)), default=-1)
    while index >= 0 and lines[index]["uuid"] not in path:
        path.add(lines[index]["uuid"])
        index = places.get(lines[index].get("parentUuid"), index - 1)
    told = [line for line in lines if _is_told(line)]
    ids = {line["message"].get("id") for line in told if line["uuid"] in path} - {None}
    replies = [line for line in told if line["message"].get("id") in ids]
    path.update(line["uuid"] for line in replies)
    calls = {block.get("id") for line in replies for block in _blocks(line)} - {None}
    return [
        line
        for line in told
        if line["uuid"] in path or any(block.get("tool_use_id") in calls for block in _blocks(line))
    ]


def _is_told(line: Json) -> bool:
    return line.get("type") in ("user", "assistant") and isinstance(line.get("message"), dict)


def _blocks(line: Json) -> list[Json]:
    content = line["message"].get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def codex(content: bytes) -> list[Json]:
    items: list[Json] = []
    for line in _lines(_since(content, *COMPACTED)):
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        if line.get("type") == "compacted":
            items = _history(payload)
        elif line.get("type") == "response_item" and not _is_of_host(payload):
            items.append(payload)
        elif payload.get("type") == "thread_rolled_back":
            items = _without_turns(items, payload.get("num_turns"))
    return items


def _history(compacted: Json) -> list[Json]:
    history = compacted.get("replacement_history")
    if isinstance(history, list):
        return [item for item in history if isinstance(item, dict) and not _is_of_host(item)]
    text = str(compacted.get("message", ""))
    return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}] if text else []


def _without_turns(items: list[Json], count: Any) -> list[Json]:
    """The items without the last `count` turns. A turn begins with the user's words."""
    starts = [index for index, item in enumerate(items) if (item.get("type"), item.get("role")) == USERS]
    if not isinstance(count, int) or count < 1 or not starts:
        return items
    return items[: starts[max(0, len(starts) - count)]]


def _is_of_host(item: Json) -> bool:
    """Whether the item is Codex' own message (rule 4)."""
    if item.get("type") != "message" or item.get("role") == "assistant":
        return False
    parts = item.get("content")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], dict) else {}
    return item.get("role") != "user" or str(first.get("text", "")).startswith(("<", "# AGENTS.md"))


READERS: dict[str, Callable[[bytes], list[Json]]] = {"claude": claude, "codex": codex}
