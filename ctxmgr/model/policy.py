"""The policy: every number and choice a host may set, with its unit and its default."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxmgr.model.compaction import Format, Strategy, Weigher
from ctxmgr.model.prices import BasePrices, BaseTier

Natural = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Price = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(gt=0, le=1)]

Preset = Literal["off", "tools", "turns", "balanced"]
KeepPoint = Literal["lean", "balanced", "careful"]
Idle = Literal["say", "prune"]
Zone = Literal["green", "yellow", "red", "compact"]
EndpointApi = Literal["chat", "anthropic"]
NO_EFFECT = "Has no effect since rules 3, and is accepted from older hosts. See `keep`."
ZONES: tuple[Zone, ...] = ("green", "yellow", "red", "compact")


class Setting(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of everything a host sets: camelCase on the wire, unknown keys refused."""


class Zones(Setting, frozen=True):
    """Where yellow, red and compact begin, as increasing shares of the usable window."""

    yellow: Annotated[Share, Meta(description="Share of the usable window.")] = 0.50
    red: Annotated[Share, Meta(description="Share of the usable window.")] = 0.70
    compact: Annotated[Share, Meta(description="Share of the usable window.")] = 0.90


class TurnsKept(Setting, frozen=True):
    """How many of the newest turns are kept whole, by zone."""

    green: Annotated[Positive, Meta(description="In green.")] = 6
    yellow: Annotated[Positive, Meta(description="In yellow.")] = 3
    red: Annotated[Positive, Meta(description="In red.")] = 1
    compact: Annotated[Positive, Meta(description="In compact.")] = 1


class DistillOver(Setting, frozen=True):
    """Length in characters above which a tool result in a kept older turn is distilled, by zone."""

    green: Annotated[Positive, Meta(description="In green.")] = 1_000
    yellow: Annotated[Positive, Meta(description="In yellow.")] = 400
    red: Annotated[Positive, Meta(description="In red.")] = 300
    compact: Annotated[Positive, Meta(description="In compact.")] = 200


class PacketTokens(Setting, frozen=True):
    """Token budget of the packet, by zone."""

    green: Annotated[Natural, Meta(description="In green.")] = 1_000
    yellow: Annotated[Natural, Meta(description="In yellow.")] = 800
    red: Annotated[Natural, Meta(description="In red.")] = 700
    compact: Annotated[Natural, Meta(description="In compact.")] = 600


class WorkingSet(Setting, frozen=True):
    """The newest part of a list, in whole steps. It is sent byte for byte as long as it fits the window."""

    results: Annotated[Natural, Meta(description="At least this many of the newest tool results.")] = 5
    tokens: Annotated[Natural, Meta(description="At least this many tokens of the newest steps.")] = 8_000


class Endpoint(Setting, frozen=True):
    """A model server that writes summaries."""

    base_url: Annotated[
        str,
        Meta(
            description="Its address: everything before `/chat/completions`, including `/v1`. For `anthropic`, "
            "everything before `/v1/messages`."
        ),
    ]
    model: Annotated[str, Meta(description="The model's name on that server.")]
    api_key_env: Annotated[
        str | None,
        Meta(description="Name of the environment variable with the key. Keys are never part of a policy."),
    ] = None
    context_window: Annotated[Positive, Meta(description="The model's context window in tokens.")] = 128_000
    timeout_ms: Annotated[Positive, Meta(description="Time limit for one call, in milliseconds.")] = 120_000
    api: Annotated[
        EndpointApi,
        Meta(description="The server's API: OpenAI's chat completions, or Anthropic's messages."),
    ] = "chat"


class Slices(Setting, frozen=True):
    """How a long history is sliced for a model."""

    tokens: Annotated[Positive, Meta(description="Tokens per slice.")] = 20_000
    overlap: Annotated[Natural, Meta(description="Tokens that two neighboring slices share.")] = 2_000
    ratio: Annotated[Share, Meta(description="Length of the answer to a slice, as a share of the slice.")] = 0.1
    newest: Annotated[Natural, Meta(description="How many of the newest slices get a longer answer.")] = 2
    newest_boost: Annotated[float, Meta(ge=1, le=10, description="How many times longer that answer is.")] = 2.0
    breaks: Annotated[
        Literal["steps", "natural"],
        Meta(description="Cut at the step nearest to the size, or where the subject changes."),
    ] = "steps"
    cohesion: Annotated[
        Literal["words", "embeddings", "host"],
        Meta(
            description="How a change of subject is detected: by words, by the embeddings extra, or by the "
            "host's `embed`."
        ),
    ] = "words"
    weighted: Annotated[bool, Meta(description="Show of a slice what matters to the goal.")] = True


