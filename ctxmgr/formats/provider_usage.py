"""Turns what a host reports as usage, in our words or as its provider or framework gave it, into ours: input
without what the cache gave or took, and a total. It knows no message format: every one reads usage with it.

Rules:
1. `SHAPES` has a row for each way to spell it, whatever the message format: gateways mix them. The row that tells
   what was cached is taken, else the first that has input or output, else the first that has a total.
2. A row says whether the cached tokens are part of its input, where they are taken out so that no token is counted
   twice, or stand beside it. What is more than was sent can not be part of it.
3. Anthropic's names are used both ways: LiteLLM gives OpenAI's `prompt_tokens` and Anthropic's cache counts in one
   object, and the cached are inside. There the total tells: beside `input_tokens` it must have room for them, and
   they are beside `prompt_tokens` only where it is just that sum.
4. A count of what was read from the cache that is not there is none: it is not the same as a zero.
5. An object of which no member is known says nothing; nor does a count of a cache that no row has. Both are named.
"""

import re
from collections.abc import Iterator
from itertools import repeat
from typing import Any, Literal, NamedTuple

from ctxmgr.model import Usage, expression

Names = tuple[str, ...]
Counts = dict[str, int]  # the members that are a number of tokens


class UsageShape(NamedTuple):
    """How one provider or framework spells its counts; a dot leads into a member. `input`, `output`: members that
    are added up. `read`, `written`, `total`: of these the first that counts is taken. `cached`: beside
    the input or in it."""

    input: Names
    output: Names
    read: Names = ()
    written: Names = ()
    total: Names = ()
    cached: Literal["inside", "beside", "by total"] = "inside"


_CHAT = ("prompt_tokens",)
_INPUT, _OUTPUT, _TOTAL = ("input_tokens",), ("output_tokens",), ("total_tokens",)
_CAMEL, _CAMEL_OUTPUT, _CAMEL_TOTAL = ("inputTokens",), ("outputTokens",), ("totalTokens",)
_LANGCHAIN_WRITTEN = tuple(
    f"input_token_details.{name}"
    for name in ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
)
_READ, _WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"

SHAPES: dict[str, UsageShape] = {
    "ours, pi": UsageShape(
        ("input",), ("output",), ("cacheRead",), ("cacheWrite",), ("tokens", "totalTokens"), "beside"
    ),
    "chat completions": UsageShape(
        _CHAT,
        ("completion_tokens",),
        (
            _READ,  # LiteLLM: docs.litellm.ai/docs/completion/prompt_caching
            "prompt_tokens_details.cached_tokens",  # OpenAI, xAI, OpenRouter, vLLM, llama.cpp
            "prompt_cache_hit_tokens",  # DeepSeek: api-docs.deepseek.com/api/create-chat-completion
            "cached_tokens",  # Kimi, Together
            "num_cached_tokens",  # Mistral
            "prompt_token_details.cached_tokens",  # Mistral
            "cache_read_tokens",  # OpenHands' metrics
        ),
        (
            _WRITTEN,
            "prompt_tokens_details.cache_write_tokens",  # OpenRouter: openrouter.ai/docs, PromptTokensDetails
            "prompt_tokens_details.cache_creation_input_tokens",  # Qwen
            "cache_write_tokens",
        ),
        _TOTAL,
        "by total",
    ),
    "Anthropic": UsageShape(_INPUT, _OUTPUT, (_READ,), (_WRITTEN,), _TOTAL, "by total"),
    # platform.openai.com/docs/api-reference/responses; Codex' rollouts; Azure's InputTokensDetailsResource
    "responses": UsageShape(
        _INPUT,
        _OUTPUT,
        ("input_tokens_details.cached_tokens", "cached_input_tokens", "cached_tokens"),
        ("input_tokens_details.cache_write_tokens",),
        _TOTAL,
    ),
    # reference.langchain.com/python/langchain-core/messages/ai/UsageMetadata: input is the sum of all kinds of it
    "LangChain": UsageShape(_INPUT, _OUTPUT, ("input_token_details.cache_read",), _LANGCHAIN_WRITTEN, _TOTAL),
    # ai.pydantic.dev/api/usage; that the cached are in the input: `_map_usage` of its models/anthropic.py
    "pydantic-ai": UsageShape(
        _INPUT, _OUTPUT, ("cache_read_tokens",), ("cache_write_tokens", "cache_creation_tokens"), _TOTAL
    ),
    # ai.google.dev/api/generate-content#UsageMetadata: what its own tools brought, and thoughts, stand beside
    "Gemini": UsageShape(
        ("promptTokenCount", "toolUsePromptTokenCount"),
        ("candidatesTokenCount", "thoughtsTokenCount"),
        ("cachedContentTokenCount",),
        total=("totalTokenCount",),
    ),
    "Gemini's SDK in Python": UsageShape(
        ("prompt_token_count", "tool_use_prompt_token_count"),
        ("candidates_token_count", "thoughts_token_count"),
        ("cached_content_token_count",),
        total=("total_token_count",),
    ),
    # ai-sdk.dev/docs/reference/ai-sdk-core/generate-text, LanguageModelUsage of 5 and 6; OpenAI Agents SDK
    "AI SDK": UsageShape(
        _CAMEL,
        _CAMEL_OUTPUT,
        (
            "inputTokenDetails.cacheReadTokens",
            "cachedInputTokens",
            "cacheReadTokens",
            "inputTokensDetails.cached_tokens",
            "inputTokensDetails.cachedTokens",
        ),
        ("inputTokenDetails.cacheWriteTokens", "cacheWriteTokens"),
        _CAMEL_TOTAL,
    ),
    # docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html; the Claude Agent SDK's ModelUsage; Strands
    "Bedrock": UsageShape(
        _CAMEL,
        _CAMEL_OUTPUT,
        ("cacheReadInputTokens", "cacheReadInputTokenCount"),
        ("cacheWriteInputTokens", "cacheCreationInputTokens", "cacheWriteInputTokenCount"),
        cached="beside",
    ),
    "AI SDK's providers": UsageShape(
        ("inputTokens.total",), ("outputTokens.total",), ("inputTokens.cacheRead",), ("inputTokens.cacheWrite",)
    ),
    # opencode, packages/opencode/src/session/message-v2.ts: `tokens` of a reply
    "OpenCode": UsageShape(
        ("input",), ("output", "reasoning"), ("cache.read",), ("cache.write",), ("total",), "beside"
    ),
    # cline, src/shared/getApiMetrics.ts: `tokensIn` of `api_req_started`
    "Cline, Roo Code": UsageShape(("tokensIn",), ("tokensOut",), ("cacheReads",), ("cacheWrites",), (), "beside"),
    # kimi-cli, kosong's TokenUsage
    "Kimi CLI": UsageShape(
        ("input_other",), ("output",), ("input_cache_read",), ("input_cache_creation",), ("total",), "beside"
    ),
    # ollama, docs/api.md
    "Ollama": UsageShape(("prompt_eval_count",), ("eval_count",)),
    # llama.cpp, tools/server/README.md: prompt_n + cache_n + predicted_n are the context
    "llama.cpp": UsageShape(("prompt_n",), ("predicted_n",), ("cache_n",), cached="beside"),
    "llama.cpp, within": UsageShape(
        ("timings.prompt_n",), ("timings.predicted_n",), ("timings.cache_n",), cached="beside"
    ),
}

