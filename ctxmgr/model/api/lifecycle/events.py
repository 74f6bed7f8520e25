"""The params of what happens in a session: model calls, turns, compactions, moves in the tree."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ctxmgr.model.api.lifecycle.connection import Count, Number, RawList, SessionId, Timestamp, Wire


class Append(Wire, frozen=True):
    """What came since the last `context`. Where `after` or `base` is not what ctxmgr has, the answer is error
    -32801: send the whole list."""

    after: Annotated[Count, Meta(description="How many messages were sent before.")]
    base: Annotated[str, Meta(description="The `base` of the last answer.")]
    messages: Annotated[RawList, Meta(description="What came since.")]


class PrefixChange(Wire, frozen=True):
    """Where a prompt first differs from that of the call before, and how. It has no text."""

    part: Annotated[
        Literal["tools", "system", "messages"],
        Meta(description="What of the prompt: tool definitions, system prompt, or the list."),
    ]
    how: Annotated[
        Literal["changed", "added", "removed", "moved"],
        Meta(description="What happened to the tool, the block or the message there."),
    ]
    index: Annotated[Count, Meta(description="Which one, from 0.")]
    offset: Annotated[Count, Meta(description="Of one that changed: so many bytes of its JSON are as before.")]


class ContextParams(Wire, frozen=True):
    """The list as the host would send it to the model: either all of it (`messages`) or what came since the last
    call (`append`), never both."""

    session_id: SessionId
    messages: Annotated[RawList | None, Meta(description="The whole list, oldest message first.")] = None
    append: Annotated[Append | None, Meta(description="What came since the last call.")] = None
    at: Annotated[Number | None, Meta(description="The host's time, in milliseconds since the epoch.")] = None
    overhead_tokens: Annotated[
        Count | None,
        Meta(
            description="Tokens of system prompt and tool definitions, which are not in the list. "
            "Kept until another number comes; used until the first `usage` is known."
        ),
    ] = None
    answer: Annotated[
        Literal["messages", "edits"] | None,
        Meta(
            description='"messages": always the whole list. "edits": what is kept and what is put in. '
            "Absent: the whole list, or `unchanged`."
        ),
    ] = None
    own_marks: Annotated[
        Count | None,
        Meta(
            description="Cache marks that the request bears outside of the list: on system prompt and tools. "
            "2 where absent. The report's `cacheBreakpoints` are as many as are free beside them."
        ),
    ] = None
    prefix_change: Annotated[
        PrefixChange | None,
        Meta(
            description="What of tools and system prompt, which are not in the list, differs from the call before. "
            "Absent: nothing, or the host does not say."
        ),
    ] = None


class CachedTokens(Wire, frozen=True):
    """Of OpenAI's counts: how much of the input a cache held."""

    cached_tokens: Annotated[Count | None, Meta(description="Input read from a cache.")] = msgspec.field(
        default=None, name="cached_tokens"
    )


class UsageParams(Wire, frozen=True):
    """Tokens as the provider counted them: in these words, or the object of the provider or framework as it came
    (members in snake_case: Anthropic's, OpenAI's; those that end in `TokenCount`: Gemini's; of DeepSeek, Kimi,
    Mistral, Bedrock, Ollama, llama.cpp, LangChain, pydantic-ai, the AI SDK and OpenCode their own)."""

    input: Annotated[Count | None, Meta(description="Input that no cache held.")] = None
    output: Annotated[Count | None, Meta(description="Output.")] = None
    cache_read: Annotated[Count | None, Meta(description="Input read from a cache.")] = None
    cache_write: Annotated[Count | None, Meta(description="Input written to a cache.")] = None
    total_tokens: Annotated[Count | None, Meta(description="All of them; goes before the sum of the four.")] = None
    tokens: Annotated[Count | None, Meta(description="All of them, for a host that knows nothing else.")] = None
    input_tokens: Annotated[
        Count | None, Meta(description="Anthropic: input that no cache held. OpenAI responses: all input.")
    ] = msgspec.field(default=None, name="input_tokens")
    output_tokens: Annotated[Count | None, Meta(description="Anthropic, OpenAI responses: output.")] = (
        msgspec.field(default=None, name="output_tokens")
    )
    cache_read_input_tokens: Annotated[Count | None, Meta(description="Anthropic: input read from a cache.")] = (
        msgspec.field(default=None, name="cache_read_input_tokens")
    )
    cache_creation_input_tokens: Annotated[
        Count | None, Meta(description="Anthropic: input written to a cache.")
    ] = msgspec.field(default=None, name="cache_creation_input_tokens")
    prompt_tokens: Annotated[Count | None, Meta(description="OpenAI chat completions: all input.")] = msgspec.field(
        default=None, name="prompt_tokens"
    )
    completion_tokens: Annotated[Count | None, Meta(description="OpenAI chat completions: output.")] = (
        msgspec.field(default=None, name="completion_tokens")
    )
    all_tokens: Annotated[Count | None, Meta(description="OpenAI: all of them.")] = msgspec.field(
        default=None, name="total_tokens"
    )
    input_tokens_details: Annotated[
        CachedTokens | None, Meta(description="OpenAI responses: how much of the input a cache held.")
    ] = msgspec.field(default=None, name="input_tokens_details")
    prompt_tokens_details: Annotated[
        CachedTokens | None, Meta(description="OpenAI chat completions: how much of the input a cache held.")
    ] = msgspec.field(default=None, name="prompt_tokens_details")
    prompt_token_count: Annotated[Count | None, Meta(description="Gemini: all input but what its tools gave.")] = (
        None
    )
    tool_use_prompt_token_count: Annotated[
        Count | None, Meta(description="Gemini: input that its own tools gave.")
    ] = None
    cached_content_token_count: Annotated[
        Count | None, Meta(description="Gemini: how much of the input a cache held.")
    ] = None
    candidates_token_count: Annotated[Count | None, Meta(description="Gemini: output without thoughts.")] = None
    thoughts_token_count: Annotated[Count | None, Meta(description="Gemini: thoughts.")] = None
    total_token_count: Annotated[Count | None, Meta(description="Gemini: all of them.")] = None


