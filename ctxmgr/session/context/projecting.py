"""Turns a new message list into the next standing and state: the whole of a `context`, but for its answer.

Knows no wire and no IO. Every function is pure but for the memo of rewritten results, which only saves time.
"""

from types import ModuleType

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, digest_of
from ctxmgr.engine.conversation.turns import turn_at
from ctxmgr.engine.invariants import FRESH, STEPS, TURNS
from ctxmgr.engine.packet.missing import lacks
from ctxmgr.engine.presets.turns.project import Ask, Limits, project
from ctxmgr.engine.presets.turns.summary_folding import Carrying, Folding
from ctxmgr.engine.pressure import meter
from ctxmgr.engine.pressure.zone import zone_of
from ctxmgr.engine.rewriting.prune import Pruning, prune
from ctxmgr.engine.rewriting.rewrite import memoised
from ctxmgr.model.archive import ArchiveRow
from ctxmgr.model.epochs import Receipt
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Zone
from ctxmgr.model.projection import Decision, Edit, Keep, Plan
from ctxmgr.model.state import Rendered, Shown, State
from ctxmgr.session.context import balancing
from ctxmgr.session.context.inputs import Setting, packet_budget, told
from ctxmgr.session.projection import Standing, first_changed, hashed, indexed, kept_weight, size_of, tag_of


class Broken(Exception):
    """A projection that breaks its promises: it must not leave. `checks` names them."""

    def __init__(self, checks: tuple[str, ...]) -> None:
        super().__init__(", ".join(checks))
        self.checks = checks


class Outcome(msgspec.Struct, frozen=True):
    """`mode` "off" where pruning is off or the preset is: then nothing new was decided. `epoch`: the receipt of one
    that was opened now; `rows`: the originals of what left with it."""

    state: State
    standing: Standing
    tokens: int
    mode: str
    epoch: Receipt | None = None
    rows: tuple[ArchiveRow, ...] = ()
    reads_gone: tuple[str, ...] = ()


def outcome(state: State, old: Standing, messages: tuple[Message, ...], prefix: int, setting: Setting) -> Outcome:
    """The next state and standing for `messages`, whose first `prefix` are those of `old`.

    Raises Broken, and balancing.Choosing.
    """
    conversation = indexed(old, messages, prefix)
    extends = old.answered and prefix == len(old.messages)
    shown = _shown(state, messages, extends)
    active = state.enabled and setting.policy.preset != "off"
    if setting.policy.preset == "balanced":
        made = _balanced(state, old, conversation, prefix, setting, shown, extends, active)
    else:
        made = _whole_turns(state, old, conversation, setting, shown, extends, active)
    plan = made.plan
    invariants = STEPS if made.steps else TURNS
    faults, carried = invariants.check(conversation, plan, old.carried if extends else FRESH)
    if faults:
        raise Broken(faults)
    hash = hashed(old.hash if extends else None, messages[prefix if extends else 0 :])
    standing = Standing(
        conversation=conversation,
        plan=plan,
        carried=carried,
        tag=tag_of(hash, len(messages)),
        hash=hash,
        held=plan.weight,
        zone=plan.zone,
        weigher=setting.weigher,
        puts=_puts(messages, plan, setting),
        packet=_packet_bytes(messages, plan, setting.form),
        answered=True,
    )
    standing = msgspec.structs.replace(standing, size=size_of(standing, old, prefix))
    if made.steps and active and not made.epoch and extends and first_changed(old, standing, prefix) >= 0:
        raise Broken(("epoch",))  # between epochs a list only grows at its end
    after = msgspec.structs.replace(
        made.state,
        shown=Shown(standing.tag, len(messages), plan.weight, setting.weigher),
        overhead=setting.overhead,
        held=plan.weight,
        totals=msgspec.structs.replace(made.state.totals, contexts=made.state.totals.contexts + 1),
    )
    return Outcome(after, standing, made.tokens, "on" if active else "off", made.epoch, made.rows, made.reads_gone)


