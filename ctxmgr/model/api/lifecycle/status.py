"""Where a session stands, the answers that are no more than that, and the params and answers of queries and
settings.
"""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated, Any, Literal

from msgspec import Meta

from ctxmgr.model.api.lifecycle.connection import Seq, SessionId, Wire
from ctxmgr.model.api.lifecycle.events import Command, PrefixChange
from ctxmgr.model.policy import Policy
from ctxmgr.model.prices import CacheKind


class Summaries(Wire, frozen=True, omit_defaults=False):
    """How many summaries of each kind the session has heard."""

    compaction: Annotated[int, Meta(description="Of compactions.")]
    branch: Annotated[int, Meta(description="Of branches that were left.")]


class LatchStatus(Wire, frozen=True, omit_defaults=False):
    """The memory that this episode has asked for a compaction already. See reference.md#the-latch."""

    state: Annotated[str, Meta(description="Its state.")]
    failures: Annotated[int, Meta(description="Failures in a row.")]


class Stats(Wire, frozen=True, omit_defaults=False):
    """Totals of the session. Tokens are ctxmgr's own weights."""

    contexts: Annotated[int, Meta(description="Lists projected.")] = 0
    fallbacks: Annotated[int, Meta(description="Lists answered by the fallback, after a fault inside.")] = 0
    turns_dropped: Annotated[int, Meta(description="Turns dropped.")] = 0
    results_distilled: Annotated[int, Meta(description="Tool results distilled.")] = 0
    results_pruned: Annotated[int, Meta(description="Tool results pruned.")] = 0
    tokens_scanned: Annotated[int, Meta(description="Tokens of tool output that the last pruning looked at.")] = 0
    tokens_pruned: Annotated[int, Meta(description="Tokens pruned.")] = 0
    tokens_protected: Annotated[
        int, Meta(description="Tokens that the last pruning left because they are protected.")
    ] = 0
    compactions_requested: Annotated[int, Meta(description="Compactions asked for.")] = 0


class WrittenPrompt(Wire, frozen=True, omit_defaults=False):
    """What a call writes to the provider's cache."""

    tokens: Annotated[int, Meta(description="Tokens of the provider, with what stands before the list.")]
    dollars: Annotated[float | None, Meta(description="What they cost; null where no price is known.")]


class ColdCost(Wire, frozen=True):
    """What the first call costs once the provider's cache has ended."""

    raw: Annotated[WrittenPrompt, Meta(description="With the host's own list.")]
    pruned: Annotated[WrittenPrompt, Meta(description="With the list that ctxmgr would answer.")]


class CacheBust(PrefixChange, frozen=True):
    """A prompt changed early, and ctxmgr did not change it: what stands behind that was written again, though the
    provider's cache held it."""

    tokens: Annotated[int, Meta(description="So many, of the provider.")]
    dollars: Annotated[
        float | None, Meta(description="By so much it is dearer than to read them; absent where no price is known.")
    ] = None


class CacheBusts(Wire, frozen=True):
    """All of a session, since it was last read from its snapshot."""

    count: Annotated[int, Meta(description="How many calls.")]
    parts: Annotated[dict[str, int], Meta(description="How many by what changed: `tools`, `system`, `messages`.")]
    tokens: Annotated[int, Meta(description="Of all of them.")]
    dollars: Annotated[float | None, Meta(description="Of all whose price is known; absent where none is.")]
    last: Annotated[CacheBust, Meta(description="The newest.")]

    @classmethod
    def of(cls, before: CacheBusts | None, made: CacheBust) -> CacheBusts:
        """Those before and one more."""
        parts = dict(before.parts) if before is not None else {}
        parts[made.part] = parts.get(made.part, 0) + 1
        known = [
            each for each in (before.dollars if before is not None else None, made.dollars) if each is not None
        ]
        tokens = made.tokens + (before.tokens if before is not None else 0)
        return cls(sum(parts.values()), parts, tokens, round(sum(known), 6) if known else None, made)


