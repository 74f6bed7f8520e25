"""Turns what a provider reports as usage into ours: input without what the cache gave or took, and a total.

Rules:
1. Ours is `{input, output, cacheRead, cacheWrite, totalTokens?}` or `{tokens}` in every format.
2. Anthropic's `input_tokens` are those outside of the cache: reads and writes are counted beside them.
3. OpenAI's `prompt_tokens` (chat completions) and `input_tokens` (responses) hold the cached ones: they are taken
   out, so that no token is counted twice.
4. Which of both it is, its own members tell, whatever the message format: gateways mix them. Only where they tell
   nothing the two are the same.
"""

from typing import Any

from ctxmgr.formats import pi
from ctxmgr.model.messages import Usage

_ANTHROPIC = ("cache_read_input_tokens", "cache_creation_input_tokens")


def usage(fields: Any) -> Usage | None:
    """The usage of a decoded usage object, in tokens; None where it holds no count."""
    if not isinstance(fields, dict):
        return None
    return pi.usage(fields) or _provider(fields)


def _provider(fields: dict[str, Any]) -> Usage | None:
    sent = _number(fields, "input_tokens") or _number(fields, "prompt_tokens")
    output = _number(fields, "output_tokens") or _number(fields, "completion_tokens")
    if any(fields.get(name) is not None for name in _ANTHROPIC):
        read, written = (_number(fields, name) for name in _ANTHROPIC)
        total = sent + read + written + output
    else:
        details = fields.get("input_tokens_details") or fields.get("prompt_tokens_details")
        held = _number(details, "cached_tokens") if isinstance(details, dict) else 0
        read, written = min(sent, held), 0
        total = _number(fields, "total_tokens") or sent + output
        sent -= read
    return Usage(sent, output, read, written, total) if total else None


def _number(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53
    return int(value) if good else 0  # type: ignore[arg-type]