class _Made(msgspec.Struct, frozen=True):
    """What either way of projecting makes. `steps`: by steps, not by whole turns. `epoch`: of one opened now."""

    plan: Plan
    state: State
    tokens: int
    steps: bool = False
    epoch: Receipt | None = None
    rows: tuple[ArchiveRow, ...] = ()
    reads_gone: tuple[str, ...] = ()


def _whole_turns(
    state: State,
    old: Standing,
    conversation: ConversationIndex,
    setting: Setting,
    shown: Shown | None,
    extends: bool,
    active: bool,
) -> _Made:
    """Presets `turns`, `tools` and `off`."""
    floor = old.plan.floor if extends and old.plan.floor else _anchored(state, conversation)
    tokens = _tokens_before(state, conversation, setting, shown, kept_weight(conversation, floor))
    zone = zone_of(tokens, setting.at)
    pruning = _pruning(state, conversation, setting) if active else Pruning()
    packets = _Packets(state, zone, setting)
    settled = shown.count if shown is not None and not state.resume else 0
    carrying = Carrying(
        lambda at, weight: conversation.digest(at) not in packets.lacks(weight), settled, packets.lean
    )
    ask = _ask(state, conversation, floor, zone, pruning, packets, setting, carrying)
    plan = project(conversation, ask) if active else _undecided(conversation, ask, state, setting)
    after = _next_state(state, conversation, plan, floor, pruning, extends) if active else state
    return _Made(plan, msgspec.structs.replace(after, packet=packets.rendered), tokens)


def _balanced(
    state: State,
    old: Standing,
    conversation: ConversationIndex,
    prefix: int,
    setting: Setting,
    shown: Shown | None,
    extends: bool,
    active: bool,
) -> _Made:
    """Preset `balanced`."""
    known = shown.count if shown is not None else conversation.size if state.shown is None else prefix
    if shown is None and not state.decisions and old.plan.decisions:  # what was edited comes back as it was
        known = min(known, _untouched(old.plan))
    before = state.shown.count if state.shown is not None else 0
    arrived = balancing.Arrived(conversation, known, old.plan if extends else None, before)
    if not extends and balancing.is_long(arrived, setting):
        raise balancing.Choosing
    weight = 0 if shown is not None else balancing.as_decided(state, arrived, "green", setting).weight
    tokens = _tokens_before(state, conversation, setting, shown, weight)
    zone = zone_of(tokens, setting.at)
    if not active:
        raw = meter.tokens(state.meter, setting.model, conversation.raw_weight, setting.overhead)
        fits = raw <= setting.at.limit or not state.decisions
        plan = _raw(conversation, state, zone) if fits else balancing.as_decided(state, arrived, zone, setting)
        return _Made(plan, state, tokens, steps=True)
    done = balancing.projected(state, arrived, zone, setting)
    receipt = done.opened.receipt if done.opened is not None else None
    after = balancing.after(state, arrived, done)
    return _Made(done.plan, after, tokens, True, receipt, balancing.rows(done), balancing.reads_gone(arrived, done))


def _untouched(plan: Plan) -> int:
    """So many messages at the head of its list are shown as they came."""
    first = plan.pieces[0] if plan.pieces else None
    return first.end if isinstance(first, Keep) and first.start == 0 else 0


def _anchored(state: State, conversation: ConversationIndex) -> int:
    """Where the first kept message stands in a list that was written anew, 0 where it is gone."""
    if state.anchor:
        for turn in conversation.turns:
            if conversation.key(turn.start) == state.anchor:
                return turn.start
    return 0


def _shown(state: State, messages: tuple[Message, ...], extends: bool) -> Shown | None:
    """The last projection where this list begins with the one it was of; None where the list was written anew."""
    return state.shown if state.shown is not None and (extends or _is_of(state.shown, messages)) else None