class CacheStatus(Wire, frozen=True):
    """What the provider's cache gave. Tokens are the provider's."""

    expected: Annotated[
        int,
        Meta(
            description="What the newest calls should have read: what each list had in common with the one "
            "before, and what stands before it."
        ),
    ]
    read: Annotated[int, Meta(description="What the provider says it read at these calls.")]
    calls: Annotated[
        int,
        Meta(
            description="How many these are, at most 8: of those that followed the one before while its start "
            "was kept."
        ),
    ]
    lifetime_ms: Annotated[
        int,
        Meta(description="How long a start that nobody reads is taken to be kept: by that a cache is cold."),
    ]
    lifetime_from: Annotated[Literal["host", "policy", "learned", "rule"], Meta(description="Who says so.")]
    gap: Annotated[
        str | None,
        Meta(description="Where the newest calls persistently read less than half of that: what it may be."),
    ] = None
    expires_at: Annotated[
        int | None,
        Meta(
            description="When the start of the last list ends if no call reads it, in milliseconds since 1970: its "
            "`at` and `lifetimeMs`. Absent where the list had no time, or nothing is kept."
        ),
    ] = None
    cold_cost: Annotated[
        ColdCost | None,
        Meta(description="What the first call after that costs; told where `getStatus` asks for it."),
    ] = None
    busts: Annotated[
        CacheBusts | None, Meta(description="Prompts that changed early without ctxmgr; absent where none did.")
    ] = None


SaidBy = Literal["host", "policy", "registry", "family", "default"]


class TierPrices(Wire, frozen=True, omit_defaults=False):
    """Dollars per million tokens of a request that is longer than the tier's bound, of all of it; null: not
    told."""

    above_tokens: Annotated[int, Meta(description="The bound: tokens of input.")]
    input: Annotated[float | None, Meta(description="Input that no cache held.")]
    output: Annotated[float | None, Meta(description="Output.")]
    cache_read: Annotated[float | None, Meta(description="Input read from a cache.")]
    cache_write: Annotated[float | None, Meta(description="Input written to a cache.")]


class ProviderCache(Wire, frozen=True, omit_defaults=False):
    """How the provider caches prompts."""

    kind: Annotated[CacheKind, Meta(description="What of a request is kept.")]
    most_marks: Annotated[int, Meta(description="Marks that one request may set.")]
    look_back_blocks: Annotated[
        int, Meta(description="A kept start is found no more content blocks before a mark; 0: however far.")
    ]
    least_tokens: Annotated[int, Meta(description="A shorter start is not kept.")]
    step_tokens: Annotated[int, Meta(description="What is read is a multiple of these.")]
    lifetime_ms: Annotated[int, Meta(description="How long a start lives that nobody reads, in milliseconds.")]
    renews: Annotated[bool, Meta(description="Does each read begin that time anew?")]


class ModelStatus(Wire, frozen=True, omit_defaults=False):
    """What is taken to hold of the session's model, and who said it."""

    id: Annotated[str, Meta(description="Its id, as the host names it.")]
    context_window: Annotated[int, Meta(description="Its window in tokens, or less where a refusal taught that.")]
    max_output_tokens: Annotated[int | None, Meta(description="Its longest answer in tokens; null: not known.")]
    output_by: Annotated[SaidBy, Meta(description="Who said how long an answer may be.")]
    prices: Annotated[
        tuple[TierPrices, ...],
        Meta(description="What its tokens cost: first above 0 tokens, then longer requests. Empty: not known."),
    ]
    prices_by: Annotated[SaidBy, Meta(description="Who said the prices.")]
    cache: Annotated[ProviderCache, Meta(description="How its provider caches prompts.")]
    cache_by: Annotated[SaidBy, Meta(description="Who said how the provider caches.")]
    lifetime_by: Annotated[
        SaidBy,
        Meta(description="Who said how long a start lives; what calls taught is in `cache` of the status."),
    ]
    like: Annotated[str, Meta(description='The row that what is known of it comes from; "": none.')]
    why: Annotated[str, Meta(description="How that was found, in words.")]
    source: Annotated[str, Meta(description='Where its facts were read; "" where none are known.')]
    date: Annotated[str, Meta(description="On which day.")]


