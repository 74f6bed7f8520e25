"""Turns a Claude Code transcript (one JSON object a line, versions 2.1) into a recording.

1. Lines are a tree by `uuid` and `parentUuid`. The session is the path from the last line of the conversation to
   the root, over a compaction by `logicalParentUuid`; a parent that is not in the file is the line before. The
   blocks of one reply and the results of parallel calls are children of each other's parents, no forks: they belong
   to the path with their reply. What is on no path is another branch.
2. A line holds one block of a reply: lines with one `message.id` are one reply. Usage is repeated, the last counts.
3. `isMeta` user lines and `local_command` lines are the host's words: notes. Commands that the user typed and their
   output are user messages, as Claude Code sends them.
4. `compact_boundary`, with the `isCompactSummary` line behind it, is a compaction that keeps nothing.
5. Lines of sub-agents (`isSidechain`) and all other types are no context.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.blocks import anthropic_usage, call, content, thought, words
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder
from ctxmgr.study.recordings.json_values import Json, lines, number, rows, table, text
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

SYNTHETIC = "<synthetic>"  # the model of replies that the host wrote itself


class ClaudeLine(msgspec.Struct, frozen=True, eq=False):
    number: int
    fields: Json

    @property
    def type(self) -> str:
        return text(self.fields, "type")

    @property
    def subtype(self) -> str:
        return text(self.fields, "subtype") if self.type == "system" else ""

    @property
    def uuid(self) -> str:
        return text(self.fields, "uuid")

    @property
    def message(self) -> Json:
        return table(self.fields, "message")

    @property
    def blocks(self) -> list[Json]:
        return rows(self.message, "content")


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    building = RecordingBuilder(name, "Claude Code")
    every = [ClaudeLine(number, fields) for number, fields in lines(name, content)]
    tree = [line for line in every if _has_place(line, name, building)]
    here = _branch(tree, building)
    reader = _Reader(building)
    for line in here:
        reader.read(line)
    reader.end()
    first = next((line.fields for line in here if text(line.fields, "cwd")), {})
    session = next((text(line.fields, "sessionId") for line in here if text(line.fields, "sessionId")), "")
    return building.recording(session, text(first, "cwd"))


def _has_place(line: ClaudeLine, name: str, building: RecordingBuilder) -> bool:
    """Whether the line has a place in the tree. Others are counted (rule 5)."""
    if not line.uuid:
        building.skip(f"lines of type {line.type or 'unknown'}, no context")
        return False
    if line.fields.get("isSidechain") is True:
        building.skip("lines of sub-agents (isSidechain)")
        return False
    if line.type in ("user", "assistant") and "content" not in line.message:
        raise UnreadableRecording(f"{name}, line {line.number}: a line of type {line.type} without a message")
    return True


def _is_context(line: ClaudeLine) -> bool:
    return line.type in ("user", "assistant") or line.subtype in ("compact_boundary", "local_command")


def _branch(tree: Sequence[ClaudeLine], building: RecordingBuilder) -> list[ClaudeLine]:
    """The lines of the last branch that are context, in the file's order (rule 1)."""
    path = _path(tree, building)
    replies = {text(line.message, "id") for line in tree if line.type == "assistant" and line.uuid in path}
    calls: set[str] = set()
    for line in tree:
        if line.type == "assistant" and text(line.message, "id") in replies:
            path.add(line.uuid)
            calls.update(text(block, "id") for block in line.blocks if block.get("type") == "tool_use")
    here = []
    for line in tree:
        answers = line.type == "user" and any(text(block, "tool_use_id") in calls for block in line.blocks)
        if not _is_context(line):
            kind = text(table(line.fields, "data"), "type") or line.subtype
            building.skip(f"lines of type {line.type}{f' ({kind})' if kind else ''}, no context")
        elif line.uuid in path or answers:
            here.append(line)
        else:
            building.skip(f"{line.type} lines of another branch")
    return here


