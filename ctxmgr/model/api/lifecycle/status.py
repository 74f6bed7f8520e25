"""The state of a session, the answers that consist only of it, and the params and answers of queries and
settings.
"""

from __future__ import annotations  # evaluated at the first call that needs them, not at start

from typing import Annotated, Any, Literal

from msgspec import Meta, convert

from ctxmgr.model.api.lifecycle.connection import Seq, SessionId, Wire
from ctxmgr.model.api.lifecycle.events import Command, PrefixChange
from ctxmgr.model.policy import Policy
from ctxmgr.model.prices import CacheKind


class Summaries(Wire, frozen=True, omit_defaults=False):
    """Number of summaries, by kind."""

    compaction: Annotated[int, Meta(description="Compactions.")]
    branch: Annotated[int, Meta(description="Branches that were left.")]


class LatchStatus(Wire, frozen=True, omit_defaults=False):
    """Whether this episode has already asked for a compaction. See reference.md#the-latch."""

    state: Annotated[str, Meta(description="Its state.")]
    failures: Annotated[int, Meta(description="Consecutive failures.")]


class Stats(Wire, frozen=True, omit_defaults=False):
    """Totals of the session. Tokens are ctxmgr's own count."""

    contexts: Annotated[int, Meta(description="Lists changed.")] = 0
    fallbacks: Annotated[int, Meta(description="Lists answered by the fallback after an internal fault.")] = 0
    turns_dropped: Annotated[int, Meta(description="Turns dropped.")] = 0
    results_distilled: Annotated[int, Meta(description="Tool results distilled.")] = 0
    results_pruned: Annotated[int, Meta(description="Tool results pruned.")] = 0
    tokens_scanned: Annotated[int, Meta(description="Tokens of tool output that the last pruning examined.")] = 0
    tokens_pruned: Annotated[int, Meta(description="Tokens pruned.")] = 0
    tokens_protected: Annotated[
        int, Meta(description="Tokens that the last pruning skipped because they are protected.")
    ] = 0
    compactions_requested: Annotated[int, Meta(description="Compactions requested.")] = 0


class WrittenPrompt(Wire, frozen=True, omit_defaults=False):
    """A write to the prompt cache."""

    tokens: Annotated[int, Meta(description="Provider tokens, including what precedes the list.")]
    dollars: Annotated[float | None, Meta(description="Cost. null if no price is known.")]


class ColdCost(Wire, frozen=True):
    """Cost of the first call after the prompt cache has expired."""

    raw: Annotated[WrittenPrompt, Meta(description="With the host's own list.")]
    pruned: Annotated[WrittenPrompt, Meta(description="With the list that ctxmgr would answer.")]


class CacheBust(PrefixChange, frozen=True):
    """A prompt changed early, and not because of ctxmgr. Everything after the change was written to the cache
    again, although it was cached."""

    tokens: Annotated[int, Meta(description="Tokens that were written, in the provider's count.")]
    dollars: Annotated[
        float | None, Meta(description="How much more that cost than reading them. Absent if no price is known.")
    ] = None


class CacheBusts(Wire, frozen=True):
    """Totals of the session."""

    count: Annotated[int, Meta(description="Number of calls.")]
    parts: Annotated[
        dict[str, int], Meta(description="Number of calls by what changed: `tools`, `system`, `messages`.")
    ]
    tokens: Annotated[int, Meta(description="Total of all of them.")]
    dollars: Annotated[
        float | None, Meta(description="Total of those with a known price. Absent if there are none.")
    ]
    last: Annotated[CacheBust, Meta(description="The newest.")]

    @classmethod
    def saved(cls, fields: dict[str, Any]) -> CacheBusts | None:
        """The totals from a session's state, or None without any."""
        return convert(fields, cls) if fields else None

    @classmethod
    def of(cls, before: CacheBusts | None, made: CacheBust) -> CacheBusts:
        """The earlier totals and one more cache bust."""
        parts = dict(before.parts) if before is not None else {}
        parts[made.part] = parts.get(made.part, 0) + 1
        known = [
            each for each in (before.dollars if before is not None else None, made.dollars) if each is not None
        ]
        tokens = made.tokens + (before.tokens if before is not None else 0)
        return cls(sum(parts.values()), parts, tokens, round(sum(known), 6) if known else None, made)