class Status(Wire, frozen=True, omit_defaults=False):
    """Where a session stands."""

    mode: Annotated[
        Literal["on", "off"], Meta(description='"off" in the preset `off` and after `setPruning` false.')
    ]
    preset: Annotated[str, Meta(description="The preset in force.")]
    zone: Annotated[str, Meta(description="The band of pressure that the session is in.")]
    pressure: Annotated[float, Meta(description="Tokens used / tokens usable.")]
    tokens: Annotated[
        int | None,
        Meta(
            description="Tokens of the list, by the provider's count; null until the first `usage`, "
            "and after a compaction until the next."
        ),
    ]
    context_window: Annotated[int, Meta(description="The model's window in tokens.")]
    packet_tokens: Annotated[int, Meta(description="Weight of the packet in the last list.")]
    summaries: Annotated[Summaries, Meta(description="Summaries heard so far.")]
    latch: Annotated[LatchStatus, Meta(description="Whether a compaction has been asked for.")]
    stats: Annotated[Stats, Meta(description="Totals of the session.")]
    epoch: Annotated[int, Meta(description="The cache epoch in force; 0 before the first.")]
    pins: Annotated[int, Meta(description="How many pins there are.")]
    promise: Annotated[
        bool,
        Meta(description="False where the window is so small that the host may compact before ctxmgr can ask."),
    ]
    weigher: Annotated[str, Meta(description="The vocabulary that is there, or `estimate`.")]
    notes: Annotated[
        tuple[str, ...],
        Meta(
            description="What people should know: a snapshot that was not read, a vocabulary that is "
            "not there, an archive that takes nothing."
        ),
    ]
    seq: Seq
    counted_by: Annotated[
        Literal["usage", "vocabulary", "estimate"],
        Meta(
            description="What tokens and pressure come from: the provider's last count that could be believed and "
            "what came since, or what the list comes to by the vocabulary or the estimate."
        ),
    ] = "estimate"
    learned_window: Annotated[
        int | None,
        Meta(
            description="The window in tokens that a refusal as too long taught; null where it is as the host said."
        ),
    ] = None
    ratio: Annotated[
        float, Meta(description="Tokens of the provider a weighed one, as learnt of this model so far.")
    ] = 1.0
    cache: Annotated[
        CacheStatus | None,
        Meta(
            description="What the provider's cache gave, against what it should have; null until a call could be "
            "compared, and where `usage` does not say what was read."
        ),
    ] = None
    durable: Annotated[
        int | None,
        Meta(
            description="The newest event that is safe in the store (`serve --store`), by its `seq`; null where no "
            "store is named, or none is known to be there."
        ),
    ] = None
    model: Annotated[
        ModelStatus | None,
        Meta(description="What is taken to hold of the model, and who said it; null in the answer to `turn_end`."),
    ] = None


class SessionStartResult(Wire, frozen=True, omit_defaults=False):
    """What was known of the session."""

    restored: Annotated[
        bool, Meta(description="True where the session was known: still open, or read from its snapshot.")
    ]
    status: Annotated[Status, Meta(description="Where the session stands after this call.")]
    seq: Seq


class StatusResult(Wire, frozen=True, omit_defaults=False):
    """Where the session stands."""

    status: Annotated[Status, Meta(description="Where the session stands after this call.")]
    seq: Seq


class TurnEndResult(Wire, frozen=True):
    """What is to be done now, and where the session stands."""

    commands: Annotated[
        tuple[Command, ...], Meta(description="What the host is asked to do. Empty most of the time.")
    ]
    status: Annotated[Status, Meta(description="Where the session stands after this call.")]
    seq: Seq
    send: Annotated[
        Literal["session_compact", "context"] | None,
        Meta(
            description="Where the provider refused the list as too long: what to send next. `session_compact`: "
            "when the compaction that `commands` ask for is made. `context`: the list without the reply that "
            "failed, where none can be asked for. Absent else."
        ),
    ] = None


class GetStatusParams(Wire, frozen=True):
    """Whose status."""

    session_id: SessionId
    flush: Annotated[
        bool | None,
        Meta(
            description="True: answered when what was saved so far is in the store, or cannot be had there now "
            "(`durable` tells). Without a store, at once."
        ),
    ] = None
    cold_cost: Annotated[
        bool | None,
        Meta(
            description="True: `cache.coldCost` is worked out, which takes as long as an epoch of the list. Ask "
            "while the session rests; nothing changes."
        ),
    ] = None


