"""Turns a new message list into the next standing and state: the whole of a `context`, but for its answer.

Knows no wire and no IO. Every function is pure but for the memo of rewritten results, which only saves time.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec

from ctxmgr.engine import meter, packet
from ctxmgr.engine.check import FRESH, check
from ctxmgr.engine.project import Ask, Rewrite, project, rewriter
from ctxmgr.engine.prune import Pruning, prune
from ctxmgr.engine.turns import Index, digest_of, key, turn_at
from ctxmgr.engine.zone import Thresholds, zone_of
from ctxmgr.model.facts import Ledger
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import PacketTokens, Policy, Zone
from ctxmgr.model.projection import Decision, Edit, Keep, Packet, Plan
from ctxmgr.model.state import Rendered, Shown, State
from ctxmgr.session.standing import Standing, hashed, indexed, kept_weight, tag_of

Weigh = Callable[[str], int]


class Broken(Exception):
    """A projection that breaks its promises: it must not leave. `checks` names them."""

    def __init__(self, checks: tuple[str, ...]) -> None:
        super().__init__(", ".join(checks))
        self.checks = checks


class Setting(msgspec.Struct, frozen=True):
    """What one `context` is computed from beside state and list. `overhead` in tokens, `model` names weigher
    and model for the ratio."""

    policy: Policy
    at: Thresholds
    form: ModuleType
    weigh: Weigh
    weigher: str
    model: str
    overhead: int
    ledger: Ledger
    memo: dict[tuple[Any, ...], Any]


class Outcome(msgspec.Struct, frozen=True):
    """`mode` "off" where pruning is off or the preset is: then nothing new was decided."""

    state: State
    standing: Standing
    tokens: int
    mode: str


def outcome(state: State, old: Standing, messages: tuple[Message, ...], prefix: int, setting: Setting) -> Outcome:
    """The next state and standing for `messages`, whose first `prefix` are those of `old`."""
    index = indexed(old, messages, prefix)
    extends = old.answered and prefix == len(old.messages)
    floor = old.plan.floor if extends and old.plan.floor else _anchored(state, messages, index)
    tokens = _tokens_before(state, messages, index, floor, setting, extends)
    zone = zone_of(tokens, setting.at)
    active = state.enabled and setting.policy.preset != "off"
    pruning = _pruning(state, messages, index, setting) if active else Pruning()
    packets = _Packets(state, packet_budget(setting.policy, zone, state.resume), setting)
    ask = _ask(state, messages, index, floor, zone, pruning, packets, setting)
    plan = project(messages, index, ask) if active else _undecided(messages, index, ask, state, setting)
    faults, carried = check(messages, index, plan, old.carried if extends else FRESH)
    if faults:
        raise Broken(faults)
    hash = hashed(old.hash if extends else None, messages[prefix if extends else 0 :])
    standing = Standing(
        messages=messages,
        index=index,
        plan=plan,
        carried=carried,
        tag=tag_of(hash, len(messages)),
        hash=hash,
        held=plan.weight,
        zone=zone,
        weigher=setting.weigher,
        puts=_puts(messages, plan, setting),
        packet=_packet_bytes(messages, plan, setting.form),
        answered=True,
    )
    after = _next_state(state, standing, floor, pruning, extends) if active else state
    after = msgspec.structs.replace(
        after,
        packet=packets.rendered,
        shown=Shown(standing.tag, len(messages), plan.weight, setting.weigher),
        overhead=setting.overhead,
        totals=msgspec.structs.replace(after.totals, contexts=after.totals.contexts + 1),
    )
    return Outcome(after, standing, tokens, "on" if active else "off")


def _anchored(state: State, messages: tuple[Message, ...], index: Index) -> int:
    """Where the first kept message stands in a list that was written anew, 0 where it is gone."""
    if state.anchor:
        for turn in index.turns:
            if key(index, messages, turn.start) == state.anchor:
                return turn.start
    return 0


def _tokens_before(
    state: State, messages: tuple[Message, ...], index: Index, floor: int, setting: Setting, extends: bool
) -> int:
    """Provider tokens of what would be sent if nothing were decided now: the last projection and what came
    since; where the list was written anew, what is kept of it."""
    shown = state.shown
    if shown is not None and (extends or _is_of(shown, messages)):
        weight = shown.weight + sum(message.weight for message in messages[shown.count :])
    else:
        weight = kept_weight(index, floor)
    return meter.tokens(state.meter, setting.model, weight, setting.overhead)


def _is_of(shown: Shown, messages: tuple[Message, ...]) -> bool:
    return tag_of(hashed(None, messages[: shown.count]), shown.count) == shown.tag


def _pruning(state: State, messages: tuple[Message, ...], index: Index, setting: Setting) -> Pruning:
    if setting.policy.preset != "tools" and not state.force_prune:
        return Pruning()
    done = {at for at, decision in state.decisions.items() if decision.kind == "pruned"}
    return prune(messages, index, setting.policy, done, state.force_prune)


def _ask(
    state: State,
    messages: tuple[Message, ...],
    index: Index,
    floor: int,
    zone: Zone,
    pruning: Pruning,
    packets: "_Packets",
    setting: Setting,
) -> Ask:
    turns = setting.policy.preset == "turns"
    heard = frozenset(summary.digest for summary in state.summaries)
    newest_limit, window_limit = (
        meter.weight_at(state.meter, setting.model, tokens, setting.overhead)
        for tokens in (setting.at.red, setting.at.limit)
    )
    return Ask(
        zone=zone,
        policy=setting.policy,
        floor=floor,
        decisions=state.decisions,
        folded=lambda at: turns and messages[at].view.role == "summary" and messages[at].digest in heard,
        targets=pruning.targets,
        drop_turns=turns,
        newest_limit=newest_limit if turns else None,
        window_limit=window_limit if turns else None,
        rewrite=_memoised(messages, index, setting),
        packet=packets.render if packets.budget else None,
    )


def _undecided(messages: tuple[Message, ...], index: Index, ask: Ask, state: State, setting: Setting) -> Plan:
    """Pruning is off: the list goes as it came. What was decided before stays only where the raw list no longer
    fits the window, for then the host did not compact because of us."""
    raw = meter.tokens(state.meter, setting.model, index.raw_weight, setting.overhead)
    if raw > setting.at.limit and (ask.floor or state.decisions):
        held = msgspec.structs.replace(ask, drop_turns=False, newest_limit=None, window_limit=None)
        return project(messages, index, held)
    return Plan(
        pieces=(Keep(0, index.size),) if index.size else (),
        zone=ask.zone,
        floor=0,
        weight=index.raw_weight,
        raw_weight=index.raw_weight,
        decisions=state.decisions,
        turns_kept=len(index.turns),
    )


def packet_budget(policy: Policy, zone: Zone, resume: bool) -> int:
    """In tokens."""
    if resume:
        return policy.resume_tokens
    if isinstance(policy.packet_tokens, PacketTokens):
        return int(getattr(policy.packet_tokens, zone))
    shares = {"green": 1.0, "yellow": 0.8, "red": 0.6, "compact": 0.4}  # as the default's row falls
    return int(policy.packet_tokens * shares[zone])


class _Packets:
    """Renders once per place: between moves of the first kept turn the packet keeps its bytes, so that it does
    not change the prefix with each new fact. What is new since stands in the kept turns."""

    def __init__(self, state: State, budget: int, setting: Setting) -> None:
        self.rendered, self.budget = state.packet, budget
        self._resume, self._scratchpad, self._setting = state.resume, state.scratchpad, setting

    def render(self, stands_for: int) -> tuple[str, int]:
        allowed = min(self.budget, stands_for)
        place = f"{'resume' if self._resume else 'lean'}: {allowed} of {stands_for}"
        if self.rendered is None or self.rendered.place != place:
            weigh = self._setting.weigh
            text = packet.render(
                self._setting.ledger,
                budget=allowed,
                weigh=weigh,
                resume=self._resume,
                scratchpad=self._scratchpad,
            )
            if not text and weigh(packet.MARK) <= allowed:
                text = packet.MARK  # so little was left out that nothing more may be said of it
            self.rendered = Rendered(place, text, weigh(text) if text else 0)
        return self.rendered.text, self.rendered.weight


def _memoised(messages: tuple[Message, ...], index: Index, setting: Setting) -> Rewrite:
    fresh = rewriter(messages, index, setting.weigh)

    def rewrite(position: int, number: int, decision: Decision) -> tuple[str, int]:
        asked = index.pairs.get((position, number))  # ids are used again: the same result, another call
        call = messages[asked].digest if asked is not None else ""
        at = (messages[position].digest, call, number, decision.kind, decision.limit)
        if at not in setting.memo:
            setting.memo[at] = fresh(position, number, decision)
        found: tuple[str, int] = setting.memo[at]
        return found

    return rewrite


def _puts(messages: tuple[Message, ...], plan: Plan, setting: Setting) -> dict[int, bytes]:
    """The bytes of edited messages, by index."""
    texts: dict[int, list[tuple[int, str]]] = {}
    for piece in plan.pieces:
        if isinstance(piece, Edit):
            texts.setdefault(piece.index, []).append((piece.unit, piece.text))
    puts: dict[int, bytes] = {}
    for index, edits in texts.items():
        at = ("put", messages[index].raw, *edits)
        if at not in setting.memo:
            setting.memo[at] = setting.form.set_result(messages[index].raw, dict(edits))
        puts[index] = setting.memo[at]
    return puts


def _packet_bytes(messages: tuple[Message, ...], plan: Plan, form: ModuleType) -> bytes:
    """Dated by the first kept message, so that the same packet has the same bytes."""
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            at = messages[plan.floor].view.at if plan.floor < len(messages) else None
            return bytes(form.packet(piece.text, at or 0))
    return b""


def _next_state(state: State, new: Standing, floor: int, pruning: Pruning, extends: bool) -> State:
    """`floor` was the first kept index before. What changes whether pruning is on or off is not here."""
    plan, totals = new.plan, state.totals
    added = {at: kept for at, kept in plan.decisions.items() if state.decisions.get(at) != kept}
    edits = [piece for piece in plan.pieces if isinstance(piece, Edit) and piece.key in added]
    pruned = [edit for edit in edits if edit.kind == "pruned"]
    before = turn_at(new.index.turns, floor) if new.index.turns else 0
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
        decisions = {at: kept for at, kept in decisions.items() if digest_of(at) in new.index.seen}
    anchor = key(new.index, new.messages, plan.floor) if plan.floor else ""
    return msgspec.structs.replace(
        state, totals=totals, decisions=decisions, anchor=anchor, resume=False, force_prune=False
    )
