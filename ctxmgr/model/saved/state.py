"""The durable state of a session: what a restart restores. It never contains the conversation itself."""

from typing import Any, Literal

import msgspec

from ctxmgr.model.epochs import Epoch, Opening, Pin, Receipt
from ctxmgr.model.prices import BasePrices
from ctxmgr.model.projection import Decision
from ctxmgr.model.saved.facts import Fact
from ctxmgr.model.tools import DeclaredTools


class ComparedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call, in the provider's tokens: what it was expected to read from the cache, and what it read and wrote.

    `before_list_tokens`: those of the expected tokens that come before its list. `changed_tokens`: the tokens of
    the last call's list with which this one no longer begins. `pause_ms`: since the last call, None without times.
    """

    expected_tokens: int = msgspec.field(name="expected")
    read_tokens: int = msgspec.field(name="read")
    written_tokens: int = msgspec.field(default=0, name="written")
    before_list_tokens: int = msgspec.field(default=0, name="before_list")
    changed_tokens: int = msgspec.field(default=0, name="changed")
    pause_ms: int | None = msgspec.field(default=None, name="pause")


class LearnedLifetime(msgspec.Struct, frozen=True, omit_defaults=True):
    """The lifetime of one model's cache entries, in milliseconds. `learned_ms`: what calls have shown, or None.

    `lapsed_ms`: a pause after which one call read nothing, which alone proves nothing. `hinted_ms`: a pause after
    which a call read only what comes before its list, which other sessions may have kept cached; 0: they did, so
    such pauses no longer count.
    """

    learned_ms: int | None = msgspec.field(default=None, name="learned")
    lapsed_ms: int | None = msgspec.field(default=None, name="lapsed")
    hinted_ms: int | None = msgspec.field(default=None, name="hinted")


class CountedList(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last list whose call was counted. `input_tokens`: by the provider, None if unknown. `weight`: ctxmgr's
    count. `time_ms`: of its call. Since then: `is_listed`: a list was sent that begins with `shared_weight` of this
    one; `listed_ms`: the time of the newest list; `longest_ms`: the longest pause between two lists.
    """

    input_tokens: int | None = msgspec.field(default=None, name="input")
    weight: int = 0
    time_ms: int | None = msgspec.field(default=None, name="at")
    is_listed: bool = msgspec.field(default=False, name="listed")
    shared_weight: int = msgspec.field(default=0, name="shared")
    listed_ms: int | None = msgspec.field(default=None, name="listed_at")
    longest_ms: int = msgspec.field(default=0, name="longest")


