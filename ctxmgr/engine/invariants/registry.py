"""Combines rules into what a chooser and a checker ask: one set for removing turns, and one for removing steps. And
walks a plan piece by piece, keeping the tallies of rules.

A promise is relative to the input: real lists hold calls without results, and may start with something other than a
user message. The code that decides must not judge itself, so checks use only the pieces of a plan and the messages.
They share the list's index (which call a result answers) with the chooser.

A part that was walked once is not walked again: a `CheckState` holds what a walk knew at the end of the last
projection. If the new plan begins with the same pieces, the walk continues from there, so a call costs only what is
new. The packet's text may differ.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step, Steps, carried, steps_of
from ctxmgr.engine.invariants.promises import (
    Alternation,
    LeadingThought,
    LoadedTools,
    NewestStep,
    NewestUser,
    OnePacket,
    Order,
    Pairs,
    Prompts,
    Signed,
    Start,
    Users,
    Weight,
    WholeSteps,
    WholeTurnsRule,
    WorkingSetWhole,
    loading_steps,
)
from ctxmgr.engine.invariants.rule import LeftOut, Rule, Runs, Walk, overriding
from ctxmgr.model import BlockEdit, EditKind, Keep, Packet, Piece, Plan, once


class CheckState(msgspec.Struct, frozen=True):
    """The state after walking `pieces` by `rules`: a tally for each rule, the index that may come next, the first
    message shown that is neither prompt nor summary and loads no tool (-1: none), the starts and ends of removed
    runs, and the positions of packets among the pieces.
    """

    pieces: tuple[Piece, ...] = ()
    rules: tuple[Rule, ...] = ()
    tallies: tuple[Any, ...] = ()
    next_index: int = 0
    first_index: int = -1
    left_out: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    packets: tuple[int, ...] = ()


FRESH = CheckState()


def carried_on(state: CheckState, rules: tuple[Rule, ...], plan: Plan) -> CheckState:
    """The state from which a walk by these rules over this plan may continue."""
    count, pieces = len(state.pieces), state.pieces
    started = CheckState(rules=rules, tallies=tuple(rule.tally for rule in rules))
    if state.rules is not rules or not pieces or len(plan.pieces) < count:
        return started
    for piece_index in state.packets:
        packet = plan.pieces[piece_index]
        if not isinstance(packet, Packet):
            return started
        if packet is not pieces[piece_index]:
            pieces = (*pieces[:piece_index], packet, *pieces[piece_index + 1 :])
    return msgspec.structs.replace(state, pieces=pieces) if plan.goes_on_from(pieces) else started


@lru_cache(maxsize=64)
def _listeners(rules: tuple[Rule, ...], event: str) -> tuple[tuple[int, Any], ...]:
    """The rules whose tally this event changes, by number, with their handlers."""
    listening = overriding(rules, event)
    return tuple((rules.index(one.__self__), one) for one in listening)


class PlanWalk(Walk):
    """A walk over a plan."""

    def __init__(self, conversation: ConversationIndex, plan: Plan, state: CheckState) -> None:
        self.conversation, self.plan = conversation, plan
        self.left_out = Runs(state.left_out)
        self.first_index, self.packets = state.first_index, list(state.packets)
        self._next, self._piece_index = state.next_index, len(state.pieces)
        self._rules, self._tallies = state.rules, list(state.tallies)
        last = state.pieces[-1] if state.pieces else None
        # the newest edit's message and block; more blocks of that message may follow
        self._edited = (last.message_index, last.block_index) if isinstance(last, BlockEdit) else (-1, -1)
        grown = plan.pieces[self._piece_index - 1] if isinstance(last, Keep) else None
        if isinstance(last, Keep) and isinstance(grown, Keep) and grown.end > last.end:
            self._keep(last.end, grown.end)

    def through(self) -> CheckState:
        """To the plan's last piece. Returns the state there."""
        for piece_index in range(self._piece_index, len(self.plan.pieces)):
            self._take(piece_index, self.plan.pieces[piece_index])
        return CheckState(
            self.plan.pieces,
            self._rules,
            tuple(self._tallies),
            self._next,
            self.first_index,
            self.left_out.frozen(),
            tuple(self.packets),
        )

    def faults(self) -> tuple[str, ...]:
        """To the end of the list, whose removed messages may come back, so no later walk continues from here.
        Returns the names of the broken rules.
        """
        self._leave_out(self.conversation.size)
        judged = zip(self._rules, self._tallies, strict=True)
        return tuple(sorted(rule.name for rule, tally in judged if not rule.holds(tally, self)))

    def _take(self, piece_index: int, piece: Piece) -> None:
        if isinstance(piece, Packet):
            self.packets.append(piece_index)
            self._tell("inserted")
        elif isinstance(piece, Keep):
            self._keep(piece.start, piece.end)
        else:
            self._edit(piece)

    def _edit(self, edit: BlockEdit) -> None:
        if edit.message_index != self._edited[0]:
            self._keep(edit.message_index, edit.message_index + 1)
        elif edit.block_index <= self._edited[1]:
            self._tell("disordered")
        self._edited = edit.message_index, edit.block_index
        self._tell("edited", edit)

    def _keep(self, start: int, end: int) -> None:
        if start < self._next or end <= start or end > self.conversation.size:
            self._tell("disordered")
        run = range(start, min(end, self.conversation.size))
        if not run:
            return
        self._leave_out(start)
        self._next = max(self._next, run.stop)
        if self.first_index < 0:
            messages, loading = self.conversation.messages, loading_steps(self.conversation)
            shown = (at for at in run if messages[at].view.role not in ("prompt", "summary") and at not in loading)
            self.first_index = next(shown, -1)
        self._tell("included", run)

    def _leave_out(self, end: int) -> None:
        run = range(self._next, min(end, self.conversation.size))
        if not run:
            return
        self.left_out.add(run)
        self._next = run.stop
        self._tell("left_out", run)

    def _tell(self, event: str, *what: Any) -> None:
        for number, changed in _listeners(self._rules, event):
            self._tallies[number] = changed(self._tallies[number], self, *what)


