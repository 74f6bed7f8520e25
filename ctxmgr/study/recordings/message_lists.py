"""Turns a plain list of messages (chat completions, or Anthropic's) into a recording: Cline's, Roo Code's and Kilo
Code's `api_conversation_history.json`, Copilot CLI's single-file sessions, and what a proxy or a framework wrote.

1. The messages are the file, or `messages` or `chatMessages` of one object, or one per line. A prompt, there or as
   `system`, is sent beside the list.
2. A result is a `tool` message, or a `tool_result` block. Cline and related hosts report some as a user's text,
   behind a line with the tool's name. Such a text, up to the next one or to what the host says of its environment,
   is the result of the first open call of that tool. If the call is XML in the reply's text, it is built from that,
   with an id made from its place.
3. A summary by Roo Code (`isSummary`) is a compaction that keeps nothing; its marks of omissions
   (`isTruncationMarker`) are not context.
4. Times are `ts`, in milliseconds.
5. A message whose blocks are all of kinds that no such list has is refused: it is another program's (Bedrock's
   Converse, the AI SDK, Goose, Amp), and everything its tools did would be lost. So is one with the AI SDK's
   members beside its content. A single odd block beside others is counted.
6. TypeScript SDKs spell the members of calls in camelCase, which is read the same.
"""

import re
from typing import Any

