"""What a rule is: it follows a plan piece by piece and says whether the plan keeps it, and it says what it allows.

The checker's side is a fold. A rule starts with `tally`, and each part of a plan turns the tally into the next one.
Tallies are immutable, so a walk can continue from the last one. `holds` judges the tally at the end.

The chooser's side allows everything unless a rule says otherwise. A rule that the form of every plan guarantees
(say, list order) has nothing to say there.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step
from ctxmgr.model import BlockEdit, EditKind, Packet, Plan

USER_LIKE = ("user", "note", "shell", "summary", "packet")  # roles that a provider receives as a user message


class Runs:
    """Message indices as runs, in ascending order."""

    def __init__(self, runs: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        self.starts, self.ends = list(runs[0]), list(runs[1])

    def __contains__(self, message_index: int) -> bool:
        number = bisect_right(self.starts, message_index) - 1
        return number >= 0 and message_index < self.ends[number]

    def add(self, run: range) -> None:
        """Behind all others."""
        self.starts.append(run.start)
        self.ends.append(run.stop)

    def frozen(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(self.starts), tuple(self.ends)


class Walk:
    """A partly walked plan: what rules may ask beside their tallies.

    `left_out`: indices of removed messages. `first_index`: of the first message shown that is neither prompt nor
    summary, -1 for none. `packets`: the positions of packets among the pieces.
    """

    conversation: ConversationIndex
    plan: Plan
    left_out: Runs
    first_index: int
    packets: list[int]

    def packet_weight(self) -> int:
        """Of all packets, in tokens."""
        packets = (self.plan.pieces[place] for place in self.packets)
        return sum(packet.weight for packet in packets if isinstance(packet, Packet))


LeftOut = Callable[[int], bool]  # of a message's index: whether it is removed


class Rule:
    """One promise. `name`: in reports. `by_turns`: whether it keeps turns together. `packet_inside`: whether the
    packet goes inside the user's message that it would precede.
    """

    name: ClassVar[str]
    by_turns: ClassVar[bool] = False
    packet_inside: ClassVar[bool] = False
    tally: Any = False

    # the checker's side

    def included(self, tally: Any, walk: Walk, run: range) -> Any:
        """These consecutive messages stay."""
        return tally

    def left_out(self, tally: Any, walk: Walk, run: range) -> Any:
        """These consecutive messages are removed; `walk.left_out` has them already."""
        return tally

    def edited(self, tally: Any, walk: Walk, edit: BlockEdit) -> Any:
        """A block is rewritten; its message was kept before."""
        return tally

    def inserted(self, tally: Any, walk: Walk) -> Any:
        """A packet is here; `walk.packets` has it already."""
        return tally

    def disordered(self, tally: Any, walk: Walk) -> Any:
        """A piece is empty, beyond the list, or behind what it precedes in the list."""
        return tally

    def holds(self, tally: Any, walk: Walk) -> bool:
        """Whether the promise is kept at the end of the list."""
        return not tally

    # the chooser's side

    def may_cut_at(self, conversation: ConversationIndex, turn_number: int) -> bool:
        """Whether what stays may start at this turn."""
        return True

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        """The messages that must not be removed, by index."""
        return frozenset()

    def may_leave(self, conversation: ConversationIndex, step: Step) -> bool:
        """Whether this step may be removed as a whole, if none of its messages must stay."""
        return True

    def may_leave_untold(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this message may be removed without a packet that stands for it."""
        return True

    def may_edit(self, conversation: ConversationIndex, ref: BlockRef, kind: EditKind) -> bool:
        """Whether this block may be rewritten."""
        return True

    def may_stand_for(self, weight: int, replaced_weight: int) -> bool:
        """Whether a packet of this size may stand for so much. Both in tokens."""
        return True

    def may_start_with(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this may be the first message shown, ignoring prompts."""
        return True

    def packet_index(self, conversation: ConversationIndex, message_index: int, left: LeftOut) -> int:
        """The shown message that the packet precedes, if it belongs before this one."""
        return message_index

    def answer_before(self, conversation: ConversationIndex, message_index: int) -> int:
        """The index of the answer that this user's message must stay or be removed with, -1 for none."""
        return -1

    def is_one_with_previous(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this message must stay or be removed with the previous one."""
        return False


@lru_cache(maxsize=256)
def overriding(rules: tuple[Rule, ...], name: str) -> tuple[Any, ...]:
    """The methods of this name of those rules that override it; frequent questions ask no others."""
    own = (rule for rule in rules if getattr(type(rule), name) is not getattr(Rule, name))
    return tuple(getattr(rule, name) for rule in own)
