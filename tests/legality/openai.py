"""What OpenAI's chat completions take as a list, and what of a message ctxmgr may put anew: see `lists`.

1. An assistant's tool calls are answered at once, each by one tool message, before anything else comes.
2. A tool message answers a call of the assistant's message before it; a function message its function call.
3. Some message is there, and the first that is no prompt is no assistant's and no tool's.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

Json = dict[str, Any]
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def illegal(messages: Sequence[Json]) -> list[str]:
    found: list[str] = []
    waiting: list[Any] = []
    for at, one in enumerate(messages):
        role = one.get("role")
        if role in ("tool", "function"):
            id = one.get("tool_call_id") if role == "tool" else one.get("name")
            if id in waiting:
                waiting.remove(id)
            else:
                found.append(f"{role} message {at} answers no call before it")
            continue
        found += [f"call {id} is not answered before message {at}" for id in waiting]
        waiting = []
        if role == "assistant":
            waiting = [call.get("id") for call in one.get("tool_calls") or []]
            waiting += [one["function_call"].get("name")] if one.get("function_call") else []
    spoken = [one.get("role") for one in messages if not is_prompt(one)]
    if not messages:
        found.append("an empty list")
    elif spoken and spoken[0] != "user":
        found.append(f"the list begins with {spoken[0]}")
    return found


def untaken(messages: Sequence[Json]) -> list[str]:
    """Where users and the assistant do not take turns, tool flow left out, or a user stands right behind a tool:
    what the templates of Mistral's models and of Gemma refuse."""
    roles = [one.get("role") for one in messages if not is_prompt(one)]
    spoken = [
        one["role"] for one in messages if one.get("role") in ("user", "assistant") and not one.get("tool_calls")
    ]
    found = [f"{role} twice in a row" for role, after in pairwise(["assistant", *spoken]) if role == after]
    return found + ["a user right behind a tool" for pair in pairwise(roles) if pair == ("tool", "user")]


def rewritten(old: bytes, new: bytes) -> bool:
    """Is `new` the tool message `old` with nothing but its content changed, or the assistant's with nothing but the
    arguments of its calls?"""
    before, after = _members(old), _members(new)
    if "tool_calls" in before:
        return _without_arguments(old) == _without_arguments(new)
    if bytes(before.get("role", b"")) not in (b'"tool"', b'"function"') or list(before) != list(after):
        return False
    marked = b'"cache_control"' in bytes(before["content"])
    same = all(bytes(before[name]) == bytes(after[name]) for name in before if name != "content")
    return same and (not marked or b'"cache_control"' in bytes(after["content"]))


def _without_arguments(raw: bytes) -> Json:
    message: Json = msgspec.json.decode(raw)
    for one in message.get("tool_calls") or []:
        one.get("function", {}).pop("arguments", None)
    return message


def is_packet(message: Json) -> bool:
    content = message.get("content")
    return (
        message.get("role") == "user" and isinstance(content, str) and content.split("\n")[0] == "[ctxmgr packet]"
    )


def is_prompt(message: Json) -> bool:
    return message.get("role") in ("system", "developer")


def may_leave(message: Json) -> bool:
    return is_packet(message) or message.get("name") in ("compactionSummary", "branchSummary")


def is_users(message: Json) -> bool:
    return message.get("role") == "user" and not is_packet(message)