class SummaryPrompts(Setting, frozen=True):
    """Your own prompts instead of ctxmgr's. "": ctxmgr's own. The record comes before them, in tags, and
    `instructions` after them. The answer to your own `history`, `turnPrefix` or `branch` may be any text: it is
    not checked for sections, and `format` is ignored."""

    system: Annotated[str, Meta(description="System prompt of every call.")] = ""
    history: Annotated[str, Meta(description="What to write about the conversation that a compaction removes.")] = (
        ""
    )
    turn_prefix: Annotated[str, Meta(description="The same, for the first part of a turn whose rest is kept.")] = ""
    branch: Annotated[str, Meta(description="The same, for a branch that was left.")] = ""


class CompactionPolicy(Setting, frozen=True):
    """Who writes compactions, how much is kept, and how a summary is written."""

    by: Annotated[Literal["host", "ctxmgr"], Meta(description="Who writes compactions.")] = "host"
    enabled: Annotated[bool, Meta(description="False: no compaction is requested. `compact` still works.")] = True
    reserve_tokens: Annotated[Natural, Meta(description="Tokens reserved for the reply.")] = 16_384
    keep_recent_tokens: Annotated[Natural, Meta(description="Tokens of the newest messages that are kept.")] = (
        20_000
    )
    branch_reserve_tokens: Annotated[Natural, Meta(description="Tokens that a branch summary leaves free.")] = (
        16_384
    )
    weigher: Annotated[Weigher, Meta(description="How these tokens are counted.")] = "tokens"
    strategy: Annotated[
        Strategy | None,
        Meta(description="How a summary is written. null: in one call with a model, extractive without one."),
    ] = None
    format: Annotated[Format, Meta(description="The sections of a summary.")] = "structured"
    model: Annotated[
        Literal["host", "endpoint", "none"] | None,
        Meta(
            description="Who runs the model: the host (`complete`), an endpoint, or nobody. null: the host if it "
            "can, else an endpoint if one is configured, else nobody."
        ),
    ] = None
    endpoint: Annotated[Endpoint | None, Meta(description="The model server.")] = None
    slices: Annotated[Slices, Meta(description="How a long history is sliced.")] = Slices()
    concurrency: Annotated[int, Meta(ge=1, le=32, description="Model calls in parallel.")] = 3
    retries: Annotated[int, Meta(ge=0, le=5, description="How often a failed call is repeated.")] = 1
    deadline_ms: Annotated[Positive, Meta(description="Time limit for a summary, in milliseconds.")] = 300_000
    prepare_ahead: Annotated[
        bool, Meta(description="Write a compaction in advance, from the yellow zone on. This spends money.")
    ] = False
    instructions: Annotated[str | None, Meta(description="Instructions added to every summary prompt.")] = None
    prompts: Annotated[SummaryPrompts, Meta(description="Your own prompts. `planCompaction` returns ctxmgr's.")] = (
        SummaryPrompts()
    )


class Archive(Setting, frozen=True):
    """How long originals are kept for `retrieve`, and whether with their secrets. The oldest are deleted first,
    those of open sessions never."""

    max_age_days: Annotated[Positive, Meta(description="Days after removal.")] = 30
    max_megabytes: Annotated[
        Positive,
        Meta(description="Megabytes (10^6 bytes) of text in the whole state directory, for all sessions together."),
    ] = 256
    keep_secrets: Annotated[
        bool,
        Meta(
            description="Keep secrets of known shapes in originals. False: they are masked before they are "
            "written to disk, and `retrieve` returns `[masked]` in their place."
        ),
    ] = False


