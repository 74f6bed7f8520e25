"""The params of what happens in a session: model calls, turns, compactions, moves in the tree."""

from typing import Any, Literal

import msgspec

from ctxmgr.model.api.lifecycle.plain import Count, Number, RawList, Wire


class Append(Wire, frozen=True):
    """Only what came since the last call: `after` messages were sent before, `base` is the last answer's tag."""

    after: Count
    base: str
    messages: RawList


class ContextParams(Wire, frozen=True):
    session_id: str
    messages: RawList | None = None
    append: Append | None = None
    at: Number | None = None
    overhead_tokens: Count | None = None
    answer: Literal["messages", "edits"] | None = None


class CachedTokens(Wire, frozen=True):
    """Of OpenAI's counts: how many of the input came from its cache."""

    cached_tokens: Count | None = msgspec.field(default=None, name="cached_tokens")


class UsageParams(Wire, frozen=True):
    """Tokens as the provider reported them: in our words, or its own object as it came (Anthropic, OpenAI).

    Ours: `input` without what the cache gave and took, `totalTokens` all of it; or `tokens` alone.
    """

    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    total_tokens: Count | None = None
    tokens: Count | None = None
    input_tokens: Count | None = msgspec.field(default=None, name="input_tokens")
    output_tokens: Count | None = msgspec.field(default=None, name="output_tokens")
    cache_read_input_tokens: Count | None = msgspec.field(default=None, name="cache_read_input_tokens")
    cache_creation_input_tokens: Count | None = msgspec.field(default=None, name="cache_creation_input_tokens")
    prompt_tokens: Count | None = msgspec.field(default=None, name="prompt_tokens")
    completion_tokens: Count | None = msgspec.field(default=None, name="completion_tokens")
    all_tokens: Count | None = msgspec.field(default=None, name="total_tokens")
    input_tokens_details: CachedTokens | None = msgspec.field(default=None, name="input_tokens_details")
    prompt_tokens_details: CachedTokens | None = msgspec.field(default=None, name="prompt_tokens_details")


class EntryIds(Wire, frozen=True):
    message: str | None = None
    tool_results: list[str | None] | None = None


class TurnEndParams(Wire, frozen=True):
    session_id: str
    message: msgspec.Raw
    tool_results: RawList | None = None
    usage: UsageParams | None = None
    at: Number | None = None
    entry_ids: EntryIds | None = None


class CompactionEntry(Wire, frozen=True):
    """A compaction entry of the host's session; `timestamp` is milliseconds or an ISO 8601 string."""

    summary: str
    id: str | None = None
    parent_id: str | None = None
    first_kept_entry_id: str | None = None
    tokens_before: Number | None = None
    timestamp: Number | str | None = None


class SessionCompactParams(Wire, frozen=True):
    session_id: str
    compaction_entry: CompactionEntry
    from_extension: bool | None = None


class CompactFailedParams(Wire, frozen=True):
    session_id: str
    reason: str
    error_message: str | None = None


class SummaryEntry(Wire, frozen=True):
    """A branch summary entry of the host's session."""

    summary: str
    id: str | None = None
    parent_id: str | None = None
    from_id: str | None = None
    timestamp: Number | str | None = None


class SessionTreeParams(Wire, frozen=True):
    session_id: str
    new_leaf_id: str | None
    old_leaf_id: str | None = None
    summary_entry: SummaryEntry | None = None
    entries: RawList | None = None


class Command(Wire, frozen=True):
    method: str
    params: Any


class RequestCompactionParams(Wire, frozen=True, omit_defaults=True):
    """`compaction`: one that was prepared ahead, `{summary, firstKeptEntryId, tokensBefore, details}`."""

    session_id: str
    reason: Literal["threshold", "overflow"]
    zone: str
    tokens: int | None
    threshold: int
    context_window: int
    deliver: Literal["now", "whenIdle"]
    custom_instructions: str | None = None
    compaction: Any = None


class RequestCompactionResult(Wire, frozen=True):
    accepted: bool
    reason: str | None = None
