"""Turns the usage that a host reports, in our words or in those of its provider or framework, into ours: input
without cached tokens, cache reads and writes, and a total. It knows no message format: all formats read usage with
it.

Rules:
1. `SHAPES` has one row per spelling, for all message formats, because gateways mix them. The row with cache counts
   is used, otherwise the first with input or output, otherwise the first with a total. Counts that it lacks come
   from the first row that has them.
2. A name in camelCase and the same name in snake_case are one name, unless a row has it in camelCase: SDKs use
   their language's style. Members of nested objects are read by their names with dots, to DEPTH levels.
3. A row says whether its input includes the cached tokens. If it does, they are subtracted, so that no token is
   counted twice. Cached tokens that exceed the input cannot be part of it.
4. Anthropic's names are used both ways: LiteLLM gives OpenAI's `prompt_tokens`, which include the cached tokens,
   and Anthropic's cache counts in one object. Then the total decides. With `input_tokens`, the cached tokens are
   separate if the total is large enough for them; with `prompt_tokens`, only if the total is exactly that sum.
5. Reasoning tokens are part of the output, unless the total is larger by exactly their number.
6. If an object has no input and no output, an inner object that has them is read instead, to DEPTH levels. Of
   several, the one of the last call is used (Codex).
7. A missing count of cache reads is unknown, not zero.
8. Anthropic makes several calls for one request if its own tools need them. Each is one of `iterations`, and the
   counts beside them are the sum over those of the kinds in `MESSAGES`. The last of these says where the next call
   starts, the first says how much of the list was read from the cache. All of them are billed (`billed_usage`).
9. `unknown_usage` reports an object without any known member, a cache count that no row has, and any other token
   count if input or output is missing.
"""

import re
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import repeat
from operator import add
from typing import Any, Literal, NamedTuple

import msgspec

from ctxmgr.model import Usage, expression

Names = tuple[str, ...]
Counts = dict[str, int]  # members that are token counts


class UsageShape(NamedTuple):
    """How one provider or framework spells its counts, in snake_case (rule 2); a dot leads into a member.

    `input`, `output`: members that are added. `read`, `written`, `total`: the first of these that is not 0 is used.
    `cached`: whether the input includes the cached tokens ("beside" if not); "by total" leaves the decision to the
    total.
    """

    input: Names
    output: Names
    read: Names = ()
    written: Names = ()
    total: Names = ()
    cached: Literal["inside", "beside", "inside by total", "beside by total"] = "inside"


_INPUT, _OUTPUT, _TOTAL = ("input_tokens",), ("output_tokens",), ("total_tokens",)
_LANGCHAIN_WRITTEN = tuple(
    f"input_token_details.{name}"
    for name in ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
)
_READ, _WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"
_BEDROCK_WRITTEN = "cacheWriteInputTokens"
_ANTHROPIC = "provider_metadata.anthropic.usage."