class Tokenizer(Setting, frozen=True):
    """The vocabulary for `pressure` as long as no usage is known. What stays in a list depends on an estimate
    instead."""

    name: Annotated[str, Meta(description='"o200k_base", or "estimate" for no vocabulary.')] = "o200k_base"
    path: Annotated[str | None, Meta(description="Path of the vocabulary file. null: the default location.")] = None


class LongRequestPrices(BaseTier, Setting, frozen=True, omit_defaults=False):
    """Dollars per million tokens of a request above a size. They apply to the whole request."""

    above_tokens: Annotated[Natural, Meta(description="The size: tokens of input.")]
    input: Annotated[float, Meta(gt=0, description="Input tokens.")]
    output: Annotated[float, Meta(ge=0, description="Output tokens. 0: in proportion to input.")] = 0
    cache_read: Annotated[Price | None, Meta(description="Cache reads. null: in proportion to input.")] = None
    cache_write: Annotated[Price, Meta(description="Cache writes. 0: in proportion to input.")] = 0


class ModelPrices(BasePrices, Setting, frozen=True, omit_defaults=False):
    """Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion,
    or else as each key says."""

    input: Annotated[float, Meta(gt=0, description="Input tokens.")]
    output: Annotated[float, Meta(ge=0, description="Output tokens.")] = 0
    cache_read: Annotated[
        Price | None, Meta(description="Cache reads. null: a tenth of the input price. 0: free.")
    ] = None
    cache_write: Annotated[
        float,
        Meta(
            ge=0,
            description="Cache writes. 0: the input price if `cacheRead` is given, otherwise 1.25 times the input "
            "price.",
        ),
    ] = 0
    tiers: Annotated[tuple[LongRequestPrices, ...], Meta(description="Prices of longer requests.")] = ()


class ModelPolicy(Setting, frozen=True):
    """Settings that can differ by model. A missing key has the policy's value."""

    zones: Annotated[Zones | None, Meta(description="Where the zones begin.")] = None
    reserve: Annotated[Natural | None, Meta(description="Tokens reserved for the reply.")] = None
    host_reserve: Annotated[
        Natural | None, Meta(description="Tokens that the host keeps free before it compacts by itself.")
    ] = None
    effective_window: Annotated[
        Positive | None, Meta(description="Work as if the window had at most this many tokens.")
    ] = None
    compaction: Annotated[
        CompactionPolicy | Literal["host", "ctxmgr"] | None, Meta(description="Who writes compactions, and how.")
    ] = None
    prices: Annotated[ModelPrices | None, Meta(description="Prices of its tokens, if the host sends none.")] = None
    cache_ttl_ms: Annotated[
        Natural | None,
        Meta(description="Milliseconds that its provider keeps a prompt in its cache, if the host does not say."),
    ] = None


