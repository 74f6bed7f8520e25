"""Turns a Codex rollout (one JSON object per line: timestamp, type, payload) into a recording.

1. `response_item` is the conversation; `event_msg` repeats it for the screen. Of the events only usage, the window
   and reverted turns count.
2. Reasoning, messages and calls form one reply, until an output, another speaker or its usage comes (`token_count`
   ends each response).
3. Developer messages, and user messages with a part that begins like Codex's own injections, are notes.
4. An output has no error flag: it failed if Codex's own words in it say so (an exit code that is not 0, a failed
   script). A command's output is not examined; with several codes, all must say so.
5. `compacted` replaces the list: by `replacement_history`, or by its `message`. User and host messages kept in it
   become part of the summary's text, since they precede it. An encrypted summary cannot be read, and the text says
   so.
6. `session_meta` repeats when a session is resumed; only the first counts. Settings are not context.
"""

import re
from typing import Any

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder, retold
from ctxmgr.study.recordings.json_values import (
    Json,
    call,
    counted_usage,
    lines,
    number,
    rows,
    table,
    text,
    thought,
    words,
)
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

SEALED = "(The host's own summary is encrypted and not in this recording.)"
INJECTED = ("<environment_context", "# AGENTS.md", "<user_instructions")  # how Codex's own user messages begin
HEAD_CHARACTERS = 600  # of an output, with Codex's own record of a command
TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})

_EXIT = re.compile(r"(?:exited with code|^Exit code:)\s*(-?\d{1,9})", re.MULTILINE)
_RECORD = re.compile(r"\"chunk_id\":\"\w*\",\"wall_time_seconds\":[-+.\de]+,\"exit_code\":(-?\d{1,9})")
_OLD_RECORD = re.compile(r"\"metadata\":\{\"exit_code\":(-?\d{1,9})")


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    reader = _Reader(name, "Codex")
    for line, fields in lines(name, content):
        if not isinstance(fields.get("payload"), dict):
            raise UnreadableRecording(f"{name}, line {line}: a line without a payload", text(fields, "type"))
        reader.read(fields)
    return reader.recording(text(reader.meta, "id"), text(reader.meta, "cwd"), reader.window, reader.model)


class _Reader(RecordingBuilder):
    """The lines of a rollout, in order."""

    meta: Json = {}
    model: str = ""
    window: int = 0
    newest: RecordedStep | None = None  # of the replies
    growing: bool = False  # more blocks belong to it
    last_tokens: int = 0

    def read(self, fields: Json) -> None:
        kind, payload = text(fields, "type"), fields["payload"]
        time_ms = milliseconds(fields.get("timestamp"))
        match kind:
            case "response_item":
                self._item(payload, time_ms)
            case "event_msg":
                self._event(payload)
            case "compacted":
                self._compacted(payload, time_ms)
            case "session_meta" if not self.meta:
                self.meta = payload
                if prompt := text(table(payload, "base_instructions"), "text") or text(payload, "instructions"):
                    self.system(prompt)
            case "turn_context":
                self.model = text(payload, "model") or self.model
            case _:
                self.skip(f"lines of type {kind}, no context")

    def _item(self, item: Json, time_ms: int | None) -> None:
        kind = text(item, "type")
        match kind:
            case "message" if text(item, "role") == "assistant":
                self._add_blocks(self.content(item.get("content")), time_ms, item)
            case "message":
                self.growing = False
                note = f"codex.{text(item, 'role')}" if _is_of_host(item) else ""
                self.said(self.content(item.get("content")), time_ms, text(item, "id"), note)
            case "reasoning":
                seen = words(item.get("summary")) or words(item.get("content"))
                self._add_blocks([thought(seen, text(item, "encrypted_content"))], time_ms, item)
            case "function_call" | "custom_tool_call" | "local_shell_call":
                arguments = item.get("arguments", item.get("input", item.get("action")))
                id = text(item, "call_id") or text(item, "id")
                name = text(item, "name") or kind.removesuffix("_call")
                self._add_blocks([call(id, name, arguments)], time_ms, item)
            case _ if kind.endswith("_output"):
                self.growing = False
                output = item.get("output")
                self.result(text(item, "call_id"), self.content(output), time_ms, failed(output))
            case _:
                self.skip(f"{kind} items, which the provider ran and answered itself")

    def _add_blocks(self, blocks: list[Json], time_ms: int | None, item: Json) -> None:
        if self.newest is not None and self.growing:
            self.more(self.newest, blocks, time_ms)
        else:
            self.newest = self.reply(blocks, time_ms, text(item, "id"), self.model)
            self.growing = True

    def _event(self, event: Json) -> None:
        kind, reply = text(event, "type"), self.newest
        info = table(event, "info") or event
        self.window = self.window or number(info, "model_context_window")
        match kind:
            case "token_count":
                usage = counted_usage(table(info, "last_token_usage"))
                if usage and reply is not None and "usage" not in reply.message:
                    reply.message["usage"] = usage
                    self.last_tokens = usage["totalTokens"]
                elif table(event, "info"):
                    self.skip("usage that belongs to no reply")
            case "thread_rolled_back":
                self.rolled_back(number(event, "num_turns"))
                self.newest = None
            case "turn_aborted":
                if reply is not None and self.growing:  # without usage so far: it was cut off
                    reply.message["stopReason"] = "aborted"
            case _:
                self.skip(f"events of type {kind}, which tell it for the screen")
                return
        self.growing = False

    def _compacted(self, payload: Json, time_ms: int | None) -> None:
        kept: list[tuple[str, str]] = []
        for item in rows(payload, "replacement_history"):
            if text(item, "type") == "message":
                kept.append(("Host" if _is_of_host(item) else "User", words(item.get("content"))))
            else:
                self.skip(f"{text(item, 'type')} items in a replaced history, encrypted")
        self.compaction(retold(kept, text(payload, "message") or SEALED), time_ms, self.last_tokens)
        self.newest, self.growing = None, False


def _is_of_host(item: Json) -> bool:
    """Whether a message is not the user's, or is Codex's own in the user's name."""
    parts = rows(item, "content")
    return text(item, "role") != "user" or any(text(part, "text").startswith(INJECTED) for part in parts)


def failed(output: Any) -> bool:
    """Whether the head of an output says that the call failed (rule 4)."""
    if isinstance(output, dict):
        return output.get("success") is False
    output_text = output if isinstance(output, str) else words(output)
    head = output_text[:HEAD_CHARACTERS]
    code = _EXIT.search(head.partition("\nOutput:")[0]) or _RECORD.search(head)
    if code is None and head.startswith('{"output"'):
        code = _OLD_RECORD.search(output_text, max(0, len(output_text) - HEAD_CHARACTERS))
    codes = _RECORD.findall(output_text) if code is not None and code.re is _RECORD else [code[1]] if code else []
    return head.startswith("Script failed") or (bool(codes) and all(int(exit_code) != 0 for exit_code in codes))