SHAPES: dict[str, UsageShape] = {
    "ours, pi": UsageShape(
        ("input",), ("output",), ("cache_read",), ("cache_write",), ("tokens", "total_tokens"), "beside"
    ),
    # in camelCase: the AI SDK 4, Mastra, Spring AI, Continue, the SDKs of Azure, Mistral and OpenRouter
    "chat completions": UsageShape(
        ("prompt_tokens",),
        ("completion_tokens",),
        (
            _READ,  # LiteLLM: docs.litellm.ai/docs/completion/prompt_caching
            "prompt_tokens_details.cached_tokens",  # OpenAI, xAI, OpenRouter, vLLM, llama.cpp; DashScope's own API
            "prompt_cache_hit_tokens",  # DeepSeek: api-docs.deepseek.com/api/create-chat-completion
            "cached_tokens",  # Kimi, Together
            "num_cached_tokens",  # Mistral
            "prompt_token_details.cached_tokens",  # Mistral
            "cache_read_tokens",  # OpenHands' metrics
            "cached_prompt_tokens",  # CrewAI's UsageMetrics
            "prompt_cached_tokens",  # browser-use: its ChatInvokeUsage
            "prompt_cache_read_tokens",  # Helicone
        ),
        (
            _WRITTEN,
            "prompt_tokens_details.cache_write_tokens",  # OpenRouter: openrouter.ai/docs, PromptTokensDetails
            "prompt_tokens_details.cache_creation_input_tokens",  # Qwen
            "prompt_tokens_details.cache_creation_tokens",  # LiteLLM
            "prompt_cache_creation_tokens",
            "prompt_cache_write_tokens",
            "cache_write_tokens",
        ),
        _TOTAL,
        "inside by total",
    ),
    # pydantic-ai before 1.0: its recorded messages keep these names
    "pydantic-ai, before 1.0": UsageShape(("request_tokens",), ("response_tokens",), total=_TOTAL),
    "Spring AI, before 1.0": UsageShape(
        ("prompt_tokens",),
        ("generation_tokens", "generated_tokens"),  # the second: Continue, Hugging Face TGI
        total=_TOTAL,
    ),
    "Anthropic": UsageShape(
        _INPUT,
        _OUTPUT,
        (
            _READ,
            "cached_read_tokens",  # Agent Client Protocol
            "input_tokens_cache_read",  # Inspect's ModelUsage
        ),
        (_WRITTEN, "cached_write_tokens", "input_tokens_cache_write"),
        _TOTAL,
        "beside by total",
    ),
    # platform.openai.com/docs/api-reference/responses; Codex' rollouts; Azure's InputTokensDetailsResource;
    # OpenAI's Agents SDK
    "responses": UsageShape(
        _INPUT,
        _OUTPUT,
        ("input_tokens_details.cached_tokens", "cached_input_tokens", "cached_tokens"),
        ("input_tokens_details.cache_write_tokens", "cache_write_input_tokens", _BEDROCK_WRITTEN),
        _TOTAL,
    ),
    # github.com/aaif-goose/goose/pull/9752: its input includes both; Bedrock has these names in camelCase alone
    "goose": UsageShape(_INPUT, _OUTPUT, (_READ,), ("cache_write_input_tokens",), _TOTAL, "inside by total"),
    # reference.langchain.com/python/langchain-core/messages/ai/UsageMetadata: input is the sum of all kinds
    "LangChain": UsageShape(
        _INPUT,
        _OUTPUT,
        ("input_token_details.cache_read", "input_token_details.cached_tokens"),  # the second: OpenAI's Realtime
        _LANGCHAIN_WRITTEN,
        _TOTAL,
    ),
    # api.ncloud-docs.com, CLOVA Studio: `result` of a chat completion
    "CLOVA Studio": UsageShape(("input_length",), ("output_length",)),
    # coze.com/open/docs/developer_guides/chat_v3: `usage` of a chat
    "Coze": UsageShape(("input_count",), ("output_count",), total=("token_count",)),
    # ai.pydantic.dev/api/usage; input includes the cached tokens: see `_map_usage` in its models/anthropic.py
    "pydantic-ai": UsageShape(
        _INPUT,
        _OUTPUT,
        ("cache_read_tokens",),
        ("cache_write_tokens", "cache_creation_tokens"),  # separate in hermes-agent; its total shows it
        _TOTAL,
        "inside by total",
    ),
    # ai-sdk.dev/docs/reference/ai-sdk-core/generate-text, LanguageModelUsage of 5 and 6; Genkit's GenerationUsage
    "AI SDK": UsageShape(
        _INPUT,
        _OUTPUT,
        ("input_token_details.cache_read_tokens", "cached_input_tokens", "cached_content_tokens"),
        ("input_token_details.cache_write_tokens",),
        _TOTAL,
    ),
    # its 5 leaves out what Anthropic cached, and has Anthropic's own counts beside the usage
    "AI SDK 5, of Anthropic": UsageShape(
        (_ANTHROPIC + "input_tokens",),
        (_ANTHROPIC + "output_tokens",),
        (_ANTHROPIC + _READ,),
        (_ANTHROPIC + _WRITTEN,),
        cached="beside",
    ),
    # docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html; Strands
    "Bedrock": UsageShape(
        _INPUT,
        _OUTPUT,
        (_READ, "cache_read_input_token_count"),
        (_BEDROCK_WRITTEN, "cache_write_input_token_count"),
        cached="beside",
    ),
    # ai.google.dev/api/generate-content#UsageMetadata: tokens of its own tools, and of reasoning, are separate
    "Gemini": UsageShape(
        ("prompt_token_count", "tool_use_prompt_token_count"),
        ("candidates_token_count", "response_token_count", "thoughts_token_count"),  # the second: Google's Live API
        ("cached_content_token_count",),
        total=("total_token_count",),
    ),
    # ai.google.dev/gemini-api/docs/interactions: `usage` of an Interaction
    "Gemini's interactions": UsageShape(
        ("total_input_tokens", "total_tool_use_tokens"),
        ("total_output_tokens", "total_thought_tokens"),  # only the first of them: LM Studio's REST API
        ("total_cached_tokens",),
        total=_TOTAL,
    ),
    # Microsoft.Extensions.AI's UsageDetails, and Agent Framework's; LangChain4j's TokenUsage
    ".NET, LangChain4j": UsageShape(
        ("input_token_count",),
        ("output_token_count", "generated_token_count"),  # the second: IBM's watsonx
        (
            "cached_input_token_count",
            "cache_read_input_token_count",
            "input_token_details.cached_token_count",  # OpenAI's SDK for .NET
        ),
        ("cache_creation_input_token_count",),
        ("total_token_count",),
    ),
    # Bedrock's `amazon-bedrock-invocationMetrics`
    "Bedrock's metrics": UsageShape(
        ("input_token_count",),
        ("output_token_count",),
        ("cache_read_input_token_count",),
        ("cache_write_input_token_count",),
        cached="beside",
    ),
    # developers.sber.ru/docs/ru/gigachat: no other count includes the cached tokens
    "GigaChat": UsageShape(
        ("prompt_tokens",), ("completion_tokens",), ("precached_prompt_tokens",), cached="beside"
    ),
    # yandex.cloud/docs, ContentUsage: its numbers are strings
    "YandexGPT": UsageShape(("input_text_tokens",), ("completion_tokens",), total=_TOTAL),
    # lmstudio.ai/docs/typescript, LLMPredictionStats
    "LM Studio's SDKs": UsageShape(
        ("prompt_tokens_count",), ("predicted_tokens_count",), total=("total_tokens_count",)
    ),
    # openrouter.ai/docs, "Get a generation"
    "OpenRouter's generations": UsageShape(
        ("native_tokens_prompt",), ("native_tokens_completion",), ("native_tokens_cached",)
    ),
    # opentelemetry.io/docs/specs/semconv/gen-ai: the input includes the cached tokens
    "OpenTelemetry": UsageShape(
        ("gen_ai.usage.input_tokens",),
        ("gen_ai.usage.output_tokens",),
        (
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
            "gen_ai.usage.input_tokens.cached",
            "gen_ai.usage.details.cache_read_tokens",  # pydantic-ai, with the next two
            "gen_ai.usage.details.cache_read_input_tokens",
            "gen_ai.usage.details.cached_tokens",
        ),
        (
            "gen_ai.usage.cache_creation.input_tokens",
            "gen_ai.usage.cache_creation_input_tokens",
            "gen_ai.usage.cache_write_input_tokens",
            "gen_ai.usage.details.cache_write_tokens",
            "gen_ai.usage.details.cache_creation_input_tokens",
        ),
        ("gen_ai.usage.total_tokens",),
    ),
    # the same before 1.27, as OpenLLMetry writes it
    "OpenTelemetry, before": UsageShape(
        ("gen_ai.usage.prompt_tokens",),
        ("gen_ai.usage.completion_tokens",),
        total=("llm.usage.total_tokens",),
    ),
    # github.com/Arize-ai/openinference, spec/semantic_conventions.md
    "OpenInference": UsageShape(
        ("llm.token_count.prompt",),
        ("llm.token_count.completion",),
        ("llm.token_count.prompt_details.cache_read",),
        ("llm.token_count.prompt_details.cache_write",),
        ("llm.token_count.total",),
    ),
    # developers.llamaindex.ai, TokenCountingEvent and TokenCountingHandler; Meta's models on Bedrock
    "LlamaIndex": UsageShape(
        ("prompt_token_count",),
        ("completion_token_count", "generation_token_count"),
        total=("total_token_count",),
    ),
    "LlamaIndex, counted by its handler": UsageShape(
        ("prompt_llm_token_count",), ("completion_llm_token_count",), total=("total_llm_token_count",)
    ),
    # docs.cohere.com/reference/chat: `usage` has billed and counted tokens
    "Cohere": UsageShape(("tokens.input_tokens",), ("tokens.output_tokens",), ("cached_tokens",)),
    "AI SDK's providers": UsageShape(
        ("input_tokens.total",),
        ("output_tokens.total",),
        ("input_tokens.cache_read",),
        ("input_tokens.cache_write",),
    ),
    # opencode, packages/opencode/src/session/message-v2.ts: `tokens` of a reply
    "OpenCode": UsageShape(
        ("input",), ("output", "reasoning"), ("cache.read",), ("cache.write",), ("total",), "beside"
    ),
    # langfuse.com/docs/observability/features/token-and-cost-tracking: `usage_details`
    "Langfuse": UsageShape(
        ("input",),
        ("output",),
        ("input_cached_tokens", "input_cache_read", _READ),
        ("input_cache_creation", _WRITTEN),
        ("total",),
        "beside by total",
    ),
    # gemini-cli, packages/core/src/services/chatRecordingService.ts: `tokens` of a reply
    "Gemini CLI": UsageShape(("input", "tool"), ("output", "thoughts"), ("cached",), total=("total",)),
    # cline, src/shared/getApiMetrics.ts: `tokensIn` of `api_req_started`
    "Cline, Roo Code": UsageShape(
        ("tokens_in",), ("tokens_out",), ("cache_reads",), ("cache_writes",), (), "beside"
    ),
    # kimi-cli, kosong's TokenUsage
    "Kimi CLI": UsageShape(
        ("input_other",), ("output",), ("input_cache_read",), ("input_cache_creation",), ("total",), "beside"
    ),
    # ollama, docs/api.md
    "Ollama": UsageShape(("prompt_eval_count",), ("eval_count",)),
    # llama.cpp, tools/server/README.md: the context is prompt_n + cache_n + predicted_n
    "llama.cpp": UsageShape(("prompt_n",), ("predicted_n",), ("cache_n",), cached="beside"),
    # its own `/completion`: what it then holds is the prompt and the answer
    "llama.cpp's completions": UsageShape(("tokens_evaluated",), ("tokens_predicted",), total=("tokens_cached",)),
    "llama.cpp, within": UsageShape(
        ("timings.prompt_n",), ("timings.predicted_n",), ("timings.cache_n",), cached="beside"
    ),
}
SHAPES |= {
    # agentclientprotocol.com, `usage_update`: tokens in the context window
    "Agent Client Protocol": UsageShape((), (), total=("used",)),
    # Roo-Code, packages/types/src/message.ts, TokenUsage: its other counts are sums over a task
    "Roo Code, of a task": UsageShape((), (), total=("context_tokens",)),
}
_THOUGHTS = (  # rule 5
    "completion_tokens_details.reasoning_tokens",  # xAI, Gemini's API for OpenAI's clients
    "thought_tokens",  # Agent Client Protocol
)

