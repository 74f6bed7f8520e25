"""What the Gemini API takes as a list of contents, and what of one ctxmgr may put anew: see `lists`.

Consecutive contents of one role are one turn; the rules hold for those.

1. The first turn is a user's. Roles are user and model, and no content is without a part.
2. Each function call is answered by one response in the turn right after it, and each response answers such a call:
   by its id, or, where it has none, by its function's name, in the order of the calls of that name.

That thought signatures are as they came the bytes of kept contents tell.

Source: Google, "Function calling" and "Thought signatures" of the Gemini API; its errors 400 "Please ensure that
function call turn comes immediately after a user turn or after a function response turn", "... function response
turn comes immediately after a function call turn", "... the number of function response parts is equal to the
number of function call parts of the function call turn", "contents.parts must not be empty".
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

Json = dict[str, Any]
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def illegal(contents: Sequence[Json]) -> list[str]:
    found = ["an empty list"] if not contents else []
    found += [f"content {at} has no part" for at, one in enumerate(contents) if not one.get("parts")]
    turns = _turns(contents)
    if turns and turns[0][0] != "user":
        found.append(f"the list begins with {turns[0][0]}")
    asked: list[str] = []
    for at, (role, parts) in enumerate(turns):
        if role not in ("user", "model"):
            found.append(f"turn {at} has the role {role}")
        answered = _names(parts, "functionResponse")
        if sorted(asked) != sorted(answered):
            found.append(f"turn {at} answers {answered} where {asked} were asked")
        asked = _names(parts, "functionCall") if role == "model" else []
    found += [f"{asked} are not answered"] if asked else []
    return found


def rewritten(old: bytes, new: bytes) -> bool:
    """Is `new` the content `old` with nothing but its function responses changed?"""
    before, after = _members(old), _members(new)
    if bytes(before.get("role", b"")) != b'"user"' or list(before) != list(after):
        return False
    if any(bytes(before[name]) != bytes(after[name]) for name in before if name != "parts"):
        return False
    olds, news = _elements(before["parts"]), _elements(after["parts"])
    return len(olds) == len(news) and all(map(_same_but_response, olds, news))


def is_packet(content: Json) -> bool:
    texts = [part.get("text") for part in content.get("parts") or []]
    return content.get("role") == "user" and [str(one).split("\n")[0] for one in texts] == ["[ctxmgr packet]"]


def is_prompt(content: Json) -> bool:
    return False  # they stand beside the list


def may_leave(content: Json) -> bool:
    return is_packet(content)


def is_users(content: Json) -> bool:
    said = any("functionResponse" not in part for part in content.get("parts") or [])
    return content.get("role") == "user" and said and not is_packet(content)


def _turns(contents: Sequence[Json]) -> list[tuple[str, list[Json]]]:
    turns: list[tuple[str, list[Json]]] = []
    for one in contents:
        role = str(one.get("role"))
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(one.get("parts") or [])
        else:
            turns.append((role, list(one.get("parts") or [])))
    return turns


def _names(parts: Sequence[Json], kind: str) -> list[str]:
    """What tells each call or response of a turn."""
    found: list[str] = []
    counts: Counter[str] = Counter()
    for one in (part[kind] for part in parts if kind in part):
        if one.get("id"):
            found.append(f"id {one['id']}")
        else:
            found.append(f"{one.get('name')} {counts[one.get('name')]}")
            counts[one.get("name")] += 1
    return found


def _same_but_response(old: msgspec.Raw, new: msgspec.Raw) -> bool:
    if bytes(old) == bytes(new):
        return True
    before, after = _members(old), _members(new)
    if list(before) != ["functionResponse"] or list(after) != ["functionResponse"]:
        return False
    was, now = _members(before["functionResponse"]), _members(after["functionResponse"])
    return [bytes(was.get(name, b"")) for name in ("id", "name")] == [
        bytes(now.get(name, b"")) for name in ("id", "name")
    ]