class Invariants:
    """Rules that hold together. What all of them allow is allowed."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules

    # the checker's side

    def check(
        self, conversation: ConversationIndex, plan: Plan, state: CheckState = FRESH
    ) -> tuple[tuple[str, ...], CheckState]:
        """The names of the rules that the plan breaks, and the state from which the next check may continue.

        `state` must come from a list that this one begins with; omit it for any other list.
        """
        walk = PlanWalk(conversation, plan, carried_on(state, self.rules, plan))
        state = walk.through()
        return walk.faults(), state

    # the chooser's side

    @property
    def by_turns(self) -> bool:
        """Whether turns are removed as a whole, without removing steps of one that stays."""
        return any(rule.by_turns for rule in self.rules)

    @property
    def packet_inside(self) -> bool:
        """Whether the packet goes inside the user's message that it would precede."""
        return any(rule.packet_inside for rule in self.rules)

    def steps(self, conversation: ConversationIndex) -> Steps:
        """The units of removal."""
        return _steps(conversation, self)

    def may_cut_at(self, conversation: ConversationIndex, turn_number: int) -> bool:
        """Whether what stays may start at this turn."""
        return all(asked(conversation, turn_number) for asked in overriding(self.rules, "may_cut_at"))

    def cut_at(self, conversation: ConversationIndex, turn_number: int) -> int:
        """The turn of this number, or the nearest earlier one where a cut is allowed; at worst 0."""
        while turn_number > 0 and not self.may_cut_at(conversation, turn_number):
            turn_number -= 1
        return turn_number

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        """The messages that must not be removed, by index."""
        return _must_stay(conversation, self)

    def may_leave(self, conversation: ConversationIndex, step: Step) -> bool:
        """Whether this step may be removed as a whole, if none of its messages must stay."""
        return all(asked(conversation, step) for asked in overriding(self.rules, "may_leave"))

    def may_leave_untold(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this message may be removed without a packet that stands for it."""
        return all(asked(conversation, message_index) for asked in overriding(self.rules, "may_leave_untold"))

    def may_edit(self, conversation: ConversationIndex, ref: BlockRef, kind: EditKind) -> bool:
        """Whether this block may be rewritten."""
        return all(asked(conversation, ref, kind) for asked in overriding(self.rules, "may_edit"))

    def may_stand_for(self, weight: int, replaced_weight: int) -> bool:
        """Whether a packet of this size may stand for so much. Both in tokens."""
        return all(asked(weight, replaced_weight) for asked in overriding(self.rules, "may_stand_for"))

    def may_start_with(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this may be the first message shown, ignoring prompts."""
        return all(asked(conversation, message_index) for asked in overriding(self.rules, "may_start_with"))

    def packet_index(self, conversation: ConversationIndex, message_index: int, left: LeftOut) -> int:
        """The shown message that the packet precedes, if a preset would put it before this one."""
        for moved in overriding(self.rules, "packet_index"):
            message_index = moved(conversation, message_index, left)
        return message_index

    def answer_before(self, conversation: ConversationIndex, message_index: int) -> int:
        """The index of the answer that this user's message must stay or be removed with, -1 for none."""
        return max(
            (asked(conversation, message_index) for asked in overriding(self.rules, "answer_before")), default=-1
        )

    def is_one_with_previous(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this message must stay or be removed with the previous one."""
        return any(asked(conversation, message_index) for asked in overriding(self.rules, "is_one_with_previous"))


@carried
def _steps(conversation: ConversationIndex, before: Steps | None, start: int, rules: Invariants) -> Steps:
    return steps_of(conversation, before, start, rules.is_one_with_previous, rules.answer_before)


@once
def _must_stay(conversation: ConversationIndex, rules: Invariants) -> frozenset[int]:
    return frozenset[int]().union(*(asked(conversation) for asked in overriding(rules.rules, "must_stay")))


TURNS = Invariants(
    Order(),
    Pairs(),
    WholeTurnsRule(),
    WholeSteps(),
    NewestUser(),
    Signed(),
    OnePacket(in_front=True),
    Start(),
    Weight(),
    Prompts(),
    LoadedTools(),
    LeadingThought(),
    WorkingSetWhole(),
)
STEPS = Invariants(
    Order(),
    Pairs(),
    WholeSteps(),
    Users(),
    NewestUser(),
    NewestStep(),
    Signed(),
    OnePacket(),
    Start(),
    Weight(),
    Prompts(),
    LoadedTools(),
    LeadingThought(),
    WorkingSetWhole(),
)
ALTERNATING: Mapping[Invariants, Invariants] = {
    TURNS: Invariants(*TURNS.rules, Alternation()),
    STEPS: Invariants(*STEPS.rules, Alternation(by_steps=True)),
}
"""The same for a model whose template wants users and the assistant to take turns."""