_ROWS = tuple(SHAPES.values())
_BITS = len(_ROWS)
_PARTS = 5  # fields of a row with names: input, output, read, written, total


def _rows_by_name() -> dict[str, int]:
    """The rows that use a name, as bits: one group of bits for each field of a row, with the first row as the
    lowest bit.
    """
    rows: dict[str, int] = {}
    for number, row in enumerate(_ROWS):
        for part in range(_PARTS):
            for name in row[part]:
                rows[name] = rows.get(name, 0) | 1 << number << part * _BITS
    return rows


_BY_NAME = _rows_by_name()
_KNOWN = frozenset((*_BY_NAME, *_THOUGHTS))
_NUMBERS = (int, float)  # a bool is not a number here
_ZEROS = repeat(0)
_HUMP = expression(r"(?<=[a-z0-9])(?=[A-Z])")
_CACHE = expression(r"cache", re.IGNORECASE)
_TOKENS = expression(r"tok|count|cache", re.IGNORECASE)
_SAID_TWICE = expression(r"^cache_creation\.|miss|uncached|no_?cache|audio|over_200k", re.IGNORECASE)
_DETAILS = expression(r"details", re.IGNORECASE)  # said twice where the cached tokens are known
_OF_TASK = expression(  # sums: Roo Code, goose
    r"^total_?(?:tokens_?(?:in|out)|cache_?(?:reads|writes))$|^accumulated", re.IGNORECASE
)
_NAME = expression(r"[A-Za-z_][\w.-]{0,60}")
_PREFIX = "ai.usage."  # of the AI SDK's names among OpenTelemetry's attributes
MOST_NAMED, MOST_DIGITS = 8, 15
DEPTH = 4
MESSAGES = ("message", "fallback_message")  # kinds of `iterations` that are answers


