"""The newest part of a list: what goes out where ctxmgr does not answer and the whole does not fit.

Rules:
1. Prompts at the front stay. Of the rest as many of the newest whole turns as fit.
2. Where not even the newest turn fits: what it begins with, and as many of its newest whole steps as fit, at least
   one. A model that sees its newest results goes on; a request that is too long is refused.
3. A step begins where the model speaks after somebody else, and parts no call from its result: providers refuse
   either without the other.

Knows of a message what it needs, in any of the formats; what it can not read is nobody's.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any


def newest(messages: Sequence[Any], weights: Sequence[float], room: float) -> list[int]:
    """The places of the messages that stay, in order; all of them where nothing can be left out. `weights`: what
    each takes up of `room`."""
    count = len(messages)
    first = next((place for place, one in enumerate(messages) if not _is_prompt(one)), count)
    behind = [*reversed([*accumulate(reversed(weights), initial=0.0)])]  # what all from a message on take up
    left = room - (behind[0] - behind[first])
    turns = [place for place in range(first, count) if _opens_turn(messages[place])]
    prompts = list(range(first))
    whole = _first_fitting(turns, behind, left)
    if whole is not None:
        return prompts + list(range(whole, count))
    turn = turns[-1] if turns else first
    steps = _step_starts(messages, turn)
    start = steps[0] if steps else count
    opening = behind[turn] - behind[start]
    step = _first_fitting(steps, behind, left - opening)
    if step is None:
        step = steps[-1] if steps else start
    return prompts + list(range(turn, start)) + list(range(step, count))


def _first_fitting(starts: Iterable[int], behind: Sequence[float], room: float) -> int | None:
    return next((place for place in starts if behind[place] <= room), None)


def _step_starts(messages: Sequence[Any], turn: int) -> list[int]:
    """Rule 3, from `turn` on. Ids may come again in a later step: a result is of the nearest call before it."""
    called = {id for message in messages[turn:] for id in _calls(message)}
    waiting: set[str] = set()  # results whose call is still to come, further to the front
    starts = []
    for place in range(len(messages) - 1, turn - 1, -1):
        waiting |= {id for id in _results(messages[place]) if id in called}
        waiting.difference_update(_calls(messages[place]))
        speaks = _of_model(messages[place]) and (place == turn or not _of_model(messages[place - 1]))
        if speaks and not waiting:
            starts.append(place)
    return starts[::-1]


def _is_prompt(message: Any) -> bool:
    return _member(message, "role") in ("system", "developer")


def _opens_turn(message: Any) -> bool:
    """A message of the user that is no tool's result (Anthropic's results lie in such messages)."""
    return _member(message, "role") == "user" and not _blocks(message, "tool_result")


def _of_model(message: Any) -> bool:
    """An assistant's message, or an item of the Responses API that the model made."""
    role, kind = _member(message, "role"), _member(message, "type")
    if role is not None:
        return bool(role == "assistant")
    return isinstance(kind, str) and not kind.endswith("_output")


def _calls(message: Any) -> list[str]:
    listed = _member(message, "tool_calls")
    inside = [*_blocks(message, "toolCall", "tool_use"), *(listed if isinstance(listed, list) else ())]
    return _ids([*(_member(one, "id") for one in inside), _item_id(message, "_call")])


def _results(message: Any) -> list[str]:
    own = [_member(message, "toolCallId"), _member(message, "tool_call_id"), _item_id(message, "_output")]
    return _ids([*(_member(one, "tool_use_id") for one in _blocks(message, "tool_result")), *own])


def _item_id(message: Any, end: str) -> Any:
    kind = _member(message, "type")
    return _member(message, "call_id") if isinstance(kind, str) and kind.endswith(end) else None


def _ids(found: Iterable[Any]) -> list[str]:
    return [one for one in found if isinstance(one, str)]


def _blocks(message: Any, *types: str) -> list[Any]:
    content = _member(message, "content")
    return [one for one in content if _member(one, "type") in types] if isinstance(content, list) else []


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
