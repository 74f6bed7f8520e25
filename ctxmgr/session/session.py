"""One session: its durable state, the list it was last shown, and what follows from them.

Rules:
1. Compute first, assign last: a method that fails leaves the session unchanged.
2. `state` is frozen; whoever calls a method saves the difference before the answer is sent.
3. A method that may take long is a generator: it yields `Offload`, and receives its value.
4. Only short event handlers are in this module; the others have modules in `methods` and `context`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol

import msgspec

from ctxmgr.engine.memory import edited_scratchpad
from ctxmgr.engine.presets import ALTERNATING_PRESETS, PRESETS, Inputs, PresetStrategy
from ctxmgr.engine.pressure import Gauge, Thresholds, latch, thresholds
from ctxmgr.formats import AUTO, MessageFormat, format_of, messages_of, settled
from ctxmgr.known_models import Registry, shipped
from ctxmgr.model import (
    WEIGHER,
    ArchiveRow,
    Block,
    DeclaredTools,
    Message,
    Opening,
    Plan,
    Zone,
    policy_keys,
)
from ctxmgr.model.api import compaction, lifecycle, since
from ctxmgr.model.saved import Ledger, State, Stored
from ctxmgr.session import ledger_updates
from ctxmgr.session.effective import (
    ModelInUse,
    UsageMismatches,
    declared,
    has_strict_roles,
    in_use,
    model_spec,
    of_another_model,
    policy_in_force,
    window_of,
)
from ctxmgr.session.journal import undecided
from ctxmgr.session.prefetch import BranchLocks, Prefetch
from ctxmgr.session.projection import CancelledAttempt, ListMemo, Projection
from ctxmgr.session.reading import Calibration, Reader
from ctxmgr.session.work import Offload, Verb

WEIGHTS_AT_MOST = 5_000  # of texts that packets are made of, kept in memory


class Embedding(Protocol):
    """Turns texts into vectors, or None if there are none. `failure`: why not, "" while unknown."""

    failure: str

    def __call__(self, texts: Sequence[str], /) -> list[list[float]] | None: ...


EARLY_BYTES = 16 << 10  # of messages heard before the last event


class EarlyMessages(dict[bytes, Message]):
    """Messages that events report before a list shows them, by their bytes, so that they are not read again. The
    newest stay, up to a number of bytes; those of the last event stay whatever their size.
    """

    size = 0  # bytes

    def hear(self, messages: Sequence[Message]) -> None:
        """One event's."""
        for message in messages:
            if self.pop(message.raw, None) is None:
                self.size += len(message.raw)
            self[message.raw] = message
        room = EARLY_BYTES + sum([len(message.raw) for message in messages])
        while self.size > room:
            oldest = next(iter(self))
            del self[oldest]
            self.size -= len(oldest)

    def clear(self) -> None:
        super().clear()
        self.size = 0


