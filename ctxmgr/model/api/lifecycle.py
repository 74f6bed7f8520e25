"""The params and answers of every method, as they stand on the wire: camelCase, unknown members ignored.

Numbers are typed int | float because JavaScript hosts write 1e21 or 1.0 where an integer is meant. Messages and
entries stay raw: what a host sends is decoded by its format, not here, and goes back byte for byte.
"""

from typing import Annotated, Any, Literal

import msgspec

from ctxmgr.model.policy import Policy

# Stands, in a list, for the messages before that were recognised without a parse.
KNOWN_MESSAGES = b'{"ctxmgr":"the messages you sent before"}'

Number = int | float
Count = Annotated[int, msgspec.Meta(ge=0)] | Annotated[float, msgspec.Meta(ge=0)]
Window = Annotated[int, msgspec.Meta(ge=1, le=2**53)] | Annotated[float, msgspec.Meta(ge=1, le=2**53)]
RawList = list[msgspec.Raw]


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of everything on the wire."""


class Prices(Wire, frozen=True):
    """Dollars per million tokens."""

    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None


class Model(Wire, frozen=True):
    """`contextWindow` in tokens, `cacheTtlMs` in milliseconds."""

    id: str
    context_window: Window
    provider: str | None = None
    max_output_tokens: Count | None = None
    prices: Prices | None = None
    cache_ttl_ms: Count | None = None


class ClientInfo(Wire, frozen=True):
    name: str
    version: str | None = None


class HostCapabilities(Wire, frozen=True):
    """What the host can do. Nothing is used that was not declared."""

    request_compaction: Literal["whenIdle", "midRun"] | bool | None = None
    complete: bool | None = None
    embed: bool | None = None
    retrieve: bool | None = None
    edits: bool | None = None


class InitializeParams(Wire, frozen=True):
    protocol_version: str
    client_info: ClientInfo | None = None
    capabilities: HostCapabilities | None = None
    message_format: str | None = None
    policy: dict[str, Any] | None = None
    state_dir: str | None = None
    process_id: int | None = None


class ServerInfo(Wire, frozen=True):
    name: str
    version: str


class ServerCapabilities(Wire, frozen=True, omit_defaults=False):
    """`messageFormats` that `initialize` may name, `presets` that a policy may, framings that are understood."""

    message_formats: tuple[str, ...]
    presets: tuple[str, ...]
    framings: tuple[str, ...] = ("content-length", "ndjson")
    append: bool = True
    edits: bool = True


class InitializeResult(Wire, frozen=True, omit_defaults=False):
    protocol_version: str
    server_info: ServerInfo
    capabilities: ServerCapabilities
    policy: Policy


class NoParams(Wire, frozen=True):
    pass


class SessionParams(Wire, frozen=True):
    session_id: str


class SessionStartParams(Wire, frozen=True):
    session_id: str
    model: Model
    cwd: str | None = None
    entries: RawList | None = None
    leaf_id: str | None = None


class ModelSelectParams(Wire, frozen=True):
    session_id: str
    model: Model


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


class SetPruningParams(Wire, frozen=True):
    session_id: str
    enabled: bool


class SetPolicyParams(Wire, frozen=True):
    session_id: str
    policy: dict[str, Any]


class GetPacketParams(Wire, frozen=True):
    """`resume`: render the resume packet instead of the lean one."""

    session_id: str
    resume: bool | None = None


class CancelParams(Wire, frozen=True):
    id: msgspec.Raw


class Summaries(Wire, frozen=True, omit_defaults=False):
    """How many summaries of each kind the session has heard."""

    compaction: int
    branch: int


class LatchStatus(Wire, frozen=True, omit_defaults=False):
    state: str
    failures: int


class Stats(Wire, frozen=True, omit_defaults=False):
    """Totals of the session; tokens are uncalibrated weights."""

    contexts: int = 0
    fallbacks: int = 0
    turns_dropped: int = 0
    results_distilled: int = 0
    results_pruned: int = 0
    tokens_scanned: int = 0
    tokens_pruned: int = 0
    tokens_protected: int = 0
    compactions_requested: int = 0


class Status(Wire, frozen=True, omit_defaults=False):
    """`tokens` is null while unknown; `pressure` is used / usable. `promise` is false where the window is too
    small for red to come before the host's own compaction. `weigher` names what weighs text now."""

    mode: Literal["on", "off"]
    preset: str
    zone: str
    pressure: float
    tokens: int | None
    context_window: int
    packet_tokens: int
    summaries: Summaries
    latch: LatchStatus
    stats: Stats
    epoch: int
    pins: int
    promise: bool
    weigher: str
    notes: tuple[str, ...]
    seq: int


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


class SessionStartResult(Wire, frozen=True, omit_defaults=False):
    restored: bool
    status: Status
    seq: int


class StatusResult(Wire, frozen=True, omit_defaults=False):
    status: Status
    seq: int


class TurnEndResult(Wire, frozen=True, omit_defaults=False):
    commands: tuple[Command, ...]
    status: Status
    seq: int


class PolicyResult(Wire, frozen=True, omit_defaults=False):
    """`thresholds` in provider tokens for the session's model."""

    policy: Policy
    thresholds: dict[str, float]
    seq: int


class PruneStats(Wire, frozen=True, omit_defaults=False):
    """Of tool-output pruning: tokens scanned, pruned and protected by the last pass, and the totals."""

    enabled: bool
    scanned: int
    pruned: int
    protected: int
    prunable: int
    results_pruned: int
    tokens_pruned: int
    results_distilled: int
    turns_dropped: int
    seq: int


class LedgerFact(Wire, frozen=True):
    slot: str
    text: str
    source: str
    status: str = ""
    at: int = 0
    detail: str = ""
    entry_id: str | None = None


class LedgerResult(Wire, frozen=True, omit_defaults=False):
    facts: tuple[LedgerFact, ...]
    seq: int


class PacketResult(Wire, frozen=True, omit_defaults=False):
    text: str
    tokens: int
    seq: int
