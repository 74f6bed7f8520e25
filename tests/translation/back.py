"""From the formats of providers into plain conversations. The tool of a result, and whether it failed, are the
caller's to know."""

import json
from collections.abc import Iterable
from typing import Any

from ctxmgr.formats.pi_messages import PACKET_TYPE

MARK = "[ctxmgr packet]"
Json = dict[str, Any]


def from_openai(messages: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in messages:
        if one["role"] == "tool":
            out.append(result_of(one["tool_call_id"], one["content"]))
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
            out += [result_of(block["tool_use_id"], block["content"][0]["text"]) for block in one["content"]]
    return out


def _from_claude(block: Json) -> Json:
    if block["type"] == "tool_use":
        return _call(block["id"], block["name"], block["input"])
    return _thought(block["thinking"]) if block["type"] == "thinking" else block


def from_responses(items: Iterable[Json]) -> list[Json]:
    out: list[Json] = []
    for one in items:
        if one["type"] == "function_call_output":
            out.append(result_of(one["call_id"], one["output"]))
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
        told = [_from_part(part) for part in one["parts"]]
        if one["role"] == "model":
            out.append({"role": "assistant", "content": told})
        else:
            out += [each if "role" in each else _users(each["text"]) for each in told]
    return out


def _from_part(part: Json) -> Json:
    if "functionResponse" in part:
        given = part["functionResponse"]
        return result_of(given["id"], given["response"]["output"])
    if "functionCall" in part:
        asked = part["functionCall"]
        return _call(asked["id"], asked["name"], asked["args"])
    return _thought(part["text"]) if part.get("thought") else {"type": "text", "text": part["text"]}


def _users(text: str) -> Json:
    return packet(text) if text.startswith(MARK) else {"role": "user", "content": text}


def packet(text: str) -> Json:
    return {"role": "custom", "customType": PACKET_TYPE, "content": text, "display": False}


def result_of(id: str, text: str) -> Json:
    return {"role": "toolResult", "toolCallId": id, "content": [{"type": "text", "text": text}]}


def _call(id: str, name: str, arguments: Json) -> Json:
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def _thought(text: str) -> Json:
    return {"type": "thinking", "thinking": text}