class SessionCore:
    def __init__(
        self,
        state: State,
        fmt: MessageFormat,
        defaults: dict[str, Any],
        capabilities: lifecycle.HostCapabilities,
        reader: Reader,
        embed: Embedding | None = None,
    ) -> None:
        self.state, self.fmt, self.defaults = state, fmt, defaults
        self.capabilities, self.reader, self.embed = capabilities, reader, embed
        self.host_tools = reader.tools  # of all its sessions; this session's own are in the state
        self.vocabulary: Calibration | None = None
        self.projection = Projection()
        self.listed_ms: int | None = None  # the host's time at the last list, or that of its newest message
        self.ledger = ledger_updates.ledger(state)
        self.source_messages = ledger_updates.SourceMessages(state)
        self.memo = ListMemo()
        self.weights: dict[str, int] = {}
        self.pending_messages = EarlyMessages()
        self.cancelled_attempt: CancelledAttempt | None = None
        self.entry_of = ledger_updates.EntryIds()
        self.pending_archive: list[ArchiveRow] = []  # removed by this call; `archiving` takes it from here
        self.unarchived: dict[str, ArchiveRow] = {}  # what the archive does not have yet, by key
        self.by_estimate = False  # no usage is known; pressure comes from the estimate only
        self.mismatches = UsageMismatches()
        self.format_settled = False  # a message has shown the format's mark, so it is right
        self.strict_roles = self.fmt.has_templates and has_strict_roles(state)
        # consecutive failed lists; the class of the last exception, or "checks"
        self.failure_count, self.last_fault = 0, ""
        self.branch_locks = BranchLocks()
        self.prefetch = Prefetch()
        self.warnings: tuple[str, ...] = ()
        self.unpruned = ""  # why the last prune that the host requested removed nothing
        self.cold_cost: tuple[State, lifecycle.ColdCost | None] | None = None  # the last one computed
        self.stored = Stored()  # how far it is safe in the store, as far as this process knows
        self.version = since.PROTOCOL_VERSION  # of the protocol, in which its reports are written
        self.models: Registry | None = None  # what is known of models, if not the shipped data
        self.log_lines: list[str] = []  # for people, until they are reported
        self._refresh()

    # what follows from the state

    def _refresh(self) -> None:
        """The current policy, its preset and thresholds."""
        self._gauge: tuple[State, Gauge] | None = None  # of the state it was last computed for
        self.overrides, self.set_aside, self.policy, self.idle_keys = policy_in_force(self.defaults, self.state)
        self.model: ModelInUse = in_use(self.state.model, self.policy, self.models or shipped())
        strict = self.fmt.has_templates and has_strict_roles(self.state)
        if strict and not self.strict_roles and self.state.decisions:  # removed content may have to return
            self.state = msgspec.structs.replace(undecided(self.state), reopen=self.reopen("rewritten"))
            self._cut_off()
        self.strict_roles = strict
        self.preset: PresetStrategy = (ALTERNATING_PRESETS if strict else PRESETS)[self.policy.preset]
        self.thresholds: Thresholds = thresholds(self.policy, window_of(self.state))
        before, self.reader = self.reader, self.reader.reading(self.state)
        if self.reader.tools != before.tools:
            self._unread()
        else:
            self.projection = self.projection.without_media(before, self.reader)

    @property
    def ratio_key(self) -> str:
        """Names the counter and the model, which both affect the ratio."""
        return f"{WEIGHER}/{self.state.model.id}"

    @property
    def plan(self) -> Plan:
        return self.projection.plan

    def gauge(self, state: State) -> Gauge:
        """Turns estimates into tokens, for this state."""
        if self._gauge is not None and self._gauge[0] is state:
            return self._gauge[1]
        terms, overhead, by = self.model.terms_by(state), max(state.overhead, state.unseen), self.thresholds
        if by.window != window_of(state):
            by = thresholds(self.policy, window_of(state))
        gauge = Gauge(state.meter, by, self.ratio_key, overhead, terms, state.refused_weight)
        self._gauge = state, gauge
        return gauge

    def tokens(self) -> int:
        """Estimated provider tokens of what the host would send now."""
        weight = self.state.outgoing_tokens
        if self.counted_by == "vocabulary" and self.vocabulary is not None:
            weight = round(weight * self.vocabulary.scale)
        return self.gauge(self.state).tokens(weight)

    @property
    def counted_by(self) -> Literal["usage", "vocabulary", "estimate"]:
        """The source of `tokens`: the provider's count, else a vocabulary if there is one, else the estimate."""
        if self.state.meter.reading_tokens is not None:
            return "usage"
        return "vocabulary" if self.vocabulary is not None else "estimate"

    def zone(self) -> Zone:
        return self.gauge(self.state).zone_at(self.tokens())

    def inputs(
        self, state: State, ledger: Ledger, time_ms: int | None = None, may_take_long: bool = True
    ) -> Inputs:
        """What a preset plans by, besides list and state."""
        return Inputs(
            policy=self.policy,
            gauge=self.gauge(state),
            weigh=self.weigh,
            ledger=ledger,
            memo=self.memo,
            time_ms=time_ms,
            archive=self.capabilities.archiving,
            may_take_long=may_take_long,
            may_ask=self.may_ask(),
        )

    def weigh(self, text: str) -> int:
        """The tokens of a short text; packets consist of lines that repeat."""
        weight = self.weights.get(text)
        if weight is None:
            if len(self.weights) > WEIGHTS_AT_MOST:
                self.weights.clear()
            weight = self.weights[text] = self.reader.weigh(text)
        return weight

    def read_as(self, fmt: MessageFormat) -> None:
        """Another format from now on: the next list is read again from scratch."""
        self.fmt, self.format_settled = fmt, False
        self.strict_roles = fmt.has_templates and has_strict_roles(self.state)  # the model is the same
        self.reader = Reader(fmt, self.reader.weigh, self.reader.rules, self.reader.tools)
        self._refresh()
        self._unread()

    def _unread(self) -> None:
        """Drops everything derived from messages."""
        self.memo.clear()
        self.pending_messages.clear()

    def check_format(self, raws: Sequence[bytes], path: str) -> None:
        """Raises InvalidParams if these messages are not in the session's format, before any of them is used.

        Once a message has shown the format's mark, later lists are not refused.
        """
        fmt = None if self.format_settled else settled(self.fmt, raws, path)
        if fmt is not None:
            if fmt is not self.fmt:
                self.read_as(fmt)
            self.format_settled = True

    def may_ask(self) -> bool:
        """Whether a compaction may be requested at all."""
        return (
            bool(self.capabilities.request_compaction)
            and self.state.enabled
            and self.preset.asks_for_compaction
            and policy_keys.compaction(self.policy).enabled
        )

    def may_prepare_ahead(self) -> bool:
        """Whether to start a compaction in the background now."""
        known = self.state.meter.reading_tokens is not None or self.by_estimate
        wanted = policy_keys.compaction(self.policy).prepare_ahead and self.may_ask()
        return wanted and self.prefetch.wanted(self.zone(), known)

    def _replace(self, **changes: Any) -> None:
        self.state = msgspec.structs.replace(self.state, **changes)

    def reopen(self, why: Opening) -> Opening | None:
        """The prefix will be lost, so an epoch may open. The reason that something must return has priority."""
        return self.state.reopen if self.state.reopen in ("pin", "undo") else why

    def void_base(self, held: int | None = None) -> None:
        """The next `context` must bring the whole list, which counts `held` tokens if it is another one."""
        self.projection = msgspec.structs.replace(self.projection, etag="")
        if held is not None and held != self.state.outgoing_tokens:
            self._replace(outgoing_tokens=held)

    def begin_afresh(self, why: str) -> None:
        """The decisions so far led to no list that may be sent: the next one is decided without them. Learned facts
        stay.
        """
        reopen = self.reopen("rewritten")  # the epoch counts once a list opens it
        self.state = msgspec.structs.replace(undecided(self.state), reopen=reopen)
        self.projection = Projection()
        self._unread()
        note = f"{why}: the next list starts afresh"
        if note not in self.warnings:
            self.warnings = (*self.warnings, note)

    def knows(self, models: Registry | None) -> None:
        """What is known of models from now on; None: the shipped data."""
        self.models = models
        self._refresh()

    def let_go(self) -> None:
        """Drops the list and everything derived from it; the next one is answered as after a restart."""
        self.projection = Projection()
        self._unread()
        self.weights.clear()
        self.cancelled_attempt = None

    def _cut_off(self) -> None:
        """The next list follows other rules and does not continue the last answer."""
        self.projection = msgspec.structs.replace(self.projection, answered=False)

    def listed(self) -> tuple[Message, ...]:
        """The last list, and what was reported since."""
        return (*self.projection.messages, *self.pending_messages.values())

    # lifecycle

    def start(self, params: lifecycle.SessionStartParams) -> Verb[None]:
        """A session starts or continues. `entries`: its whole tree, if the host has one."""
        tools = declared(self.state, self.host_tools, params.tools)
        if params.message_format is not None:
            fmt = format_of(params.message_format, "$.messageFormat")
            if fmt is not self.fmt and not (fmt.name == AUTO and self.format_settled):
                self.read_as(fmt)
        if params.entries:
            self.check_format(messages_of([bytes(raw) for raw in params.entries]), "$.entries")
        state = msgspec.structs.replace(
            self.state, model=model_spec(params.model), tools=tools, cwd=params.cwd or self.state.cwd
        )
        entry_of = self.entry_of
        if params.entries:
            raws = [bytes(raw) for raw in params.entries]
            state, entry_of = yield Offload(
                lambda: ledger_updates.on_path(state, self.fmt, raws, params.leaf_id, self.source_messages)
            )
        self.state, self.entry_of = state, entry_of
        self.ledger = ledger_updates.ledger(state)
        self.source_messages.add_sources(state)
        self.void_base()
        self._refresh()

    def declare_tools(self, tools: DeclaredTools) -> None:
        """From the next list on. Raises InvalidParams."""
        self._replace(tools=declared(self.state, (), tools))
        self._refresh()

    def model_select(self, params: lifecycle.ModelSelectParams) -> None:
        model = model_spec(params.model)
        changed = model.id != self.state.model.id
        reopen = self.reopen("model") if changed else self.state.reopen
        state = of_another_model(self.state) if changed else self.state
        if state.decisions is not self.state.decisions:
            self._cut_off()
        self.state = msgspec.structs.replace(state, model=model, seq=state.seq + 1, reopen=reopen)
        self._refresh()

    def calls(self, among: Iterable[Message]) -> dict[str, Block]:
        """The calls that results among these messages answer."""
        return ledger_updates.calls_answered(among, self.projection.conversation)

    def compact_failed(self, params: lifecycle.CompactFailedParams) -> None:
        after, _ = latch.apply(self.state.latch, "failed")
        self._replace(latch=after, seq=self.state.seq + 1)

    def answered(self, accepted: bool) -> None:
        """The host answered `requestCompaction`."""
        after, _ = latch.apply(self.state.latch, "accepted" if accepted else "refused")
        self._replace(latch=after)

    def end(self) -> None:
        self._replace(seq=self.state.seq + 1)

    # queries that change something

    def set_state(self, state: State) -> None:
        """The state after an event that may have taught another window."""
        has_learnt = state.windows is not self.state.windows or state.strict_models != self.state.strict_models
        self.state = state
        if has_learnt:
            self._refresh()

    def set_policy(self, keys: dict[str, Any]) -> None:
        """Raises policy_keys.InvalidPolicy, and then changes nothing."""
        policy_keys.check_keys(keys)
        overrides = policy_keys.merged(self.overrides, keys)
        policy_keys.policy(policy_keys.merged(self.defaults, overrides), self.state.model.id)
        before, promised = self.preset, self.policy.working_set
        overrides = policy_keys.merged(self.state.overrides, keys)  # including those of another release
        self._replace(overrides=overrides, reopen=self.reopen("policy"))
        self._refresh()
        if self.preset is before:
            self.state = before.packet_outdated(self.state)
            if self.policy.working_set != promised:  # removed parts of it return
                self._cut_off()
                self.state = before.switched(self.state)
        else:  # one preset does not continue another's decisions
            self._replace(packet=None)
            self._cut_off()

    def set_pruning(self, enabled: bool) -> None:
        if enabled != self.state.enabled:
            self._cut_off()
            self.state = self.preset.switched(self.state)
        self._replace(enabled=enabled)

    def edit_scratchpad(self, operations: Sequence[compaction.ScratchpadOperation]) -> None:
        """Raises InvalidParams, and then changes nothing. The packet is rendered again with it; if
        the preset keeps the prefix, that happens at the next epoch.
        """
        text = edited_scratchpad(self.state.scratchpad, operations)
        if text != self.state.scratchpad:
            self.state = self.preset.packet_outdated(msgspec.structs.replace(self.state, scratchpad=text))

    def force_prune(self) -> None:
        self._replace(force_prune=True)
        self.unpruned = ""
