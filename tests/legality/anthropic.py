"""What Anthropic's Messages API takes as a list, and what of a message ctxmgr may put anew: see `lists`.

Consecutive messages of one role are combined by the API; the rules hold for what it makes of them.

1. The first message is a user's.
2. Each tool call is answered by one result in the user's message right after it, and each result answers such a
   call. Results stand before all else in that message.
3. No more than four cache marks. A result put anew keeps its mark.
4. A system message stands behind a user's or an answer that waits for the provider's tool, and before an answer or
   at the end; no two are side by side. One may leave with the answer that it is for.
5. What the provider ran and its outcome, and the calls that its code made, go on from one another by id.
6. An answer with calls whose results follow begins with its thinking where it has any, each block with its
   signature. (That thinking is as it came, the bytes of kept messages tell.)
"""

from collections.abc import Sequence
from typing import Any

import msgspec

CACHE_MARKS = 4

Json = dict[str, Any]
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode
_THINKING = ("thinking", "redacted_thinking")


def illegal(messages: Sequence[Json]) -> list[str]:
    turns = _combined([one for one in messages if one.get("role") != "system"])
    found = ["an empty list"] if not turns else []
    found += [*_misplaced(messages), *_without_opener(turns)]
    if turns and turns[0][0] != "user":
        found.append(f"the list begins with {turns[0][0]}")
    asked: list[Any] = []
    for at, (role, blocks) in enumerate(turns):
        results = [block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"]
        if sorted(map(str, asked)) != sorted(map(str, results)):
            found.append(f"turn {at} answers {results} where {asked} were asked")
        kinds = [block.get("type") == "tool_result" for block in blocks]
        if kinds != sorted(kinds, reverse=True):
            found.append(f"turn {at} has results after something else")
        asked = (
            [block.get("id") for block in blocks if block.get("type") == "tool_use"] if role == "assistant" else []
        )
        found += _thoughtless(at, blocks)
    marks = sum(_marks(block) for _, blocks in turns for block in blocks)
    if marks > CACHE_MARKS:
        found.append(f"{marks} cache marks")
    return found


def _misplaced(messages: Sequence[Json]) -> list[str]:
    found = ["a system message comes first"] if messages and messages[0].get("role") == "system" else []
    for at in (at for at, one in enumerate(messages) if at and one.get("role") == "system"):
        before, after = messages[at - 1], messages[at + 1] if at + 1 < len(messages) else {"role": "assistant"}
        last = (_blocks(before) or [{}])[-1].get("type")
        if before.get("role") != "user" and not (before.get("role") == "assistant" and last == "server_tool_use"):
            found.append(f"system message {at} follows {before.get('role')}")
        if after.get("role") != "assistant":
            found.append(f"system message {at} stands before {after.get('role')}")
    return found


def _without_opener(turns: Sequence[tuple[str, list[Json]]]) -> list[str]:
    opened, found = set[Any](), []
    for block in (block for role, blocks in turns if role == "assistant" for block in blocks):
        kind, caller = str(block.get("type")), block.get("caller") or {}
        opened |= {block.get("id")} if kind in ("server_tool_use", "mcp_tool_use") else set()
        needs = block.get("tool_use_id") if kind.endswith("_tool_result") else caller.get("tool_id")
        if needs is not None and needs not in opened:
            found.append(f"{kind} goes on from {needs}, which is not there")
    return found


def rewritten(old: bytes, new: bytes) -> bool:
    """Is `new` the message `old` with nothing but the content of tool results changed?"""
    before, after = _members(old), _members(new)
    if bytes(before.get("role", b"")) != b'"user"' or list(before) != list(after):
        return False
    if any(bytes(before[name]) != bytes(after[name]) for name in before if name != "content"):
        return False
    if not all(bytes(one["content"]).startswith(b"[") for one in (before, after)):
        return False
    olds, news = _elements(before["content"]), _elements(after["content"])
    return len(olds) == len(news) and all(map(_same_but_content, olds, news))


def is_packet(message: Json) -> bool:
    content = message.get("content")
    return (
        message.get("role") == "user" and isinstance(content, str) and content.split("\n")[0] == "[ctxmgr packet]"
    )


def is_prompt(message: Json) -> bool:
    return False


def may_leave(message: Json) -> bool:
    return is_packet(message) or message.get("role") == "system"


def is_users(message: Json) -> bool:
    if message.get("role") != "user" or is_packet(message):
        return False
    return any(block.get("type") != "tool_result" for block in _blocks(message))


def _same_but_content(old: msgspec.Raw, new: msgspec.Raw) -> bool:
    if bytes(old) == bytes(new):
        return True
    before, after = _members(old), _members(new)
    if bytes(before.get("type", b"")) != b'"tool_result"' or before.keys() - {"content"} != after.keys() - {
        "content"
    }:
        return False
    marked = b'"cache_control"' in bytes(before.get("content", b""))
    same = all(bytes(before[name]) == bytes(after[name]) for name in before if name != "content")
    return same and (not marked or b'"cache_control"' in bytes(after["content"]))


def _combined(messages: Sequence[Json]) -> list[tuple[str, list[Json]]]:
    turns: list[tuple[str, list[Json]]] = []
    for one in messages:
        role = str(one.get("role"))
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(_blocks(one))
        else:
            turns.append((role, _blocks(one)))
    return turns


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def _thoughtless(at: int, blocks: list[Json]) -> list[str]:
    thoughts = [number for number, block in enumerate(blocks) if block.get("type") in _THINKING]
    found = [
        f"turn {at} has thinking without a signature"
        for number in thoughts
        if blocks[number]["type"] == "thinking" and not blocks[number].get("signature")
    ]
    calls = [number for number, block in enumerate(blocks) if block.get("type") == "tool_use"]
    if thoughts and calls and thoughts[0] > calls[0]:
        found.append(f"turn {at} calls before it thinks")
    return found


def _marks(block: Json) -> int:
    content = block.get("content")
    inner = content if isinstance(content, list) else []
    return sum("cache_control" in one for one in (block, *inner) if isinstance(one, dict))