def _path(tree: Sequence[ClaudeLine], building: RecordingBuilder) -> set[str]:
    """The uuids from the last line of the conversation to the root."""
    indexes = {line.uuid: index for index, line in enumerate(tree)}
    index = next((index for index in range(len(tree) - 1, -1, -1) if _is_context(tree[index])), -1)
    path: set[str] = set()
    while index >= 0 and tree[index].uuid not in path:
        line = tree[index]
        path.add(line.uuid)
        parent = text(line.fields, "parentUuid") or text(line.fields, "logicalParentUuid")
        if parent in indexes:
            index = indexes[parent]
        elif parent or line.subtype == "compact_boundary":
            building.skip("parents that are not in the file, read on at the line before")
            index -= 1
        else:
            break
    return path


class _Reader:
    """The lines of a branch, one after the other."""

    def __init__(self, building: RecordingBuilder) -> None:
        self.building = building
        self.reply: RecordedStep | None = None
        self.reply_id = ""
        self.boundary: ClaudeLine | None = None

    def read(self, line: ClaudeLine) -> None:
        time_ms = milliseconds(line.fields.get("timestamp"))
        if line.subtype == "compact_boundary":
            self.end()
            self.boundary = line
        elif line.fields.get("isCompactSummary") is True:
            self._compaction(line, words(line.message.get("content")))
        else:
            self.end()
            if line.type == "assistant":
                self._assistant(line, time_ms)
            elif line.type == "user":
                self._user(line, time_ms)
            else:
                blocks = content(line.fields.get("content"), self.building.odd)
                self.building.note("claude-code.local_command", blocks, time_ms, line.uuid)

    def end(self) -> None:
        """A boundary without its summary: all before it is gone nevertheless."""
        if self.boundary is not None:
            self.building.skip("compactions without a summary in the file")
            self._compaction(self.boundary, "")

    def _compaction(self, line: ClaudeLine, summary: str) -> None:
        boundary = self.boundary or line
        time_ms = milliseconds(boundary.fields.get("timestamp"))
        before = number(table(boundary.fields, "compactMetadata"), "preTokens")
        self.building.compaction(summary, time_ms, before, id=boundary.uuid)
        self.boundary, self.reply_id = None, ""

    def _assistant(self, line: ClaudeLine, time_ms: int | None) -> None:
        message = line.message
        id = text(message, "id") or line.uuid
        blocks = [made for block in rows(message, "content") for made in self._block(block)]
        if isinstance(message.get("content"), str):
            blocks = content(message["content"], self.building.odd)
        if self.reply is not None and id == self.reply_id:
            self.building.more(self.reply, blocks, time_ms)
        else:
            model = text(message, "model")
            self.reply = self.building.reply(blocks, time_ms, line.uuid, "" if model == SYNTHETIC else model)
            self.reply_id = id
        self._state(self.reply, line)

    def _state(self, reply: RecordedStep, line: ClaudeLine) -> None:
        if usage := anthropic_usage(table(line.message, "usage")):
            reply.message["usage"] = usage
        if line.fields.get("isApiErrorMessage") is True:
            reply.message |= {"stopReason": "error", "errorMessage": words(line.message.get("content"))}
        elif line.message.get("stop_reason") == "max_tokens":
            reply.message["stopReason"] = "length"

    def _block(self, block: Json) -> list[Json]:
        kind = text(block, "type")
        if kind == "tool_use":
            return [call(text(block, "id"), text(block, "name"), block.get("input"))]
        if kind == "thinking":
            return [thought(text(block, "thinking"), text(block, "signature"))]
        if kind == "redacted_thinking":
            return [thought("", text(block, "data"), redacted=True)]
        return content([block], self.building.odd)

    def _user(self, line: ClaudeLine, time_ms: int | None) -> None:
        """Results first: what is said beside them is a message of its own."""
        spoken: Any = line.message.get("content")
        if isinstance(spoken, list):
            results = [block for block in line.blocks if block.get("type") == "tool_result"]
            spoken = [block for block in line.blocks if block.get("type") != "tool_result"]
            for block in results:
                blocks = content(block.get("content"), self.building.odd)
                is_error = block.get("is_error") is True
                self.building.result(text(block, "tool_use_id"), blocks, time_ms, is_error, id=line.uuid)
            if results and not spoken:
                return
        blocks = content(spoken, self.building.odd)
        if line.fields.get("isMeta") is True:
            self.building.note("claude-code.meta", blocks, time_ms, line.uuid)
        else:
            self.building.user(blocks, time_ms, line.uuid)
