"""What OpenAI's Responses API takes as a list of items, and what of one ctxmgr may put anew: see `lists`.

1. Each call has an output after it, each output a call before it; an id is asked with and answered once.
   The output of a search that the provider ran has no id, and stands right behind its call. An approval, and a call
   that needed one, have the request before them.
2. Reasoning is followed by an item of the same answer. (That such an item keeps the reasoning it came with is told
   by the bytes: items leave only with their turn.)
3. Some item is there, and the first that is no prompt is no answer's and no output.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

Json = dict[str, Any]
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def illegal(items: Sequence[Json]) -> list[str]:
    found = ["an empty list"] if not items else []
    asked: dict[Any, int] = {}
    answered: set[Any] = set()
    requested: set[Any] = set()
    for at, one in enumerate(items):
        kind = str(one.get("type"))
        id = one.get("call_id")
        needs = one.get("approval_request_id")
        if needs is not None and needs not in requested:
            found.append(f"{kind} {at} has no request before it")
        requested |= {one.get("id")} if kind == "mcp_approval_request" else set()
        if kind == "tool_search_output" and id is None:
            if at == 0 or items[at - 1].get("type") != "tool_search_call":
                found.append(f"output {at} of a search has no call before it")
        elif kind.endswith("_call_output") or kind == "tool_search_output":
            if id not in asked or id in answered:
                found.append(f"output {at} answers no call before it")
            answered.add(id)
        elif id is not None:
            if id in asked:
                found.append(f"call {at} has an id that was used before")
            asked[id] = at
        if kind == "reasoning" and not (at + 1 < len(items) and _answers(items[at + 1])):
            found.append(f"reasoning {at} has nothing after it")
    found += [f"call {at} has no output" for id, at in asked.items() if id not in answered]
    spoken = [one for one in items if not is_prompt(one)]
    if spoken and spoken[0].get("role") != "user":
        found.append(f"the list begins with {spoken[0].get('type')}")
    return found


def rewritten(old: bytes, new: bytes) -> bool:
    """Is `new` the output `old` with nothing but its text changed?"""
    before, after = _members(old), _members(new)
    if not bytes(before.get("type", b"")).endswith(b'_call_output"') or list(before) != list(after):
        return False
    return all(bytes(before[name]) == bytes(after[name]) for name in before if name != "output")


def is_packet(item: Json) -> bool:
    content = item.get("content")
    texts = [content] if isinstance(content, str) else [part.get("text") for part in content or []]
    return item.get("role") == "user" and [str(one).split("\n")[0] for one in texts] == ["[ctxmgr packet]"]


def is_prompt(item: Json) -> bool:
    return item.get("role") in ("system", "developer") or str(item.get("type")).startswith("compaction")


def may_leave(item: Json) -> bool:
    return is_packet(item)


def is_users(item: Json) -> bool:
    return item.get("role") == "user" and not is_packet(item)


def _answers(item: Json) -> bool:
    """Is this an item that a model wrote?"""
    kind = str(item.get("type"))
    return item.get("role") == "assistant" or kind == "reasoning" or kind.endswith("_call")