class CacheTruth(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known about the cache of one session. `model`: the model id of the calls. `tells`: the provider has
    reported cache reads at least once. `has_read`: one of them was not 0. `calls`: the newest compared calls,
    oldest first. `grown_tokens`: the total growth of lists that only grew, in the provider's tokens;
    `grown_weight`: the same by weight. `lifetimes`: by model id. `other_readers`: ids of other models whose calls
    have read from the cache, the most recent last.
    """

    model: str = ""
    tells: bool = False
    calls: tuple[ComparedCall, ...] = ()
    grown_tokens: int = 0
    grown_weight: int = 0
    lifetimes: dict[str, LearnedLifetime] = {}
    has_read: bool = msgspec.field(default=False, name="reads")
    other_readers: tuple[str, ...] = ()

    def has_cache(self, model: str) -> bool:
        """Whether a call of that model has ever read from the cache."""
        return (model == self.model and self.has_read) or model in self.other_readers


LatchState = Literal["idle", "asked", "cooldown", "resting"]


class Latch(msgspec.Struct, frozen=True):
    """`failure_count`: failures in a row. `wait`: the turn_ends until a cooldown ends. `age`: turn_ends since the
    request. `calm`: readings in a row below the calm threshold. `overflowed`: the user message (its digest) for
    which an overflow already requested a compaction.
    """

    state: LatchState = "idle"
    failure_count: int = msgspec.field(default=0, name="failures")
    wait: int = 0
    age: int = 0
    calm: int = 0
    overflowed: str | None = None


class MarkedStart(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first `message_count` messages of the answered list, with a mark at their end. `time_ms`: of the last
    call that marked it, or None if unknown. `is_join`: an epoch's list continued from the previous epoch's there.
    """

    message_count: int = msgspec.field(name="count")
    time_ms: int | None = msgspec.field(default=None, name="at")
    is_join: bool = msgspec.field(default=False, name="join")


class Meter(msgspec.Struct, frozen=True):
    """The last good reading of usage, and what it covered.

    `reading_tokens`: the provider's total in tokens (None: unknown). `base`: the uncalibrated weight of what that
    reading counted, by `weigher`. `ratios`: provider tokens for each weighed token, by weigher and model.
    """

    reading_tokens: int | None = msgspec.field(default=None, name="reading")
    base: int = 0
    weigher: str = ""
    ratios: dict[str, float] = {}


class ModelSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """The model that the host uses. `window` and `max_output_tokens` in tokens, `cache_ttl_ms` in milliseconds.
    `batch`: its calls may wait. `strict_roles`: whether user and assistant messages must alternate; None if
    unknown.
    """

    id: str
    window: int
    provider: str = ""
    max_output_tokens: int | None = msgspec.field(default=None, name="max_output")
    prices: BasePrices | None = None
    cache_ttl_ms: int | None = msgspec.field(default=None, name="cache_ttl")
    batch: bool = False
    strict_roles: bool | None = msgspec.field(default=None, name="strict")


class RawSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """A summary as the host wrote it, kept whole for inspection. `time_ms` in milliseconds since the epoch."""

    kind: str
    text: str
    digest: str
    time_ms: int = msgspec.field(default=0, name="at")
    entry: str | None = None


class InstructionCopy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Text that a model was told to follow, word for word. `source`: where it came from. `origin`: the digest of
    its message. `files`: the files that it contains; a part of a file includes its lines. `text`: "" if there was
    no room for it.
    """

    source: str
    text: str
    origin: str
    files: tuple[str, ...] = ()


class Totals(msgspec.Struct, frozen=True, omit_defaults=True):
    """Counts over the session's life. Tokens are uncalibrated weights."""

    contexts: int = 0
    fallbacks: int = 0
    turns_dropped: int = 0
    results_distilled: int = 0
    results_pruned: int = 0
    scanned_tokens: int = msgspec.field(default=0, name="tokens_scanned")
    pruned_tokens: int = msgspec.field(default=0, name="tokens_pruned")
    protected_tokens: int = msgspec.field(default=0, name="tokens_protected")
    prunable_tokens: int = msgspec.field(default=0, name="tokens_prunable")
    compactions_requested: int = 0


class RenderedPacket(msgspec.Struct, frozen=True):
    """The current packet. It keeps its bytes until `placement_key` (its position, and what it stands for)
    changes.
    """

    placement_key: str = msgspec.field(name="place")
    text: str
    weight: int


class LastProjection(msgspec.Struct, frozen=True):
    """The last projection. `etag`: identifies its list of `message_count` messages. `weight`: by `weigher`."""

    etag: str = msgspec.field(name="tag")
    message_count: int = msgspec.field(name="count")
    weight: int
    weigher: str


Outline = tuple[tuple[int, int] | str, ...]
"""The last answer: ranges [start, end) of unchanged messages, with end -1 for the end of the list, and a hash for
each inserted message."""


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that survives a restart.

    `seq`: the number of lifecycle events that have taken effect. `overrides`: policy keys set for this session.
    `anchor`: the key of the first kept turn's first message. `facts`: those of the active path; `pending`: those
    whose entry is not known yet; `away`: those of other branches. `trail`: entry ids of the active path, oldest
    first. `resume`: projections contain the resume packet until the model has answered one that did; `resumed`: one
    has. `clock`: the newest host time, in milliseconds. `opened`: the goal is known. `turn`: the digest of the
    newest message in which the user said something. `scratchpad`: the model's own notes. `overhead`: tokens that
    the host adds to each request outside the list, as it reported; `unseen`: the same, as in the last reading.
    `outgoing_tokens`: the weight of what the host would send now, as far as known. `reopen`: why the next
    projection opens an epoch at any price. `sent`: what the last answer consisted of. `returned`: handles of
    content that came back through `retrieve`, with the epoch at that time. `windows`: by model id, the window that
    the host reported and the smaller one that a refusal showed, in tokens. `instructions`: what others told the
    model, newest last, in case a host removes it from the list. `tools`: the host's declarations. `marked_starts`:
    of the last answer, shortest first. `cache`: what calls have shown about the provider's cache, the last of them
    for the list `counted`. `refused_weight`: of the list that was refused as too long, in tokens; 0 after a later
    one was accepted. `strict_models`: ids of models that refused a list in which user and assistant messages did
    not alternate. `cwd`: the working directory that the host reported last, or "". `busts`: prompts that changed
    early without ctxmgr, as in `status.cache.busts`; {} without any.
    """

    session_id: str
    model: ModelSpec
    seq: int = 0
    enabled: bool = True
    overrides: dict[str, Any] = {}
    latch: Latch = Latch()
    meter: Meter = Meter()
    anchor: str = ""
    decisions: dict[str, Decision] = {}
    facts: tuple[Fact, ...] = ()
    pending: tuple[Fact, ...] = ()
    away: tuple[Fact, ...] = ()
    trail: tuple[str, ...] = ()
    summaries: tuple[RawSummary, ...] = ()
    packet: RenderedPacket | None = None
    last_projection: LastProjection | None = msgspec.field(default=None, name="shown")
    resume: bool = False
    resumed: bool = False
    force_prune: bool = False
    opened: bool = False
    turn: str = ""
    clock: int = 0
    scratchpad: str = ""
    overhead: int = 0
    unseen: int = 0
    outgoing_tokens: int = msgspec.field(default=0, name="held")
    epoch: Epoch = Epoch()
    reopen: Opening | None = None
    receipts: tuple[Receipt, ...] = ()
    pins: tuple[Pin, ...] = ()
    sent: Outline = ()
    returned: dict[str, int] = {}
    totals: Totals = Totals()
    windows: dict[str, tuple[int, int]] = {}
    instructions: tuple[InstructionCopy, ...] = ()
    digests: int = 1
    tools: DeclaredTools = ()
    marked_starts: tuple[MarkedStart, ...] = msgspec.field(default=(), name="marks")
    cache: CacheTruth = CacheTruth()
    counted: CountedList = CountedList()
    refused_weight: int = msgspec.field(default=0, name="refused")
    strict_models: tuple[str, ...] = msgspec.field(default=(), name="strict")
    cwd: str = ""
    busts: dict[str, Any] = {}

    @property
    def newest_summary(self) -> str:
        """The text of the newest compaction summary, or ""."""
        return next((raw.text for raw in reversed(self.summaries) if raw.kind == "compaction"), "")


class Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    """`seq`: of the newest stored event, or None if unknown. `note`: a sentence for people while something is
    wrong.
    """

    seq: int | None = None
    note: str | None = None
