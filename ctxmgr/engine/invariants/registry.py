"""Combines rules into what a chooser and a checker ask: one set for removing turns, and one for removing steps.

A promise is relative to the input: real lists hold calls without results, and may start with something other than a
user message. The code that decides must not judge itself, so checks use only the pieces of a plan and the messages.
They share the list's index (which call a result answers) with the chooser.
"""

from collections.abc import Mapping

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step, Steps, carried, steps_of
from ctxmgr.engine.invariants.check_state import FRESH, CheckState, PlanWalk, carried_on
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
)
from ctxmgr.engine.invariants.rule import LeftOut, Rule, overriding
from ctxmgr.model import EditKind, Plan, once


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
