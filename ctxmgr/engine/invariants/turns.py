"""Turns a projection into the list of promises it breaks; an empty list means that it may leave.

Each promise is relative to what came in (design, section 4): real lists hold calls without results, and may
start with something other than a user message. What decided must not judge itself, so the checks walk the pieces
and the messages alone; of what `project` goes by they share the index (which call a result answers).

1. order: kept messages stand in the order they came, none twice.
2. pairs: no call loses the result it had, no result the call it had.
3. turns: a turn stays whole or leaves whole (a summary or a returned packet may leave alone, and a summary may
   stay alone before all kept turns).
4. newest user: the newest user message is there, untouched, if one was sent.
5. signed: only tool results are edited, so thinking blocks and signatures are as they came.
6. packet: at most one, before every kept message but prompts and summaries.
7. start: the list starts with something a provider takes as a user message, if it came so.
8. weight: the projection weighs what the plan says, and no more than what came in.
9. prompts: each of them is there.

A `Carried` holds what the walk knew at the end of the last projection. Where the new one begins with the same
pieces, the walk goes on from there, so that a call costs what is new.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import Edit, Keep, Packet, Piece, Plan

SPECIAL = ("summary", "packet")  # roles that may leave alone
NO_TURN = (*SPECIAL, "prompt")  # roles that may stand before the message a turn starts with
USER_LIKE = ("user", "note", "shell", "summary", "packet")  # roles a provider is sent as a user message


class Carried(msgspec.Struct, frozen=True):
    """The state after walking `pieces` (without the packet): the index that may come next, the first kept
    index but for prompts (-1: none), the same but for summaries too, the newest user message kept, what was
    skipped since then, the weight in tokens, the faults found, and how many prompts were kept."""

    pieces: tuple[Piece, ...] = ()
    next: int = 0
    start: int = -1
    first: int = -1
    newest_user: int = -1
    gaps: tuple[int, ...] = ()
    weight: int = 0
    faults: frozenset[str] = frozenset()
    prompts: int = 0


FRESH = Carried()


def check(conversation: ConversationIndex, plan: Plan, carried: Carried = FRESH) -> tuple[tuple[str, ...], Carried]:
    """The promises that the plan breaks, by name, and what the next check may go on from.

    `carried` must come from a list that this one begins with; for any other list leave it out.
    """
    messages = conversation.messages
    place = _packet_place(messages, plan.pieces)
    packets = plan.pieces[place : place + 1] if place >= 0 else ()
    body = (*plan.pieces[:place], *plan.pieces[place + 1 :]) if packets else plan.pieces
    rest = left_to_walk(body, carried.pieces)
    if rest is None:
        carried, rest = FRESH, body
    walk = _Walk(conversation, carried)
    for piece in rest:
        walk.take(piece)
    carried = walk.carried(body)
    faults = carried.faults | _turn_faults(messages, carried)
    if conversation.newest_user >= 0 and carried.newest_user != conversation.newest_user:
        faults |= {"newest user"}
    if conversation.turns and not packets and not _starts_like_user(conversation, carried):
        faults |= {"start"}
    if carried.prompts != len(conversation.prompts):
        faults |= {"prompts"}
    packet_weight = sum(piece.weight for piece in packets if isinstance(piece, Packet))
    if carried.weight + packet_weight != plan.weight or plan.weight > conversation.raw_weight:
        faults |= {"weight"}
    return tuple(sorted(faults)), carried


def _packet_place(messages: Sequence[Message], pieces: tuple[Piece, ...]) -> int:
    """The number of the packet among the pieces where it stands as rule 6 says, else -1."""
    for number, piece in enumerate(pieces):
        if isinstance(piece, Packet):
            return number
        if not isinstance(piece, Keep) or piece.end > len(messages):
            return -1
        if any(messages[at].view.role not in ("prompt", "summary") for at in range(piece.start, piece.end)):
            return -1
    return -1


def left_to_walk(pieces: tuple[Piece, ...], walked: tuple[Piece, ...]) -> tuple[Piece, ...] | None:
    """What of these pieces a walk over `walked` has not seen; None where they do not begin with those."""
    count = len(walked)
    if not walked or len(pieces) < count or pieces[: count - 1] != walked[:-1]:
        return None
    old, new = walked[-1], pieces[count - 1]
    if new == old:
        return pieces[count:]
    if isinstance(old, Keep) and isinstance(new, Keep) and new.start == old.start and new.end > old.end:
        return (Keep(old.end, new.end), *pieces[count:])
    return None


class _Walk:
    def __init__(self, conversation: ConversationIndex, carried: Carried) -> None:
        self.messages, self.pairs = conversation.messages, conversation.pairs
        self.next, self.newest_user = carried.next, carried.newest_user
        self.start, self.first = carried.start, carried.first
        self.faults, self.gaps = set(carried.faults), list(carried.gaps)
        last = carried.pieces[-1] if carried.pieces else None
        # the newest edit's message and unit: further units of that message may follow
        self.edited = (last.index, last.unit) if isinstance(last, Edit) else (-1, -1)
        self.weight = carried.weight
        self.prompts = carried.prompts

    def take(self, piece: Piece) -> None:
        if isinstance(piece, Packet):
            self.faults.add("packet")
        elif isinstance(piece, Keep):
            self._kept(piece.start, piece.end)
        else:
            message = self.messages[piece.index]
            unit = message.view.units[piece.unit]
            if unit.kind != "result" or unit.signed:
                self.faults.add("signed")
            if piece.index != self.edited[0]:
                self._kept(piece.index, piece.index + 1)
            elif piece.unit <= self.edited[1]:
                self.faults.add("order")
            self.edited = piece.index, piece.unit
            self.weight += piece.after - message.weights[piece.unit]

    def _kept(self, start: int, end: int) -> None:
        if start < self.next or end <= start or end > len(self.messages):
            self.faults.add("order")
            return
        if self.first >= 0:
            self.gaps.extend(range(self.next, start))
        self.next = end
        for position in range(start, end):
            view = self.messages[position].view
            self.weight += self.messages[position].weight
            if view.role == "prompt":
                self.prompts += 1
                continue
            if self.start < 0:
                self.start = position
            if self.first < 0 and view.role != "summary":
                self.first = position
            if view.opens_turn:
                self.newest_user = position
            if view.role != "assistant":
                self._answers(position)

    def _answers(self, position: int) -> None:
        """The call that a kept result had must be kept: it stands after the first kept message."""
        for number, unit in enumerate(self.messages[position].view.units):
            if unit.kind == "result" and self.pairs.get(BlockRef(position, number), self.first) < self.first:
                self.faults.add("pairs")

    def carried(self, pieces: tuple[Piece, ...]) -> Carried:
        gaps, faults = tuple(self.gaps), frozenset(self.faults)
        return Carried(
            pieces,
            self.next,
            self.start,
            self.first,
            self.newest_user,
            gaps,
            self.weight,
            faults,
            self.prompts,
        )


def _turn_faults(messages: Sequence[Message], carried: Carried) -> set[str]:
    """After the first kept message that is no summary only a summary or a packet may be left out; and it must be
    the first of its turn, but for those."""
    if carried.first < 0:
        left_out: Sequence[int] = range(len(messages))
    else:
        left_out = [*carried.gaps, *range(carried.next, len(messages))]
    faults: set[str] = set()
    for position in left_out:
        if messages[position].view.role not in NO_TURN:  # of prompts rule 9 speaks
            faults.add("turns")
            if any(unit.kind in ("call", "result") for unit in messages[position].view.units):
                faults.add("pairs")
    before = carried.first
    while before > 0 and messages[before - 1].view.role in NO_TURN:
        before -= 1
    if before > 0 and not any(messages[at].view.opens_turn for at in range(before, carried.first + 1)):
        faults.add("turns")
    return faults


def _starts_like_user(conversation: ConversationIndex, carried: Carried) -> bool:
    messages = conversation.messages
    if messages[conversation.turns[0].start].view.role not in USER_LIKE or carried.start < 0:
        return True
    return messages[carried.start].view.role in USER_LIKE