class Policy(Setting, frozen=True):
    """All settings of a session. Tokens are ctxmgr's own count unless a key says otherwise."""

    preset: Annotated[Preset, Meta(description="How lists are changed.")] = "balanced"
    recent_user_turns: Annotated[
        TurnsKept, Meta(description="Preset turns: how many of the newest turns are kept, by zone.")
    ] = TurnsKept()
    zones: Annotated[Zones, Meta(description="Where the zones begin.")] = Zones()
    distill: Annotated[
        DistillOver, Meta(description="Preset turns: the longest tool result in an older turn, by zone.")
    ] = DistillOver()
    packet_tokens: Annotated[
        PacketTokens | Natural,
        Meta(
            description="Token budget of the packet, by zone. A single number is the budget in green; the other "
            "zones get less. Instructions come on top of it, word for word."
        ),
    ] = PacketTokens()
    resume_tokens: Annotated[Natural, Meta(description="Token budget of the resume packet.")] = 1_500
    reserve: Annotated[
        Natural, Meta(description="Tokens reserved for the reply, at most a quarter of the window.")
    ] = 16_384
    host_reserve: Annotated[
        Natural,
        Meta(
            description="Tokens that the host keeps free before it compacts by itself. Red begins before that. "
            "The default counts as a quarter of the window at most."
        ),
    ] = 16_384
    effective_window: Annotated[
        Positive | None, Meta(description="Work as if the window had at most this many tokens.")
    ] = None
    max_request_bytes: Annotated[
        Positive,
        Meta(
            description="Bytes of a request: its list as JSON, plus 4 for each of `overheadTokens`. Above this, "
            "the oldest pictures and documents are replaced by text."
        ),
    ] = 24_000_000
    max_images: Annotated[
        Natural | None,
        Meta(description="Pictures and documents in a list, at most. null: the provider's known limit."),
    ] = None
    max_result_tokens: Annotated[
        Annotated[int, Meta(ge=500)] | None,
        Meta(
            description="A tool result longer than this many tokens is cut to them when it arrives. null: no "
            "result is cut."
        ),
    ] = None
    cost_versus_recall: Annotated[float, Meta(ge=0, le=1, description=NO_EFFECT)] = 0.5
    old_tokens: Annotated[Natural | None, Meta(description=NO_EFFECT)] = None
    newest_tokens: Annotated[Natural, Meta(description=NO_EFFECT)] = 1_000
    index_tokens: Annotated[Natural, Meta(description=NO_EFFECT)] = 4_500
    prices: Annotated[
        ModelPrices | None,
        Meta(description="Prices of tokens, for a model whose host sends none. Only ratios matter."),
    ] = None
    cache_ttl_ms: Annotated[
        Natural | None,
        Meta(
            description="Milliseconds that the provider keeps a prompt in its cache. null: as learned from "
            "usage, or else as known for the model."
        ),
    ] = None
    compaction: Annotated[
        CompactionPolicy | Literal["host", "ctxmgr"],
        Meta(description="Who writes compactions, and how. The short form only says who."),
    ] = "host"
    tokenizer: Annotated[
        Tokenizer | str,
        Meta(description="The vocabulary for `pressure` as long as no usage is known. The short form is its name."),
    ] = "o200k_base"
    models: Annotated[dict[str, ModelPolicy], Meta(description="Settings for some models, by model id.")] = {}
    archive: Annotated[
        Archive, Meta(description="How long originals are kept for `retrieve`, and whether with their secrets.")
    ] = Archive()
    protected_turns: Annotated[
        Natural, Meta(description="Tool output in this many of the newest turns is never pruned.")
    ] = 2
    prune_protect: Annotated[
        Natural, Meta(description="At least this many tokens of the newest older tool output are kept.")
    ] = 40_000
    prune_minimum: Annotated[
        Natural, Meta(description="Pruning starts only if it saves at least this many tokens.")
    ] = 20_000
    protected_tools: Annotated[
        tuple[str, ...], Meta(description="Tools whose output is never pruned. Case is ignored.")
    ] = ()
    protected_instructions: Annotated[
        bool | tuple[str, ...],
        Meta(
            description="Instructions (CLAUDE.md, AGENTS.md, skills, rules, memories) and the task (the plan that "
            "the user approved, the host's newest summary, long requests) stay in place, or word for word in the "
            "packet. Globs: only these files of instructions. False: treat both like any other output or message."
        ),
    ] = True
    prunable_tools: Annotated[
        tuple[str, ...], Meta(description="Tools whose output may be pruned. Case is ignored. Empty: all tools.")
    ] = ()
    idle_minutes: Annotated[
        Natural,
        Meta(
            description="Minutes without a call after which a session is unloaded from memory. The next call "
            "loads it from its snapshot. 0: never."
        ),
    ] = 60
    keep: Annotated[
        KeepPoint | Positive,
        Meta(
            description="Preset balanced: the cost, in tokens of input, if the model lacks a passage that it "
            "repeats. With a higher number, text stays longer. lean is 330, balanced 1700, careful "
            "3400."
        ),
    ] = "balanced"
    idle: Annotated[
        Idle,
        Meta(
            description="Preset balanced: what the first call sends once the prompt cache has expired. say: what "
            "is still worth its cost. prune: a fifth of the list, and at least what must stay. The "
            "status shows both costs."
        ),
    ] = "say"
    working_set: Annotated[
        WorkingSet, Meta(description="The newest part of a list, which every preset sends byte for byte.")
    ] = WorkingSet()
