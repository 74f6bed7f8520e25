"""Turns conversations of the tests' notation into the formats of providers and back.

`plain` first makes of a conversation one that all formats can say: users, assistants, results and packets; no
assistant's message right after another, thoughts first and calls last in it; a failed result says so in its text,
for two formats have no flag for it.
"""

import importlib
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

import msgspec

from ctxmgr.formats import FORMATS
from ctxmgr.formats.pi_messages import PACKET_TYPE
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import Keep, Packet, Plan
from ctxmgr.session.reading import Reader
from tests.notation import Said, quarters, written
from tests.translation.back import (
    MARK,
    from_anthropic,
    from_gemini,
    from_openai,
    from_responses,
    packet,
    result_of,
)
from tests.translation.there import to_anthropic, to_gemini, to_openai, to_responses

Json = dict[str, Any]

NAMES = tuple(name for name in FORMATS if name != "pi")
RULES: dict[str, ModuleType] = {name: importlib.import_module(f"tests.legality.{name}") for name in NAMES}


def plain(messages: Iterable[Json]) -> list[Json]:
    """The same conversation in pi's format, as far as all formats can say it."""
    out: list[Json] = []
    for one in messages:
        role = one["role"]
        if role == "assistant":
            content = [{**block} for block in one.get("content") or []]
            if out and out[-1]["role"] == "assistant":
                out[-1]["content"] += content
            elif content:
                out.append({"role": role, "content": content})
        elif role == "toolResult":
            text = one["content"][0]["text"]
            text = f"Error: {text}" if one["isError"] and not text.startswith("Error: ") else text
            out.append({**one, "content": [{"type": "text", "text": text}]})
        elif one.get("customType") == PACKET_TYPE:
            text = one["content"]
            out.append(packet(text if text.startswith(MARK) else f"{MARK}\n{text}"))
        elif role in ("user", "custom") and isinstance(one["content"], str):
            out.append({"role": "user", "content": one["content"]})
        elif role == "bashExecution":
            out.append({"role": "user", "content": f"{one['command']}\n{one['output']}"})
    return [{**one, "content": _ordered(one["content"])} if one["role"] == "assistant" else one for one in out]


def _ordered(blocks: list[Json]) -> list[Json]:
    """One thought first, calls last: the order that chat completions can say."""
    thoughts = [block["thinking"] for block in blocks if block["type"] == "thinking"]
    signed = {"type": "thinking", "thinking": "\n".join(thoughts), "thinkingSignature": "c2lnbmVk"}
    texts, calls = ([block for block in blocks if block["type"] == kind] for kind in ("text", "toolCall"))
    return [*([signed] if thoughts else []), *texts, *calls]


def said(*parts: Said) -> list[Json]:
    return plain(written(*parts))


TO: dict[str, Callable[[Iterable[Json]], list[Json]]] = {
    "pi": list,
    "openai": to_openai,
    "anthropic": to_anthropic,
    "responses": to_responses,
    "gemini": to_gemini,
}
BACK: dict[str, Callable[[Iterable[Json]], list[Json]]] = {
    "pi": list,
    "openai": from_openai,
    "anthropic": from_anthropic,
    "responses": from_responses,
    "gemini": from_gemini,
}


def bare(messages: Iterable[Json]) -> list[Json]:
    """A plain conversation without what only some formats tell: signatures, flags, times, the tool of a result."""
    out = []
    for one in messages:
        if one["role"] == "assistant":
            blocks = [{k: v for k, v in block.items() if k != "thinkingSignature"} for block in one["content"]]
            out.append({"role": "assistant", "content": blocks})
        elif one["role"] == "toolResult":
            out.append(result_of(one["toolCallId"], one["content"][0]["text"]))
        elif one["role"] == "custom":
            out.append(packet(one["content"]))
        else:
            out.append({"role": one["role"], "content": one["content"]})
    return out


def raws(name: str, messages: Iterable[Json]) -> list[bytes]:
    """A plain conversation as a host of that format holds it."""
    return [msgspec.json.encode(one) for one in TO[name](messages)]


def read(name: str, raws: Iterable[bytes], weigh: Callable[[str], int] = quarters) -> tuple[Message, ...]:
    return Reader(FORMATS[name], weigh).read(tuple(raws))


def sent(name: str, messages: Sequence[Message], plan: Plan) -> list[bytes]:
    """The messages that leave."""
    out: list[bytes] = []
    texts: dict[int, dict[int, str]] = {}
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            out.append(FORMATS[name].packet(piece.text, 0))
        elif isinstance(piece, Keep):
            out.extend(message.raw for message in messages[piece.start : piece.end])
        else:
            first = piece.message_index not in texts
            texts.setdefault(piece.message_index, {})[piece.block_index] = piece.text
            edited = FORMATS[name].set_text(messages[piece.message_index].raw, texts[piece.message_index])
            out[len(out) if first else len(out) - 1 :] = [edited]
    return out
