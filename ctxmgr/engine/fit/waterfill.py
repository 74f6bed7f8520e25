"""Computes the cap at which a list fits: only what is larger is cut, down to the cap.

The arguments of a call are cut the same way, with its long texts as the amounts.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.rewriting import Gap, cut, text_of
from ctxmgr.model import Weigh

Vessel = tuple[int, int]
"""What something weighs, and the least that it may be cut to, in tokens."""


def water_level(vessels: Sequence[Vessel], over: float) -> int:
    """The highest cap, in tokens, that saves `over`: each is cut to the cap or to its own minimum, whichever is
    more. 0 if even that is not enough.
    """
    low, high = 0, max((weight for weight, _ in vessels), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if lost(vessels, middle) >= over:
            low = middle
        else:
            high = middle - 1
    return low


def lost(vessels: Sequence[Vessel], cap: int) -> int:
    """What this cap saves, in tokens."""
    return sum(max(0, weight - max(cap, least)) for weight, least in vessels)


def characters(text: str, tokens: int, weigh: Weigh) -> int:
    """How many characters at the start of a text have at least this many tokens, or all of it."""
    if not tokens:
        return 0
    size = 4 * tokens
    while size < len(text) and weigh(text[:size]) < tokens:
        size += size // 4
    return min(size, len(text))


TEXT_LEAST = 60  # tokens; no text in arguments is cut further
TRIES = 3  # attempts with less each time, since JSON escapes add to what is cut

Line = Callable[[int, int], str]
"""The line that says how much was cut: (tokens in all, tokens that are left out)."""


def cut_arguments(
    tool: str, arguments: dict[str, Any], tokens: int, weigh: Weigh, line: Line
) -> tuple[dict[str, Any], int] | None:
    """The arguments in about `tokens`, and the call's tokens then; None if they contain no long text.

    Long texts lose their middle. Keys, types, list lengths and short values stay, since a provider checks arguments
    against the tool's schema.
    """
    texts: dict[str, int] = {}

    def noted(text: str) -> str:
        texts[text] = weigh(text)
        return text

    _each(arguments, noted)
    whole, wanted = call_weight(tool, arguments, weigh), tokens
    best: tuple[dict[str, Any], int] | None = None
    for _ in range(TRIES):
        cap = max(TEXT_LEAST, water_level([(weight, TEXT_LEAST) for weight in texts.values()], whole - wanted))
        shorter = _each(arguments, lambda text, cap=cap: _shorter(text, texts[text], cap, weigh, line))  # type: ignore[misc]
        weight = call_weight(tool, shorter, weigh)
        if weight < whole:
            best = shorter, weight
        if weight <= tokens or cap == TEXT_LEAST:
            break
        wanted -= weight - tokens
    return best


def call_weight(tool: str, arguments: dict[str, Any], weigh: Weigh) -> int:
    """Of a call, in tokens, as its message's reader counts it."""
    return weigh(f"{tool} {msgspec.json.encode(arguments).decode()}")


def _shorter(text: str, whole: int, cap: int, weigh: Weigh, line: Line) -> str:
    if whole <= cap:
        return text
    done = cut(text, whole, cap, weigh, Gap(lambda left, start, end: line(whole, left)))
    return text if done is None else text_of(done.parts, text)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    return [_each(item, change) for item in value] if isinstance(value, list) else value
