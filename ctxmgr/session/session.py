"""One session: its durable state, the list it was last shown, and a method for each lifecycle event.

Rules:
1. Compute first, assign last: a verb that fails leaves the session as it was.
2. `state` is frozen; whoever calls a verb saves the difference before the answer leaves.
3. A verb that may take long is a generator: it yields `Work`, and gets its value back.
"""

from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

import msgspec

from ctxmgr.engine.balanced.budget import room
from ctxmgr.engine.pressure import latch, meter, zone
from ctxmgr.engine.pressure.overflow import overflowed
from ctxmgr.engine.pressure.zone import Thresholds, thresholds
from ctxmgr.formats.pi_tree import entries as tree
from ctxmgr.model import policy_keys, prices
from ctxmgr.model.api import compaction, lifecycle
from ctxmgr.model.archive import ArchiveRow
from ctxmgr.model.epochs import Opening
from ctxmgr.model.latch import Latch
from ctxmgr.model.messages import Call, Message, Usage
from ctxmgr.model.policy import Policy, Zone
from ctxmgr.model.projection import Plan
from ctxmgr.model.state import ModelSpec, State
from ctxmgr.session import ledger_updates, remaining, scratchpad
from ctxmgr.session import tree as branches
from ctxmgr.session.branch_locks import Claims
from ctxmgr.session.prefetch import Ahead
from ctxmgr.session.projection import Standing
from ctxmgr.session.reading import Reader
from ctxmgr.session.work import INLINE_BYTES, Verb, Work

MEMO_AT_MOST = 20_000  # rewritten results, packets and line weights kept ready
EARLY_AT_MOST = 256  # messages heard at turn_end that no list has shown yet


Embedding = Callable[[Sequence[str]], list[list[float]] | None]  # texts to vectors, None where there are none


