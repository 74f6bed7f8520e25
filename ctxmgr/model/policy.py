"""The policy: every number and choice a host may set, with its unit and its default."""

from typing import Annotated, Literal

import msgspec

from ctxmgr.model.compaction import Format, Strategy, Weigher

Natural = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]

Preset = Literal["off", "tools", "turns", "balanced"]
Zone = Literal["green", "yellow", "red", "compact"]
ZONES: tuple[Zone, ...] = ("green", "yellow", "red", "compact")


class Setting(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of everything a host sets: camelCase on the wire, unknown keys refused."""


class Zones(Setting, frozen=True):
    """Where yellow, red and compact begin, as shares of the usable window."""

    yellow: Share = 0.50
    red: Share = 0.70
    compact: Share = 0.90


class TurnsKept(Setting, frozen=True):
    """How many of the newest turns are kept, by zone."""

    green: Positive = 6
    yellow: Positive = 3
    red: Positive = 1
    compact: Positive = 1


class DistillOver(Setting, frozen=True):
    """A tool result in a kept older turn is distilled when it is longer than this, in characters, by zone."""

    green: Positive = 1_000
    yellow: Positive = 400
    red: Positive = 300
    compact: Positive = 200


class PacketTokens(Setting, frozen=True):
    """The packet's budget in tokens, by zone."""

    green: Natural = 1_500
    yellow: Natural = 1_200
    red: Natural = 900
    compact: Natural = 600


class Endpoint(Setting, frozen=True):
    """A chat-completions server for summaries. `apiKeyEnv` names the environment variable that holds the key:
    keys stand in no policy. `contextWindow` in tokens, `timeoutMs` of one call."""

    base_url: str
    model: str
    api_key_env: str | None = None
    context_window: Positive = 128_000
    timeout_ms: Positive = 120_000


class Slices(Setting, frozen=True):
    """How a long history is cut up for a model: size and overlap in tokens, output as a share of the slice.

    The `newest` slices get `newestBoost` times that. `breaks`: cut at the step nearest to the size, or at the
    natural break near it; `cohesion`: told by words, by the embeddings extra, or by the host's `embed`.
    `weighted`: what of a slice is shown goes by how much each message matters to the goal, for the same tokens.
    """

    tokens: Positive = 20_000
    overlap: Natural = 2_000
    ratio: Share = 0.1
    newest: Natural = 2
    newest_boost: Annotated[float, msgspec.Meta(ge=1, le=10)] = 2.0
    breaks: Literal["steps", "natural"] = "steps"
    cohesion: Literal["words", "embeddings", "host"] = "words"
    weighted: bool = True


class Compaction(Setting, frozen=True):
    """Who writes compactions, how much stays, and how a summary is made. Tokens by `weigher`.

    `enabled` false silences requests, not `compact`. `model`: who runs the summarising model; unset: the host
    where it can, else none. `strategy` unset: single-shot with a model, extractive without. `concurrency`: calls
    side by side; `retries` of a call that failed; `deadlineMs`: for a whole summary. `prepareAhead`: write it
    in the background from yellow on, which spends the host's money. `branchReserveTokens` as pi's.
    """

    by: Literal["host", "ctxmgr"] = "host"
    enabled: bool = True
    reserve_tokens: Natural = 16_384
    keep_recent_tokens: Natural = 20_000
    branch_reserve_tokens: Natural = 16_384
    weigher: Weigher = "tokens"
    strategy: Strategy | None = None
    format: Format = "structured"
    model: Literal["host", "endpoint", "none"] | None = None
    endpoint: Endpoint | None = None
    slices: Slices = Slices()
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=32)] = 3
    retries: Annotated[int, msgspec.Meta(ge=0, le=5)] = 1
    deadline_ms: Positive = 300_000
    prepare_ahead: bool = False
    instructions: str | None = None


class Archive(Setting, frozen=True):
    """How long originals are kept for `retrieve`: days since they left, and megabytes (10^6 bytes) of text in the
    whole state directory. The oldest go first; those of a session that is open here stay."""

    max_age_days: Positive = 30
    max_megabytes: Positive = 256


class Tokenizer(Setting, frozen=True):
    """Which vocabulary weighs text: "o200k_base", or "estimate" for characters / 4; `path` to its file."""

    name: str = "o200k_base"
    path: str | None = None


class ModelPrices(Setting, frozen=True):
    """Dollars per million tokens, for a model whose host tells no prices."""

    input: Annotated[float, msgspec.Meta(gt=0)]
    output: Annotated[float, msgspec.Meta(ge=0)] = 0
    cache_read: Annotated[float, msgspec.Meta(ge=0)] = 0
    cache_write: Annotated[float, msgspec.Meta(ge=0)] = 0


class ModelPolicy(Setting, frozen=True):
    """What may differ by model id; an absent key is as the policy says. `cacheTtlMs`: how long the provider keeps
    a prompt's prefix. What the host tells of a model goes first."""

    zones: Zones | None = None
    reserve: Natural | None = None
    host_reserve: Natural | None = None
    effective_window: Positive | None = None
    compaction: Compaction | Literal["host", "ctxmgr"] | None = None
    prices: ModelPrices | None = None
    cache_ttl_ms: Natural | None = None


class Policy(Setting, frozen=True):
    """All settings of a session. Token counts are uncalibrated weights, see `ctxmgr.engine.pressure.meter`.
    Tools are named
    in whatever case."""

    preset: Preset = "balanced"
    recent_user_turns: TurnsKept = TurnsKept()
    zones: Zones = Zones()
    distill: DistillOver = DistillOver()
    packet_tokens: PacketTokens | Natural = PacketTokens()
    resume_tokens: Natural = 4_000
    reserve: Natural = 16_384
    host_reserve: Natural = 16_384
    effective_window: Positive | None = None
    cost_versus_recall: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    prices: ModelPrices | None = None
    cache_ttl_ms: Natural | None = None
    compaction: Compaction | Literal["host", "ctxmgr"] = "host"
    tokenizer: Tokenizer | str = "o200k_base"
    models: dict[str, ModelPolicy] = {}
    archive: Archive = Archive()
    protected_turns: Natural = 2
    prune_protect: Natural = 40_000
    prune_minimum: Natural = 20_000
    protected_tools: tuple[str, ...] = ()
    prunable_tools: tuple[str, ...] = ()