def _tokens_before(
    state: State, conversation: ConversationIndex, setting: Setting, shown: Shown | None, kept: int
) -> int:
    """Provider tokens of what would be sent if nothing were decided now: the last projection and what came
    since; where the list was written anew, what is `kept` of it."""
    weight = kept
    if shown is not None:
        weight = shown.weight + conversation.weight_of(range(shown.count, conversation.size))
    return meter.tokens(state.meter, setting.model, weight, setting.overhead)


def _is_of(shown: Shown, messages: tuple[Message, ...]) -> bool:
    return tag_of(hashed(None, messages[: shown.count]), shown.count) == shown.tag


def _pruning(state: State, conversation: ConversationIndex, setting: Setting) -> Pruning:
    if setting.policy.preset != "tools" and not state.force_prune:
        return Pruning()
    done = {at for at, decision in state.decisions.items() if decision.kind == "pruned"}
    return prune(conversation, setting.policy, done, state.force_prune)


def _ask(
    state: State,
    conversation: ConversationIndex,
    floor: int,
    zone: Zone,
    pruning: Pruning,
    packets: "_Packets",
    setting: Setting,
    carrying: Carrying,
) -> Ask:
    turns = setting.policy.preset == "turns"
    heard = frozenset(summary.digest for summary in state.summaries)
    newest_limit, window_limit = (
        meter.weight_at(state.meter, setting.model, tokens, setting.overhead)
        for tokens in (setting.at.red, setting.at.limit)
    )

    def folded(message_index: int) -> bool:
        is_summary = conversation.messages[message_index].view.role == "summary"
        return turns and is_summary and conversation.digest(message_index) in heard

    decisions = {**state.decisions, **{target.key: Decision("pruned") for target in pruning.targets}}
    return Ask(
        zone=zone,
        policy=setting.policy,
        floor=floor,
        decisions=decisions,
        folding=Folding(packets.render if packets.budget else None, folded, carrying),
        limits=Limits(newest_limit, window_limit) if turns else None,
        rewrite=memoised(conversation, setting.weigh, setting.archive, setting.memo),
    )


def _undecided(conversation: ConversationIndex, ask: Ask, state: State, setting: Setting) -> Plan:
    """Pruning is off: the list goes as it came. What was decided before stays only where the raw list no longer
    fits the window, for then the host did not compact because of us."""
    raw = meter.tokens(state.meter, setting.model, conversation.raw_weight, setting.overhead)
    if raw > setting.at.limit and (ask.floor or state.decisions):
        settled = Carrying(lambda at, weight: False, conversation.size, 0)
        held = msgspec.structs.replace(
            ask, limits=None, folding=msgspec.structs.replace(ask.folding, carrying=settled)
        )
        return project(conversation, held)
    return _raw(conversation, state, ask.zone)


def _raw(conversation: ConversationIndex, state: State, zone: Zone) -> Plan:
    """The list as it came."""
    return Plan(
        pieces=(Keep(0, conversation.size),) if conversation.size else (),
        zone=zone,
        floor=0,
        weight=conversation.raw_weight,
        raw_weight=conversation.raw_weight,
        decisions=state.decisions,
        turns_kept=len(conversation.turns),
    )


