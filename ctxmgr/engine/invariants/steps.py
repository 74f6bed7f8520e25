"""Turns a projection by steps into the list of promises it breaks; an empty list means that it may leave.

As `check` does for whole turns, relative to what came in, and walking the pieces alone:

1. order: kept messages stand in the order they came, none twice.
2. pairs: no call loses the result it had, no result the call it had.
3. users: what a user said is there as it came, or a packet is there that tells it; the newest is there in any case.
4. newest step: the newest assistant message is there as it came.
5. signed: only results and the arguments of calls are edited, and no arguments in a message that holds anything
   signed.
6. packet: at most one.
7. start: the list starts with something a provider takes as a user message, if it came so.
8. weight: the projection weighs what the plan says, and no more than what came in.
9. prompts: each of them is there.
10. step: items that together are one assistant's message are there together, or none of them.

Where the new projection begins with the pieces of the last one, the walk goes on from there.
"""

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.conversation.turns import goes_on
from ctxmgr.engine.invariants.turns import USER_LIKE, left_to_walk
from ctxmgr.model.projection import Edit, Keep, Packet, Piece, Plan


class Walked(msgspec.Struct, frozen=True):
    """What the walk knew at the end of `pieces`: the index that may come next, the first message shown (-1: none),
    indices that are left out, users left out, the newest user message shown, prompts shown, packets, the weight of
    all, and the faults found."""

    pieces: tuple[Piece, ...] = ()
    next: int = 0
    first: int = -1
    gone: frozenset[int] = frozenset()
    users_gone: int = 0
    newest_user: int = -1
    prompts: int = 0
    packets: int = 0
    weight: int = 0
    faults: frozenset[str] = frozenset()


FRESH = Walked()


def check(conversation: ConversationIndex, plan: Plan, walked: Walked = FRESH) -> tuple[tuple[str, ...], Walked]:
    """The promises that the plan breaks, by name, and what the next check may go on from.

    `walked` must come from a list that this one begins with; for any other list leave it out.
    """
    rest = left_to_walk(plan.pieces, walked.pieces)
    if rest is None:
        walked, rest = FRESH, plan.pieces
    walk = _Walk(conversation, walked)
    for piece in rest:
        walk.take(piece)
    on = walked = walk.walked(plan.pieces)
    # what is left out at the end may come back: the next walk does not know of it
    if walked.next < conversation.size:
        walk.skip(conversation.size)
        walked = walk.walked(plan.pieces)
    faults = set(walked.faults)
    if conversation.newest_user >= 0 and walked.newest_user != conversation.newest_user:
        faults.add("newest user")
    if walked.users_gone and not walked.packets:
        faults.add("users")
    if walked.packets > 1:
        faults.add("packet")
    if conversation.turns and not _starts_like_user(conversation, plan, walked):
        faults.add("start")
    if walked.prompts != len(conversation.prompts):
        faults.add("prompts")
    if walked.weight != plan.weight or plan.weight > conversation.raw_weight:
        faults.add("weight")
    return tuple(sorted(faults)), on


class _Walk:
    def __init__(self, conversation: ConversationIndex, walked: Walked) -> None:
        self.messages, self.pairs = conversation.messages, conversation.pairs
        self.next, self.first, self.weight = walked.next, walked.first, walked.weight
        self.gone, self.users_gone, self.newest_user = set(walked.gone), walked.users_gone, walked.newest_user
        self.prompts, self.packets = walked.prompts, walked.packets
        self.faults = set(walked.faults)
        newest = range(conversation.size - 1, -1, -1)
        self.newest_reply = next((at for at in newest if self.messages[at].view.role == "assistant"), -1)
        last = walked.pieces[-1] if walked.pieces else None
        self.edited = (last.index, last.unit) if isinstance(last, Edit) else (-1, -1)

    def take(self, piece: Piece) -> None:
        if isinstance(piece, Packet):
            self.packets += 1
            self.weight += piece.weight
        elif isinstance(piece, Keep):
            self._kept(piece.start, piece.end)
        else:
            self._edit(piece)

    def _edit(self, piece: Edit) -> None:
        view = self.messages[piece.index].view
        unit = view.units[piece.unit]
        kind = "call" if piece.kind == "shortened" else "result"
        if unit.kind != kind or (kind == "call" and any(one.signed for one in view.units)):
            self.faults.add("signed")
        if piece.index != self.edited[0]:
            self._kept(piece.index, piece.index + 1)
        elif piece.unit <= self.edited[1]:
            self.faults.add("order")
        if piece.index == self.newest_reply:
            self.faults.add("newest step")
        self.edited = piece.index, piece.unit
        self.weight += piece.after - self.messages[piece.index].weights[piece.unit]

    def skip(self, end: int) -> None:
        """Messages up to `end` are left out."""
        for at in range(self.next, end):
            view = self.messages[at].view
            self.gone.add(at)
            self.users_gone += view.role == "user"
            if at == self.newest_reply:
                self.faults.add("newest step")
            self._pairs(at, shown=False)
            self._joined(at, shown=False)
        self.next = max(self.next, end)

    def _kept(self, start: int, end: int) -> None:
        if start < self.next or end <= start or end > len(self.messages):
            self.faults.add("order")
            return
        self.skip(start)
        if self.first < 0:
            self.first = start
        self.next = end
        for at in range(start, end):
            message = self.messages[at]
            self.weight += message.weight
            self.prompts += message.view.role == "prompt"
            self._joined(at, shown=True)
            if message.view.opens_turn:
                self.newest_user = at
            if message.view.role in ("result", "user"):
                self._pairs(at, shown=True)

    def _pairs(self, at: int, shown: bool) -> None:
        """A result and its call are both there, or neither."""
        for number, unit in enumerate(self.messages[at].view.units):
            asked_at = self.pairs.get(BlockRef(at, number)) if unit.kind == "result" else None
            if asked_at is not None and (asked_at in self.gone) == shown:
                self.faults.add("pairs")

    def _joined(self, at: int, shown: bool) -> None:
        """An item is there where the one is that it goes on from."""
        if at and self.messages[at].view.joins and goes_on(self.messages, at) and (at - 1 in self.gone) == shown:
            self.faults.add("step")

    def walked(self, pieces: tuple[Piece, ...]) -> Walked:
        return Walked(
            pieces,
            self.next,
            self.first,
            frozenset(self.gone),
            self.users_gone,
            self.newest_user,
            self.prompts,
            self.packets,
            self.weight,
            frozenset(self.faults),
        )


def _starts_like_user(conversation: ConversationIndex, plan: Plan, walked: Walked) -> bool:
    messages = conversation.messages
    if messages[conversation.turns[0].start].view.role not in USER_LIKE:
        return True
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            return True
        first = piece.start if isinstance(piece, Keep) else piece.index
        end = piece.end if isinstance(piece, Keep) else piece.index + 1
        for at in range(first, end):
            if messages[at].view.role != "prompt":
                return messages[at].view.role in USER_LIKE
    return walked.first < 0