def usage(fields: Any) -> Usage | None:
    """The usage of one call, from a decoded usage object, in tokens; None if it has no count.

    The total includes the output. Of several calls for one request: the input of the first, the output of all, and
    the total of the last (rule 8).
    """
    whole = _usage(fields)
    calls = [counted for kind, counted in _iterations(fields) if kind in MESSAGES]
    if whole is None or len(calls) < 2:
        return whole
    return msgspec.structs.replace(
        calls[0], output_tokens=sum(call.output_tokens for call in calls), total_tokens=calls[-1].total_tokens
    )


def billed_usage(fields: Any) -> Usage | None:
    """Everything billed for the request (rule 8): the same as `usage`, unless it took several calls. A call of
    another model is included.
    """
    whole, calls = _usage(fields), _iterations(fields)
    if whole is None or not calls:
        return whole
    own = reduce(_sum, (counted for kind, counted in calls if kind in MESSAGES), Usage())
    others = (counted for kind, counted in calls if kind not in MESSAGES)
    return reduce(_sum, others, _joined(max, whole, own))


def unknown_usage(fields: Any) -> tuple[str, ...]:
    """The names of all members if none is known; otherwise of cache counts that no row has, and of other token
    counts if input or output is missing (rule 9).
    """
    told = _telling(fields)
    members = dict(_members(told.fields))
    unknown = [name for name in members if name not in _KNOWN and _one_name(name) not in _KNOWN]
    if len(unknown) < len(members):
        sought = _CACHE if told.there[0] and told.there[1] else _TOKENS
        counted = (name for name in unknown if _is_count(members[name]) and int(members[name]))
        has_cache = bool(told.there[2] or told.there[3])
        unknown = [name for name in counted if sought.search(name) and not _is_repeated(name, has_cache)]
    return tuple(name for name in unknown if _NAME.fullmatch(name))[:MOST_NAMED]