class _Packets:
    """Renders once per place: between moves of the first kept turn the packet keeps its bytes, so that it does
    not change the prefix with each new fact. What is new since stands in the kept turns."""

    def __init__(self, state: State, zone: Zone, setting: Setting) -> None:
        self.rendered, self.budget = state.packet, packet_budget(setting.policy, zone, state.resume)
        self.lean = packet_budget(setting.policy, zone, resume=False)  # in tokens
        self._resume, self._state, self._setting = state.resume, state, setting
        self._tried: Rendered | None = None
        self._lacking: dict[int, frozenset[str]] = {}

    def render(self, stands_for: int) -> tuple[str, int]:
        self.rendered = self._at(min(self.budget, stands_for), stands_for, self._resume)
        return self.rendered.text, self.rendered.weight

    def lacks(self, stands_for: int) -> frozenset[str]:
        """The summaries, by digest, that the lean packet would not hold in full. The resume packet comes but once:
        what it alone can carry is lost with the next call."""
        if stands_for not in self._lacking:
            self._tried = self._at(min(self.lean, stands_for), stands_for, resume=False)
            self._lacking[stands_for] = lacks(self._setting.ledger, self._tried.text)
        return self._lacking[stands_for]

    def _at(self, allowed: int, stands_for: int, resume: bool) -> Rendered:
        place = f"{'resume' if resume else 'lean'}: {allowed} of {stands_for}"
        for rendered in (self.rendered, self._tried):
            if rendered is not None and rendered.place == place:
                return rendered
        text = told(self._state, self._setting, allowed, resume)
        return Rendered(place, text, self._setting.weigh(text) if text else 0)


def _puts(messages: tuple[Message, ...], plan: Plan, setting: Setting) -> dict[int, bytes]:
    """The bytes of edited messages, by index. A message has results or calls that are edited, never both."""
    edits: dict[int, list[Edit]] = {}
    for piece in plan.pieces:
        if isinstance(piece, Edit):
            edits.setdefault(piece.index, []).append(piece)
    puts: dict[int, bytes] = {}
    for index, some in edits.items():
        at = ("put", messages[index].raw, *((edit.unit, edit.kind, edit.text) for edit in some))
        if at not in setting.memo:
            setting.memo[at] = _edited(messages[index].raw, some, setting.form)
        puts[index] = setting.memo[at]
    return puts


def _edited(raw: bytes, edits: list[Edit], form: ModuleType) -> bytes:
    arguments = {edit.unit: edit.arguments for edit in edits if edit.arguments is not None}
    if arguments:
        return bytes(form.set_arguments(raw, arguments))
    return bytes(form.set_result(raw, {edit.unit: edit.text for edit in edits}))


def _packet_bytes(messages: tuple[Message, ...], plan: Plan, form: ModuleType) -> bytes:
    """Dated by the message that it stands before, so that the same packet has the same bytes."""
    packet = plan.packet
    if packet is None:
        return b""
    at = messages[plan.floor].view.at if plan.floor < len(messages) else None
    return bytes(form.packet(packet.text, at or 0))


def _next_state(
    state: State,
    conversation: ConversationIndex,
    plan: Plan,
    floor: int,
    pruning: Pruning,
    extends: bool,
) -> State:
    """`floor` was the first kept index before. What changes whether pruning is on or off is not here."""
    totals = state.totals
    added = {at: kept for at, kept in plan.decisions.items() if state.decisions.get(at) != kept}
    edits = [piece for piece in plan.pieces if isinstance(piece, Edit) and piece.key in added]
    pruned = [edit for edit in edits if edit.kind == "pruned"]
    before = turn_at(conversation.turns, floor) if conversation.turns else 0
    ran = pruning.scanned > 0
    totals = msgspec.structs.replace(
        totals,
        turns_dropped=totals.turns_dropped + max(0, plan.turns_dropped - before),
        results_distilled=totals.results_distilled + len(edits) - len(pruned),
        results_pruned=totals.results_pruned + len(pruned),
        tokens_pruned=totals.tokens_pruned + sum(edit.before - edit.after for edit in pruned),
        tokens_scanned=pruning.scanned if ran else totals.tokens_scanned,
        tokens_protected=pruning.protected if ran else totals.tokens_protected,
        tokens_prunable=pruning.prunable if ran else totals.tokens_prunable,
    )
    decisions = plan.decisions if added else state.decisions
    if not extends:  # what is no longer in the list needs no memory
        decisions = {at: kept for at, kept in decisions.items() if digest_of(at) in conversation.seen}
    anchor = conversation.key(plan.floor) if plan.floor else ""
    return msgspec.structs.replace(
        state, totals=totals, decisions=decisions, anchor=anchor, resume=False, force_prune=False
    )