class CacheStatus(Wire, frozen=True):
    """What the prompt cache gave. Tokens are the provider's."""

    expected: Annotated[
        int,
        Meta(
            description="Tokens that the newest calls should have read: what each list had in common with the one "
            "before, plus what precedes the list."
        ),
    ]
    read: Annotated[int, Meta(description="Tokens that these calls did read, by the provider's count.")]
    calls: Annotated[
        int,
        Meta(
            description="Number of these calls, at most 8. Only calls that came while the entry of the one before "
            "was still in the cache count."
        ),
    ]
    lifetime_ms: Annotated[
        int,
        Meta(description="Milliseconds until an unread cache entry is assumed to expire."),
    ]
    lifetime_from: Annotated[
        Literal["host", "policy", "learned", "rule"], Meta(description="Source of that lifetime.")
    ]
    gap: Annotated[
        str | None,
        Meta(
            description="What the cause may be, if the newest calls persistently read less than half of what "
            "they should."
        ),
    ] = None
    expires_at: Annotated[
        int | None,
        Meta(
            description="When the cache entry of the last list expires if no call reads it, in milliseconds since "
            "1970: its `at` plus `lifetimeMs`. Absent if the list had no time or nothing is cached."
        ),
    ] = None
    cold_cost: Annotated[
        ColdCost | None,
        Meta(description="Cost of the first call after that. Present if `getStatus` asks for it."),
    ] = None
    busts: Annotated[
        CacheBusts | None, Meta(description="Prompts that changed early without ctxmgr. Absent if there were none.")
    ] = None


SaidBy = Literal["host", "policy", "registry", "family", "default"]


class TierPrices(Wire, frozen=True, omit_defaults=False):
    """Dollars per million tokens of a request above the tier's size. They apply to the whole request. null:
    unknown."""

    above_tokens: Annotated[int, Meta(description="The size: tokens of input.")]
    input: Annotated[float | None, Meta(description="Uncached input.")]
    output: Annotated[float | None, Meta(description="Output.")]
    cache_read: Annotated[float | None, Meta(description="Cache reads.")]
    cache_write: Annotated[float | None, Meta(description="Cache writes.")]


class ProviderCache(Wire, frozen=True, omit_defaults=False):
    """How the provider caches prompts."""

    kind: Annotated[CacheKind, Meta(description="What is cached of a request.")]
    most_marks: Annotated[int, Meta(description="Marks allowed in one request.")]
    look_back_blocks: Annotated[
        int,
        Meta(description="How many content blocks before a mark an earlier entry is found at most. 0: no limit."),
    ]
    least_tokens: Annotated[int, Meta(description="Shortest prompt in tokens that is cached.")]
    step_tokens: Annotated[int, Meta(description="Reads are a multiple of this many tokens.")]
    lifetime_ms: Annotated[int, Meta(description="Milliseconds until an unread entry expires.")]
    renews: Annotated[bool, Meta(description="Whether each read restarts that time.")]


class ModelStatus(Wire, frozen=True, omit_defaults=False):
    """The facts in use about the session's model, and their sources."""

    id: Annotated[str, Meta(description="The model's id, as the host gave it.")]
    context_window: Annotated[int, Meta(description="Context window in tokens, or less if a refusal showed that.")]
    max_output_tokens: Annotated[int | None, Meta(description="Longest reply in tokens. null: unknown.")]
    output_by: Annotated[SaidBy, Meta(description="Source of the longest reply.")]
    prices: Annotated[
        tuple[TierPrices, ...],
        Meta(
            description="Prices: the first tier applies above 0 tokens, the others to longer requests. Empty: "
            "unknown."
        ),
    ]
    prices_by: Annotated[SaidBy, Meta(description="Source of the prices.")]
    cache: Annotated[ProviderCache, Meta(description="How its provider caches prompts.")]
    cache_by: Annotated[SaidBy, Meta(description="Source of how the provider caches.")]
    lifetime_by: Annotated[
        SaidBy,
        Meta(description="Source of the cache lifetime. What calls taught is in `cache` of the status."),
    ]
    like: Annotated[str, Meta(description='The row with the facts about the model. "": none.')]
    why: Annotated[str, Meta(description="How that row was found.")]
    source: Annotated[str, Meta(description='Where its facts were read. "" if there are none.')]
    date: Annotated[str, Meta(description="The date of its facts.")]