def _is_repeated(name: str, has_cache: bool) -> bool:
    """Whether this count adds nothing. `has_cache`: the cached tokens are known."""
    inner = _one_name(name.rpartition(".")[2])
    within = has_cache and (inner in _KNOWN or _DETAILS.search(name))
    return bool(within or _SAID_TWICE.search(name) or _OF_TASK.search(name))


def _usage(fields: Any) -> Usage | None:
    told = _telling(fields)
    counts, shape = told.counts, _shape(told)
    if shape is None:
        return None
    sent, output = sum(map(counts.get, shape.input, _ZEROS)), sum(map(counts.get, shape.output, _ZEROS))
    read, written, total = (_first(counts, names) for names in (shape.read, shape.written, shape.total))
    apart = sent + read + written + output  # the sum of all, if the cached tokens are separate
    is_beside = shape.cached == "beside" or read + written > sent
    if shape.cached == "inside by total":
        is_beside |= total == apart
    elif shape.cached == "beside by total":
        is_beside |= total == 0 or total >= apart
    if not is_beside:
        sent -= read + written
    elif shape.cached != "beside":
        total = max(total, apart)
    thoughts = _first(counts, _THOUGHTS)
    output += thoughts if total == sent + read + written + output + thoughts else 0
    total = total or sent + read + written + output
    return Usage(sent, output, read, written, total, bool(told.there[2]))


def _iterations(fields: Any) -> list[tuple[str, Usage]]:
    """The kind and the usage of each call (rule 8)."""
    listed = fields.get("iterations") if isinstance(fields, dict) else None
    pairs = (
        ((one.get("type", MESSAGES[0]), _usage(one)) for one in listed if isinstance(one, dict))
        if isinstance(listed, list)
        else ()
    )
    return [(str(kind), counted) for kind, counted in pairs if counted is not None]


