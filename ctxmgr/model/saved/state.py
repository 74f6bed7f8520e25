"""The durable state of a session: what a restart restores. It never holds the conversation itself."""

from typing import Any, Literal

import msgspec

from ctxmgr.model.epochs import Epoch, Opening, Pin, Receipt
from ctxmgr.model.prices import BasePrices
from ctxmgr.model.projection import Decision
from ctxmgr.model.saved.facts import Fact
from ctxmgr.model.tools import DeclaredTools


class ComparedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call, in the provider's tokens: what it was expected to read from the cache, what it read and wrote.

    `before_list_tokens`: what stands before its list, of the expected ones. `changed_tokens`: of the list of the
    call before, what this one no longer begins with. `pause_ms` since that call, None where no times are given.
    """

    expected_tokens: int = msgspec.field(name="expected")
    read_tokens: int = msgspec.field(name="read")
    written_tokens: int = msgspec.field(default=0, name="written")
    before_list_tokens: int = msgspec.field(default=0, name="before_list")
    changed_tokens: int = msgspec.field(default=0, name="changed")
    pause_ms: int | None = msgspec.field(default=None, name="pause")


class LearnedLifetime(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of one model's cache, in milliseconds. `learned_ms`: what calls have shown, None where they showed nothing.

    `lapsed_ms`: a pause after which one call read nothing, which alone shows nothing. `hinted_ms`: one after which
    a call read what stands before its list and no more, which other sessions may have kept; 0: they do.
    """

    learned_ms: int | None = msgspec.field(default=None, name="learned")
    lapsed_ms: int | None = msgspec.field(default=None, name="lapsed")
    hinted_ms: int | None = msgspec.field(default=None, name="hinted")


