"""Turns an OpenCode export (one object: info, messages of info and parts) into a recording.

1. A user's text is a user message, with what OpenCode read for it (`synthetic` parts, the text of attached files);
   parts marked `ignored` are for the screen. A `data:` image is an image.
2. Each step of an assistant message (`step-start`) is one model call: a reply of its own, with the results of its
   tools. Usage is the step's, else the message's; its input holds no cached tokens.
3. A tool that is pending or running has no result. What OpenCode itself pruned from its list later
   (`state.time.compacted`) is kept whole, with the time.
4. A user message with a `compaction` part, and the assistant's `summary` message that answers it, are a compaction;
   it keeps what is from `tail_start_id` on. A summary that failed is none.
5. What was reverted (`info.revert`) is no context any more.
"""

from collections.abc import Sequence

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.blocks import call, exclusive_usage, from_address, text_block, thought
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder
from ctxmgr.study.recordings.json_values import Json, joined, number, rows, table, text, whole
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

_SCREEN = frozenset({"step-finish", "step-start", "patch", "snapshot", "agent", "retry"})
_ABORTED = "MessageAbortedError"


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the message."""
    document = whole(name, content)
    info = table(document, "info")
    reader = _Reader(RecordingBuilder(name, "OpenCode"))
    for position, message in enumerate(_standing(document, reader.building), 1):
        if text(table(message, "info"), "role") not in ("user", "assistant"):
            raise UnreadableRecording(f"{name}, message {position}: neither a user's nor an assistant's")
        reader.read(message)
    return reader.building.recording(text(info, "id"), text(info, "directory"))


def _standing(document: Json, building: RecordingBuilder) -> list[Json]:
    """The messages without those that were reverted (rule 5)."""
    messages = rows(document, "messages")
    revert = table(table(document, "info"), "revert")
    ids = [text(table(message, "info"), "id") for message in messages]
    reverted = text(revert, "messageID")
    if not reverted or reverted not in ids:
        return messages
    index = ids.index(reverted)
    parts = rows(messages[index], "parts")
    part_ids = [text(part, "id") for part in parts]
    part = text(revert, "partID")
    kept = parts[: part_ids.index(part)] if part in part_ids else []
    building.skip("messages that were reverted", len(messages) - index - bool(kept))
    return messages[:index] + ([{**messages[index], "parts": kept}] if kept else [])


class _Reader:
    """The messages of a session, one after the other."""

    def __init__(self, building: RecordingBuilder) -> None:
        self.building = building
        self.tails: dict[str, str] = {}  # of each compaction that was asked for: where its tail starts
        self.last_tokens = 0

    def read(self, message: Json) -> None:
        info, parts = table(message, "info"), rows(message, "parts")
        time_ms = milliseconds(table(info, "time").get("created"))
        if text(info, "role") == "user":
            self._user(info, parts, time_ms)
        elif info.get("summary") is True:
            self._summary(info, parts, time_ms)
        else:
            self._assistant(info, parts, time_ms)

    def _user(self, info: Json, parts: Sequence[Json], time_ms: int | None) -> None:
        blocks: list[Json] = []
        for part in parts:
            kind = text(part, "type")
            if kind == "compaction":
                self.tails[text(info, "id")] = text(part, "tail_start_id")
            elif kind == "text" and part.get("ignored") is True:
                self.building.skip("text parts for the screen (ignored)")
            elif kind == "text":
                blocks += [text_block(text(part, "text"))] if text(part, "text") else []
            elif kind == "file":
                blocks += self._file(part)
            else:
                self._skip(kind)
        if blocks or text(info, "id") not in self.tails:
            self.building.user(blocks, time_ms, text(info, "id"))

    def _file(self, part: Json) -> list[Json]:
        """An image; other files were read into a synthetic text."""
        shown = from_address(text(part, "url"))
        if not shown:
            self.building.skip(f"file parts ({text(part, 'mime')}), whose text stands beside them")
        return shown

    def _skip(self, kind: str) -> None:
        why = "for the screen" if kind in _SCREEN else "not known"
        self.building.skip(f"parts of type {kind}, {why}")

    def _summary(self, info: Json, parts: Sequence[Json], time_ms: int | None) -> None:
        summary = joined([text(part, "text") for part in parts if text(part, "type") == "text"])
        if not summary or table(info, "error"):
            self.building.skip("compactions that failed")
            return
        tail = self.tails.get(text(info, "parentID"), "")
        self.building.compaction(summary, time_ms, self.last_tokens, tail, text(info, "id"))

    def _assistant(self, info: Json, parts: Sequence[Json], time_ms: int | None) -> None:
        """One reply a step (rule 2)."""
        steps: list[list[Json]] = [[]]
        for part in parts:
            if text(part, "type") == "step-start" and any(_is_said(item) for item in steps[-1]):
                steps.append([])
            steps[-1].append(part)
        for step_number, step in enumerate(steps):
            started = time_ms if step_number == 0 else _begun(step, time_ms)
            reply = self._step(info, step, started)
            if step_number == len(steps) - 1:
                self._state(reply, info)
                reply.end_ms = milliseconds(table(info, "time").get("completed")) or started
            counted = [table(part, "tokens") for part in step if text(part, "type") == "step-finish"]
            usage = _usage(counted[-1] if counted else table(info, "tokens") if len(steps) == 1 else {})
            if usage:
                reply.message["usage"] = usage
                self.last_tokens = usage["totalTokens"]

    def _step(self, info: Json, parts: Sequence[Json], time_ms: int | None) -> RecordedStep:
        reply = self.building.reply([], time_ms, text(info, "id"), text(info, "modelID"))
        for part in parts:
            kind = text(part, "type")
            if kind == "text":
                self.building.more(reply, [text_block(text(part, "text"))] if text(part, "text") else [])
            elif kind == "reasoning":
                self.building.more(reply, [thought(text(part, "text"), _signature(part))])
            elif kind == "tool":
                arguments = table(part, "state").get("input")
                self.building.more(reply, [call(text(part, "callID"), text(part, "tool"), arguments)])
            else:
                self._skip(kind)
        for part in parts:
            if text(part, "type") == "tool":
                self._result(part)
        return reply

    def _result(self, part: Json) -> None:
        state = table(part, "state")
        status, time = text(state, "status"), table(state, "time")
        if status not in ("completed", "error"):
            return
        failed = status == "error"
        output = text(state, "error" if failed else "output")
        images = [
            shown for attachment in rows(state, "attachments") for shown in from_address(text(attachment, "url"))
        ]
        result = self.building.result(
            text(part, "callID"),
            [*([text_block(output)] if output or not images else []), *images],
            milliseconds(time.get("end")),
            failed,
            text(part, "tool"),
            text(part, "id"),
        )
        self.building.pruned(result, milliseconds(time.get("compacted")))

    def _state(self, reply: RecordedStep, info: Json) -> None:
        if error := table(info, "error"):
            aborted = text(error, "name") == _ABORTED
            words = text(table(error, "data"), "message") or text(error, "name")
            reply.message |= {"stopReason": "aborted" if aborted else "error", "errorMessage": words}
        elif text(info, "finish") == "length":
            reply.message["stopReason"] = "length"


def _is_said(part: Json) -> bool:
    return text(part, "type") in ("text", "reasoning", "tool")


def _begun(step: Sequence[Json], time_ms: int | None) -> int | None:
    """When a later step of a message began: with its first part that tells."""
    times = (table(part, "time") or table(table(part, "state"), "time") for part in step)
    return next((milliseconds(time["start"]) for time in times if "start" in time), time_ms)


def _signature(part: Json) -> str:
    """What the provider wants back with its reasoning, whatever it calls it."""
    for provider in table(part, "metadata").values():
        if isinstance(provider, dict):
            return text(provider, "reasoningEncryptedContent") or text(provider, "signature")
    return ""


def _usage(tokens: Json) -> Json | None:
    cache = table(tokens, "cache")
    read, written = number(cache, "read"), number(cache, "write")
    return exclusive_usage(
        number(tokens, "input"), number(tokens, "output"), read, written, number(tokens, "total")
    )
