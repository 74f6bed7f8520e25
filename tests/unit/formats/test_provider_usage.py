"""Usage of every provider, normalised: what is in the cache is counted once; a count that does not tell of it is no
zero."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import FORMATS
from ctxmgr.formats.provider_usage import billed_usage, unknown_usage, usage
from ctxmgr.model.api import lifecycle
from ctxmgr.model.messages import Usage
from ctxmgr.session.methods.turn_end import checked


def counts(told: str) -> dict[str, Any]:
    """The usage object with these members; a slash leads into a member."""
    fields: dict[str, Any] = {}
    for word in told.split():
        name, _, count = word.partition("=")
        *outer, name = name.split("/")
        holder = fields
        for each in outer:
            holder = holder.setdefault(each, {})
        holder[name] = int(count)
    return fields


INSIDE, BESIDE = Usage(100, 20, 900, 0, 1_020, True), Usage(100, 20, 900, 50, 1_070, True)
CHAT = {"prompt_tokens": 1_000, "completion_tokens": 20}
CHATS: dict[str, dict[str, Any]] = {
    "DeepSeek": {"prompt_cache_hit_tokens": 900, "prompt_cache_miss_tokens": 100},
    "Kimi": {"cached_tokens": 900},
    "Mistral": {"num_cached_tokens": 900, "prompt_token_details": {"cached_tokens": 900}},
    "Mistral's details": {"prompt_token_details": {"cached_tokens": 900}},
    "OpenHands": {"cache_read_tokens": 900, "cache_write_tokens": 0, "context_window": 128_000},
    "vLLM, no details of the output": {"prompt_tokens_details": {"cached_tokens": 900}, "output_details": None},
}
CHAT_CAMEL = {"promptTokens": 1_000, "completionTokens": 20, "totalTokens": 1_020}
SNAKE, CAMEL = {"input_tokens": 1_000, "output_tokens": 20}, {"inputTokens": 1_000, "outputTokens": 20}
WHOLE: dict[str, dict[str, Any]] = {
    "LangChain": {**SNAKE, "total_tokens": 1_020, "input_token_details": {"cache_read": 900, "cache_creation": 0}},
    "OpenAI's Realtime": {**SNAKE, "total_tokens": 1_020, "input_token_details": {"cached_tokens": 900}},
    "pydantic-ai": {**SNAKE, "cache_read_tokens": 900, "cache_write_tokens": 0, "requests": 1, "details": {}},
    "Codex": {**SNAKE, "cached_input_tokens": 900, "reasoning_output_tokens": 4, "total_tokens": 1_020},
    "Codex, of a session": {
        "total_token_usage": {"input_tokens": 9_000, "output_tokens": 90, "total_tokens": 9_090},
        "last_token_usage": {**SNAKE, "cached_input_tokens": 900, "total_tokens": 1_020},
        "model_context_window": 200_000,
    },
    "Codex's app server": {
        "total": {"inputTokens": 9_000, "outputTokens": 90},
        "last": {**CAMEL, "cachedInputTokens": 900},
    },
    "Agent Framework": counts(
        "input_token_count=1000 output_token_count=20 total_token_count=1020 cache_read_input_token_count=900"
    ),
    "AI SDK 5": {**CAMEL, "totalTokens": 1_020, "reasoningTokens": 8, "cachedInputTokens": 900},
    "AI SDK 6": {**CAMEL, "inputTokenDetails": {"noCacheTokens": 100, "cacheReadTokens": 900}},
    "AI SDK's providers": counts(
        "inputTokens/total=1000 inputTokens/noCache=100 inputTokens/cacheRead=900 outputTokens/total=20 "
        "outputTokens/text=20"
    ),
    "Gemini's SDK": {"prompt_token_count": 1_000, "cached_content_token_count": 900, "candidates_token_count": 20},
    "Mistral's and OpenRouter's SDKs": {**CHAT_CAMEL, "promptTokensDetails": {"cachedTokens": 900}},
    "Continue": counts("promptTokens=1000 completionTokens=20 promptTokensDetails/cachedTokens=900"),
    "Mastra": {**CHAT_CAMEL, "cachedInputTokens": 900},
    "DeepSeek, in camelCase": {**CHAT_CAMEL, "promptCacheHitTokens": 900, "promptCacheMissTokens": 100},
    ".NET": {"inputTokenCount": 1_000, "outputTokenCount": 20, "cachedInputTokenCount": 900},
    "Cohere": counts(
        "billed_units/input_tokens=77 billed_units/output_tokens=20 tokens/input_tokens=1000 "
        "tokens/output_tokens=20 cached_tokens=900"
    ),
    "DashScope": {**SNAKE, "total_tokens": 1_020, "prompt_tokens_details": {"cached_tokens": 900}},
    "DashScope, no total": {**SNAKE, "prompt_tokens_details": {"cached_tokens": 900}},
    "CrewAI": {**CHAT, "total_tokens": 1_020, "cached_prompt_tokens": 900, "successful_requests": 1},
    "Genkit": {**CAMEL, "totalTokens": 1_020, "cachedContentTokens": 900, "inputCharacters": 4_000},
    "Gemini's interactions": counts(
        "total_input_tokens=1000 total_output_tokens=15 total_thought_tokens=5 total_cached_tokens=900 "
        "total_tokens=1020"
    ),
    "Vertex' interactions": {"totalInputTokens": 1_000, "totalOutputTokens": 20, "totalCachedTokens": 900},
    "xAI: thoughts beside the output": counts(
        "prompt_tokens=1000 completion_tokens=5 total_tokens=1020 prompt_tokens_details/cached_tokens=900 "
        "completion_tokens_details/reasoning_tokens=15"
    ),
    "Gemini CLI's chats": {"input": 1000, "output": 15, "cached": 900, "thoughts": 5, "tool": 0, "total": 1020},
    "OpenTelemetry": counts(
        "gen_ai.usage.input_tokens=1000 gen_ai.usage.output_tokens=20 gen_ai.usage.cache_read.input_tokens=900"
    ),
    "OpenTelemetry, as it was spelled before": counts(
        "gen_ai.usage.input_tokens=1000 gen_ai.usage.output_tokens=20 "
        "gen_ai.usage.input_tokens.cached=900 gen_ai.usage.total_tokens=1020"
    ),
    "OpenInference": counts(
        "llm.token_count.prompt=1000 llm.token_count.completion=20 llm.token_count.total=1020 "
        "llm.token_count.prompt_details.cache_read=900"
    ),
    "Hunyuan": counts(
        "PromptTokens=1000 CompletionTokens=20 TotalTokens=1020 PromptTokensDetails/CachedTokens=900"
    ),
    "Letta": counts(
        "prompt_tokens=1000 completion_tokens=20 total_tokens=1020 step_count=1 cached_input_tokens=900 "
        "cache_write_tokens=0"
    ),
    "Helicone": {"prompt_cache_read_tokens": 900, "prompt_tokens": 1000, "completion_tokens": 20},
    "browser-use": {
        "prompt_tokens": 1000,
        "prompt_cached_tokens": 900,
        "prompt_cache_creation_tokens": None,
        "completion_tokens": 20,
        "total_tokens": 1020,
    },
    "OpenRouter's generations": counts(
        "tokens_prompt=1000 tokens_completion=20 native_tokens_prompt=1000 native_tokens_completion=20 "
        "native_tokens_cached=900 native_tokens_reasoning=3"
    ),
    "Gemini's Live API": counts(
        "promptTokenCount=1000 responseTokenCount=20 cachedContentTokenCount=900 totalTokenCount=1020"
    ),
    "Copilot CLI": counts(
        "inputTokens=1000 outputTokens=20 cacheReadTokens=900 cacheWriteTokens=0 reasoningTokens=3"
    ),
    "AI SDK, with the provider's own": counts(
        "inputTokens=1000 outputTokens=20 totalTokens=1020 inputTokenDetails/noCacheTokens=100 "
        "inputTokenDetails/cacheReadTokens=900 inputTokenDetails/cacheWriteTokens=0 "
        "outputTokenDetails/textTokens=20 outputTokenDetails/reasoningTokens=0 raw/input_tokens=100 "
        "raw/cache_read_input_tokens=900"
    ),
    "goose": counts(
        "input_tokens=1000 output_tokens=20 total_tokens=1020 cache_read_input_tokens=900 "
        "cache_write_input_tokens=0"
    ),
    "goose, without a total": {**SNAKE, "cache_read_input_tokens": 900, "cache_write_input_tokens": 0},
    "goose, of a session": {
        **SNAKE,
        "total_tokens": 1020,
        "cache_read_input_tokens": 900,
        "cache_write_input_tokens": 0,
        "accumulated_input_tokens": 9000,
        "accumulated_cache_read_input_tokens": 8000,
    },
    "OpenTelemetry, nested": counts(
        "gen_ai/usage/input_tokens=1000 gen_ai/usage/output_tokens=20 gen_ai/usage/cache_read/input_tokens=900"
    ),
    "OpenTelemetry, within attributes": counts(
        "attributes/gen_ai.usage.input_tokens=1000 attributes/gen_ai.usage.output_tokens=20 "
        "attributes/gen_ai.usage.cache_read.input_tokens=900"
    ),
    "pydantic-ai's attributes": counts(
        "gen_ai.usage.input_tokens=1000 gen_ai.usage.output_tokens=20 gen_ai.usage.details.cache_read_tokens=900"
    ),
    "the AI SDK's attributes": counts(
        "ai.usage.inputTokens=1000 ai.usage.outputTokens=20 ai.usage.cachedInputTokens=900 "
        "ai.usage.totalTokens=1020"
    ),
    "AI SDK 6, the end of a stream": {
        "type": "finish",
        "finishReason": "stop",
        "totalUsage": {**CAMEL, "inputTokenDetails": {"noCacheTokens": 100, "cacheReadTokens": 900}},
    },
    "OpenAI's SDK for .NET": counts(
        "InputTokenCount=1000 OutputTokenCount=20 TotalTokenCount=1020 InputTokenDetails/CachedTokenCount=900"
    ),
    "Langfuse, a total without room": {"input": 1000, "output": 20, "total": 1020, "input_cached_tokens": 900},
    "xAI's responses": counts(
        "input_tokens=1000 input_tokens_details/cached_tokens=900 output_tokens=20 "
        "output_tokens_details/reasoning_tokens=8 total_tokens=1020 num_sources_used=0 "
        "cost_in_usd_ticks=199"
    ),
}
APART: dict[str, dict[str, Any]] = {
    "Bedrock": counts(
        "inputTokens=100 outputTokens=20 totalTokens=120 cacheReadInputTokens=900 cacheWriteInputTokens=50"
    ),
    "Bedrock, with its cache by lifetime": {
        "inputTokens": 100,
        "outputTokens": 20,
        "totalTokens": 1070,
        "cacheReadInputTokens": 900,
        "cacheWriteInputTokens": 50,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 20}, {"ttl": "1h", "inputTokens": 30}],
    },
    "AI SDK 5, of Anthropic": counts(
        "usage/inputTokens=100 usage/outputTokens=20 usage/totalTokens=120 usage/cachedInputTokens=900 "
        "providerMetadata/anthropic/usage/input_tokens=100 "
        "providerMetadata/anthropic/usage/output_tokens=20 "
        "providerMetadata/anthropic/usage/cache_read_input_tokens=900 "
        "providerMetadata/anthropic/usage/cache_creation_input_tokens=50 "
        "providerMetadata/anthropic/cacheCreationInputTokens=50"
    ),
    "Langfuse": {"input": 100, "output": 20, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 50},
    "Claude Agent SDK": {
        "inputTokens": 100,
        "outputTokens": 20,
        "cacheReadInputTokens": 900,
        "cacheCreationInputTokens": 50,
        "costUSD": 0.1,
    },
    "OpenCode": {"input": 100, "output": 15, "reasoning": 5, "cache": {"read": 900, "write": 50}},
    "Cline": {"tokensIn": 100, "tokensOut": 20, "cacheReads": 900, "cacheWrites": 50},
    "Agent Client Protocol": counts(
        "inputTokens=100 outputTokens=15 thoughtTokens=5 cachedReadTokens=900 cachedWriteTokens=50 totalTokens=1070"
    ),
    "Inspect": counts(
        "input_tokens=100 output_tokens=20 total_tokens=1070 input_tokens_cache_read=900 "
        "input_tokens_cache_write=50"
    ),
    "Anthropic, in camelCase": counts(
        "inputTokens=100 outputTokens=20 cacheReadInputTokens=900 cacheCreationInputTokens=50"
    ),
    "Bedrock, by the count's name": counts(
        "inputTokens=100 outputTokens=20 cacheReadInputTokenCount=900 cacheWriteInputTokenCount=50"
    ),
    "Kimi CLI": {"input_other": 100, "output": 20, "input_cache_read": 900, "input_cache_creation": 50},
    "Amp": {
        "model": "m",
        "maxInputTokens": 200000,
        "inputTokens": 100,
        "outputTokens": 20,
        "cacheCreationInputTokens": 50,
        "cacheReadInputTokens": 900,
        "totalInputTokens": 1050,
    },
    "Factory's droid": counts(
        "inputTokens=100 outputTokens=20 cacheCreationTokens=50 cacheReadTokens=900 thinkingTokens=4"
    ),
    "Claude Code's model usage": counts(
        "claude-opus-5/inputTokens=100 claude-opus-5/outputTokens=20 "
        "claude-opus-5/cacheReadInputTokens=900 claude-opus-5/cacheCreationInputTokens=50 "
        "claude-opus-5/webSearchRequests=0 claude-opus-5/costUSD=1 claude-opus-5/contextWindow=200000"
    ),
    "hermes-agent": counts(
        "input_tokens=100 output_tokens=20 cache_read_tokens=900 cache_write_tokens=50 total_tokens=1070"
    ),
    "Cursor": {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 900, "cacheWriteTokens": 50},
    "Bedrock's metrics": counts(
        "inputTokenCount=100 outputTokenCount=20 cacheReadInputTokenCount=900 "
        "cacheWriteInputTokenCount=50 invocationLatency=7"
    ),
}
NOT_TOLD: dict[str, dict[str, Any]] = {  # whether anything was cached
    "AI SDK 4": CHAT_CAMEL,
    "pydantic-ai before 1.0": {"request_tokens": 1000, "response_tokens": 20, "total_tokens": 1020, "requests": 1},
    "Spring AI before 1.0": {"promptTokens": 1000, "generationTokens": 20, "totalTokens": 1020},
    "llama.cpp's completions": {"tokens_evaluated": 1000, "tokens_predicted": 20, "tokens_cached": 1020},
    "LM Studio's SDKs": {"promptTokensCount": 1000, "predictedTokensCount": 20, "totalTokensCount": 1020},
    "OpenLLMetry": {"gen_ai.usage.prompt_tokens": 1000, "gen_ai.usage.completion_tokens": 20},
    "Spring AI": {**CHAT_CAMEL, "nativeUsage": {}},
    "Azure": {"completionTokens": 20, "promptTokens": 1_000, "totalTokens": 1_020},
    "LangChain4j": {"inputTokenCount": 1_000, "outputTokenCount": 20, "totalTokenCount": 1_020},
    "watsonx": {"input_token_count": 1_000, "generated_token_count": 20},
    "LM Studio": {"input_tokens": 1_000, "total_output_tokens": 20, "tokens_per_second": 43.7},
    "Ollama, in camelCase": {"promptEvalCount": 1_000, "evalCount": 20, "evalDuration": 9},
    "CLOVA Studio": {"inputLength": 1_000, "outputLength": 20, "stopReason": "stop_before"},
    "Coze": {"token_count": 1_020, "output_count": 20, "input_count": 1_000},
    "Cohere 1": {"billed_units": {"input_tokens": 1_000, "output_tokens": 20}},
    "LangChain JS": {"tokenUsage": CHAT_CAMEL},
    "LlamaIndex": {"prompt_token_count": 1000, "completion_token_count": 20, "total_token_count": 1020},
    "LlamaIndex, of its handler": counts(
        "prompt_llm_token_count=1000 completion_llm_token_count=20 total_llm_token_count=1020"
    ),
    "LlamaIndex, a reply's own": {"raw": {"usage": {**CHAT, "total_tokens": 1_020}}},
    "Llama on Bedrock": {"prompt_token_count": 1000, "generation_token_count": 20, "stop_reason": "stop"},
    "Continue, TGI": {"prompt_tokens": 1000, "generated_tokens": 20},
    "OpenAI of the AI SDK before 5, as attributes": counts(
        "ai.usage.promptTokens=1000 ai.usage.completionTokens=20"
    ),
    "Code Assist": {"usageMetadata": {"promptTokenCount": 1_000, "candidatesTokenCount": 20}},
    "a reply as a whole": {"id": "x", "created": 1_700_000_000, "usage": {**CHAT, "total_tokens": 1_020}},
    "the same twice, in both spellings": {**CHAT, "promptTokens": 1_000, "completionTokens": 0},
    "two rows' names": {"prompt_tokens": 1_000, "output_tokens": 20},
    "thoughts within the output": {
        **CHAT,
        "total_tokens": 1_020,
        "completion_tokens_details": {"reasoning_tokens": 15},
    },
    "YandexGPT: numbers as texts": {
        "inputTextTokens": "1000",
        "completionTokens": "20",
        "totalTokens": "1020",
        "completionTokensDetails": {"reasoningTokens": "0"},
    },
    "Spark": {"text": {"question_tokens": 4, "prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}},
    "Perplexity": {
        "prompt_tokens": 1000,
        "completion_tokens": 20,
        "total_tokens": 1020,
        "citation_tokens": 300,
        "num_search_queries": 2,
        "search_context_size": "low",
        "cost": {"input_tokens_cost": 0.1, "output_tokens_cost": 0.2},
    },
}
TABLE: list[tuple[str, dict[str, Any], Usage | None]] = [
    ("ours", {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}, Usage(1, 2, 3, 4, 10, True)),
    (
        "anthropic: input is beside the cache",
        counts("input_tokens=10 cache_read_input_tokens=1000 cache_creation_input_tokens=50 output_tokens=5"),
        Usage(10, 5, 1_000, 50, 1_065, True),
    ),
    ("ours, nothing read", {"input": 1, "cacheRead": 0}, Usage(1, 0, 0, 0, 1, True)),
    ("anthropic without a cache", {"input_tokens": 10, "output_tokens": 5}, Usage(10, 5, 0, 0, 15)),
    (
        "openai: the cached are inside",
        counts(
            "prompt_tokens=1000 completion_tokens=20 total_tokens=1020 "
            "prompt_tokens_details/cached_tokens=900 prompt_tokens_details/audio_tokens=0"
        ),
        Usage(100, 20, 900, 0, 1_020, True),
    ),
    (
        "responses: inside too",
        counts(
            "input_tokens=1000 input_tokens_details/cached_tokens=900 output_tokens=20 "
            "output_tokens_details/reasoning_tokens=8 total_tokens=1020"
        ),
        Usage(100, 20, 900, 0, 1_020, True),
    ),
    (
        "litellm: both names, the cached are inside",
        counts(
            "prompt_tokens=10000 completion_tokens=100 total_tokens=10100 cache_read_input_tokens=9000 "
            "cache_creation_input_tokens=0 prompt_tokens_details/cached_tokens=9000"
        ),
        Usage(1_000, 100, 9_000, 0, 10_100, True),
    ),
    (
        "a total that has no room for them beside the input",
        {"input_tokens": 1_000, "output_tokens": 20, "cache_read_input_tokens": 900, "total_tokens": 1_020},
        Usage(100, 20, 900, 0, 1_020, True),
    ),
    (
        "more in the cache than was sent: it cannot be inside",
        {"prompt_tokens": 10, "completion_tokens": 5, "cache_read_input_tokens": 1_000, "total_tokens": 15},
        Usage(10, 5, 1_000, 0, 1_015, True),
    ),
    (
        "both names for nothing, and the details tell",
        counts(
            "input_tokens=1000 cache_read_input_tokens=0 cache_creation_input_tokens=0 "
            "input_tokens_details/cached_tokens=900"
        ),
        Usage(100, 0, 900, 0, 1_000, True),
    ),
    (
        "gemini: the cached are inside, thoughts beside the answer",
        counts(
            "promptTokenCount=1000 cachedContentTokenCount=900 candidatesTokenCount=20 "
            "thoughtsTokenCount=30 totalTokenCount=1050"
        ),
        Usage(100, 50, 900, 0, 1_050, True),
    ),
    (
        "gemini: what its own tools brought in",
        {"promptTokenCount": 1_000, "toolUsePromptTokenCount": 200, "candidatesTokenCount": 20},
        Usage(1_200, 20, 0, 0, 1_220),
    ),
    ("nothing", {}, None),
    (
        "more cached than there was input is beside it",
        {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1_000}},
        Usage(10, 5, 1_000, 0, 1_015, True),
    ),
    (
        "a total that is the sum of all: the cached are beside",
        {**CHAT, "total_tokens": 1_920, "prompt_tokens_details": {"cached_tokens": 900}},
        Usage(1_000, 20, 900, 0, 1_920, True),
    ),
    *((f"{name}, inside", {**CHAT, "total_tokens": 1_020, **cached}, INSIDE) for name, cached in CHATS.items()),
    *((f"{name}, inside", fields, INSIDE) for name, fields in WHOLE.items()),
    (
        "llama.cpp: usage with its timings",
        {**CHAT, "total_tokens": 1_020, "timings": {"prompt_n": 100, "cache_n": 900, "predicted_n": 20}},
        INSIDE,
    ),
    ("llama.cpp: timings", {"prompt_n": 100, "cache_n": 900, "predicted_n": 20, "prompt_ms": 7.5}, INSIDE),
    *((f"{name}, beside", fields, BESIDE) for name, fields in APART.items()),
    *((name, fields, Usage(1_000, 20, 0, 0, 1_020)) for name, fields in NOT_TOLD.items()),
    (
        "Bedrock: a total that leaves out what was cached",
        {**CAMEL, "totalTokens": 1_020, "cacheReadInputTokens": 900, "cacheWriteInputTokens": 0},
        Usage(1_000, 20, 900, 0, 1_920, True),
    ),
    ("ollama", {"prompt_eval_count": 1_000, "eval_count": 20, "eval_duration": 9}, Usage(1_000, 20, 0, 0, 1_020)),
    (
        "OpenCode, nothing cached: thoughts are beside the output",
        {"input": 100, "output": 20, "reasoning": 30, "cache": {"read": 0, "write": 0}},
        Usage(100, 50, 0, 0, 150, True),
    ),
    (
        "OpenRouter, written",
        {
            **CHAT,
            "total_tokens": 1_020,
            "prompt_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 100},
            "cost": 0.1,
        },
        Usage(100, 20, 800, 100, 1_020, True),
    ),
    (
        "Codex, what was written alone",
        {"input_tokens": 1_000, "cached_input_tokens": 0, "cache_write_input_tokens": 900, "output_tokens": 20},
        Usage(100, 20, 0, 900, 1_020, True),
    ),
    (
        "hermes-agent: a total that has room for the cached beside",
        {"input_tokens": 1_000, "output_tokens": 20, "cache_read_tokens": 900, "total_tokens": 1_920},
        Usage(1_000, 20, 900, 0, 1_920, True),
    ),
    (
        "Bedrock's metrics: beside, though there would be room",
        counts("inputTokenCount=1000 outputTokenCount=20 cacheReadInputTokenCount=900 cacheWriteInputTokenCount=0"),
        Usage(1_000, 20, 900, 0, 1_920, True),
    ),
    (
        "GigaChat: what was cached is in no total",
        {"prompt_tokens": 1_000, "completion_tokens": 20, "precached_prompt_tokens": 37, "total_tokens": 1_020},
        Usage(1_000, 20, 37, 0, 1_057, True),
    ),
    (
        "LiteLLM, written",
        {
            **CHAT,
            "total_tokens": 1_020,
            "prompt_tokens_details": {"cached_tokens": 800, "cache_creation_tokens": 100},
        },
        Usage(100, 20, 800, 100, 1_020, True),
    ),
    (
        "goose: written, inside the input",
        {**SNAKE, "total_tokens": 1_020, "cache_read_input_tokens": 800, "cache_write_input_tokens": 100},
        Usage(100, 20, 800, 100, 1_020, True),
    ),
    (
        "Codex' app server: written, inside the input",
        {**CAMEL, "totalTokens": 1_020, "cachedInputTokens": 800, "cacheWriteInputTokens": 100},
        Usage(100, 20, 800, 100, 1_020, True),
    ),
    (
        "AI SDK 6, written",
        {**CAMEL, "inputTokenDetails": {"noCacheTokens": 100, "cacheReadTokens": 800, "cacheWriteTokens": 100}},
        Usage(100, 20, 800, 100, 1_020, True),
    ),
    (
        "Roo Code: sums over a task, and the context of the last call",
        {
            "totalTokensIn": 9_000,
            "totalTokensOut": 90,
            "totalCacheReads": 8_000,
            "totalCacheWrites": 50,
            "totalCost": 0.1,
            "contextTokens": 1_020,
        },
        Usage(0, 0, 0, 0, 1_020),
    ),
    ("Agent Client Protocol: what the window holds", {"used": 53_000, "size": 200_000}, Usage(0, 0, 0, 0, 53_000)),
    ("nonsense", {"prompt_tokens": "many", "input_tokens": -1, "output_tokens": True}, None),
]


def test_what_was_used() -> None:
    for name, fields, expected in TABLE:
        assert usage(fields) == expected, name


def test_what_nobody_knows_is_named() -> None:
    for fields, names in (
        ({"foo": 1}, ("foo",)),
        ({"foo": {"bar": 1}, "of a user": 2, "baz": None}, ("foo.bar",)),
        ({**CHAT, "cache_tokens_of_ours": 900}, ("cache_tokens_of_ours",)),
        ({**CHAT, "cache_tokens_of_ours": 0, "cost": 0.1}, ()),
        ({**CHAT, "prompt_cache_miss_tokens": 9, "cache_creation": {"ephemeral_5m_input_tokens": 1}}, ()),
        ({**SNAKE, "input_details": {"held_in_cache": 900}}, ("input_details.held_in_cache",)),
        ({"gen_ai": {"usage": {"words": 9}}}, ("gen_ai.usage.words",)),
        ({**CHAT, "cached": "900"}, ()),
        ({"input_tokens": 0}, ()),
        ({"totalTokens": 1_020, "promptTok": 1_000, "replyTok": 20}, ("promptTok", "replyTok")),
        ({"input_tokens": 1_000, "written_tokens": 20, "seconds": 3}, ("written_tokens",)),
        ({"prefill_count": 1_000, "output_tokens": 20, "total_tokens": 1_020}, ("prefill_count",)),
        ({"input_tokens": 1_000, "output_tokens": 0, "written_tokens": 20}, ()),
        ({"usage": {"total_tokens": 1_020, "read_tokens": 1_000}}, ("usage.total_tokens", "usage.read_tokens")),
        ({"usage": {**CHAT, "cacheTokensOfOurs": 9}, "cost": 1}, ("cacheTokensOfOurs",)),
        ({}, ()),
        (None, ()),
    ):
        assert unknown_usage(fields) == names, fields
    for name, fields, _ in TABLE:
        assert unknown_usage(fields) == (), name


def test_it_comes_through_the_wire() -> None:
    for name, fields, expected in (row for row in TABLE if row[0] != "nonsense"):
        raw = msgspec.json.encode({"sessionId": "s", "message": {}, "usage": fields})
        params = msgspec.json.decode(raw, type=lifecycle.TurnEndParams)
        assert params.usage is not None
        msgspec.convert(checked(params.usage), lifecycle.UsageParams)
        for form in FORMATS:
            assert FORMATS[form].usage(params.usage) == expected, (form, name)


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.floats() | st.text()))
def test_nothing_raises(fields: dict[str, Any]) -> None:
    found = usage(fields)
    assert found is None or found.total_tokens > 0
    assert all(name in fields for name in unknown_usage(fields))


def _call(kind: str, sent: int, read: int = 0, written: int = 0, output: int = 0) -> dict[str, Any]:
    counts = {"input_tokens": sent, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}
    return {"type": kind, **counts, "output_tokens": output}


FIRST, ADVISOR = _call("message", 2, 0, 90_000, 100), _call("advisor_message", 91_000, 0, 0, 700)
LAST = _call("message", 2, 90_000, 1_200, 300)
SEVERAL: list[tuple[str, dict[str, Any], Usage, Usage]] = [
    (
        "an advisor is asked: counts are the sum of both calls of the model",
        {**_call("", 4, 90_000, 91_200, 400), "iterations": [FIRST, ADVISOR, LAST]},
        Usage(2, 400, 0, 90_000, 91_502, True),
        Usage(91_004, 1_100, 90_000, 91_200, 273_304, True),
    ),
    (
        "the provider compacts: its own call is in no sum",
        {
            "input_tokens": 23_000,
            "output_tokens": 1_000,
            "iterations": [
                {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500},
                {"type": "message", "input_tokens": 23_000, "output_tokens": 1_000},
            ],
        },
        Usage(23_000, 1_000, 0, 0, 24_000),
        Usage(203_000, 4_500, 0, 0, 207_500),
    ),
    (
        "a tool of the provider's, in three calls, and the sums are of the last alone",
        {
            **_call("", 10, 40_000, 0, 30),
            "iterations": [
                _call("message", 10, 0, 40_000, 10),
                _call("message", 10, 40_000, 0, 10),
                _call("message", 10, 40_000, 0, 30),
            ],
        },
        Usage(10, 50, 0, 40_000, 40_040, True),
        Usage(30, 50, 80_000, 40_000, 120_080, True),
    ),
    (
        "another model takes over",
        {
            **_call("", 200, 0, 0, 20),
            "iterations": [_call("message", 100, 0, 0, 0), _call("fallback_message", 100, 0, 0, 20)],
        },
        Usage(100, 20, 0, 0, 120, True),
        Usage(200, 20, 0, 0, 220, True),
    ),
    (
        "in camelCase, of no type",
        {
            "inputTokens": 200,
            "outputTokens": 20,
            "iterations": [{"inputTokens": 90, "outputTokens": 10}, {"inputTokens": 110, "outputTokens": 10}],
        },
        Usage(90, 20, 0, 0, 120),
        Usage(200, 20, 0, 0, 220),
    ),
    (
        "one call",
        {**_call("", 2, 90_000, 1_200, 300), "iterations": [LAST]},
        Usage(2, 300, 90_000, 1_200, 91_502, True),
        Usage(2, 300, 90_000, 1_200, 91_502, True),
    ),
    (
        "none of it can be read",
        {**CHAT, "iterations": [7, {"type": "message"}, None]},
        *[Usage(1_000, 20, 0, 0, 1_020)] * 2,
    ),
]


def test_a_request_of_several_calls_is_as_large_as_the_last_and_billed_for_all() -> None:
    for name, fields, one, billed in SEVERAL:
        assert usage(fields) == one, name
        assert billed_usage(fields) == billed, name
        assert unknown_usage(fields) == (), name
    for name, fields, expected in TABLE:
        assert billed_usage(fields) == expected, name
