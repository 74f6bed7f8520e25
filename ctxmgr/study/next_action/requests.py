"""Turns a list of messages into a request for the next action, for Anthropic's messages API or chat completions.

1. Both lists of a call get the same system prompt and the same tools. The prompt is the recording's, or `SYSTEM` if
   it has none. The tools are those that the session called, with the names of the arguments that it gave them.
2. Each result follows its call, in the order of the list. A call without its result, and a result without its call,
   are written as text, since providers refuse them otherwise. Ids are new, because ids of a list may repeat.
3. Thinking is omitted: it is signed for the model that produced it. A picture becomes a word.
4. Empty content is omitted, and consecutive messages of one role are merged, as Anthropic requires.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ctxmgr.model import Block, Message

SYSTEM = "You are a coding agent. Go on with the task: take the next step with one of the tools, or answer."
MAX_TOKENS = 2_048  # of an answer: an action and the thinking before it
PICTURE, NOTHING, GO_ON = "[picture]", "(nothing)", "Go on."
NO_ARGUMENTS: dict[str, Any] = {}

Json = dict[str, Any]


class Turn(msgspec.Struct):
    """Everything one side says before the other does. `calls`: (id, tool, arguments). `results`: (id, text, is an
    error); they precede the user's texts.
    """

    role: str
    texts: list[str] = []
    calls: list[tuple[str, str, Json]] = []
    results: list[tuple[str, str, bool]] = []

    @property
    def is_empty(self) -> bool:
        return not (self.texts or self.calls or self.results)


def tools(lists: Iterable[Sequence[Message]]) -> dict[str, list[str]]:
    """The tools called in these lists, each with the names of its arguments (rule 1)."""
    found: dict[str, dict[str, None]] = {}
    for block in (block for messages in lists for message in messages for block in message.view.blocks):
        if block.kind == "call":
            found.setdefault(block.tool, {}).update(dict.fromkeys(block.arguments or NO_ARGUMENTS))
    return {name: list(arguments) for name, arguments in sorted(found.items())}


def turns(messages: Sequence[Message]) -> list[Turn]:
    """Rules 2 to 4. The first and the last turn are the user's."""
    ids = _paired(messages)
    out: list[Turn] = []
    for index, message in enumerate(messages):
        turn = Turn("assistant" if message.view.role == "assistant" else "user")
        for number, block in enumerate(message.view.blocks):
            _add(turn, block, ids.get((index, number)))
        if turn.is_empty:
            continue
        if out and out[-1].role == turn.role:
            out[-1].texts += turn.texts
            out[-1].calls += turn.calls
            out[-1].results += turn.results
        else:
            out.append(turn)
    if out and out[0].role == "assistant":
        out.insert(0, Turn("user", [GO_ON]))
    if out and out[-1].role == "assistant":
        out.append(Turn("user", [GO_ON]))
    return out


def _paired(messages: Sequence[Message]) -> dict[tuple[int, int], str]:
    """A new id for each call whose result comes before the assistant's next message, and for that result, by (index
    of the message, number of the block).
    """
    waiting: dict[str, tuple[int, int]] = {}
    ids: dict[tuple[int, int], str] = {}
    was_assistant = False
    for index, message in enumerate(messages):
        is_assistant = message.view.role == "assistant"
        if is_assistant and not was_assistant:
            waiting.clear()
        was_assistant = is_assistant
        for number, block in enumerate(message.view.blocks):
            if block.kind == "call" and is_assistant:
                waiting[block.call_id] = index, number
            elif block.kind == "result" and (call := waiting.pop(block.call_id, None)) is not None:
                ids[call] = ids[index, number] = f"call_{len(ids) // 2}"
    return ids


def _add(turn: Turn, block: Block, id: str | None) -> None:
    text = block.text if block.text.strip() else ""
    if id is not None and block.kind == "call":
        turn.calls.append((id, block.tool, dict(block.arguments or NO_ARGUMENTS)))
    elif id is not None:
        turn.results.append((id, text or NOTHING, block.is_error))
    elif text and block.kind != "thinking":
        turn.texts.append(text)
    if block.media:
        turn.texts.append(PICTURE)


def anthropic_body(model: str, system: str, messages: Sequence[Message], tools: dict[str, list[str]]) -> Json:
    """The body for `/v1/messages`."""
    return {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": system,
        "messages": [{"role": turn.role, "content": _blocks(turn)} for turn in turns(messages)],
        "tools": [
            {"name": name, "description": name, "input_schema": _schema(arguments)}
            for name, arguments in tools.items()
        ],
    }


def chat_body(
    model: str, system: str, messages: Sequence[Message], tools: dict[str, list[str]], limit_key: str
) -> Json:
    """The body for `/chat/completions`. `limit_key`: the server's name for the maximum of output tokens."""
    return {
        "model": model,
        limit_key: MAX_TOKENS,
        "messages": [
            {"role": "system", "content": system},
            *(message for turn in turns(messages) for message in _chat_messages(turn)),
        ],
        "tools": [
            {"type": "function", "function": {"name": name, "description": name, "parameters": _schema(arguments)}}
            for name, arguments in tools.items()
        ],
    }


def _schema(arguments: Sequence[str]) -> Json:
    return {"type": "object", "properties": {name: {} for name in arguments}}


def _blocks(turn: Turn) -> list[Json]:
    return [
        *(
            {"type": "tool_result", "tool_use_id": id, "content": text, **({"is_error": True} if is_error else {})}
            for id, text, is_error in turn.results
        ),
        *({"type": "text", "text": text} for text in turn.texts),
        *({"type": "tool_use", "id": id, "name": tool, "input": given} for id, tool, given in turn.calls),
    ]


def _chat_messages(turn: Turn) -> list[Json]:
    text = "\n".join(turn.texts)
    if turn.role == "user":
        results = [{"role": "tool", "tool_call_id": id, "content": told} for id, told, _ in turn.results]
        return [*results, *([{"role": "user", "content": text}] if text else [])]
    calls = [
        {
            "id": id,
            "type": "function",
            "function": {"name": tool, "arguments": msgspec.json.encode(given).decode()},
        }
        for id, tool, given in turn.calls
    ]
    return [{"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}]
