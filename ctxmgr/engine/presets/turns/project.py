"""Computes the plan of a projection from a list of messages, the zone and earlier decisions.

Rules:
1. Summaries that are folded into the ledger, and packets that come back, are removed (`summary_folding`).
2. The newest turns stay, as many as the zone's row says; older ones are removed whole. The first kept turn never
   moves back within a branch (`floor`): the host reports the usage of the pruned request, so a better zone would
   bring turns back, and the next reading would remove them again. The one exception is a late result of a removed
   call: its turn comes back, because a provider refuses a call and a result without each other.
3. The newest turn is lossless. Only in the compact zone, if it alone is over its limit, its old steps lose tool
   output, oldest first; the last two steps stay.
4. What was cut to fit the window stays cut, whatever its kind, while its turn is kept; and steps that were removed
   to fit stay removed (`engine.fit`).
5. In kept but older turns, bulky results are distilled, by the zone's limit. An edit is remembered with its
   limit, so that a better zone does not undo it. A possible error counts as an error. Results of protected tools
   stay unchanged.
6. If turns or summaries were removed, one packet comes before the first kept message. It has no more tokens
   than what it stands for; packets that came back count as removed, and so does what the host removed itself. If so
   little was removed that there is no room for a packet, nothing is removed: there is nothing to gain, and a list
   that came with a summary or a packet before an assistant message may not start with that message. For the same
   reason no more is removed if the packet would have a part of the task only partly (`keep_task`). Prompts always
   stay, and those of older turns come before the packet, because many models accept a prompt only at the start.
7. Tool-output pruning (`prune`) adds its targets to the remembered edits. In kept turns it only removes more.
8. The promised working set stays whole: a turn with any part of it stays, and rules 3, 5 and 7 do not change it.
   Only a list that does not fit the window may lose part of it: the first kept turn is then inside it
   (`fit_floor`). Rule 5 uses the working set from when the newest turn began; otherwise each call would change what
   the previous one left behind.
9. If no other turn is removed, the packet keeps its bytes, and no decision changes for what the last plan shows,
   the last plan is extended by the new messages.
10. The step that loaded a tool last stays, after the packet, even if its turn is removed.

Everything is computed turn by turn from the index, so that the cost of a call depends on the kept part, not on the
whole list; with rule 9, on what is new.
"""

import math
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.conversation import (
    SPECIAL,
    BlockRef,
    ConversationIndex,
    carried,
    carried_with,
    step_spans,
    turn_at,
    turn_weights,
    working_set_before,
    working_set_start,
)
from ctxmgr.engine.fit import unfit
from ctxmgr.engine.invariants import Invariants, loading_steps
from ctxmgr.engine.memory import SMALLEST_TOKENS
from ctxmgr.engine.presets.turns.packets import Folding, LeftOut
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.rewriting import ERRORS_OVER, Rewrite, cut_edit, marker
from ctxmgr.model import Block, BlockEdit, Decision, Keep, Packet, Piece, Plan, Policy, Zone

STEPS_LOSSLESS = 2  # newest steps of the newest turn, which rule 3 never changes


class TurnsInputs(msgspec.Struct, frozen=True):
    """What a projection is computed from, besides the list.

    `floor`: the index of the first kept turn's first message so far. `newest_limit`: tokens, uncalibrated, that
    the newest turn and the packet may have (rule 3); None if no more turns may be removed. `decisions`: the current
    edits, and those to make now. `last_plan`: the plan of the first `last_count` messages, if the list only adds to
    them. `held`: the blocks of instructions and of the task.
    """

    zone: Zone
    protection: Protection
    floor: int
    decisions: dict[str, Decision]
    folding: Folding
    rules: Invariants
    newest_limit: float | None = math.inf
    rewrite: Rewrite | None = None
    last_plan: Plan | None = None
    last_count: int = 0
    held: frozenset[BlockRef] = frozenset()


class _Standing(msgspec.Struct, frozen=True):
    """What a plan was computed from. `first`: the first kept turn. `working_set`: its start. Bulky results before
    `held` are shortened. `goes_on`: whether rule 9 may apply.
    """

    policy: Policy
    zone: Zone | None
    told: frozenset[BlockRef]
    first: int
    held: int
    working_set: int
    goes_on: bool = False

    def same(self, other: "_Standing") -> bool:
        """Whether both remove the same from their common messages."""
        mine, theirs = ((each.policy, each.zone, each.told, each.first) for each in (self, other))
        return mine == theirs


