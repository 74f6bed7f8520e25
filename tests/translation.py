"""Turns conversations of the tests' notation into the formats of providers and back.

`plain` first makes of a conversation one that all formats can say: users, assistants, results and packets; no
assistant's message right after another, thoughts first and calls last in it; a failed result says so in its text,
for two formats have no flag for it.
"""

import importlib
import json
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

import msgspec

from ctxmgr.formats import FORMATS, pi
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import Keep, Packet, Plan
from ctxmgr.session.reading import Reader
from tests.notation import Said, quarters, written

Json = dict[str, Any]

MARK = "[ctxmgr packet]"
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
        elif one.get("customType") == pi.PACKET_TYPE:
            text = one["content"]
            out.append(_packet(text if text.startswith(MARK) else f"{MARK}\n{text}"))
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


# there


def to_openai(messages: Iterable[Json]) -> list[Json]:
    return [_to_openai(one) for one in messages]


def _to_openai(one: Json) -> Json:
    role = one["role"]
    if role == "assistant":
        texts = [{"type": "text", "text": block["text"]} for block in one["content"] if block["type"] == "text"]
        thoughts = [block["thinking"] for block in one["content"] if block["type"] == "thinking"]
        calls = [
            {
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": json.dumps(block["arguments"])},
            }
            for block in one["content"]
            if block["type"] == "toolCall"
        ]
        out: Json = {"role": "assistant", "content": texts or None}
        out |= {"reasoning_content": "\n".join(thoughts)} if thoughts else {}
        return out | ({"tool_calls": calls} if calls else {})
    if role == "toolResult":
        return {"role": "tool", "tool_call_id": one["toolCallId"], "content": one["content"][0]["text"]}
    return {"role": "user", "content": one["content"]}


