"""The params of events in a session: model calls, turns, compactions, moves in the tree."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ctxmgr.model.api.lifecycle.connection import Count, Number, RawList, SessionId, Timestamp, Wire


class Append(Wire, frozen=True):
    """What came since the last `context`. If `after` or `base` does not match, the answer is error -32801: send
    the whole list."""

    after: Annotated[Count, Meta(description="Number of messages sent before.")]
    base: Annotated[str, Meta(description="The `base` of the last answer.")]
    messages: Annotated[RawList, Meta(description="What came since.")]


class PrefixChange(Wire, frozen=True):
    """Where a prompt first differs from that of the call before, and how. It contains no text."""

    part: Annotated[
        Literal["tools", "system", "messages"],
        Meta(description="The part of the prompt: tool definitions, system prompt, or the list."),
    ]
    how: Annotated[
        Literal["changed", "added", "removed", "moved"],
        Meta(description="What happened to that tool, block or message."),
    ]
    index: Annotated[Count, Meta(description="Its index, from 0.")]
    offset: Annotated[Count, Meta(description="If it changed: the number of bytes of its JSON that are unchanged.")]


class ContextParams(Wire, frozen=True):
    """The list that the host would send to the model: either the whole list (`messages`) or what came since the
    last call (`append`), never both."""

    session_id: SessionId
    messages: Annotated[RawList | None, Meta(description="The whole list, oldest message first.")] = None
    append: Annotated[Append | None, Meta(description="What came since the last call.")] = None
    at: Annotated[Number | None, Meta(description="The host's time, in milliseconds since the epoch.")] = None
    overhead_tokens: Annotated[
        Count | None,
        Meta(
            description="Tokens of the system prompt and the tool definitions, which are not in the list. Kept "
            "until a new number arrives. Used until the first `usage` is known."
        ),
    ] = None
    answer: Annotated[
        Literal["messages", "edits"] | None,
        Meta(
            description='"messages": always the whole list. "edits": what is kept and what is inserted. Default: '
            "the whole list, or `unchanged`."
        ),
    ] = None
    own_marks: Annotated[
        Count | None,
        Meta(
            description="Number of cache marks in the request outside of the list, on the system prompt and the "
            "tools. Default: 2. The report's `cacheBreakpoints` uses the remaining ones."
        ),
    ] = None
    prefix_change: Annotated[
        PrefixChange | None,
        Meta(
            description="How the tools and the system prompt, which are not in the list, differ from the call "
            "before. Absent: they do not, or the host does not say."
        ),
    ] = None


class CachedTokens(Wire, frozen=True):
    """In OpenAI's counts: cache reads, as part of the input."""

    cached_tokens: Annotated[Count | None, Meta(description="Cache reads.")] = msgspec.field(
        default=None, name="cached_tokens"
    )


class UsageParams(Wire, frozen=True):
    """Tokens as the provider counted them: in these members, or as the provider's or framework's own object,
    unchanged. Members in snake_case are Anthropic's and OpenAI's. Those that end in `TokenCount` are Gemini's.
    DeepSeek, Kimi, Mistral, Bedrock, Ollama, llama.cpp, LangChain, pydantic-ai, the AI SDK and OpenCode have
    members of their own."""

    input: Annotated[Count | None, Meta(description="Uncached input.")] = None
    output: Annotated[Count | None, Meta(description="Output.")] = None
    cache_read: Annotated[Count | None, Meta(description="Cache reads.")] = None
    cache_write: Annotated[Count | None, Meta(description="Cache writes.")] = None
    total_tokens: Annotated[Count | None, Meta(description="Total. Takes precedence over the sum of the four.")] = (
        None
    )
    tokens: Annotated[Count | None, Meta(description="Total, for a host that knows nothing else.")] = None
    input_tokens: Annotated[
        Count | None, Meta(description="Anthropic: uncached input. OpenAI responses: all input.")
    ] = msgspec.field(default=None, name="input_tokens")
    output_tokens: Annotated[Count | None, Meta(description="Anthropic, OpenAI responses: output.")] = (
        msgspec.field(default=None, name="output_tokens")
    )
    cache_read_input_tokens: Annotated[Count | None, Meta(description="Anthropic: cache reads.")] = msgspec.field(
        default=None, name="cache_read_input_tokens"
    )
    cache_creation_input_tokens: Annotated[Count | None, Meta(description="Anthropic: cache writes.")] = (
        msgspec.field(default=None, name="cache_creation_input_tokens")
    )
    prompt_tokens: Annotated[Count | None, Meta(description="OpenAI chat completions: all input.")] = msgspec.field(
        default=None, name="prompt_tokens"
    )
    completion_tokens: Annotated[Count | None, Meta(description="OpenAI chat completions: output.")] = (
        msgspec.field(default=None, name="completion_tokens")
    )
    all_tokens: Annotated[Count | None, Meta(description="OpenAI: total.")] = msgspec.field(
        default=None, name="total_tokens"
    )
    input_tokens_details: Annotated[
        CachedTokens | None, Meta(description="OpenAI responses: cache reads, as part of the input.")
    ] = msgspec.field(default=None, name="input_tokens_details")
    prompt_tokens_details: Annotated[
        CachedTokens | None, Meta(description="OpenAI chat completions: cache reads, as part of the input.")
    ] = msgspec.field(default=None, name="prompt_tokens_details")
    prompt_token_count: Annotated[
        Count | None, Meta(description="Gemini: all input except what its own tools gave.")
    ] = None
    tool_use_prompt_token_count: Annotated[Count | None, Meta(description="Gemini: input from its own tools.")] = (
        None
    )
    cached_content_token_count: Annotated[
        Count | None, Meta(description="Gemini: cache reads, as part of the input.")
    ] = None
    candidates_token_count: Annotated[Count | None, Meta(description="Gemini: output without thoughts.")] = None
    thoughts_token_count: Annotated[Count | None, Meta(description="Gemini: thoughts.")] = None
    total_token_count: Annotated[Count | None, Meta(description="Gemini: total.")] = None