@carried_with
def _standing(conversation: ConversationIndex, before: _Standing | None, start: int, ask: TurnsInputs) -> _Standing:
    policy, turns, last = ask.protection.policy, conversation.turns, ask.last_plan
    working_set = working_set_start(conversation, policy.working_set)
    held = 0
    if ask.newest_limit is not None:
        held = min(working_set, working_set_before(conversation, policy.working_set, turns[-1].start))
    zone, first = ask.zone if ask.newest_limit is not None else None, _first_turn(conversation, ask, working_set)
    now = _Standing(policy, zone, ask.held, first, held, working_set)
    if before is None or last is None or start != ask.last_count or not now.same(before):
        return now
    older = (block for index in range(before.held, held) for _, block in conversation.results(index))
    if held < before.held or any(_bulky(block, getattr(policy.distill, ask.zone)) for block in older):
        return now
    newly = (*range(before.working_set, min(now.working_set, start)), *range(start, conversation.size))
    goes_on = last.decisions is ask.decisions and not any(
        conversation.block_key(BlockRef(index, number)) in ask.decisions
        for index in newly
        for number in range(len(conversation.messages[index].view.blocks))
    )
    return msgspec.structs.replace(now, goes_on=goes_on)


@carried
def _specials(conversation: ConversationIndex, before: frozenset[str] | None, start: int) -> frozenset[str]:
    """The roles of messages that may be removed from within a turn: returned packets, and summaries."""
    new = {message.view.role for message in conversation.messages[start:]}
    return (before or frozenset()) | new.intersection(SPECIAL)


def _going_on(conversation: ConversationIndex, ask: TurnsInputs) -> Plan | None:
    """The last plan, extended (rule 9), or None."""
    standing, last = _standing(conversation, ask), ask.last_plan
    leaving = _specials(conversation) & ({"packet"} if ask.newest_limit is None else frozenset(SPECIAL))
    newest_may_lose = ask.newest_limit is not None and ask.zone == "compact"  # by rule 3
    if not standing.goes_on or last is None or not last.pieces or newest_may_lose or leaving:
        return None
    tail, weight = last.pieces[-1], last.weight + conversation.weight_of(range(ask.last_count, conversation.size))
    if last.dropped or last.fit_floor or not isinstance(tail, Keep) or tail.end != ask.last_count:
        return None
    if not _keeps_head(conversation, ask, standing, last, weight):
        return None
    return msgspec.structs.replace(
        last,
        pieces=(*last.pieces[:-1], Keep(tail.start, conversation.size)),
        zone=ask.zone,
        weight=weight,
        raw_weight=conversation.raw_weight,
        turns_kept=len(conversation.turns) - last.turns_dropped,
        allowance=ask.folding.allowance,
    )


def _keeps_head(
    conversation: ConversationIndex, ask: TurnsInputs, standing: _Standing, last: Plan, weight: int
) -> bool:
    """Whether the list begins as before: no turn was removed and there is no packet, or the same turns were removed
    and their packet keeps its bytes. `weight`: of the plan with its packet, in tokens.
    """
    packet, folding, first = last.packet, ask.folding, standing.first
    if packet is None:
        return not (last.turns_dropped or folding.allowance or ask.floor)
    if not first or first != last.turns_dropped or conversation.prompts or _fit_floor(ask, standing.working_set):
        return False
    start = conversation.turns[first].start
    tokens = turn_weights(conversation)[start]
    left = LeftOut(tokens, start, folding.most_tokens(tokens, weight - packet.weight))
    return (
        folding.stays(left)
        and folding.packet(left) == (packet.text, packet.weight)
        and ask.rules.may_stand_for(packet.weight, left.most_tokens)
    )