class Session:
    def __init__(
        self,
        state: State,
        form: ModuleType,
        defaults: dict[str, Any],
        capabilities: lifecycle.HostCapabilities,
        reader: Reader,
        embed: Embedding | None = None,
    ) -> None:
        self.state, self.form, self.defaults = state, form, defaults
        self.capabilities, self.reader, self.embed = capabilities, reader, embed
        self.standing = Standing(weigher=reader.name, held=state.held or state.meter.base)
        self.ledger = ledger_updates.ledger(state)
        self.heard = ledger_updates.heard(state)
        self.memo: dict[tuple[Any, ...], Any] = {}
        self.weights: dict[str, int] = {}
        self.early: dict[bytes, Message] = {}
        self.entry_of: dict[str, str] = {}  # entry ids by the mark of their message, as far as they are known
        self.leaving: list[ArchiveRow] = []  # what left with this call: `archiving` takes it from here
        self.unarchived: dict[str, ArchiveRow] = {}  # what the archive does not have yet, by key
        self.claims = Claims()
        self.ahead = Ahead()
        self.notes: tuple[str, ...] = ()
        self.complaints: list[str] = []  # for people, until they are said
        self._refresh()

    # what follows from the state

    def _refresh(self) -> None:
        """The policy and the thresholds in force."""
        keys = policy_keys.merged(self.defaults, self.state.overrides)
        self.policy: Policy = policy_keys.policy(keys, self.state.model.id)
        self.at: Thresholds = thresholds(self.policy, self.state.model.window)

    @property
    def ratio_key(self) -> str:
        return f"{self.reader.name}/{self.state.model.id}"

    @property
    def plan(self) -> Plan:
        return self.standing.plan

    def tokens(self) -> int:
        """Estimated provider tokens of what the host would send now."""
        return meter.tokens(self.state.meter, self.ratio_key, self.standing.held, self.state.overhead)

    def zone(self) -> Zone:
        return zone.zone_of(self.tokens(), self.at)

    def weigh(self, text: str) -> int:
        """The weight of a short text: packets are made of lines that come again and again."""
        weight = self.weights.get(text)
        if weight is None:
            if len(self.weights) > MEMO_AT_MOST:
                self.weights.clear()
            weight = self.weights[text] = self.reader.weigh(text)
        return weight

    def use(self, reader: Reader) -> None:
        """Another weigher from the next event on. Weights are taken anew when the next list comes."""
        self.reader = reader
        self.weights.clear()
        self.memo.clear()
        self.early.clear()

    def may_ask(self) -> bool:
        """May a compaction be requested at all?"""
        return (
            bool(self.capabilities.request_compaction)
            and self.state.enabled
            and self.policy.preset not in ("off", "tools")
            and policy_keys.compaction(self.policy).enabled
        )

    def _replace(self, **changes: Any) -> None:
        self.state = msgspec.structs.replace(self.state, **changes)

    def _reopen(self, why: Opening) -> Opening | None:
        """The prefix is to be lost: an epoch may as well be opened. What must come back goes before."""
        return self.state.reopen if self.state.reopen in ("pin", "undo") else why

    def void_base(self, held: int | None = None) -> None:
        """The next `context` must bring the whole list. `held`: what it will weigh as far as is known, in tokens,
        where it is another list."""
        held = self.standing.held if held is None else held
        self.standing = msgspec.structs.replace(self.standing, tag="", held=held)
        if held != self.state.held:
            self._replace(held=held)

    def _listed(self) -> tuple[Message, ...]:
        """The last list, and what was reported since."""
        return (*self.standing.messages, *self.early.values())

    # lifecycle

    def start(self, params: lifecycle.SessionStartParams) -> Verb[None]:
        """A session begins or goes on; `entries` are its whole tree, if the host has one."""
        state, entry_of = msgspec.structs.replace(self.state, model=model_spec(params.model)), self.entry_of
        if params.entries:
            raws = [bytes(raw) for raw in params.entries]
            state, entry_of = yield Work(
                lambda: branches.on_path(state, self.form, raws, params.leaf_id, self.heard)
            )
        self.state, self.entry_of = state, entry_of
        self.ledger = ledger_updates.ledger(state)
        self.heard |= ledger_updates.heard(state)
        self.void_base()
        self._refresh()

    def model_select(self, params: lifecycle.ModelSelectParams) -> None:
        model = model_spec(params.model)
        changed = model.id != self.state.model.id
        reading = meter.void(self.state.meter) if changed else self.state.meter
        reopen = self._reopen("model") if changed else self.state.reopen
        self._replace(model=model, meter=reading, seq=self.state.seq + 1, reopen=reopen)
        self._refresh()

    def turn_end(self, params: lifecycle.TurnEndParams) -> Verb[tuple[str, int]]:
        """The model answered and its tools ran. Returns what to ask for: ("", 0) or (reason, tokens)."""
        raws = [bytes(params.message), *(bytes(raw) for raw in params.tool_results or ())]
        if sum(len(raw) for raw in raws if raw not in self.early) > INLINE_BYTES:
            messages = yield Work(lambda: self.reader.read(raws, self.early))
        else:
            messages = self.reader.read(raws, self.early)
        return self._turn_ended(params, messages)

    def _turn_ended(self, params: lifecycle.TurnEndParams, messages: tuple[Message, ...]) -> tuple[str, int]:
        reply = messages[0]
        held = self.standing.held + reply.weight
        usage = self._usage(params, reply)
        reading = self.state.meter
        if usage is not None and reply.view.stop not in ("error", "aborted"):
            reading = meter.observe(
                reading, self.reader.name, self.ratio_key, usage.total, held, self.state.model.window
            )
        heard = reading is not self.state.meter
        held += sum(message.weight for message in messages[1:])
        tokens = meter.tokens(reading, self.ratio_key, held, self.state.overhead)
        state, facts = self._learn_turn(params, messages)
        ledger = ledger_updates.merged(self.ledger, self.state, state, facts)
        overflow = overflowed(reply.view, usage, self.state.model.window)
        new_latch, asks = self._latch_turn(overflow, tokens, heard)
        totals = state.totals
        if asks:
            count = totals.compactions_requested + 1
            totals = msgspec.structs.replace(totals, compactions_requested=count)
        self.state = msgspec.structs.replace(
            state, seq=state.seq + 1, meter=reading, latch=new_latch, totals=totals, held=held
        )
        self.ledger = ledger
        self.standing = msgspec.structs.replace(self.standing, held=held)
        self._remember_early(messages)
        marks = [ledger_updates.mark(message) for message in messages]
        self.heard.update(marks)
        if params.entry_ids is not None:
            ids = [params.entry_ids.message, *(params.entry_ids.tool_results or ())]
            self.entry_of |= {mark: id for mark, id in zip(marks, ids, strict=False) if id}
        return (("overflow" if overflow else "threshold") if asks else "", tokens)

    def _usage(self, params: lifecycle.TurnEndParams, reply: Message) -> Usage | None:
        if params.usage is not None:
            given: Usage | None = self.form.usage(msgspec.to_builtins(params.usage))
            return given
        return reply.view.usage

    def _learn_turn(self, params: lifecycle.TurnEndParams, messages: tuple[Message, ...]) -> tuple[State, Any]:
        ids = params.entry_ids
        state, bound = ledger_updates.bind(self.state, ids.message if ids else None)
        base = len(self.standing.messages) + 1
        numbered = [(base + number, message) for number, message in enumerate(messages)]
        entries: dict[int, str | None] = {}
        trail = list(state.trail)
        if ids is not None:
            given = [ids.message, *(ids.tool_results or ())]
            entries = dict(zip((position for position, _ in numbered), given, strict=False))
            trail += [one for one in given if one is not None and one not in trail[-64:]]
        calls = self.calls(messages)
        at = int(params.at) if params.at is not None else None
        state, facts = ledger_updates.from_messages(state, numbered, calls, at, entries, self.heard)
        state = ledger_updates.learn(state, facts, bound=True)
        if len(trail) != len(state.trail):
            state = msgspec.structs.replace(state, trail=tuple(trail))
        return state, (*bound, *facts)

    def calls(self, among: Iterable[Message]) -> dict[str, Call]:
        """The calls that results among these messages answer."""
        messages = tuple(among)
        calls = ledger_updates.calls_of(messages)
        for message in messages:
            for unit in message.view.units:
                if unit.kind == "result" and unit.call_id not in calls:
                    position = self.standing.conversation.calls.get(unit.call_id)
                    if position is not None:
                        calls |= ledger_updates.calls_of([self.standing.messages[position]])
        return calls

    def _latch_turn(self, overflow: bool, tokens: int, heard: bool) -> tuple[Latch, bool]:
        may_ask = self.may_ask()
        if overflow:
            return latch.overflow(self.state.latch, self._newest_user(), may_ask)
        reading: latch.Reading = "unknown"
        if heard:
            reading = "high" if self._is_high(tokens) else "low" if tokens < self.at.calm else "middle"
        return latch.turn_end(self.state.latch, reading, may_ask)

    def _is_high(self, tokens: int) -> bool:
        """Is it time to ask? In balanced what came since the last list may leave with the next: only what can not
        counts, unless a list was red already."""
        if tokens < self.at.red:
            return False
        if self.policy.preset != "balanced" or self.plan.zone in ("red", "compact"):
            return True
        if not self.standing.answered and self.state.shown is not None:
            return False  # since a restart no list has come: the first may be pruned
        key, overhead = self.ratio_key, self.state.overhead
        usable = meter.weight_at(self.state.meter, key, self.at.usable, overhead)
        stays = room(self.policy.cost_versus_recall, usable, "red")
        leaves = max(0, self.standing.held - stays.total)
        return tokens - meter.ratio(self.state.meter, key) * leaves >= self.at.red

    def _newest_user(self) -> str:
        """What the newest user message is told apart by; a run without one, by the compactions before it."""
        conversation = self.standing.conversation
        newest = conversation.newest_user
        if newest >= 0:
            return f"{conversation.key(newest)} {conversation.messages[newest].view.at}"
        return f"none after {sum(summary.kind == 'compaction' for summary in self.state.summaries)}"

    def _remember_early(self, messages: Sequence[Message]) -> None:
        self.early |= {message.raw: message for message in messages}
        while len(self.early) > EARLY_AT_MOST:
            del self.early[next(iter(self.early))]

    def compacted(self, params: lifecycle.SessionCompactParams) -> Verb[None]:
        entry = params.compaction_entry
        at = tree.milliseconds(entry.timestamp)

        def hear() -> tuple[State, int]:
            state, facts = ledger_updates.from_summary(self.state, entry.summary, "compaction", at, entry.id)
            learnt = ledger_updates.learn(ledger_updates.bind(state, entry.id)[0], facts, bound=True)
            return learnt, self.reader.weigh(entry.summary)

        heard: tuple[State, int] = (yield Work(hear)) if len(entry.summary) > INLINE_BYTES else hear()
        state, weight = heard
        weight += remaining.from_entry(self._listed(), self.entry_of, entry.first_kept_entry_id)
        done, _ = latch.apply(state.latch, "compacted")
        trail = (*state.trail, entry.id) if entry.id else state.trail
        self.state = msgspec.structs.replace(
            state,
            seq=state.seq + 1,
            latch=done,
            meter=meter.void(state.meter),
            resume=True,
            anchor="",
            packet=None,
            trail=trail,
            reopen=self._reopen("compaction"),
        )
        self.ahead.forget()
        self.ledger = ledger_updates.ledger(self.state)
        self.void_base(weight)

    def compact_failed(self, params: lifecycle.CompactFailedParams) -> None:
        after, _ = latch.apply(self.state.latch, "failed")
        self._replace(latch=after, seq=self.state.seq + 1)

    def answered(self, accepted: bool) -> None:
        """The host answered `requestCompaction`."""
        after, _ = latch.apply(self.state.latch, "accepted" if accepted else "refused")
        self._replace(latch=after)

    def moved(self, params: lifecycle.SessionTreeParams) -> Verb[None]:
        """The host is at another place of its tree."""
        state, entry_of, summary = self.state, self.entry_of, params.summary_entry
        if params.entries:
            raws = [bytes(raw) for raw in params.entries]
            state, entry_of = yield Work(
                lambda: branches.on_path(state, self.form, raws, params.new_leaf_id, self.heard)
            )
        else:
            state = branches.along_trail(state, params.new_leaf_id, summary.parent_id if summary else None)
        if summary is not None:
            at = tree.milliseconds(summary.timestamp)
            state = branches.summarised(state, summary.summary, at, summary.id)
        steps = self.policy.preset == "balanced"  # what is shown stays until its next epoch, which this opens
        weight = self.reader.weigh(summary.summary) if summary is not None else 0
        weight += remaining.on_path(self._listed(), entry_of, frozenset(state.trail))
        self.state = msgspec.structs.replace(
            state,
            seq=state.seq + 1,
            meter=meter.void(state.meter),
            resume=True,
            anchor=state.anchor if steps else "",
            packet=state.packet if steps else None,
            decisions=state.decisions if steps else {},
            reopen=self._reopen("tree"),
        )
        self.entry_of = entry_of
        self.ahead.forget()
        self.ledger = ledger_updates.ledger(self.state)
        self.heard |= ledger_updates.heard(self.state)
        self.void_base(weight)

    def end(self) -> None:
        self._replace(seq=self.state.seq + 1)

    # queries that change something

    def set_policy(self, keys: dict[str, Any]) -> None:
        """Raises settings.Refused, and then nothing has changed."""
        policy_keys.known(keys)
        overrides = policy_keys.merged(self.state.overrides, keys)
        policy_keys.policy(policy_keys.merged(self.defaults, overrides), self.state.model.id)
        before = self.policy.preset
        self._replace(overrides=overrides, reopen=self._reopen("policy"))
        self._refresh()
        if self.policy.preset != before or before != "balanced":  # there it stands until an epoch puts another
            self._replace(packet=None)
        if self.policy.preset != before:  # what the one decided, the other does not go on from
            self.standing = msgspec.structs.replace(self.standing, answered=False)

    def set_pruning(self, enabled: bool) -> None:
        if enabled != self.state.enabled:  # the next list is shown by other rules: it does not go on from the last
            self.standing = msgspec.structs.replace(self.standing, answered=False)
            if self.policy.preset == "balanced":
                epoch = msgspec.structs.replace(self.state.epoch, number=self.state.epoch.number + 1)
                self._replace(epoch=epoch)
        self._replace(enabled=enabled)

    def edit_scratchpad(self, operations: Sequence[compaction.ScratchpadOperation]) -> None:
        """Raises scratchpad.Refused, and then nothing has changed. The packet is rendered anew with it; in
        `balanced` when an epoch puts another."""
        text = scratchpad.edited(self.state.scratchpad, operations)
        if text != self.state.scratchpad:
            packet = self.state.packet if self.policy.preset == "balanced" else None
            self._replace(scratchpad=text, packet=packet)

    def force_prune(self) -> None:
        self._replace(force_prune=True)


def model_spec(model: lifecycle.Model) -> ModelSpec:
    return ModelSpec(
        id=model.id,
        window=int(model.context_window),
        provider=model.provider or "",
        max_output=int(model.max_output_tokens) if model.max_output_tokens is not None else None,
        prices=prices.told(model.prices),
        cache_ttl=int(model.cache_ttl_ms) if model.cache_ttl_ms is not None else None,
    )


def restored(state: State) -> State:
    """A state from a snapshot, fit to go on: what was under way when the process ended is not known."""
    return msgspec.structs.replace(state, latch=latch.restored(state.latch))
