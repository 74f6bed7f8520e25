"""From plain conversations into the formats of providers."""

import json
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]


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
    said = list(messages)
    names = {one["toolCallId"]: one["toolName"] for one in said if one["role"] == "toolResult"}
    return [_content(one["role"], one["content"], names) for one in to_anthropic(said)]


def _content(role: str, told: Any, names: Json) -> Json:
    blocks = [{"type": "text", "text": told}] if isinstance(told, str) else told
    return {"role": "model" if role == "assistant" else role, "parts": [_part(block, names) for block in blocks]}


def _part(block: Json, names: Json) -> Json:
    if block["type"] == "tool_use":
        return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
    if block["type"] == "tool_result":
        id, told = block["tool_use_id"], block["content"][0]["text"]
        return {"functionResponse": {"id": id, "name": names[id], "response": {"output": told}}}
    if block["type"] == "thinking":
        return {"text": block["thinking"], "thought": True, "thoughtSignature": block["signature"]}
    return {"text": block["text"]}