def project(conversation: ConversationIndex, ask: TurnsInputs) -> Plan:
    """The plan for this list. Pure: the same arguments give the same plan."""
    if not conversation.turns:
        whole = (Keep(0, conversation.size),) if conversation.size else ()
        weight = conversation.raw_weight
        return Plan(whole, ask.zone, 0, weight, weight, dict(ask.decisions))
    if (plan := _going_on(conversation, ask)) is not None:
        return plan
    draft = _Draft(conversation, ask)
    draft.decide_results()
    draft.keep_task()
    draft.write_packet()
    draft.prune_newest()
    return draft.plan()


def _first_turn(conversation: ConversationIndex, ask: TurnsInputs, working_set: int) -> int:
    """The index of the first kept turn (rule 2)."""
    rules, turns = ask.rules, conversation.turns
    floor = rules.cut_at(conversation, turn_at(turns, ask.floor))
    if ask.newest_limit is None:
        return floor
    count = getattr(ask.protection.policy.recent_user_turns, ask.zone)
    wanted = max(floor, rules.cut_at(conversation, max(0, len(turns) - count)))
    whole = max(turn_at(turns, working_set), turn_at(turns, _fit_floor(ask, working_set)))
    return min(wanted, rules.cut_at(conversation, whole))


def _fit_floor(ask: TurnsInputs, working_set: int) -> int:
    """The first kept turn's first message if it is inside the working set, otherwise 0 (rule 8)."""
    return ask.floor if ask.floor > working_set else 0


