"""Turns weights and what they are over by into the cap at which they fit: only what is heavier is cut, to it.

So are the arguments of a call cut, whose long texts are the weights.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.rewriting import Gap, cut, text_of
from ctxmgr.model import Weigh

Vessel = tuple[int, int]
"""What something weighs, and the least that it may be cut to, in tokens."""


def water_level(vessels: Sequence[Vessel], over: float) -> int:
    """The highest cap, in tokens, at which these lose `over`: each is cut to the cap or to its least, whichever is
    more. 0 where even that would not do."""
    low, high = 0, max((weight for weight, _ in vessels), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if lost(vessels, middle) >= over:
            low = middle
        else:
            high = middle - 1
    return low


def lost(vessels: Sequence[Vessel], cap: int) -> int:
    """What they lose at this cap, in tokens."""
    return sum(max(0, weight - max(cap, least)) for weight, least in vessels)


def characters(text: str, tokens: int, weigh: Weigh) -> int:
    """So many characters at the start of a text weigh these tokens at least, or are all of it."""
    if not tokens:
        return 0
    size = 4 * tokens
    while size < len(text) and weigh(text[:size]) < tokens:
        size += size // 4
    return min(size, len(text))


TEXT_LEAST = 60  # tokens: no text in arguments is cut to less
TRIES = 3  # JSON escapes what is cut in its own way: so often less is tried

Line = Callable[[int, int], str]
"""The line that says how much was cut: (tokens in all, tokens that are left out)."""


def cut_arguments(
    tool: str, arguments: dict[str, Any], tokens: int, weigh: Weigh, line: Line
) -> tuple[dict[str, Any], int] | None:
    """The arguments in about `tokens`, and what the call weighs then; None where they hold no long text.

    Long texts lose their middle. Keys, types, the length of lists and short values stay: a provider checks
    arguments against the tool's schema.
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
    """Of a call, in tokens, as a message's reader weighs it."""
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