class SetPruningParams(Wire, frozen=True):
    """Whether lists are projected."""

    session_id: SessionId
    enabled: Annotated[bool, Meta(description="False: lists go as they came. Ledger and snapshot go on.")]


class SetPolicyParams(Wire, frozen=True):
    """Keys to set for this session."""

    session_id: SessionId
    policy: Annotated[
        dict[str, Any],
        Meta(description="The keys to set; others stay as they are, null takes one back to its default."),
    ]


class GetPacketParams(Wire, frozen=True):
    """Which packet."""

    session_id: SessionId
    resume: Annotated[
        bool | None,
        Meta(description="True: the longer one, which comes once after a compaction or a move in the tree."),
    ] = None


class PolicyResult(Wire, frozen=True):
    """The policy in force, and what it comes to for the session's model."""

    policy: Annotated[Policy, Meta(description="All keys with their values, those of the session's model put in.")]
    thresholds: Annotated[dict[str, float], Meta(description="The policy in tokens.")]
    seq: Seq
    presets: Annotated[
        dict[str, tuple[str, ...]],
        Meta(description="Keys that mean something in some presets alone, and in which; all others do in each."),
    ] = {}


class PruneStats(Wire, frozen=True, omit_defaults=False):
    """What pruning of tool output has done. Tokens are ctxmgr's own weights."""

    enabled: Annotated[bool, Meta(description="Pruning is on.")]
    scanned: Annotated[int, Meta(description="Tokens that the last pass looked at.")]
    pruned: Annotated[int, Meta(description="Tokens pruned so far.")]
    protected: Annotated[int, Meta(description="Tokens that the last pass left because they are protected.")]
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
            description="Its kind: goal, current, constraint, decision, task, context; request: what the user "
            "said; said: how an assistant's turn ended; question: what the user answered a tool, or would not "
            "have; command: a check that ran; value: a commit; file."
        ),
    ]
    text: Annotated[str, Meta(description="The statement.")]
    source: Annotated[str, Meta(description="Who made it: user, assistant, tool, summary or branch.")]
    status: Annotated[
        str,
        Meta(
            description="Of a task: open, active, done, blocked. Of a file: read, written, edited, "
            "deleted. Of a command: ok, failed, or unknown where nothing tells how it ended. Of a question: "
            "rejected, where its text is a call or a plan that the user would not have. Of a commit: the directory."
        ),
    ] = ""
    at: Annotated[int, Meta(description="The host's time, in milliseconds since the epoch.")] = 0
    detail: Annotated[
        str,
        Meta(
            description="Of a command, what its output counted or the line of its error; of a question, the "
            "answer; of a file, the tool that changed it; of a summary, the heading it stood under."
        ),
    ] = ""
    entry_id: Annotated[str | None, Meta(description="The entry it came from, where that is known.")] = None


class LedgerResult(Wire, frozen=True, omit_defaults=False):
    """The facts that hold now."""

    facts: Annotated[tuple[LedgerFact, ...], Meta(description="In the order they came.")]
    seq: Seq


class HeardSummary(Wire, frozen=True):
    """A summary that the session heard, by an event or in a list."""

    kind: Annotated[str, Meta(description="What it stands for: compaction or branch.")]
    at: Annotated[int, Meta(description="When it was heard, in milliseconds since the epoch.")]
    entry_id: Annotated[str | None, Meta(description="Its entry, where that is known.")] = None
    text: Annotated[str | None, Meta(description="As it came; absent where it is no longer kept.")] = None


class SummariesResult(Wire, frozen=True, omit_defaults=False):
    """The summaries that were heard. The newest three of the branch are kept whole."""

    summaries: Annotated[tuple[HeardSummary, ...], Meta(description="Oldest first.")]
    seq: Seq


class PacketResult(Wire, frozen=True, omit_defaults=False):
    """The packet as it would be now, whether or not the next list needs one."""

    text: Annotated[str, Meta(description="Its text.")]
    tokens: Annotated[int, Meta(description="Its weight.")]
    seq: Seq
