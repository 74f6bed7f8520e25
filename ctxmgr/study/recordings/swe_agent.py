"""Turns the trajectories of SWE-agent (`.traj`) and mini-swe-agent (`.traj.json`, or a bare list of messages) into
a recording.

1. The system prompt is sent beside the list, and demonstrations (`is_demo`) belong to the prompt. mini's `exit`
   message is not context.
2. With tool calls, results are the `tool` messages, which name their call. Repeated ids are kept.
3. In text mode the action is a fenced block of the reply (SWE-agent takes the last one): it becomes a call of
   `bash` with an id made from its place, and the next user message is its result.
4. A result failed if mini's return code is not 0. SWE-agent records no such thing.
"""

import re
from typing import Any

from ctxmgr.study.recordings.building import RecordingBuilder
from ctxmgr.study.recordings.json_values import (
    Json,
    call,
    chat_calls,
    chat_reply,
    counted_usage,
    decoded,
    objects_of,
    only,
    rows,
    seconds,
    table,
    text,
    words,
)
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

_FENCED = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)
_RETURNED = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>")


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the message."""
    document = decoded(content, name)
    fields = document if isinstance(document, dict) else {"messages": document}
    swe = "history" in fields
    reader = _Reader(name, "SWE-agent" if swe else "mini-swe-agent")
    for position, message in enumerate(rows(fields, "history" if swe else "messages"), 1):
        if not text(message, "role"):
            raise UnreadableRecording(f"{name}, message {position}: a message without a role")
        reader.read(message, position)
    config = table(table(fields, "info"), "config")
    model, cwd = text(table(config, "model"), "model_name"), text(table(config, "environment"), "cwd")
    return reader.recording(text(fields, "instance_id"), cwd, model=model)


def is_minis(messages: list[Any]) -> bool:
    """Whether mini-swe-agent wrote this bare list: its texts have return codes, inside or beside them."""
    return any(
        "extra" in message or text(message, "role") == "exit" or _RETURNED.match(words(message.get("content")))
        for message in objects_of(messages)
    )


class _Reader(RecordingBuilder):
    """The messages, in order."""

    waiting: str = ""  # the id of the open action in text mode

    def read(self, message: Json, position: int) -> None:
        spoken = message.get("content")
        time_ms = seconds(table(message, "extra").get("timestamp") or message.get("timestamp"))
        match text(message, "role"):
            case "system":
                self.system(words(spoken))
            case _ if message.get("is_demo"):
                self.skip("demonstrations, which belong to the prompt")
            case "exit":
                self.skip("exit messages, no context")
            case "assistant":
                self._reply(message, position, time_ms)
            case "tool":
                ids = message.get("tool_call_ids")
                ids = ids if isinstance(ids, list) and ids else [message.get("tool_call_id")]
                for number, id in enumerate(ids):  # one message may answer several calls; its text appears once
                    self._result(str(id), message if number == 0 else {}, time_ms)
            case _ if self.waiting:
                self._result(self.waiting, message, time_ms)
            case _:
                self.said(self.content(spoken), time_ms)

    def _reply(self, message: Json, position: int, time_ms: int | None) -> None:
        self.waiting = ""
        response = table(table(message, "extra"), "response")
        has_calls = chat_calls(message)
        blocks = chat_reply(message, self.odd) if has_calls else self._acting(message, position)
        usage = counted_usage(table(response, "usage"))
        self.reply(blocks, time_ms, model=text(response, "model"), usage=usage)

    def _acting(self, message: Json, position: int) -> list[Json]:
        """Text and action of a reply in text mode (rule 3)."""
        spoken = words(message.get("content"))
        fenced = list(_FENCED.finditer(spoken))
        action = text(message, "action") or (fenced[-1][1] if fenced else "")
        if not action.strip():
            return only(spoken)
        self.waiting = f"action-{position}"
        if fenced:
            spoken = spoken[: fenced[-1].start()] + spoken[fenced[-1].end() :]
        return [*only(spoken.rstrip()), call(self.waiting, "bash", {"command": action})]

    def _result(self, id: str, message: Json, time_ms: int | None) -> None:
        blocks = self.content(message.get("content"))
        returned = table(message, "extra").get("returncode")
        self.result(id, blocks, time_ms, failed(words(blocks), returned))
        self.waiting = ""


def failed(output: str, returned: Any) -> bool:
    """Rule 4; `returned` is the return code if it is recorded beside the text."""
    if isinstance(returned, int):
        return returned != 0
    code = _RETURNED.match(output)
    return code is not None and int(code[1]) != 0
