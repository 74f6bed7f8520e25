"""Turns the arguments of a call that are too long into ones of the same shape whose long texts lose their middle.

Keys, types, the length of lists and short values stay: a provider checks arguments against the tool's schema.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.engine.fit.water import water_level
from ctxmgr.engine.rewriting import Gap, cut, text_of
from ctxmgr.model import Weigh

TEXT_LEAST = 60  # tokens: no text in arguments is cut to less
TRIES = 3  # JSON escapes what is cut in its own way: so often less is tried

Line = Callable[[int, int], str]
"""The line that says how much was cut: (tokens in all, tokens that are left out)."""


def cut_arguments(
    tool: str, arguments: dict[str, Any], tokens: int, weigh: Weigh, line: Line
) -> tuple[dict[str, Any], int] | None:
    """The arguments in about `tokens`, and what the call weighs then; None where they hold no long text."""
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
        return {key: _each(one, change) for key, one in value.items()}
    return [_each(one, change) for one in value] if isinstance(value, list) else value