def _sum(one: Usage, other: Usage) -> Usage:
    return _joined(add, one, other)


def _joined(by: Callable[[int, int], int], one: Usage, other: Usage) -> Usage:
    return Usage(
        by(one.input_tokens, other.input_tokens),
        by(one.output_tokens, other.output_tokens),
        by(one.cache_read_tokens, other.cache_read_tokens),
        by(one.cache_write_tokens, other.cache_write_tokens),
        by(one.total_tokens, other.total_tokens),
        one.has_cache_read or other.has_cache_read,
    )


class _Told(NamedTuple):
    """`fields` unchanged, and the `counts` in them. For each field of a row, as bits: `rows` with a count above 0,
    and rows with any count, 0 included (`there`).
    """

    fields: Any
    counts: Counts
    rows: list[int]
    there: list[int]


def _telling(fields: Any, depth: int = 0) -> _Told:
    """Reads the object or an inner one (rule 6)."""
    told = _told(fields)
    if told.rows[0] or told.rows[1] or not isinstance(fields, dict) or depth == DEPTH:
        return told
    last_first = sorted(fields, key=lambda name: not str(name).startswith("last"))
    within = (_telling(fields[name], depth + 1) for name in last_first if isinstance(fields[name], dict))
    return next((inner for inner in within if inner.rows[0] or inner.rows[1]), told)


def _shape(told: _Told) -> UsageShape | None:
    """Builds the row to use (rule 1). A cache count of 0 identifies a row too."""
    inputs, outputs, reads, writes, totals = told.rows
    _, _, read, written, _ = told.there
    sent, cached = inputs | outputs, reads | writes
    rows = sent & cached & read & written or sent & cached or sent & (read | written) or sent or cached or totals
    if not rows:
        return None
    taken = rows & -rows
    cache = _lowest(cached & taken or cached or taken).cached
    if cache == "beside":  # such a total may not include them
        totals = 0
    parts = (_lowest(bits & taken or bits or taken) for bits in (inputs, outputs, reads, writes, totals))
    sent_by, output_by, read_by, written_by, total_by = parts
    return UsageShape(sent_by.input, output_by.output, read_by.read, written_by.written, total_by.total, cache)


def _told(fields: Any) -> _Told:
    counts = _counts(fields)
    rows = there = 0
    for name, count in counts.items():
        bits = _BY_NAME.get(name, 0)
        there |= bits
        rows |= bits if count else 0
    return _Told(fields, counts, _by_part(rows), _by_part(there))


def _by_part(rows: int) -> list[int]:
    return [rows >> part * _BITS & (1 << _BITS) - 1 for part in range(_PARTS)]


def _lowest(rows: int) -> UsageShape:
    return _ROWS[(rows & -rows).bit_length() - 1]


def _one_name(name: str) -> str:
    """The name in snake_case (rule 2)."""
    name = name.removeprefix(_PREFIX)
    return name if name.islower() else _HUMP.sub("_", name).lower()


def _is_count(value: Any) -> bool:
    return is_number_as_text(value) or (type(value) in _NUMBERS and 0 <= value < 2**53)


def is_number_as_text(value: Any) -> bool:
    """Whether it is a number as protobuf writes it in JSON, with at most MOST_DIGITS digits."""
    return type(value) is str and len(value) <= MOST_DIGITS and value.isascii() and value.isdigit()


def _first(counts: Counts, names: Names) -> int:
    for name in names:
        if count := counts.get(name):
            return count
    return 0


def _members(fields: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """(name, value) of each member that is not null; those of inner objects too, as OUTER.INNER."""
    for name, value in fields.items() if isinstance(fields, dict) else ():
        if isinstance(value, dict) and depth < DEPTH:
            for inner, held in _members(value, depth + 1):
                yield f"{name}.{inner}", held
        elif value is not None:
            yield str(name), value


def _counts(fields: Any) -> Counts:
    """The counts by their names in snake_case, those of inner objects included."""
    counts: Counts = {}
    for name, held in _members(fields):
        if _is_count(held):
            name = name if name in _BY_NAME else _one_name(name)
            counts[name] = max(counts.get(name, 0), int(held))
    return counts
