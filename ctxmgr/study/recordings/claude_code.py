"""Turns a Claude Code transcript (one JSON object per line, versions 2.1) into a recording.

1. Lines are a tree by `uuid` and `parentUuid`. The session is the path from the last line of the conversation to
   the root, across a compaction by `logicalParentUuid`; a parent that is missing in the file is the line before.
   The blocks of one reply and the results of parallel calls are children of each other's parents, not forks: they
   belong to the path with their reply. Lines on no path are another branch.
2. A line holds one block of a reply: lines with one `message.id` are one reply. Usage is repeated, and the last
   counts.
3. `isMeta` user lines and `local_command` lines are the host's words: notes. Commands that the user typed and their
   output are user messages, as Claude Code sends them.
4. `compact_boundary`, with the `isCompactSummary` line behind it, is a compaction that keeps nothing.
5. Lines of sub-agents (`isSidechain`) and all other types are not context.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder
from ctxmgr.study.recordings.json_values import (
    Json,
    call,
    counted_usage,
    lines,
    number,
    rows,
    table,
    text,
    thinking,
    words,
)
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
    reader = _Reader(name, "Claude Code")
    every = [ClaudeLine(number, fields) for number, fields in lines(name, content)]
    here = reader.branch([line for line in every if reader.has_place(line)])
    for line in here:
        reader.read(line)
    reader.end()
    cwd, session = (
        next((told for line in here if (told := text(line.fields, member))), "") for member in ("cwd", "sessionId")
    )
    return reader.recording(session, cwd)


def _is_context(line: ClaudeLine) -> bool:
    return line.type in ("user", "assistant") or line.subtype in ("compact_boundary", "local_command")


class _Reader(RecordingBuilder):
    """The lines of a branch, in order."""

    newest: RecordedStep | None = None
    newest_id: str = ""
    boundary: ClaudeLine | None = None

    def has_place(self, line: ClaudeLine) -> bool:
        """Whether the line has a place in the tree. Others are counted (rule 5)."""
        if not line.uuid:
            self.skip(f"lines of type {line.type or 'unknown'}, no context")
        elif line.fields.get("isSidechain") is True:
            self.skip("lines of sub-agents (isSidechain)")
        elif line.type in ("user", "assistant") and "content" not in line.message:
            where = f"{self.name}, line {line.number}"
            raise UnreadableRecording(f"{where}: a line of type {line.type} without a message")
        else:
            return True
        return False

    def branch(self, tree: Sequence[ClaudeLine]) -> list[ClaudeLine]:
        """The lines of the last branch that are context, in file order (rule 1)."""
        path = self._path(tree)
        spoken = [line for line in tree if line.type == "assistant"]
        replies = {text(line.message, "id") for line in spoken if line.uuid in path}
        told = [line for line in spoken if text(line.message, "id") in replies]
        path.update(line.uuid for line in told)
        calls = {text(block, "id") for line in told for block in line.blocks if block.get("type") == "tool_use"}
        here = []
        for line in tree:
            answers = line.type == "user" and any(text(block, "tool_use_id") in calls for block in line.blocks)
            if not _is_context(line):
                kind = text(table(line.fields, "data"), "type") or line.subtype
                self.skip(f"lines of type {line.type}{f' ({kind})' if kind else ''}, no context")
            elif line.uuid in path or answers:
                here.append(line)
            else:
                self.skip(f"{line.type} lines of another branch")
        return here

    def _path(self, tree: Sequence[ClaudeLine]) -> set[str]:
        """The uuids from the last line of the conversation to the root."""
        indexes = {line.uuid: index for index, line in enumerate(tree)}
        index = max((index for index, line in enumerate(tree) if _is_context(line)), default=-1)
        path: set[str] = set()
        while index >= 0 and tree[index].uuid not in path:
            line = tree[index]
            path.add(line.uuid)
            parent = text(line.fields, "parentUuid") or text(line.fields, "logicalParentUuid")
            if parent not in indexes and (parent or line.subtype == "compact_boundary"):
                self.skip("parents that are not in the file, read on at the line before")
                index -= 1
            else:
                index = indexes.get(parent, -1)
        return path

    def read(self, line: ClaudeLine) -> None:
        time_ms = milliseconds(line.fields.get("timestamp"))
        if line.fields.get("isCompactSummary") is True and line.subtype != "compact_boundary":
            self._compaction(line, words(line.message.get("content")))
            return
        self.end()
        if line.subtype == "compact_boundary":
            self.boundary = line
        elif line.type == "assistant":
            self._assistant(line, time_ms)
        elif line.type == "user":
            self._user(line, time_ms)
        else:
            blocks = self.content(line.fields.get("content"))
            self.said(blocks, time_ms, line.uuid, "claude-code.local_command")

    def end(self) -> None:
        """A boundary without its summary: everything before it is still gone."""
        if self.boundary is not None:
            self.skip("compactions without a summary in the file")
            self._compaction(self.boundary, "")

    def _compaction(self, line: ClaudeLine, summary: str) -> None:
        boundary = self.boundary or line
        time_ms = milliseconds(boundary.fields.get("timestamp"))
        before = number(table(boundary.fields, "compactMetadata"), "preTokens")
        self.compaction(summary, time_ms, before, id=boundary.uuid)
        self.boundary, self.newest_id = None, ""

    def _assistant(self, line: ClaudeLine, time_ms: int | None) -> None:
        message = line.message
        id, spoken = text(message, "id") or line.uuid, message.get("content")
        blocks = [made for block in line.blocks for made in self._block(block)]
        if isinstance(spoken, str):
            blocks = self.content(spoken)
        if self.newest is not None and id == self.newest_id:
            self.more(self.newest, blocks, time_ms)
        else:
            model = text(message, "model")
            self.newest = self.reply(blocks, time_ms, line.uuid, "" if model == SYNTHETIC else model)
            self.newest_id = id
        if usage := counted_usage(table(message, "usage")):
            self.newest.message["usage"] = usage
        if line.fields.get("isApiErrorMessage") is True:
            self.newest.message |= {"stopReason": "error", "errorMessage": words(spoken)}
        elif message.get("stop_reason") == "max_tokens":
            self.newest.message["stopReason"] = "length"

    def _block(self, block: Json) -> list[Json]:
        kind = text(block, "type")
        if kind == "tool_use":
            return [call(text(block, "id"), text(block, "name"), block.get("input"))]
        return [thinking(block)] if kind in ("thinking", "redacted_thinking") else self.content([block])

    def _user(self, line: ClaudeLine, time_ms: int | None) -> None:
        """Results first; text beside them is a separate message."""
        spoken: Any = line.message.get("content")
        if isinstance(spoken, list):
            results = [block for block in line.blocks if block.get("type") == "tool_result"]
            spoken = [block for block in line.blocks if block.get("type") != "tool_result"]
            for block in results:
                is_error = block.get("is_error") is True
                blocks = self.content(block.get("content"))
                self.result(text(block, "tool_use_id"), blocks, time_ms, is_error, id=line.uuid)
            if results and not spoken:
                return
        note = "claude-code.meta" if line.fields.get("isMeta") is True else ""
        self.said(self.content(spoken), time_ms, line.uuid, note)
