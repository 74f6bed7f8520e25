"""Turns a session of Gemini CLI (`chats/session-*.json`, later `.jsonl`) into a recording.

1. A file is one object with its `messages`, or a line about the session and then one line per message. A message
   with a repeated id stays in its first place, as last written.
2. `$rewindTo` takes back the message of that id and everything after it; if there is no such message, everything.
3. `$set` changes the session's data. Messages in it are the list as Gemini CLI had it then: unknown ones are
   appended, the others stay unchanged, since old results are masked there.
4. A `gemini` message is one reply: its thoughts, its text, its `toolCalls`, and their results. Its `tokens.input`
   includes the cached ones.
5. What only the user is shown (`info`, `error`, `warning`) is not context.
"""

from typing import Any

from ctxmgr.formats.pi_tree import milliseconds
from ctxmgr.study.recordings.building import RecordingBuilder
from ctxmgr.study.recordings.json_values import (
    Json,
    call,
    exclusive_usage,
    lines,
    number,
    objects_of,
    only,
    rows,
    table,
    text,
    thought,
)
from ctxmgr.study.recordings.recording import Recording

REWIND, CHANGE = "$rewindTo", "$set"
FAILED = frozenset({"error", "cancelled"})


def is_session(head: Json) -> bool:
    """Whether a file that begins with this object is one."""
    return {"sessionId", "projectHash"} <= head.keys()


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    session = ""
    messages: dict[str, Json] = {}
    for _, fields in lines(name, content):
        session = session or text(fields, "sessionId")
        _take(messages, fields)
    reader = _Reader(name, "Gemini CLI")
    for message in messages.values():
        reader.read(message)
    return reader.recording(session)


def _take(messages: dict[str, Json], fields: Json) -> None:
    """Rules 1 to 3."""
    if rewound := text(fields, REWIND):
        ids = list(messages)
        for id in ids[ids.index(rewound) if rewound in messages else 0 :]:
            del messages[id]
    elif text(fields, "type"):
        messages[text(fields, "id") or f"message-{len(messages) + 1}"] = fields
    else:
        for message in [*rows(fields, "messages"), *rows(table(fields, CHANGE), "messages")]:
            messages.setdefault(text(message, "id") or f"message-{len(messages) + 1}", message)


class _Reader(RecordingBuilder):
    """The messages, in order."""

    def read(self, message: Json) -> None:
        kind, time_ms, id = text(message, "type"), milliseconds(message.get("timestamp")), text(message, "id")
        if kind == "user":
            self._user(message.get("content"), time_ms, id)
        elif kind == "gemini":
            self._reply(message, time_ms, id)
        else:
            self.skip(f"messages of type {kind or 'unknown'}, for the screen")

    def _user(self, content: Any, time_ms: int | None, id: str) -> None:
        """Results in the list of rule 3 are added with their calls."""
        if any("functionResponse" in part for part in objects_of(content)):
            self.skip("results in the user's name, which stand with their calls")
        else:
            self.said(self._parts(content), time_ms, id)

    def _reply(self, message: Json, time_ms: int | None, id: str) -> None:
        thoughts = [
            "\n".join(filter(None, (text(row, "subject"), text(row, "description"))))
            for row in rows(message, "thoughts")
        ]
        calls = rows(message, "toolCalls")
        blocks = [thought(words) for words in thoughts] + self._parts(message.get("content"))
        blocks += [call(text(row, "id"), text(row, "name"), row.get("args")) for row in calls]
        counted = table(message, "tokens")
        cached, output = number(counted, "cached"), number(counted, "output") + number(counted, "thoughts")
        sent = max(0, number(counted, "input") - cached)
        usage = exclusive_usage(sent, output, cached, 0, number(counted, "total"))
        self.reply(blocks, time_ms, id, text(message, "model"), usage)
        for row in calls:
            done = milliseconds(row.get("timestamp")) or time_ms
            self.result(text(row, "id"), self._gave(row), done, text(row, "status") in FAILED, text(row, "name"))

    def _gave(self, row: Json) -> list[Json]:
        """The result of a call: the texts of its answer, and parts beside it."""
        blocks: list[Json] = []
        for part in _listed(row.get("result")):
            answer = table(table(part, "functionResponse"), "response") if isinstance(part, dict) else {}
            blocks += only(text(answer, "output") or text(answer, "error")) if answer else self._parts([part])
        return blocks

    def _parts(self, value: Any) -> list[Json]:
        """Texts and images of Gemini's parts, one or a list of them."""
        blocks: list[Json] = []
        for part in _listed(value):
            data = table(part, "inlineData") if isinstance(part, dict) else {}
            if isinstance(part, str) or "text" in part:
                blocks += only(part if isinstance(part, str) else text(part, "text"))
            elif text(data, "mimeType").startswith("image/"):
                blocks.append({"type": "image", "data": text(data, "data"), "mimeType": text(data, "mimeType")})
            elif "functionCall" not in part:
                self.odd(next(iter(part), "unnamed"))
        return blocks


def _listed(value: Any) -> list[Json | str]:
    many = value if isinstance(value, list) else [value]
    return [part for part in many if isinstance(part, str | dict)]