class _Draft:
    """One projection while it is being decided."""

    def __init__(self, conversation: ConversationIndex, ask: TurnsInputs) -> None:
        self.conversation, self.ask = conversation, ask
        self.messages, self.turns = conversation.messages, conversation.turns
        self.working_set = working_set_start(conversation, ask.protection.policy.working_set)
        self.fit_floor = _fit_floor(ask, self.working_set)
        self.held = working_set_before(conversation, ask.protection.policy.working_set, self.turns[-1].start)
        self.unfit = unfit(conversation, ask.decisions, ask.rules)
        gone = {conversation.key(index) for index in self.unfit}
        self.decisions = {
            key: decision for key, decision in ask.decisions.items() if key in gone or not decision.to_fit
        }
        self.block_edits: dict[int, dict[int, BlockEdit]] = {}
        self.saved = 0  # tokens, by the edits
        self.packet = ("", 0)
        self._keep_from(_first_turn(conversation, ask, self.working_set), filtered=True)

    def _keep_from(self, first: int, filtered: bool) -> None:
        """Decides which turns stay, and which summaries and returned packets inside them are removed (rules 1 and
        2). If not `filtered`, summaries stay, and so do packets before all turns.
        """
        self.first = first
        specials = [position for turn in self.turns[first:] for position in turn.specials]
        packets = [index for index in specials if self.messages[index].view.role == "packet"]
        if not filtered and self.turns[0].headless:
            packets = [index for index in packets if index >= self.turns[0].end]
        leaving = [index for index in specials if filtered and self.ask.folding.folded(index)]
        must_stay, start = self.ask.rules.must_stay(self.conversation), self.turns[first].start
        prompts = [index for index in self.conversation.prompts if index < start]
        self.prompts = [index for index in prompts if index in must_stay]
        self.loading = sorted(index for index in loading_steps(self.conversation) if index < start)
        self.without = frozenset([*packets, *leaving])
        self.evicted_tokens = turn_weights(self.conversation)[start]
        self.evicted_tokens += self.conversation.weight_of(index for index in prompts if index not in must_stay)
        self.evicted_tokens += self.conversation.weight_of(self.without)
        self.evicted_tokens -= self.conversation.weight_of(self.loading)
        self.remaining_tokens = self.conversation.raw_weight - self.evicted_tokens
        to_fit = frozenset(
            index for index in self.unfit if index >= start
        )  # no packet stands for them, because they change late
        self.remaining_tokens -= self.conversation.weight_of(to_fit)
        self.without |= to_fit
        self.unfit_count = len(to_fit)

    def keep_task(self) -> None:
        """Removes no more turns than before if the packet would have a part of the task only partly (rule 6)."""
        before = self.ask.rules.cut_at(self.conversation, turn_at(self.turns, self.ask.floor))
        if self.first > before and not self.ask.folding.whole(self._left()):
            self._keep_from(before, filtered=True)
            self.decide_results()

    def _left(self) -> LeftOut:
        return LeftOut(
            self.evicted_tokens,
            self.turns[self.first].start,
            self.ask.folding.most_tokens(self.evicted_tokens, self.weight()),
            kept=frozenset((*self.prompts, *self.loading)),
            gone=self.without,
            cut=frozenset(self.block_edits),
        )

    def write_packet(self) -> None:
        """Writes the packet for what was removed; it does not repeat what is shown."""
        folding, left = self.ask.folding, self._left()
        self.packet = folding.packet(left)
        if not self.ask.rules.may_stand_for(self.packet[1], left.most_tokens):
            self.packet = ("", 0)

    def decide_results(self) -> None:
        """Makes the remembered edits, and new ones for bulky results of kept older turns (rules 4, 5 and 7)."""
        limit = getattr(self.ask.protection.policy.distill, self.ask.zone)
        if any(decision.kind == "cut" for decision in self.decisions.values()):
            self._cut_again()
        for turn in self.turns[self.first :]:
            older = self.ask.newest_limit is not None and turn is not self.turns[-1]
            if not older and not self.decisions:
                continue
            for position in turn.results:
                for ref, block in self.conversation.results(position):
                    decision = self.decisions.get(self.conversation.block_key(ref))
                    if (
                        older
                        and position < self.held
                        and _bulky(block, limit)
                        and not self.ask.protection.is_of_tool(ref)
                    ):
                        decision = _tighter(decision, limit)
                    if decision is not None and decision.kind != "cut" and position < self.working_set:
                        self._edit(ref, decision)

    def _cut_again(self) -> None:
        """Makes the remembered cuts again (rule 4)."""
        for position in range(self.turns[self.first].start, self.conversation.size):
            if position in self.without:
                continue
            for number in range(len(self.messages[position].view.blocks)):
                ref = BlockRef(position, number)
                decision = self.decisions.get(self.conversation.block_key(ref))
                if decision is None or decision.kind != "cut":
                    continue
                if self.ask.rules.may_edit(self.conversation, ref, "cut"):
                    self._put(cut_edit(self.conversation, ref, decision))

    def prune_newest(self) -> None:
        """Prunes old steps of the newest turn while it is over its limit (rule 3)."""
        newest, limit = self.turns[-1], self.ask.newest_limit
        if limit is None or self.ask.zone != "compact":
            return
        over = self._newest_weight() + self.packet[1] - limit
        for step in step_spans(self.messages, newest)[:-STEPS_LOSSLESS]:
            if over <= 0 or step.stop > self.working_set:
                break
            saved = self.saved
            self._prune_step(step)
            over -= self.saved - saved

    def _newest_weight(self) -> int:
        """The tokens of the newest turn alone, as decided so far."""
        start = self.turns[-1].start
        gone = self.conversation.weight_of(position for position in self.without if position >= start)
        edits = [edit for index, blocks in self.block_edits.items() if index >= start for edit in blocks.values()]
        return self.turns[-1].weight - gone - sum(edit.before_tokens - edit.after_tokens for edit in edits)

    def _prune_step(self, step: range) -> None:
        for position in step:
            for ref, block in self.conversation.results(position):
                edit = self.block_edits.get(position, {}).get(ref.block_index)
                protected = block.is_error or block.doubtful or self.ask.protection.is_of_tool(ref)
                if not protected and (edit is None or edit.kind != "pruned"):
                    self._edit(ref, Decision("pruned"))

    def _edit(self, ref: BlockRef, decision: Decision) -> None:
        """Remembers an edit if it makes the result smaller. Markers of ctxmgr are never edited again."""
        block = self.conversation.block(ref)
        if self.ask.rewrite is None or not block.can_edit or marker.is_marker(block.text):
            return
        if decision.kind == "dropped" or ref.message_index in self.without:  # for a whole message, not a result
            return
        if not self.ask.rules.may_edit(self.conversation, ref, decision.kind):
            return
        text, after = self.ask.rewrite(ref, decision)
        before = self.conversation.block_weight(ref)
        if after >= before and not decision.written:
            return
        key = self.conversation.block_key(ref)
        self.decisions[key] = decision
        self._put(BlockEdit(ref.message_index, ref.block_index, decision.kind, text, key, before, after))

    def _put(self, edit: BlockEdit) -> None:
        blocks = self.block_edits.setdefault(edit.message_index, {})
        old = blocks.get(edit.block_index)
        self.saved -= old.before_tokens - old.after_tokens if old is not None else 0
        blocks[edit.block_index] = edit
        self.saved += edit.before_tokens - edit.after_tokens

    def weight(self) -> int:
        """The tokens of the kept turns as decided so far, without the packet."""
        return self.remaining_tokens - self.saved

    def plan(self) -> Plan:
        """The plan, with the packet and the pieces in order (rule 6)."""
        packet = self._packet()
        start = self.turns[self.first].start
        weight = self.weight() + packet.weight
        edits = [edit for blocks in self.block_edits.values() for edit in blocks.values()]
        return Plan(
            pieces=self._pieces(start, packet),
            zone=self.ask.zone,
            floor=start if self.first else 0,
            weight=weight,
            raw_weight=self.conversation.raw_weight,
            decisions=self.ask.decisions if self.decisions == self.ask.decisions else self.decisions,
            turns_kept=len(self.turns) - self.first,
            turns_dropped=self.first,
            distilled=sum(edit.kind == "distilled" for edit in edits),
            pruned=sum(edit.kind == "pruned" for edit in edits),
            dropped=self.unfit_count,
            packet_weight=packet.weight,
            blocks_cut=sum(edit.kind == "cut" for edit in edits),
            allowance=self.ask.folding.allowance,
            fit_floor=self.fit_floor,
        )

    def _packet(self) -> Packet:
        """The packet for what was removed. Without one, the draft may have to keep everything."""
        if self.packet[0]:
            return Packet(*self.packet)
        gains = self.first > 0 or not self._starts_with_reply()
        if self.evicted_tokens and self.ask.folding.packet_for is not None:
            gains = self.first > 0 and (self.ask.floor > 0 or self.evicted_tokens >= SMALLEST_TOKENS)
        if (
            not gains
            or self.loading
            or any(not self.ask.rules.may_start_with(self.conversation, index) for index in self.prompts[:1])
        ):
            self._keep_from(0, filtered=False)
            self.decide_results()
        return Packet("", 0)

    def _starts_with_reply(self) -> bool:
        """Whether the list would start with an assistant message that it did not start with before."""
        first = self.turns[0].start
        leaving = {*self.without, *self.conversation.prompts}
        start = next((index for index in range(first, self.conversation.size) if index not in leaving), first)
        return not self.ask.rules.may_start_with(self.conversation, start)

    def _pieces(self, start: int, packet: Packet) -> tuple[Piece, ...]:
        first = self.loading[0] if self.loading else start
        heads = _runs([index for index in self.prompts if index < first])
        alone = _runs(sorted([*self.loading, *(index for index in self.prompts if index > first)]))
        pieces: list[Piece] = [*heads, packet, *alone] if packet.text else [*heads, *alone]
        if packet.text and heads and not self.ask.rules.may_start_with(self.conversation, heads[0].start):
            pieces = [packet, *heads, *alone]
        index = start
        if heads and not packet.text and not alone and heads[-1].end == start:
            index = heads[-1].start
            pieces.pop()
        for position in sorted({*self.without, *self.block_edits}):
            if position > index:
                pieces.append(Keep(index, position))
            if position not in self.without:
                blocks = self.block_edits[position]
                pieces += [blocks[number] for number in sorted(blocks)]
            index = position + 1
        if index < self.conversation.size:
            pieces.append(Keep(index, self.conversation.size))
        return tuple(pieces)


def _runs(positions: Sequence[int]) -> list[Keep]:
    """Groups ascending indexes into ranges."""
    runs: list[Keep] = []
    for index in positions:
        if runs and runs[-1].end == index:
            runs[-1] = Keep(runs[-1].start, index + 1)
        else:
            runs.append(Keep(index, index + 1))
    return runs


def _bulky(block: Block, limit: int) -> bool:
    return len(block.text) > (max(limit, ERRORS_OVER) if block.is_error or block.doubtful else limit)


def _tighter(decision: Decision | None, limit: int) -> Decision:
    if decision is None or decision.kind == "cut":
        return Decision("distilled", limit)
    if decision.kind == "pruned" or decision.limit <= limit:
        return decision
    return Decision("distilled", limit)