class EntryIds(Wire, frozen=True):
    """Ids of the new entries."""

    message: Annotated[str | None, Meta(description="Id of the model's message.")] = None
    tool_results: Annotated[
        list[str | None] | None, Meta(description="Ids of the results, in their order. null if one has none.")
    ] = None
    user: Annotated[
        str | list[str | None] | None,
        Meta(
            description="Id of the newest user message in the answered list, or the ids of all that came since "
            "the last `turn_end`, oldest first."
        ),
    ] = None


class TurnEndParams(Wire, frozen=True):
    """What the model answered and what its tools returned. The message also belongs into the next list."""

    session_id: SessionId
    message: Annotated[msgspec.Raw, Meta(description="The model's message.")]
    tool_results: Annotated[RawList | None, Meta(description="The results of its tool calls, in order.")] = None
    usage: Annotated[
        dict[str, Any] | None,
        Meta(
            description="The provider's token count of this call. Without it, the message's own `usage` is read. "
            "It corrects ctxmgr's counts. Without any usage, compactions are requested based on the "
            "estimate."
        ),
    ] = None
    at: Annotated[Number | None, Meta(description="The host's time, in milliseconds since the epoch.")] = None
    entry_ids: Annotated[
        EntryIds | None, Meta(description="The entries that the message and results became in the session tree.")
    ] = None


class CompactionEntry(Wire, frozen=True):
    """A compaction entry of the host's session tree."""

    summary: Annotated[str, Meta(description="The summary.")]
    id: Annotated[str | None, Meta(description="Its id.")] = None
    parent_id: Annotated[str | None, Meta(description="Its parent entry.")] = None
    first_kept_entry_id: Annotated[str | None, Meta(description="The first entry that stays in the list.")] = None
    tokens_before: Annotated[Number | None, Meta(description="Tokens of the list before the compaction.")] = None
    timestamp: Timestamp = None


class SessionCompactParams(Wire, frozen=True):
    """The compaction that the host made, whoever wrote its summary."""

    session_id: SessionId
    compaction_entry: Annotated[CompactionEntry, Meta(description="The entry that the host wrote.")]
    from_extension: Annotated[bool | None, Meta(description="True if its summary was not the host's own.")] = None


class CompactFailedParams(Wire, frozen=True):
    """Why the host's compaction failed."""

    session_id: SessionId
    reason: Annotated[str, Meta(description="Why it was made, in the host's own word.")]
    error_message: Annotated[str | None, Meta(description="What went wrong.")] = None


class SummaryEntry(Wire, frozen=True):
    """A branch summary entry of the host's session tree."""

    summary: Annotated[str, Meta(description="The summary.")]
    id: Annotated[str | None, Meta(description="Its id.")] = None
    parent_id: Annotated[str | None, Meta(description="Its parent entry.")] = None
    from_id: Annotated[str | None, Meta(description="The last entry of the branch that it summarizes.")] = None
    timestamp: Timestamp = None


class SessionTreeParams(Wire, frozen=True):
    """Where the host has moved to in its session tree."""

    session_id: SessionId
    new_leaf_id: Annotated[str | None, Meta(description="The current entry. null before the first one.")]
    old_leaf_id: Annotated[str | None, Meta(description="The previous entry.")] = None
    summary_entry: Annotated[
        SummaryEntry | None, Meta(description="The summary of the branch that was left, if there is one.")
    ] = None
    entries: Annotated[
        RawList | None,
        Meta(
            description="The session tree. With it, facts are restored at once. Without it, they are restored as "
            "messages arrive."
        ),
    ] = None


class Command(Wire, frozen=True):
    """Something the host should do. It is what ctxmgr would otherwise send as a request, but without an id, and
    the host does not answer it."""

    method: Annotated[str, Meta(description="The method.")]
    params: Annotated[Any, Meta(description="Its params.")]


class RequestCompactionParams(Wire, frozen=True, omit_defaults=True):
    """Why a compaction is due."""

    session_id: SessionId
    reason: Annotated[
        Literal["threshold", "overflow"],
        Meta(
            description='"threshold": the list has reached the red zone. "overflow": the provider '
            "refused it as too long."
        ),
    ]
    zone: Annotated[str, Meta(description="The zone.")]
    tokens: Annotated[int | None, Meta(description="Tokens of the list. null: unknown.")]
    threshold: Annotated[int, Meta(description="Where the red zone begins, in tokens.")]
    context_window: Annotated[int, Meta(description="The model's context window in tokens.")]
    deliver: Annotated[
        Literal["now", "whenIdle"],
        Meta(description='"whenIdle": when the agent has nothing to do. "now": only if "midRun" was declared.'),
    ]
    custom_instructions: Annotated[str | None, Meta(description="The policy's instructions for every summary.")] = (
        None
    )
    compaction: Annotated[
        Any, Meta(description="A finished compaction that was written in advance. Apply it unchanged.")
    ] = None


class RequestCompactionResult(Wire, frozen=True):
    """Whether the host will compact. Answer at once, without waiting for the compaction."""

    accepted: Annotated[bool, Meta(description="True: it is queued.")]
    reason: Annotated[str | None, Meta(description="Why not.")] = None