from ctxmgr.model import told_result
from ctxmgr.study.recordings.building import RecordedStep, RecordingBuilder
from ctxmgr.study.recordings.json_values import (
    TEXTS,
    Json,
    call,
    chat_calls,
    counted_usage,
    decoded,
    exclusive_usage,
    lines,
    number,
    objects_of,
    only,
    table,
    text,
    text_block,
    thinking,
    thought,
    words,
)
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
LISTS = ("messages", "chatMessages")  # members with the messages
KINDS = TEXTS | frozenset(  # of blocks, in Anthropic's and OpenAI's lists
    {"tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "thinking", "redacted_thinking", "reasoning"}
    | {"refusal", "compaction", "image", "image_url", "input_image", "document", "file", "input_file", "audio"}
    | {"input_audio", "video_url", "search_result"}
)
BESIDE = ("parts", "toolInvocations")  # members of the AI SDK's UIMessage
ANOTHERS = "toolUseID"  # of a `tool_result`: Amp's
SPELLED = {"toolCalls": "tool_calls", "toolCallId": "tool_call_id", "reasoningContent": "reasoning_content"}
_OF_SERVERS = "_tool_result"  # the ending of kinds of results of Anthropic's own tools
_NAME = re.compile(r"[A-Za-z][\w-]{0,40}")
_SURROUNDINGS = "<environment_details>"
_ARGUMENT = re.compile(r"<([A-Za-z_][\w-]*)>(.*?)</\1>", re.DOTALL)
_WITHIN = frozenset({"args", "file"})  # arguments that contain arguments (Roo Code)


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line, or with the number of the message."""
    fields, messages = held(name, content)
    if fields is not None and "chatMessages" in fields:
        host = "Copilot CLI"
    else:
        host = "Cline" if is_clines(messages) else "chat completions"
    reader = _Reader(name, host)
    if prompt := words(fields.get("system")) if fields is not None else "":
        reader.system(prompt)
    for position, message in enumerate(messages, 1):
        if not is_message(message):
            raise UnreadableRecording(f"{name}, message {position}: not a message of a known role")
        message = {SPELLED.get(name, name): value for name, value in message.items()}
        if kinds := unknown_kinds(message):
            told = f"blocks of no kind that is read ({kinds}), so this is another program's list"
            raise UnreadableRecording(f"{name}, message {position}: {told}")
        reader.read(message, position)
    return reader.recording(text(fields or {}, "sessionId"), model=text(fields or {}, "model"))


def held(name: str, content: bytes) -> tuple[Json | None, list[Any]]:
    """The object with the messages, or None, and the messages (rule 1). Raises UnreadableRecording if the file is
    not JSON.
    """
    if content.lstrip().startswith(b"["):
        return None, decoded(content, name)
    every = [fields for _, fields in lines(name, content)]
    for member in LISTS:
        if len(every) == 1 and isinstance(listed := every[0].get(member), list):
            return every[0], listed
    return None, every


def is_message(value: Any) -> bool:
    """Whether it is a message of a chat; its content may be missing beside calls."""
    return (
        isinstance(value, dict)
        and value.get("role") in ROLES
        and ("content" in value or not value.keys().isdisjoint({"tool_calls", "toolCalls", "function_call"}))
        and isinstance(value.get("content"), str | list | None)
    )


def unknown_kinds(message: Json) -> str:
    """For people: the kinds of its blocks if none is known, or the members that hold them (rule 5); ""
    otherwise.
    """
    blocks = objects_of(message.get("content"))
    if any(ANOTHERS in block for block in blocks):
        return ANOTHERS
    kinds = [text(block, "type") for block in blocks]
    if beside := [name for name in BESIDE if message.get(name)]:
        return ", ".join(beside)
    if "tool_calls" in message or any(kind in KINDS or kind.endswith(_OF_SERVERS) for kind in kinds):
        return ""
    names = (
        kind or next(iter(block), "") for kind, block in zip(kinds, blocks, strict=True)
    )  # Bedrock's: a member
    return ", ".join(sorted({name if _NAME.fullmatch(name) else "unnamed" for name in names}))


def is_clines(messages: list[Any]) -> bool:
    """Whether Cline or a related host wrote these messages: with their times, and results in the users' texts."""
    users = [message for message in objects_of(messages) if message.get("role") == "user"]
    return any("ts" in message or any(told_result(spoken) for spoken in _texts(message)) for message in users)


def _texts(message: Json) -> list[str]:
    return [text(block, "text") for block in _blocks(message)]


def _blocks(message: Json) -> list[Json]:
    spoken = message.get("content")
    return only(spoken) if isinstance(spoken, str) else objects_of(spoken)


class _Reader(RecordingBuilder):
    """The messages, in order."""

    newest: RecordedStep | None = None
    open_calls: list[tuple[str, str]] = []  # (id, tool) of the newest reply's calls without a result

    def read(self, message: Json, position: int) -> None:
        time_ms = number(message, "ts") or None
        spoken = message.get("content")
        if message.get("isTruncationMarker") is True:
            self.skip("marks of what the host left out, no context")
        elif message.get("isSummary") is True:
            self.compaction(words(spoken), time_ms, 0)
        elif message["role"] in ("system", "developer"):
            self.system(words(spoken))
        elif message["role"] == "assistant":
            self._reply(message, position, time_ms)
        elif message["role"] == "user":
            self._user(message, position, time_ms)
        else:
            id = text(message, "tool_call_id") or next((id for id, _ in self.open_calls), f"result-{position}")
            self._result(id, self.content(spoken), time_ms)

    def _reply(self, message: Json, position: int, time_ms: int | None) -> None:
        blocks = [thought(reasoning)] if (reasoning := text(message, "reasoning_content")) else []
        blocks += [made for block in _blocks(message) for made in self._block(block)] + chat_calls(message)
        if function := table(message, "function_call"):
            blocks.append(call(f"call-{position}", text(function, "name"), function.get("arguments")))
        counted = table(table(message, "metrics"), "tokens")  # Cline's: input without cached tokens
        usage = counted_usage(table(message, "usage")) or exclusive_usage(
            number(counted, "prompt"), number(counted, "completion"), number(counted, "cached"), 0
        )
        model = text(table(message, "modelInfo"), "modelId") or text(message, "model")
        self.newest = self.reply(blocks, time_ms, model=model, usage=usage)
        self.open_calls = [(block["id"], block["name"]) for block in blocks if block["type"] == "toolCall"]

    def _block(self, block: Json) -> list[Json]:
        match text(block, "type"):
            case "tool_use":
                return [call(text(block, "id"), text(block, "name"), block.get("input"))]
            case "thinking" | "redacted_thinking":
                return [thinking(block)]
            case "reasoning":
                return [thought(text(block, "text"))] if text(block, "text") else []
            case _:
                return self.content([block])

    def _user(self, message: Json, position: int, time_ms: int | None) -> None:
        """Results first; text beside them is a separate message (rule 2)."""
        told: tuple[str, list[Json]] | None = None
        results: list[tuple[str, list[Json]]] = []
        said: list[Json] = []
        for block in _blocks(message):
            if text(block, "type") == "tool_result":
                told = None
                is_error = block.get("is_error") is True
                self._result(text(block, "tool_use_id"), self.content(block.get("content")), time_ms, is_error)
                continue
            spoken = text(block, "text")
            if head := told_result(spoken):
                told = head[0], []
                results.append(told)
                block = text_block(spoken[head[1] :])
            elif spoken.startswith(_SURROUNDINGS):
                told = None
            (said if told is None else told[1]).extend(self.content([block]))
        for number_, (tool, blocks) in enumerate(results):
            self._result(self._call(tool, f"{tool}-{position}-{number_}"), blocks, time_ms)
        if said or not _blocks(message):
            self.said(said, time_ms)

    def _call(self, tool: str, id: str) -> str:
        """The id of the call that such a result answers: an open one of this tool, or one built from XML under this
        id.
        """
        known = next((open_id for open_id, name in self.open_calls if name == tool), "")
        if known or self.newest is None:
            return known or id
        for block in self.newest.blocks:
            spoken = text(block, "text") if block["type"] == "text" else ""
            start = spoken.find(f"<{tool}>")
            if start < 0:
                continue
            inside, _, rest = spoken[start + len(tool) + 2 :].partition(f"</{tool}>")
            block["text"] = f"{spoken[:start].rstrip()}{rest.rstrip()}"
            if not block["text"]:
                self.newest.blocks.remove(block)
            self.more(self.newest, [call(id, tool, dict(_arguments(inside)))])
            break
        return id

    def _result(self, id: str, blocks: list[Json], time_ms: int | None, is_error: bool = False) -> None:
        self.open_calls = [made for made in self.open_calls if made[0] != id]
        self.result(id, blocks, time_ms, is_error)


def _arguments(inside: str) -> list[tuple[str, str]]:
    """(name, value) of a call's arguments in XML."""
    return [
        pair
        for match in _ARGUMENT.finditer(inside)
        for pair in (_arguments(match[2]) if match[1] in _WITHIN else [(match[1], match[2].strip("\n"))])
    ]