class EntryIds(Wire, frozen=True):
    """Ids of the entries that were written."""

    message: Annotated[str | None, Meta(description="Of the model's message.")] = None
    tool_results: Annotated[
        list[str | None] | None, Meta(description="Of the results, in their order; null where there is none.")
    ] = None
    user: Annotated[
        str | list[str | None] | None,
        Meta(
            description="Of the newest user message of the list that was answered; of the newest ones, oldest "
            "first, where several came since the last `turn_end`."
        ),
    ] = None


class TurnEndParams(Wire, frozen=True):
    """What the model answered and what its tools gave. The message belongs into the next list too."""

    session_id: SessionId
    message: Annotated[msgspec.Raw, Meta(description="The model's message.")]
    tool_results: Annotated[RawList | None, Meta(description="The results of its tool calls, in order.")] = None
    usage: Annotated[
        dict[str, Any] | None,
        Meta(
            description="What the provider counted for this call; without it the message's own "
            "`usage` is read. It corrects the weights. A host that reports none is asked for "
            "a compaction by the estimate of its list."
        ),
    ] = None
    at: Annotated[Number | None, Meta(description="The host's time, in milliseconds since the epoch.")] = None
    entry_ids: Annotated[
        EntryIds | None, Meta(description="The entries that message and results became in the session tree.")
    ] = None


class CompactionEntry(Wire, frozen=True):
    """A compaction entry of the host's session tree."""

    summary: Annotated[str, Meta(description="The summary.")]
    id: Annotated[str | None, Meta(description="Its id.")] = None
    parent_id: Annotated[str | None, Meta(description="The entry before it.")] = None
    first_kept_entry_id: Annotated[str | None, Meta(description="The first entry that stays in the list.")] = None
    tokens_before: Annotated[Number | None, Meta(description="Tokens of the list before.")] = None
    timestamp: Timestamp = None


class SessionCompactParams(Wire, frozen=True):
    """The compaction that the host has made, whoever wrote its summary."""

    session_id: SessionId
    compaction_entry: Annotated[CompactionEntry, Meta(description="The entry that the host wrote.")]
    from_extension: Annotated[bool | None, Meta(description="True where its summary was not the host's own.")] = (
        None
    )


class CompactFailedParams(Wire, frozen=True):
    """Why the host's compaction came to nothing."""

    session_id: SessionId
    reason: Annotated[str, Meta(description="Why it was made: the host's own word.")]
    error_message: Annotated[str | None, Meta(description="What went wrong.")] = None


class SummaryEntry(Wire, frozen=True):
    """A branch summary entry of the host's session tree."""

    summary: Annotated[str, Meta(description="The summary.")]
    id: Annotated[str | None, Meta(description="Its id.")] = None
    parent_id: Annotated[str | None, Meta(description="The entry before it.")] = None
    from_id: Annotated[str | None, Meta(description="The leaf of the branch it stands for.")] = None
    timestamp: Timestamp = None


class SessionTreeParams(Wire, frozen=True):
    """Where the host has moved to in its session tree."""

    session_id: SessionId
    new_leaf_id: Annotated[str | None, Meta(description="The entry it stands at now; null before the first one.")]
    old_leaf_id: Annotated[str | None, Meta(description="The entry it stood at before.")] = None
    summary_entry: Annotated[
        SummaryEntry | None, Meta(description="The summary of the branch that was left, where one was written.")
    ] = None
    entries: Annotated[
        RawList | None,
        Meta(description="The session tree: with it, facts come back at once; without, as messages do."),
    ] = None


class Command(Wire, frozen=True):
    """Something the host is asked to do. It is what ctxmgr would send as a request, without an id: the host does
    not answer it."""

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
    tokens: Annotated[int | None, Meta(description="Tokens of the list, null while unknown.")]
    threshold: Annotated[int, Meta(description="Where the red zone begins, in tokens.")]
    context_window: Annotated[int, Meta(description="The model's window in tokens.")]
    deliver: Annotated[
        Literal["now", "whenIdle"],
        Meta(description='"whenIdle": when the agent has nothing to do. "now": only where "midRun" was declared.'),
    ]
    custom_instructions: Annotated[str | None, Meta(description="What the policy asks of every summary.")] = None
    compaction: Annotated[
        Any, Meta(description="A finished compaction that was written ahead: apply it as it is.")
    ] = None


class RequestCompactionResult(Wire, frozen=True):
    """Whether the host will compact. Answer at once; do not wait for the compaction."""

    accepted: Annotated[bool, Meta(description="True: it is queued.")]
    reason: Annotated[str | None, Meta(description="Why not.")] = None