class Status(Wire, frozen=True, omit_defaults=False):
    """State of a session."""

    mode: Annotated[Literal["on", "off"], Meta(description='"off" in preset `off` and after `setPruning` false.')]
    preset: Annotated[str, Meta(description="The current preset.")]
    zone: Annotated[str, Meta(description="The current band of pressure.")]
    pressure: Annotated[float, Meta(description="Tokens used, divided by usable tokens.")]
    tokens: Annotated[
        int | None,
        Meta(
            description="Tokens of the list in the provider's count. null until the first `usage`, and between a "
            "compaction and the next `usage`."
        ),
    ]
    context_window: Annotated[int, Meta(description="The model's context window in tokens.")]
    packet_tokens: Annotated[int, Meta(description="Tokens of the packet in the last list.")]
    summaries: Annotated[Summaries, Meta(description="Number of summaries so far.")]
    latch: Annotated[LatchStatus, Meta(description="Whether a compaction has been requested.")]
    stats: Annotated[Stats, Meta(description="Totals of the session.")]
    epoch: Annotated[int, Meta(description="Number of the current cache epoch. 0 before the first one.")]
    pins: Annotated[int, Meta(description="Number of pins.")]
    promise: Annotated[
        bool,
        Meta(description="False if the window is so small that the host may compact before ctxmgr can ask."),
    ]
    weigher: Annotated[str, Meta(description="The vocabulary in use, or `estimate`.")]
    notes: Annotated[
        tuple[str, ...],
        Meta(description="Messages for people: an unreadable snapshot, a missing vocabulary, an unusable archive."),
    ]
    seq: Seq
    counted_by: Annotated[
        Literal["usage", "vocabulary", "estimate"],
        Meta(
            description="Source of `tokens` and `pressure`: the provider's last plausible count plus what came "
            "since, or the list counted by the vocabulary or the estimate."
        ),
    ] = "estimate"
    learned_window: Annotated[
        int | None,
        Meta(description='Context window in tokens, as learned from a "too long" refusal. null: as the host said.'),
    ] = None
    ratio: Annotated[
        float, Meta(description="Provider tokens per token of ctxmgr's count, as learned for this model so far.")
    ] = 1.0
    cache: Annotated[
        CacheStatus | None,
        Meta(
            description="What the prompt cache gave, compared with what it should have. null until a call can be "
            "compared, and if `usage` does not say what was read."
        ),
    ] = None
    durable: Annotated[
        int | None,
        Meta(
            description="`seq` of the newest event that has reached the store (`serve --store`). null without a "
            "store, or if no event is known to be there."
        ),
    ] = None
    model: Annotated[
        ModelStatus | None,
        Meta(description="The facts in use about the model, and their sources. null in the answer to `turn_end`."),
    ] = None


class SessionStartResult(Wire, frozen=True, omit_defaults=False):
    """What was known of the session."""

    restored: Annotated[
        bool, Meta(description="True if the session was known: still open, or loaded from its snapshot.")
    ]
    status: Annotated[Status, Meta(description="State of the session after this call.")]
    seq: Seq


class StatusResult(Wire, frozen=True, omit_defaults=False):
    """Returns the state of the session."""

    status: Annotated[Status, Meta(description="State of the session after this call.")]
    seq: Seq


class TurnEndResult(Wire, frozen=True):
    """What the host should do now, and the state of the session."""

    commands: Annotated[tuple[Command, ...], Meta(description="What the host should do. Usually empty.")]
    status: Annotated[Status, Meta(description="State of the session after this call.")]
    seq: Seq
    send: Annotated[
        Literal["session_compact", "context"] | None,
        Meta(
            description="If the provider refused the list as too long: what to send next. `session_compact`: wait "
            "until the compaction that `commands` requests is done. `context`: the list without the "
            "failed reply, if no compaction can be requested. Otherwise absent."
        ),
    ] = None


class GetStatusParams(Wire, frozen=True):
    """The session, and what to include."""

    session_id: SessionId
    flush: Annotated[
        bool | None,
        Meta(
            description="True: answer only when everything saved so far has reached the store, or cannot reach it "
            "now (see `durable`). Without a store, answer at once."
        ),
    ] = None
    cold_cost: Annotated[
        bool | None,
        Meta(
            description="True: calculate `cache.coldCost`, which takes as long as an epoch. Ask while the session "
            "rests. It changes nothing."
        ),
    ] = None


class SetPruningParams(Wire, frozen=True):
    """Whether lists are changed."""

    session_id: SessionId
    enabled: Annotated[bool, Meta(description="False: lists are not changed. Ledger and snapshot continue.")]


