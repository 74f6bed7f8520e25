"""Turns a conversation written down in a few letters into pi messages, and into messages the engine can weigh.

    talk(u("fix it"), a("looking", call("read", path="x")), r("text of x"), a("done"))

Calls are numbered c1, c2, ... over the conversation; `r` and `err` answer the oldest call not answered yet, or
the one that `to` names. No clock: there are no timestamps unless a message is given one.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.formats import pi
from ctxmgr.formats.pi_messages import PACKET_TYPE
from ctxmgr.model.messages import Message
from ctxmgr.session.reading import Reader

Json = dict[str, Any]


class Said(msgspec.Struct, frozen=True):
    """One message before ids are given: its fields, and for a result which call it answers ("": the oldest)."""

    fields: Json
    answers: str | None = None


def u(text: str, **more: Any) -> Said:
    return Said({"role": "user", "content": text, **more})


def a(*blocks: str | Json, **more: Any) -> Said:
    content = [{"type": "text", "text": block} if isinstance(block, str) else dict(block) for block in blocks]
    return Said({"role": "assistant", "content": content, **more})


def call(tool: str, id: str = "", /, **arguments: Any) -> Json:
    return {"type": "toolCall", "id": id, "name": tool, "arguments": arguments}


def think(text: str, signed: bool = True) -> Json:
    block = {"type": "thinking", "thinking": text}
    return {**block, "thinkingSignature": "c2lnbmVk"} if signed else block


def r(text: str, to: str = "", is_error: bool = False, **more: Any) -> Said:
    content = [{"type": "text", "text": text}]
    return Said({"role": "toolResult", "content": content, "isError": is_error, **more}, to)


def err(text: str, to: str = "", **more: Any) -> Said:
    return r(text, to, is_error=True, **more)


def sh(command: str, output: str, **more: Any) -> Said:
    return Said({"role": "bashExecution", "command": command, "output": output, "exitCode": 0, **more})


def note(text: str, **more: Any) -> Said:
    return Said({"role": "custom", "customType": "note", "content": text, "display": True, **more})


def summary(text: str, **more: Any) -> Said:
    return Said({"role": "compactionSummary", "summary": text, "tokensBefore": 1, **more})


def branch(text: str, **more: Any) -> Said:
    return Said({"role": "branchSummary", "summary": text, "fromId": "e1", **more})


def packet(text: str = "[ctxmgr packet]\nold", **more: Any) -> Said:
    return Said({"role": "custom", "customType": PACKET_TYPE, "content": text, "display": False, **more})


def written(*said: Said) -> list[Json]:
    """The messages as a pi host has them, with the ids filled in."""
    number, tools, open_calls = 0, dict[str, str](), list[str]()
    out: list[Json] = []
    for one in said:
        fields = dict(one.fields)
        if fields["role"] == "assistant" and fields["content"]:
            blocks = []
            for block in fields["content"]:
                if block["type"] == "toolCall":
                    number += not block["id"]
                    block = {**block, "id": block["id"] or f"c{number}"}
                    open_calls.append(block["id"])
                    tools[block["id"]] = block["name"]
                blocks.append(block)
            fields["content"] = blocks
        if one.answers is not None:
            answered = one.answers or (open_calls[0] if open_calls else "c0")
            if answered in open_calls:
                open_calls.remove(answered)
            fields = {
                "role": fields.pop("role"),
                "toolCallId": answered,
                "toolName": tools.get(answered, "tool"),
                **fields,
            }
        out.append(fields)
    return out


def raws(*said: Said) -> list[bytes]:
    return [msgspec.json.encode(fields) for fields in written(*said)]


def quarters(text: str) -> int:
    """A weight of characters / 4."""
    return (len(text) + 3) // 4


def words(text: str) -> int:
    return len(text.split())


def read(raw: Iterable[bytes], weigh: Callable[[str], int] = quarters) -> tuple[Message, ...]:
    return Reader(pi, weigh).read(tuple(raw))


def talk(*said: Said, weigh: Callable[[str], int] = quarters) -> tuple[Message, ...]:
    return read(raws(*said), weigh)


def indexed(messages: tuple[Message, ...]) -> ConversationIndex:
    return extend(ConversationIndex(), messages)
