"""Turns a host's answers to `complete` and `embed` into completions and vectors. No answer of a host raises.

An invalid answer (an error, another shape) is a failed completion, described without the host's words. An answer
far beyond the requested length is cut: megabytes are no summary, and would take seconds to read.
"""

from concurrent.futures import Future
from typing import Any

import msgspec

from ctxmgr.model.api import compaction
from ctxmgr.model.compaction import Completion, CompletionUsage, Stop

# as spelled by pi and by OpenAI's, Anthropic's and Google's APIs
STOPS: dict[str, Stop] = {
    "stop": "stop",
    "end_turn": "stop",
    "endTurn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "maxTokens": "length",
    "toolUse": "toolUse",
    "tool_use": "toolUse",
    "tool_calls": "toolUse",
    "aborted": "cancelled",
    "cancelled": "cancelled",
}

CHARACTERS_A_TOKEN = 16  # with slack, as an endpoint's answers are cut (`ctxmgr.devices.endpoint.apis`)
SPARE_CHARACTERS = 4_096


def completion_of(done: "Future[Any]", max_tokens: int) -> Completion:
    """The result of a `complete` request for this many tokens that has ended and that we did not cancel."""
    fault = done.exception()
    if fault is not None:
        code = getattr(fault, "code", None)
        return Completion(
            stop="error", fault=f"the host answered error {code}" if code else "the host gave no answer"
        )
    try:
        answer = msgspec.convert(done.result(), compaction.CompleteResult)
    except msgspec.ValidationError:
        return Completion(stop="error", fault="the host's answer has not the shape {text, stopReason, usage?}")
    stop, spent = STOPS.get(answer.stop_reason, "error"), _spent(answer.usage)
    limit = max_tokens * CHARACTERS_A_TOKEN + SPARE_CHARACTERS
    if stop == "stop" and len(answer.text) > limit:
        return Completion(answer.text[:limit], "length", spent)
    return Completion(answer.text, stop, spent, "the model failed" if stop == "error" else "")


def vectors(done: "Future[Any]", count: int) -> list[list[float]] | None:
    """The vectors of an `embed` request. None unless they are `count` of one length."""
    if done.exception() is not None:
        return None
    try:
        vectors = msgspec.convert(done.result(), compaction.EmbedResult).vectors
    except msgspec.ValidationError:
        return None
    if len(vectors) != count or len({len(vector) for vector in vectors}) > 1 or not all(vectors):
        return None
    return vectors


def _spent(usage: Any) -> CompletionUsage | None:
    """Input includes tokens read from and written to a cache."""
    if not isinstance(usage, dict):
        return None

    def number(name: str) -> int:
        value = usage.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0
        return int(value) if 0 <= value < 2**53 else 0

    return CompletionUsage(number("input") + number("cacheRead") + number("cacheWrite"), number("output"))
