"""What a rule is: told of a plan piece by piece it says whether the plan keeps it, and it tells what it allows.

The checker's side is a fold. A rule starts with `tally`, and each thing that a plan does turns the tally into the
next one; tallies are immutable, so that a walk can go on from the last one. `holds` judges the tally at the end.

The chooser's side allows everything, unless a rule says otherwise. A rule that the form of every plan keeps (a plan
is laid out in the order of its list, say) has nothing to say there.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step
from ctxmgr.model import BlockEdit, EditKind, Packet, Plan

USER_LIKE = ("user", "note", "shell", "summary", "packet")  # roles a provider is sent as a user message


class Runs:
    """Message indices as runs, in rising order."""

    def __init__(self, runs: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        self.starts, self.ends = list(runs[0]), list(runs[1])

    def __contains__(self, message_index: int) -> bool:
        number = bisect_right(self.starts, message_index) - 1
        return number >= 0 and message_index < self.ends[number]

    def add(self, run: range) -> None:
        """After all others."""
        self.starts.append(run.start)
        self.ends.append(run.stop)

    def frozen(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(self.starts), tuple(self.ends)


class Walk:
    """A plan as far as it was gone through: what rules may ask beside their tallies.

    `left_out`: message indices that leave; `first_index`: of the first message shown that is neither prompt nor
    summary, -1 for none; `packets`: the places of packets among the pieces.
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


LeftOut = Callable[[int], bool]  # of a message's index: whether it leaves


class Rule:
    """One promise. `name` is how a report calls it; `by_turns`: whether it holds turns together; `packet_inside`:
    whether the packet goes inside the user's message that it stands before."""

    name: ClassVar[str]
    by_turns: ClassVar[bool] = False
    packet_inside: ClassVar[bool] = False
    tally: Any = False

    # the checker's side

    def included(self, tally: Any, walk: Walk, run: range) -> Any:
        """These messages stay, one after the other."""
        return tally

    def left_out(self, tally: Any, walk: Walk, run: range) -> Any:
        """These leave, one after the other; `walk.left_out` has them already."""
        return tally

    def edited(self, tally: Any, walk: Walk, edit: BlockEdit) -> Any:
        """A block is written anew; its message was kept before."""
        return tally

    def inserted(self, tally: Any, walk: Walk) -> Any:
        """A packet stands here; `walk.packets` has it already."""
        return tally

    def disordered(self, tally: Any, walk: Walk) -> Any:
        """A piece is empty, beyond the list, or stands after what it precedes in the list."""
        return tally

    def holds(self, tally: Any, walk: Walk) -> bool:
        """Whether the promise is kept at the end of the list."""
        return not tally

    # the chooser's side

    def may_cut_at(self, conversation: ConversationIndex, turn_number: int) -> bool:
        """Whether what stays may start at this turn."""
        return True

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        """The messages that may not leave, by index."""
        return frozenset()

    def may_leave(self, conversation: ConversationIndex, step: Step) -> bool:
        """Whether this step may leave whole, where none of its messages must stay."""
        return True

    def may_leave_untold(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this message may leave where no packet stands for it."""
        return True

    def may_edit(self, conversation: ConversationIndex, ref: BlockRef, kind: EditKind) -> bool:
        """Whether this block may be rewritten."""
        return True

    def may_stand_for(self, weight: int, replaced_weight: int) -> bool:
        """Whether a packet may stand for so much. Both in tokens."""
        return True

    def may_start_with(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this may be the first message shown, prompts aside."""
        return True

    def packet_index(self, conversation: ConversationIndex, message_index: int, left: LeftOut) -> int:
        """Before which message that is shown a packet goes that belongs before this one."""
        return message_index

    def answer_before(self, conversation: ConversationIndex, message_index: int) -> int:
        """The index of the answer that this user's message must stay or leave with, -1 for none."""
        return -1

    def is_one_with_previous(self, conversation: ConversationIndex, message_index: int) -> bool:
        """Whether this message must stay or leave with the one before it."""
        return False


@lru_cache(maxsize=256)
def overriding(rules: tuple[Rule, ...], name: str) -> tuple[Any, ...]:
    """The methods of this name of those rules that have one of their own: what is asked often asks no others."""
    own = (rule for rule in rules if getattr(type(rule), name) is not getattr(Rule, name))
    return tuple(getattr(rule, name) for rule in own)
