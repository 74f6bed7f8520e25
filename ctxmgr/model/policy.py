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
NO_EFFECT = "Has no effect since rules 3; accepted from older hosts. See `keep`."
ZONES: tuple[Zone, ...] = ("green", "yellow", "red", "compact")


class Setting(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of everything a host sets: camelCase on the wire, unknown keys refused."""


class Zones(Setting, frozen=True):
    """Where yellow, red and compact begin, as shares of the usable window. They rise."""

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
    """A tool result in a kept older turn is distilled when it is longer, in characters, by zone."""

    green: Annotated[Positive, Meta(description="In green.")] = 1_000
    yellow: Annotated[Positive, Meta(description="In yellow.")] = 400
    red: Annotated[Positive, Meta(description="In red.")] = 300
    compact: Annotated[Positive, Meta(description="In compact.")] = 200


class PacketTokens(Setting, frozen=True):
    """The packet's budget in tokens, by zone."""

    green: Annotated[Natural, Meta(description="In green.")] = 1_000
    yellow: Annotated[Natural, Meta(description="In yellow.")] = 800
    red: Annotated[Natural, Meta(description="In red.")] = 700
    compact: Annotated[Natural, Meta(description="In compact.")] = 600


class WorkingSet(Setting, frozen=True):
    """The newest of a list, in whole steps: it goes out byte for byte while it fits the window."""

    results: Annotated[Natural, Meta(description="At least so many of the newest tool results.")] = 5
    tokens: Annotated[Natural, Meta(description="At least so many tokens of the newest steps.")] = 8_000


class Endpoint(Setting, frozen=True):
    """A model server that writes summaries."""

    base_url: Annotated[
        str,
        Meta(
            description="Its address: all before `/chat/completions`, up to and with `/v1`; for `anthropic` "
            "all before `/v1/messages`."
        ),
    ]
    model: Annotated[str, Meta(description="The model's name there.")]
    api_key_env: Annotated[
        str | None, Meta(description="The environment variable that holds the key: keys stand in no policy.")
    ] = None
    context_window: Annotated[Positive, Meta(description="The model's window in tokens.")] = 128_000
    timeout_ms: Annotated[Positive, Meta(description="The longest that one call may take, in milliseconds.")] = (
        120_000
    )
    api: Annotated[
        EndpointApi,
        Meta(description="What it speaks: OpenAI's chat completions, or Anthropic's messages."),
    ] = "chat"


class Slices(Setting, frozen=True):
    """How a long history is cut up for a model."""

    tokens: Annotated[Positive, Meta(description="Tokens of a slice.")] = 20_000
    overlap: Annotated[Natural, Meta(description="Tokens that two neighbours share.")] = 2_000
    ratio: Annotated[Share, Meta(description="The answer to a slice, as a share of it.")] = 0.1
    newest: Annotated[Natural, Meta(description="So many of the newest slices get a longer answer.")] = 2
    newest_boost: Annotated[float, Meta(ge=1, le=10, description="So many times as long.")] = 2.0
    breaks: Annotated[
        Literal["steps", "natural"],
        Meta(description="Cut at the step nearest to the size, or where the subject changes."),
    ] = "steps"
    cohesion: Annotated[
        Literal["words", "embeddings", "host"],
        Meta(description="What tells a change of subject: words, the embeddings extra, or the host's `embed`."),
    ] = "words"
    weighted: Annotated[bool, Meta(description="What of a slice is shown goes by what matters to the goal.")] = True


class SummaryPrompts(Setting, frozen=True):
    """Prompts of your own in place of ctxmgr's; "": ctxmgr's.

    The record stands above them, in tags, and `instructions` below. What answers one of `history`, `turnPrefix` and
    `branch` has no sections that it is checked by: any text is the summary, and `format` is not asked for.
    """

    system: Annotated[str, Meta(description="The system prompt of every call.")] = ""
    history: Annotated[
        str, Meta(description="What is to be written of the conversation that a compaction takes out.")
    ] = ""
    turn_prefix: Annotated[str, Meta(description="The same of the first part of a turn whose rest is kept.")] = ""
    branch: Annotated[str, Meta(description="The same of a branch that was left.")] = ""


class CompactionPolicy(Setting, frozen=True):
    """Who writes compactions, how much stays, and how a summary is made."""

    by: Annotated[Literal["host", "ctxmgr"], Meta(description="Who writes them.")] = "host"
    enabled: Annotated[bool, Meta(description="False: none is asked for. `compact` works all the same.")] = True
    reserve_tokens: Annotated[Natural, Meta(description="Tokens kept free for the reply.")] = 16_384
    keep_recent_tokens: Annotated[Natural, Meta(description="Tokens of the newest messages that stay.")] = 20_000
    branch_reserve_tokens: Annotated[Natural, Meta(description="Tokens a branch summary leaves free.")] = 16_384
    weigher: Annotated[Weigher, Meta(description="How these tokens are counted.")] = "tokens"
    strategy: Annotated[
        Strategy | None,
        Meta(description="How a summary is made; null: in one call with a model, extractive without."),
    ] = None
    format: Annotated[Format, Meta(description="The sections a summary has.")] = "structured"
    model: Annotated[
        Literal["host", "endpoint", "none"] | None,
        Meta(
            description="Who runs the model: the host (`complete`), an endpoint, nobody; null: the "
            "host where it can, else an endpoint where one is named, else nobody."
        ),
    ] = None
    endpoint: Annotated[Endpoint | None, Meta(description="The server.")] = None
    slices: Annotated[Slices, Meta(description="How a long history is cut up.")] = Slices()
    concurrency: Annotated[int, Meta(ge=1, le=32, description="Model calls side by side.")] = 3
    retries: Annotated[int, Meta(ge=0, le=5, description="How often a failed call is made again.")] = 1
    deadline_ms: Annotated[Positive, Meta(description="The longest a summary may take, in milliseconds.")] = 300_000
    prepare_ahead: Annotated[bool, Meta(description="Write it ahead, from yellow on. That spends money.")] = False
    instructions: Annotated[str | None, Meta(description="What every summary is asked for in addition.")] = None
    prompts: Annotated[
        SummaryPrompts, Meta(description="Your own prompts; ctxmgr's are in the answer to `planCompaction`.")
    ] = SummaryPrompts()


class Archive(Setting, frozen=True):
    """How long originals are kept for `retrieve`: the oldest go first, those of open sessions never; and whether
    with the secrets in them."""

    max_age_days: Annotated[Positive, Meta(description="Days since they left.")] = 30
    max_megabytes: Annotated[
        Positive,
        Meta(description="Megabytes (10^6 bytes) of text in the whole state directory, all sessions together."),
    ] = 256
    keep_secrets: Annotated[
        bool,
        Meta(
            description="Keep secrets of known shapes in originals as they are. False: they are masked before they "
            "are written to disk, and `retrieve` gives `[masked]` in their place."
        ),
    ] = False


class Tokenizer(Setting, frozen=True):
    """Which vocabulary pressure goes by while no usage is known. What stays in a list goes by an estimate."""

    name: Annotated[str, Meta(description='"o200k_base", or "estimate" for none.')] = "o200k_base"
    path: Annotated[str | None, Meta(description="Its file; null: where it is kept by itself.")] = None


class LongRequestPrices(BaseTier, Setting, frozen=True, omit_defaults=False):
    """Dollars per million tokens of a request that is longer than a bound, of all of it."""

    above_tokens: Annotated[Natural, Meta(description="The bound: tokens of input.")]
    input: Annotated[float, Meta(gt=0, description="Of a prompt's tokens.")]
    output: Annotated[float, Meta(ge=0, description="Of what the model writes; 0: in proportion to input.")] = 0
    cache_read: Annotated[Price | None, Meta(description="Of what the cache holds; null: in proportion.")] = None
    cache_write: Annotated[Price, Meta(description="Of what it is to hold; 0: in proportion to input.")] = 0


class ModelPrices(BasePrices, Setting, frozen=True, omit_defaults=False):
    """Dollars per million tokens. Not told: as known of the very model, in proportion, else as each key says."""

    input: Annotated[float, Meta(gt=0, description="Of a prompt's tokens.")]
    output: Annotated[float, Meta(ge=0, description="Of what the model writes.")] = 0
    cache_read: Annotated[
        Price | None, Meta(description="Of what the cache holds of it; null: a tenth of the input's; 0: free.")
    ] = None
    cache_write: Annotated[
        float,
        Meta(
            ge=0,
            description="Of a prompt's tokens that the cache is to hold; 0: as the input's, where the "
            "price of reading is told, else 1.25 of it.",
        ),
    ] = 0
    tiers: Annotated[tuple[LongRequestPrices, ...], Meta(description="What longer requests cost instead.")] = ()


class ModelPolicy(Setting, frozen=True):
    """What may differ by model; an absent key is as the policy says."""

    zones: Annotated[Zones | None, Meta(description="Where the zones begin.")] = None
    reserve: Annotated[Natural | None, Meta(description="Tokens kept free for the reply.")] = None
    host_reserve: Annotated[
        Natural | None, Meta(description="Tokens that the host keeps free before it compacts by itself.")
    ] = None
    effective_window: Annotated[
        Positive | None, Meta(description="Work as if the window were no larger than this many tokens.")
    ] = None
    compaction: Annotated[
        CompactionPolicy | Literal["host", "ctxmgr"] | None, Meta(description="Who writes compactions, and how.")
    ] = None
    prices: Annotated[ModelPrices | None, Meta(description="What its tokens cost, if no host says it.")] = None
    cache_ttl_ms: Annotated[
        Natural | None,
        Meta(description="How long its provider keeps a prompt's prefix, where the host does not say."),
    ] = None


class Policy(Setting, frozen=True):
    """All settings of a session. Tokens are ctxmgr's own weights where nothing else is said."""

    preset: Annotated[Preset, Meta(description="What is done to a list.")] = "balanced"
    recent_user_turns: Annotated[
        TurnsKept, Meta(description="Preset turns: how many of the newest turns are kept, by zone.")
    ] = TurnsKept()
    zones: Annotated[Zones, Meta(description="Where the zones begin.")] = Zones()
    distill: Annotated[
        DistillOver, Meta(description="Preset turns: how long a tool result in an older turn may be, by zone.")
    ] = DistillOver()
    packet_tokens: Annotated[
        PacketTokens | Natural,
        Meta(
            description="The packet's budget in tokens, by zone; a number is the budget in green, and less above. "
            "Instructions stand beside it word for word."
        ),
    ] = PacketTokens()
    resume_tokens: Annotated[Natural, Meta(description="The resume packet's budget in tokens.")] = 1_500
    reserve: Annotated[
        Natural, Meta(description="Tokens kept free for the reply; never more than a quarter of the window.")
    ] = 16_384
    host_reserve: Annotated[
        Natural,
        Meta(
            description="Tokens that the host keeps free before it compacts by itself. Red begins before that. The "
            "default counts for a quarter of the window at most."
        ),
    ] = 16_384
    effective_window: Annotated[
        Positive | None, Meta(description="Work as if the window were no larger than this many tokens.")
    ] = None
    max_request_bytes: Annotated[
        Positive,
        Meta(
            description="Bytes of a request: its list as JSON, and 4 for each of `overheadTokens`. Over it the "
            "oldest pictures and documents become a text."
        ),
    ] = 24_000_000
    max_images: Annotated[
        Natural | None,
        Meta(description="Pictures and documents of a list; null: as many as the provider is known to take."),
    ] = None
    max_result_tokens: Annotated[
        Annotated[int, Meta(ge=500)] | None,
        Meta(description="A longer tool result is cut to so many tokens as it arrives; null: none is."),
    ] = None
    cost_versus_recall: Annotated[float, Meta(ge=0, le=1, description=NO_EFFECT)] = 0.5
    old_tokens: Annotated[Natural | None, Meta(description=NO_EFFECT)] = None
    newest_tokens: Annotated[Natural, Meta(description=NO_EFFECT)] = 1_000
    index_tokens: Annotated[Natural, Meta(description=NO_EFFECT)] = 4_500
    prices: Annotated[
        ModelPrices | None,
        Meta(description="What tokens cost, for a model whose host does not say. Only proportions count."),
    ] = None
    cache_ttl_ms: Annotated[
        Natural | None,
        Meta(description="Milliseconds that a prompt is kept; null: as learned, else as is known of the model."),
    ] = None
    compaction: Annotated[
        CompactionPolicy | Literal["host", "ctxmgr"],
        Meta(description="Who writes compactions, and how; the short form says who."),
    ] = "host"
    tokenizer: Annotated[
        Tokenizer | str,
        Meta(description="Which vocabulary pressure goes by while no usage is known; the short form is its name."),
    ] = "o200k_base"
    models: Annotated[dict[str, ModelPolicy], Meta(description="What differs by model id.")] = {}
    archive: Annotated[
        Archive, Meta(description="How long originals are kept for `retrieve`, and whether with their secrets.")
    ] = Archive()
    protected_turns: Annotated[
        Natural, Meta(description="Tool output in so many of the newest turns is never pruned.")
    ] = 2
    prune_protect: Annotated[
        Natural, Meta(description="At least so many tokens of the newest older tool output stay.")
    ] = 40_000
    prune_minimum: Annotated[
        Natural, Meta(description="Pruning begins where it saves at least so many tokens.")
    ] = 20_000
    protected_tools: Annotated[
        tuple[str, ...], Meta(description="Tools whose output is never pruned, named in whatever case.")
    ] = ()
    protected_instructions: Annotated[
        bool | tuple[str, ...],
        Meta(
            description="What others told the model (CLAUDE.md, AGENTS.md, skills, rules, memories) stays in "
            "place, or word for word in the packet. Globs: these files instead. False: it is as any output."
        ),
    ] = True
    prunable_tools: Annotated[
        tuple[str, ...], Meta(description="Tools whose output may be pruned, named in whatever case; empty: all.")
    ] = ()
    idle_minutes: Annotated[
        Natural,
        Meta(
            description="A session that nobody asks for in so many minutes leaves memory, and comes back from its "
            "snapshot with the next call; 0: it stays."
        ),
    ] = 60
    keep: Annotated[
        KeepPoint | Positive,
        Meta(
            description="Preset balanced: what it costs, in tokens of input, that the model lacks a stretch of "
            "text it repeats. The more, the longer text stays: lean is 330, balanced 1700, careful 3400."
        ),
    ] = "balanced"
    idle: Annotated[
        Idle,
        Meta(
            description="Preset balanced: what the first call sends once the provider's cache has ended. say: what "
            "is worth its place. prune: a fifth of the list, and at least what must stay. The status tells both."
        ),
    ] = "say"
    working_set: Annotated[
        WorkingSet, Meta(description="The newest of a list, which is sent byte for byte in every preset.")
    ] = WorkingSet()