def to_anthropic(messages: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in messages:
        role = one["role"]
        if role == "assistant":
            out.append({"role": role, "content": [_claudes(block) for block in one["content"]]})
        elif role == "toolResult":
            result = {
                "type": "tool_result",
                "tool_use_id": one["toolCallId"],
                "content": one["content"],
                "is_error": one["isError"],
            }
            if out and isinstance(out[-1]["content"], list) and out[-1]["role"] == "user":
                out[-1]["content"].append(result)
            else:
                out.append({"role": "user", "content": [result]})
        else:
            out.append({"role": "user", "content": one["content"]})
    return out


def _claudes(block: Json) -> Json:
    if block["type"] == "toolCall":
        return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": block["arguments"]}
    if block["type"] == "thinking":
        return {"type": "thinking", "thinking": block["thinking"], "signature": "c2lnbmVk"}
    return block


def to_responses(messages: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for number, one in enumerate(messages):
        role = one["role"]
        if role == "assistant":
            out += [_item(block, f"{number}_{at}") for at, block in enumerate(one["content"])]
        elif role == "toolResult":
            text = one["content"][0]["text"]
            out.append({"type": "function_call_output", "call_id": one["toolCallId"], "output": text})
        else:
            content = [{"type": "input_text", "text": one["content"]}]
            out.append({"type": "message", "role": "user", "content": content})
    return out


def _item(block: Json, id: str) -> Json:
    if block["type"] == "toolCall":
        told = json.dumps(block["arguments"])
        return {"type": "function_call", "call_id": block["id"], "name": block["name"], "arguments": told}
    if block["type"] == "thinking":
        summary = [{"type": "summary_text", "text": block["thinking"]}]
        return {"type": "reasoning", "id": f"rs_{id}", "summary": summary, "encrypted_content": "c2Vj"}
    content = [{"type": "output_text", "text": block["text"], "annotations": []}]
    return {"type": "message", "id": f"msg_{id}", "role": "assistant", "status": "completed", "content": content}


def to_gemini(messages: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in messages:
        role = one["role"]
        if role == "assistant":
            out.append({"role": "model", "parts": [_part(block) for block in one["content"]]})
        elif role == "toolResult":
            response = {"id": one["toolCallId"], "name": one["toolName"]}
            part = {"functionResponse": {**response, "response": {"output": one["content"][0]["text"]}}}
            if out and "functionResponse" in out[-1]["parts"][0]:
                out[-1]["parts"].append(part)
            else:
                out.append({"role": "user", "parts": [part]})
        else:
            out.append({"role": "user", "parts": [{"text": one["content"]}]})
    return out


def _part(block: Json) -> Json:
    if block["type"] == "toolCall":
        return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["arguments"]}}
    if block["type"] == "thinking":
        return {"text": block["thinking"], "thought": True, "thoughtSignature": "c2lnbmVk"}
    return {"text": block["text"]}


# and back; the tool of a result and whether it failed are the caller's to know


def from_openai(messages: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in messages:
        if one["role"] == "tool":
            out.append(_result(one["tool_call_id"], one["content"]))
        elif one["role"] == "user":
            out.append(_users(one["content"]))
        elif one["role"] == "assistant":
            thought = one.get("reasoning_content")
            blocks = [_thought(thought)] if thought is not None else []
            blocks += one.get("content") or []
            for call in one.get("tool_calls", []):
                function = call["function"]
                blocks.append(_call(call["id"], function["name"], json.loads(function["arguments"])))
            out.append({"role": "assistant", "content": blocks})
    return out


def from_anthropic(messages: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in messages:
        if one["role"] == "assistant":
            out.append({"role": "assistant", "content": [_from_claude(block) for block in one["content"]]})
        elif isinstance(one["content"], str):
            out.append(_users(one["content"]))
        else:
            out += [_result(block["tool_use_id"], block["content"][0]["text"]) for block in one["content"]]
    return out


def _from_claude(block: Json) -> Json:
    if block["type"] == "tool_use":
        return _call(block["id"], block["name"], block["input"])
    return _thought(block["thinking"]) if block["type"] == "thinking" else block


def from_responses(items: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in items:
        if one["type"] == "function_call_output":
            out.append(_result(one["call_id"], one["output"]))
        elif one.get("role") == "user":
            out.append(_users(one["content"][0]["text"]))
        elif one.get("role", "assistant") == "assistant":
            if not out or out[-1]["role"] != "assistant":
                out.append({"role": "assistant", "content": []})
            out[-1]["content"].append(_from_item(one))
    return out


def _from_item(one: Json) -> Json:
    if one["type"] == "function_call":
        return _call(one["call_id"], one["name"], json.loads(one["arguments"]))
    if one["type"] == "reasoning":
        return _thought(one["summary"][0]["text"])
    return {"type": "text", "text": one["content"][0]["text"]}


def from_gemini(contents: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in contents:
        if one["role"] == "model":
            out.append({"role": "assistant", "content": [_from_part(part) for part in one["parts"]]})
        elif "text" in one["parts"][0]:
            out.append(_users(one["parts"][0]["text"]))
        else:
            told = (part["functionResponse"] for part in one["parts"])
            out += [_result(each["id"], each["response"]["output"]) for each in told]
    return out


def _from_part(part: Json) -> Json:
    if "functionCall" in part:
        return _call(part["functionCall"]["id"], part["functionCall"]["name"], part["functionCall"]["args"])
    return _thought(part["text"]) if part.get("thought") else {"type": "text", "text": part["text"]}


def _users(text: str) -> Json:
    return _packet(text) if text.startswith(MARK) else {"role": "user", "content": text}


def _packet(text: str) -> Json:
    return {"role": "custom", "customType": pi.PACKET_TYPE, "content": text, "display": False}


def _result(id: str, text: str) -> Json:
    return {"role": "toolResult", "toolCallId": id, "content": [{"type": "text", "text": text}]}


def _call(id: str, name: str, arguments: Json) -> Json:
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def _thought(text: str) -> Json:
    return {"type": "thinking", "thinking": text}


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
            out.append(_result(one["toolCallId"], one["content"][0]["text"]))
        elif one["role"] == "custom":
            out.append(_packet(one["content"]))
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
            edited = FORMATS[name].set_result(messages[piece.message_index].raw, texts[piece.message_index])
            out[len(out) if first else len(out) - 1 :] = [edited]
    return out
