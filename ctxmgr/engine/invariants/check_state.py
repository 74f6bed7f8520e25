"""Walks a plan piece by piece and keeps the tallies of rules; a part that was walked once is not walked again.

A `CheckState` holds what a walk knew at the end of the last projection. If the new plan begins with the same
pieces, the walk continues from there, so a call costs only what is new. The packet's text may differ.
"""

from functools import lru_cache
from typing import Any

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants.promises import loading_steps
from ctxmgr.engine.invariants.rule import Rule, Runs, Walk, overriding
from ctxmgr.model import BlockEdit, Keep, Packet, Piece, Plan


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