class CountedList(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last list whose call was counted: `input_tokens` by the provider, None where that is not known, and its
    `weight`; `time_ms` of its call. Since then: `is_listed`: a list was sent, which begins with `shared_weight` of
    it; `listed_ms`: the time of the newest, `longest_ms`: the longest pause between two."""

    input_tokens: int | None = msgspec.field(default=None, name="input")
    weight: int = 0
    time_ms: int | None = msgspec.field(default=None, name="at")
    is_listed: bool = msgspec.field(default=False, name="listed")
    shared_weight: int = msgspec.field(default=0, name="shared")
    listed_ms: int | None = msgspec.field(default=None, name="listed_at")
    longest_ms: int = msgspec.field(default=0, name="longest")


class CacheTruth(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of one session. `model`: whose id the calls are of. `tells`: the provider has told what it read, once at
    least; `has_read`: and that it was more than nothing. `calls`: the newest that were compared, oldest first.
    `grown_tokens` are what lists grew by where they only grew, `grown_weight` by weight. `lifetimes` by model's
    id. `other_readers`: ids of other models whose calls have read, the one whose calls were last in use at the
    end."""

    model: str = ""
    tells: bool = False
    calls: tuple[ComparedCall, ...] = ()
    grown_tokens: int = 0
    grown_weight: int = 0
    lifetimes: dict[str, LearnedLifetime] = {}
    has_read: bool = msgspec.field(default=False, name="reads")
    other_readers: tuple[str, ...] = ()

    def has_cache(self, model: str) -> bool:
        """Whether a call of that model has ever read."""
        return (model == self.model and self.has_read) or model in self.other_readers


LatchState = Literal["idle", "asked", "cooldown", "resting"]


class Latch(msgspec.Struct, frozen=True):
    """`failure_count` in a row; `wait`: turn_ends left of a cooldown; `age`: turn_ends since the request;
    `calm`: readings in a row below the calm threshold; `overflowed`: the user message (its
    digest) for which an overflow was asked already."""

    state: LatchState = "idle"
    failure_count: int = msgspec.field(default=0, name="failures")
    wait: int = 0
    age: int = 0
    calm: int = 0
    overflowed: str | None = None


class MarkedStart(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first `message_count` messages of the answered list: a mark stood at their end. `time_ms`: of the last
    call that marked it, None where the host told no time. `is_join`: there an epoch's list went on from the one
    before."""

    message_count: int = msgspec.field(name="count")
    time_ms: int | None = msgspec.field(default=None, name="at")
    is_join: bool = msgspec.field(default=False, name="join")


class Meter(msgspec.Struct, frozen=True):
    """The last good reading and what it stood for.

    `reading_tokens` is the provider's total in tokens (None: unknown); `base` the weight, uncalibrated, of what
    that reading counted, as `weigher` weighs. `ratios` holds provider tokens per weighed token, by weigher and
    model.
    """

    reading_tokens: int | None = msgspec.field(default=None, name="reading")
    base: int = 0
    weigher: str = ""
    ratios: dict[str, float] = {}


class ModelSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """The model the host uses. `window` and `max_output_tokens` in tokens, `cache_ttl_ms` in milliseconds. `batch`:
    its calls may wait. `strict_roles`: whether users and the assistant must take turns; None where nobody said."""

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
    """What a model was told to go by, word for word: `source` says where from, `origin` is the digest of the
    message that it stood in. `files` that it tells, a part of one with its lines. `text` "" where there was no room
    for it."""

    source: str
    text: str
    origin: str
    files: tuple[str, ...] = ()


class Totals(msgspec.Struct, frozen=True, omit_defaults=True):
    """Counts over the session's life; tokens are uncalibrated weights."""

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
    """The packet in force. It keeps its bytes until `placement_key` (where it stands, and what for) is another."""

    placement_key: str = msgspec.field(name="place")
    text: str
    weight: int


class LastProjection(msgspec.Struct, frozen=True):
    """The last projection: `etag` stands for the list it was of, `message_count` messages; `weight` by
    `weigher`."""

    etag: str = msgspec.field(name="tag")
    message_count: int = msgspec.field(name="count")
    weight: int
    weigher: str


Outline = tuple[tuple[int, int] | str, ...]
"""Of the last answer: ranges [start, end) of messages as they came, an end of -1 for the list's, and a hash for
each message that was put in."""


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that survives a restart.

    `seq`: lifecycle events that have taken effect. `overrides`: policy keys set for this session. `anchor`: key
    of the first kept turn's first message. `facts` hold on the active path, `pending` are facts whose entry is
    not known yet, `away` belong to other branches. `trail`: entry ids of the active path, oldest first.
    `resume`: projections carry the resume packet until the model has answered one that did; `resumed`: one has.
    `clock`: newest host time, milliseconds. `opened`: a
    goal was heard. `turn`: the digest of the newest message in which the user said something. `scratchpad`: the
    model's own notes. `overhead`: tokens the host adds to each request, unseen by us, as it told;
    `unseen`: as the last reading had them. `outgoing_tokens`: weight of what the host would
    send now, as far as it is known. `reopen`: why the next projection opens an epoch whatever the price. `sent`:
    what the last answer was made of. `returned`: handles of what came back through `retrieve`, with the epoch in
    force then. `windows`: by model's id the window that the host said it has, and the smaller one that a refusal
    taught, in tokens. `instructions`: what others told the model, newest last, for when a host takes it out of
    the list. `tools`: what the host declares of its own. `marked_starts`: of the last answer, shortest first.
    `cache`: what calls have shown of the provider's cache, the last of them for the list `counted`.
    `refused_weight`: of the list that was refused as too long, in tokens; 0 once one was taken since.
    `strict_models`: ids of models that refused a list in which users and the assistant did not take turns.
    `cwd`: the working directory, as the host named it last; "" where it named none.
    `busts`: prompts that changed early without ctxmgr, as `status.cache.busts` shows them; {} for none.
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
        """The text of the newest summary of a compaction; "" for none."""
        return next((raw.text for raw in reversed(self.summaries) if raw.kind == "compaction"), "")


class Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    """`seq`: of the newest event that is there, None where none is known to be. `note`: a sentence for people while
    something is wrong."""

    seq: int | None = None
    note: str | None = None
