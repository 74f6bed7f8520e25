"""Turns what a host reports as usage, in our words or as its provider gave it, into ours: input without what the
cache gave or took, and a total. It knows no message format: every one reads usage with it.

Rules:
1. Ours is `{input, output, cacheRead, cacheWrite, totalTokens?}` or `{tokens}` in every format.
2. Anthropic's `input_tokens` are those outside of the cache: reads and writes are counted beside them.
3. OpenAI's `prompt_tokens` (chat completions) and `input_tokens` (responses) hold the cached ones: they are taken
   out, so that no token is counted twice.
4. Which of both it is, its own members tell, whatever the message format: gateways mix them. LiteLLM gives OpenAI's
   `prompt_tokens` and Anthropic's cache counts in one object, and the cached are inside. A total tells too: beside
   `input_tokens` it must have room for them, and they are beside `prompt_tokens` only where it is just that sum.
   What is more than was sent can not be inside.
5. Gemini's `promptTokenCount` holds the cached ones; what its own tools brought into the prompt, and what was
   thought, stand beside it and beside the answer.
6. A count of what was read from the cache that is not there is none: it is not the same as a zero.
"""

from typing import Any

import msgspec

from ctxmgr.model import Usage

_OURS = ("input", "output", "cacheRead", "cacheWrite")
_ANTHROPIC = ("cache_read_input_tokens", "cache_creation_input_tokens")
_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_READS = ("cacheRead", "cache_read_input_tokens", "cachedContentTokenCount")
_NUMBERS = (int, float)  # a bool is none
_GEMINI_SENT = ("promptTokenCount", "toolUsePromptTokenCount")
_GEMINI_OUTPUT = ("candidatesTokenCount", "thoughtsTokenCount")

Counts = dict[str, int]  # the members that are a number of tokens


def usage(fields: Any) -> Usage | None:
    """The usage of a decoded usage object, in tokens; None where it holds no count. The total holds the output."""
    if not isinstance(fields, dict):
        return None
    counts = _counts(fields)
    found = _ours(counts) or _provider(counts, fields) or _gemini(counts)
    return msgspec.structs.replace(found, has_cache_read=True) if found and _tells_reads(fields) else found


def _counts(fields: dict[str, Any]) -> Counts:
    return {name: int(value) for name, value in fields.items() if type(value) in _NUMBERS and 0 <= value < 2**53}


def _ours(counts: Counts) -> Usage | None:
    parts = [counts.get(name, 0) for name in _OURS]
    total = counts.get("tokens") or counts.get("totalTokens") or sum(parts)
    return Usage(parts[0], parts[1], parts[2], parts[3], total) if total else None


def _provider(counts: Counts, fields: dict[str, Any]) -> Usage | None:
    chat = counts.get("prompt_tokens", 0)
    sent = chat or counts.get("input_tokens", 0)
    output = counts.get("output_tokens") or counts.get("completion_tokens", 0)
    total = counts.get("total_tokens", 0)
    read, written = (counts.get(name, 0) for name in _ANTHROPIC)
    apart = sent + read + written + output  # what all came to if the cached were beside
    beside = total == apart if chat else total == 0 or total >= apart
    if read + written > sent or (beside and read + written):
        return Usage(sent, output, read, written, max(total, apart))
    details = fields.get(_DETAILS[0]) or fields.get(_DETAILS[1])
    held = _counts(details).get("cached_tokens", 0) if isinstance(details, dict) else 0
    read = min(sent - written, read or held)
    total = total or sent + output
    return Usage(sent - read - written, output, read, written, total) if total else None


def _gemini(counts: Counts) -> Usage | None:
    sent, output = (sum(counts.get(name, 0) for name in some) for some in (_GEMINI_SENT, _GEMINI_OUTPUT))
    read = min(sent, counts.get("cachedContentTokenCount", 0))
    total = counts.get("totalTokenCount") or sent + output
    return Usage(sent - read, output, read, 0, total) if total else None


def _tells_reads(fields: dict[str, Any]) -> bool:
    """Rule 6."""
    for name in _READS:
        if fields.get(name) is not None:
            return True
    details = (fields.get(name) for name in _DETAILS)
    return any(isinstance(detail, dict) and detail.get("cached_tokens") is not None for detail in details)
