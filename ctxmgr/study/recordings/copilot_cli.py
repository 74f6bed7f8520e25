"""Turns the events of a Copilot CLI session (`events.jsonl`) into a recording.

1. An event is {type, data, id, timestamp}. The model's list held the `transformedContent` of a user's message.
2. A reply's `toolRequests` are its calls; `tool.execution_complete` is the result, with its error if it failed.
3. A successful `session.compaction_complete` is a compaction that keeps nothing.
4. Work of a sub-agent (`parentToolCallId`), and all other events, are not context.
"""

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder
from ctxmgr.study.recordings.json_values import (
    Json,
    call,
    counted_usage,
    lines,
    number,
    only,
    rows,
    table,
    text,
    thought,
)
from ctxmgr.study.recordings.recording import Recording

FAMILIES = ("session.", "user.", "assistant.", "tool.")  # prefixes of event types


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    reader = _Reader(name, "Copilot CLI")
    for _, fields in lines(name, content):
        reader.read(text(fields, "type"), table(fields, "data"), fields)
    return reader.recording(reader.session_id, reader.cwd, model=reader.model)


class _Reader(RecordingBuilder):
    """The events, in order."""

    session_id: str = ""
    cwd: str = ""
    model: str = ""
    newest: RecordedStep | None = None

    def read(self, kind: str, data: Json, fields: Json) -> None:
        time_ms, id = milliseconds(fields.get("timestamp")), text(fields, "id")
        if text(data, "parentToolCallId"):
            self.skip("events of sub-agents")
            return
        match kind:
            case "session.start" | "session.resume":
                self.session_id = text(data, "sessionId") or self.session_id
                self.cwd = text(table(data, "context"), "cwd") or self.cwd
                self.model = text(data, "selectedModel") or self.model
            case "session.model_change":
                self.model = text(data, "newModel")
            case "system.message":
                self.system(text(data, "content"))
            case "user.message":
                self.said(only(text(data, "transformedContent") or text(data, "content")), time_ms, id)
            case "assistant.message":
                blocks = [thought(reasoning)] if (reasoning := text(data, "reasoningText")) else []
                blocks += only(text(data, "content"))
                blocks += [
                    call(text(row, "toolCallId"), text(row, "name"), row.get("arguments"))
                    for row in rows(data, "toolRequests")
                ]
                self.newest = self.reply(blocks, time_ms, id, text(data, "model") or self.model)
            case "assistant.usage" if self.newest is not None and (usage := counted_usage(data)):
                self.newest.message["usage"] = usage
            case "tool.execution_complete":
                gave = text(table(data, "result"), "content") or text(table(data, "error"), "message")
                self.result(text(data, "toolCallId"), only(gave), time_ms, data.get("success") is False, id=id)
            case "session.compaction_complete" if data.get("success") is not False:
                self.compaction(text(data, "summaryContent"), time_ms, number(data, "preCompactionTokens"), id=id)
            case _:
                self.skip(f"events of type {kind or 'unknown'}, no context")