class SetPolicyParams(Wire, frozen=True):
    """Keys to set for this session."""

    session_id: SessionId
    policy: Annotated[
        dict[str, Any],
        Meta(description="Keys to set. Others stay as they are. null resets a key to its default."),
    ]


class GetPacketParams(Wire, frozen=True):
    """Which packet."""

    session_id: SessionId
    resume: Annotated[
        bool | None,
        Meta(description="True: the longer one, which comes once after a compaction or a move in the tree."),
    ] = None


class PolicyResult(Wire, frozen=True):
    """The current policy, and its values for the session's model."""

    policy: Annotated[
        Policy, Meta(description="All keys with their values, including those for the session's model.")
    ]
    thresholds: Annotated[dict[str, float], Meta(description="The policy in tokens.")]
    seq: Seq
    presets: Annotated[
        dict[str, tuple[str, ...]],
        Meta(
            description="Keys that only matter in some presets, and in which. All other keys matter in every "
            "preset."
        ),
    ] = {}


class PruneStats(Wire, frozen=True, omit_defaults=False):
    """What pruning of tool output has done. Tokens are ctxmgr's own count."""

    enabled: Annotated[bool, Meta(description="Pruning is on.")]
    scanned: Annotated[int, Meta(description="Tokens that the last pass examined.")]
    pruned: Annotated[int, Meta(description="Tokens pruned so far.")]
    protected: Annotated[int, Meta(description="Tokens that the last pass skipped because they are protected.")]
    prunable: Annotated[int, Meta(description="Tokens that the last pass could have pruned.")]
    results_pruned: Annotated[int, Meta(description="Results pruned so far.")]
    tokens_pruned: Annotated[int, Meta(description="Tokens pruned so far.")]
    results_distilled: Annotated[int, Meta(description="Results distilled so far.")]
    turns_dropped: Annotated[int, Meta(description="Turns dropped so far.")]
    seq: Seq


class LedgerFact(Wire, frozen=True):
    """One statement with its source and time."""

    slot: Annotated[
        str,
        Meta(
            description="Its kind. goal, current, constraint, decision, task, context. request: what the user "
            "said. said: how an assistant's turn ended. question: what the user answered to a tool, "
            "or rejected. command: a check that ran. value: a commit. file."
        ),
    ]
    text: Annotated[str, Meta(description="The statement.")]
    source: Annotated[str, Meta(description="Who made it: user, assistant, tool, summary or branch.")]
    status: Annotated[
        str,
        Meta(
            description="For a task: open, active, done, blocked. For a file: read, written, edited, deleted. For "
            "a command: ok, failed, or unknown. For a question: rejected, if its text is a call or a "
            "plan that the user rejected. For a commit: the directory."
        ),
    ] = ""
    at: Annotated[int, Meta(description="The host's time, in milliseconds since the epoch.")] = 0
    detail: Annotated[
        str,
        Meta(
            description="For a command: what its output counted, or the line of its error. For a question: the "
            "answer. For a file: the tool that changed it. For a summary: its heading."
        ),
    ] = ""
    entry_id: Annotated[str | None, Meta(description="The entry that it came from, if known.")] = None


class LedgerResult(Wire, frozen=True, omit_defaults=False):
    """The current facts."""

    facts: Annotated[tuple[LedgerFact, ...], Meta(description="In the order in which they came.")]
    seq: Seq


class HeardSummary(Wire, frozen=True):
    """A summary that came by an event or in a list."""

    kind: Annotated[str, Meta(description="What it summarizes: compaction or branch.")]
    at: Annotated[int, Meta(description="When it came, in milliseconds since the epoch.")]
    entry_id: Annotated[str | None, Meta(description="Its entry, if known.")] = None
    text: Annotated[str | None, Meta(description="Its text, unchanged. Absent if it is no longer kept.")] = None


class SummariesResult(Wire, frozen=True, omit_defaults=False):
    """The summaries of the session. The newest three of the branch are kept whole."""

    summaries: Annotated[tuple[HeardSummary, ...], Meta(description="Oldest first.")]
    seq: Seq


class PacketResult(Wire, frozen=True, omit_defaults=False):
    """The packet as it would be now, whether or not the next list needs one."""

    text: Annotated[str, Meta(description="Its text.")]
    tokens: Annotated[int, Meta(description="Its tokens.")]
    seq: Seq
