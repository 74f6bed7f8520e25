"""Turns an OpenCode export (one object: info, messages of info and parts) into a recording.

1. A user's text is a user message, with what OpenCode read for it (`synthetic` parts, the text of attached files);
   parts marked `ignored` are for the screen. A `data:` image is an image.
2. Each step of an assistant message (`step-start`) is one model call: a separate reply, with the results of its
   tools. Usage is the step's, else the message's; its input excludes cached tokens.
3. A tool that is pending or running has no result. What OpenCode itself pruned from its list later
   (`state.time.compacted`) is kept whole, with the time.
4. A user message with a `compaction` part, and the assistant's `summary` message that answers it, are a compaction;
   it keeps what is from `tail_start_id` on. A failed summary does not count.
5. Reverted messages (`info.revert`) are not context.
"""

from collections.abc import Sequence

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder
from ctxmgr.study.recordings.json_values import (
    Json,
    call,
    decoded,
    exclusive_usage,
    from_address,
    number,
    only,
    rows,
    table,
    text,
    text_block,
    thought,
)
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

_SCREEN = frozenset({"step-finish", "step-start", "patch", "snapshot", "agent", "retry"})
_SAID = frozenset({"text", "reasoning", "tool"})
_ABORTED = "MessageAbortedError"


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the message."""
    document = decoded(content, name)
    info = table(document, "info")
    reader = _Reader(name, "OpenCode")
    for position, message in enumerate(reader.standing(document), 1):
        if text(table(message, "info"), "role") not in ("user", "assistant"):
            raise UnreadableRecording(f"{name}, message {position}: neither from the user nor from the assistant")
        reader.read(message)
    return reader.recording(text(info, "id"), text(info, "directory"))


class _Reader(RecordingBuilder):
    """The messages of a session, in order."""

    tails: dict[str, str] = {}  # of each requested compaction: where its tail starts
    last_tokens: int = 0

    def standing(self, document: Json) -> list[Json]:
        """The messages without reverted ones (rule 5)."""
        messages = rows(document, "messages")
        revert = table(table(document, "info"), "revert")
        ids = [text(table(message, "info"), "id") for message in messages]
        reverted, part = text(revert, "messageID"), text(revert, "partID")
        if not reverted or reverted not in ids:
            return messages
        index = ids.index(reverted)
        parts = rows(messages[index], "parts")
        part_ids = [text(part, "id") for part in parts]
        kept = parts[: part_ids.index(part)] if part in part_ids else []
        self.skip("messages that were reverted", len(messages) - index - bool(kept))
        return messages[:index] + ([{**messages[index], "parts": kept}] if kept else [])

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
            match text(part, "type"):
                case "compaction":
                    self.tails[text(info, "id")] = text(part, "tail_start_id")
                case "text" if part.get("ignored") is True:
                    self.skip("text parts for the screen (ignored)")
                case "text":
                    blocks += only(text(part, "text"))
                case "file" if shown := from_address(text(part, "url")):
                    blocks += shown
                case "file":
                    self.skip(f"file parts ({text(part, 'mime')}), whose text stands beside them")
                case kind:
                    self._skip_part(kind)
        if blocks or text(info, "id") not in self.tails:
            self.said(blocks, time_ms, text(info, "id"))

    def _skip_part(self, kind: str) -> None:
        self.skip(f"parts of type {kind}, {'for the screen' if kind in _SCREEN else 'not known'}")

    def _summary(self, info: Json, parts: Sequence[Json], time_ms: int | None) -> None:
        texts = [text(part, "text") for part in parts if text(part, "type") == "text"]
        summary = "\n\n".join(filter(str.strip, texts))
        if not summary or table(info, "error"):
            self.skip("compactions that failed")
            return
        tail = self.tails.get(text(info, "parentID"), "")
        self.compaction(summary, time_ms, self.last_tokens, tail, text(info, "id"))

    def _assistant(self, info: Json, parts: Sequence[Json], time_ms: int | None) -> None:
        """One reply per step (rule 2)."""
        steps: list[list[Json]] = [[]]
        for part in parts:
            if text(part, "type") == "step-start" and any(text(item, "type") in _SAID for item in steps[-1]):
                steps.append([])
            steps[-1].append(part)
        for step_number, step in enumerate(steps):
            started = time_ms if step_number == 0 else _begun(step, time_ms)
            reply = self._step(info, step, started)
            if step_number == len(steps) - 1:
                self._end(reply, info)
                reply.end_ms = milliseconds(table(info, "time").get("completed")) or started
            counted = [table(part, "tokens") for part in step if text(part, "type") == "step-finish"]
            tokens = counted[-1] if counted else table(info, "tokens") if len(steps) == 1 else {}
            sent, got, cache = number(tokens, "input"), number(tokens, "output"), table(tokens, "cache")
            read, written = number(cache, "read"), number(cache, "write")
            if usage := exclusive_usage(sent, got, read, written, number(tokens, "total")):
                reply.message["usage"] = usage
                self.last_tokens = usage["totalTokens"]

    def _step(self, info: Json, parts: Sequence[Json], time_ms: int | None) -> RecordedStep:
        reply = self.reply([], time_ms, text(info, "id"), text(info, "modelID"))
        for part in parts:
            match text(part, "type"):
                case "text":
                    self.more(reply, only(text(part, "text")))
                case "reasoning":
                    self.more(reply, [thought(text(part, "text"), _signature(part))])
                case "tool":
                    arguments = table(part, "state").get("input")
                    self.more(reply, [call(text(part, "callID"), text(part, "tool"), arguments)])
                case kind:
                    self._skip_part(kind)
        for part in parts:
            if text(part, "type") == "tool":
                self._result(part, table(part, "state"))
        return reply

    def _result(self, part: Json, state: Json) -> None:
        status, time = text(state, "status"), table(state, "time")
        if status not in ("completed", "error"):
            return
        output = text(state, "error" if status == "error" else "output")
        urls = [text(attachment, "url") for attachment in rows(state, "attachments")]
        images = [shown for url in urls for shown in from_address(url)]
        result = self.result(
            text(part, "callID"),
            [*([text_block(output)] if output or not images else []), *images],
            milliseconds(time.get("end")),
            status == "error",
            text(part, "tool"),
            text(part, "id"),
        )
        result.pruned_ms = milliseconds(time.get("compacted"))
        if result.pruned_ms is not None:
            self.skip("results that the host itself pruned later, kept whole here")

    def _end(self, reply: RecordedStep, info: Json) -> None:
        if error := table(info, "error"):
            aborted = text(error, "name") == _ABORTED
            words = text(table(error, "data"), "message") or text(error, "name")
            reply.message |= {"stopReason": "aborted" if aborted else "error", "errorMessage": words}
        elif text(info, "finish") == "length":
            reply.message["stopReason"] = "length"


def _begun(step: Sequence[Json], time_ms: int | None) -> int | None:
    """When a later step of a message began, from its first part with a time."""
    times = (table(part, "time") or table(table(part, "state"), "time") for part in step)
    return next((milliseconds(time["start"]) for time in times if "start" in time), time_ms)


def _signature(part: Json) -> str:
    """What the provider wants back with its reasoning, whatever its name."""
    for provider in table(part, "metadata").values():
        if isinstance(provider, dict):
            return text(provider, "reasoningEncryptedContent") or text(provider, "signature")
    return ""