_ROWS = tuple(SHAPES.values())


def _rows_by(*parts: int) -> dict[str, int]:
    """Which rows have a name in one of these fields, a bit each, the first the lowest."""
    by: dict[str, int] = {}
    for number, row in enumerate(_ROWS):
        for name in (name for part in parts for name in row[part]):
            by[name] = by.get(name, 0) | 1 << number
    return by


_SENT, _CACHED, _TOTALLED, _READS = _rows_by(0, 1), _rows_by(2, 3), _rows_by(4), _rows_by(2)
_KNOWN = frozenset((*_SENT, *_CACHED, *_TOTALLED))
_NUMBERS = (int, float)  # a bool is none
_ZEROS = repeat(0)
_CACHE = expression(r"cache", re.IGNORECASE)
_SAID_TWICE = expression(r"^cache_creation\.|details|miss|uncached|no_?cache|audio|over_200k", re.IGNORECASE)
_NAME = expression(r"[A-Za-z_][\w.-]{0,60}")
MOST_NAMED = 8


def usage(fields: Any) -> Usage | None:
    """The usage of a decoded usage object, in tokens; None where it holds no count. The total holds the output."""
    counts = _counts(fields) if isinstance(fields, dict) else {}
    shape = _shape(counts)
    if shape is None:
        return None
    sent, output = sum(map(counts.get, shape.input, _ZEROS)), sum(map(counts.get, shape.output, _ZEROS))
    read, written, total = (_first(counts, names) for names in (shape.read, shape.written, shape.total))
    apart = sent + read + written + output  # what all came to if the cached were beside
    is_beside = shape.cached == "beside" or read + written > sent
    if shape.cached == "by total" and not is_beside:
        is_beside = total == apart if shape.input == _CHAT else total == 0 or total >= apart
    if not is_beside:
        sent -= read + written
    elif shape.cached != "beside":
        total = max(total, apart)
    total = total or sent + read + written + output
    return Usage(sent, output, read, written, total, not counts.keys().isdisjoint(_READS))


def unknown_usage(fields: Any) -> tuple[str, ...]:
    """The names of the members where none is known, else of the counts of a cache that no row has (rule 5)."""
    members = dict(_members(fields))
    if members.keys().isdisjoint(_KNOWN):
        names = iter(members)
    else:
        known = (name for name, count in _counts(fields).items() if count and name not in _KNOWN)
        names = (name for name in known if _CACHE.search(name) and not _SAID_TWICE.search(name))
    return tuple(name for name in names if _NAME.fullmatch(name))[:MOST_NAMED]


def _shape(counts: Counts) -> UsageShape | None:
    """Rule 1. A zero of a cache tells which row it is, too."""
    sent = cached = told = total = 0
    for name, count in counts.items():
        told |= _CACHED.get(name, 0)
        if count:
            sent |= _SENT.get(name, 0)
            cached |= _CACHED.get(name, 0)
            total |= _TOTALLED.get(name, 0)
    rows = sent & cached or sent & told or sent or cached or total
    return _ROWS[(rows & -rows).bit_length() - 1] if rows else None


def _first(counts: Counts, names: Names) -> int:
    for name in names:
        if count := counts.get(name):
            return count
    return 0


def _members(fields: Any) -> Iterator[tuple[str, Any]]:
    """(name, value) of each member that is told; of an object within, its own."""
    for name, value in fields.items() if isinstance(fields, dict) else ():
        for inner, held in value.items() if isinstance(value, dict) else ((None, value),):
            if held is not None:
                yield str(name) if inner is None else f"{name}.{inner}", held


def _counts(fields: dict[str, Any]) -> Counts:
    """Those of an object within, too."""
    counts: Counts = {}
    for name, value in fields.items():
        kind = type(value)
        if kind in _NUMBERS and 0 <= value < 2**53:
            counts[name] = int(value)
        elif kind is dict:
            for inner, held in value.items():
                if type(held) in _NUMBERS and 0 <= held < 2**53:
                    counts[f"{name}.{inner}"] = int(held)
    return counts
