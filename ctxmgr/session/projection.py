"""What a session holds of the list it was last shown, and the projection it answered: one frozen value.

A `context` computes the next standing from the last and assigns it when everything went well, so that a fault
leaves the session, and the next call's fallback, as they were.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.conversation.turns import turn_at
from ctxmgr.engine.invariants import FRESH, CheckState
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Zone
from ctxmgr.model.projection import Edit, Keep, Plan

NO_PLAN = Plan((), "green", 0, 0, 0, {})


class Standing(msgspec.Struct, frozen=True):
    """`tag`: the opaque base of the last answer, "" when void. `held`: weight of what the host would send now:
    the projection, and what was reported since. `weigher` names what weighed the messages. `puts` are the edited
    messages' bytes by index, `packet` the packet's, `size` the number of all of them in the answer. `hash` is of
    the messages' digests, never updated but in a copy."""

    conversation: ConversationIndex = ConversationIndex()
    plan: Plan = NO_PLAN
    carried: CheckState = FRESH
    tag: str = ""
    held: int = 0
    zone: Zone = "green"
    weigher: str = ""
    puts: dict[int, bytes] = {}
    packet: bytes = b""
    size: int = 0
    hash: Any = None
    answered: bool = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """The list it was made of."""
        return self.conversation.messages


def indexed(standing: Standing, messages: tuple[Message, ...], prefix: int) -> ConversationIndex:
    """The index of a list that shares its first `prefix` messages with the standing one."""
    start = standing.conversation if prefix == standing.conversation.size else ConversationIndex()
    return extend(start, messages)


def hashed(state: Any, messages: Iterable[Message]) -> Any:
    """A copy of the hash `state` (None: a fresh one) with the digests of more messages in it."""
    state = state.copy() if state is not None else hashlib.blake2b(digest_size=8)
    state.update("".join([message.digest for message in messages]).encode())
    return state


def tag_of(state: Any, count: int) -> str:
    """An opaque tag that stands for a whole list of `count` messages, from the hash of its digests."""
    return f"{count}.{state.hexdigest()}"


def kept_weight(conversation: ConversationIndex, floor: int) -> int:
    """The weight of prompts and of the turns from `floor` on, in tokens, before any edit."""
    turns = conversation.turns
    kept = turns[turn_at(turns, floor) :] if turns else ()
    return conversation.prompt_weight + sum(turn.weight for turn in kept)


def first_changed(old: Standing, new: Standing, prefix: int) -> int:
    """The place in the new answer where it first differs from the old one; -1 where it only grew.

    `prefix` messages are the same in both lists; messages after them count as changed.
    """
    if _goes_on(old, new, prefix):
        return -1
    before, after = runs(old), runs(new)
    place = 0
    for number, (start, end, content) in enumerate(after):
        if number >= len(before):
            return -1
        old_start, old_end, old_content = before[number]
        if content or old_content:
            if content != old_content:
                return place
            place += 1
            continue
        same = min(end, old_end, prefix) - start if start == old_start else 0
        place += max(0, same)
        if same < old_end - old_start:
            return place
        if end > old_end:
            return -1 if number == len(before) - 1 else place
    return -1 if len(after) >= len(before) else place


def _goes_on(old: Standing, new: Standing, prefix: int) -> bool:
    """Is the new answer plainly the old one and what came since? Said without a look at each piece: between epochs
    it is, and plans have hundreds of them."""
    before, after = old.plan.pieces, new.plan.pieces
    last = len(before) - 1
    if last < 0 or len(after) <= last or after[:last] != before[:last]:
        return False
    ended, goes_on = before[last], after[last]
    return (
        isinstance(ended, Keep)
        and isinstance(goes_on, Keep)
        and goes_on.start == ended.start
        and goes_on.end >= ended.end
        and ended.end <= prefix
        and new.puts == old.puts
        and new.packet == old.packet
    )


def shared(old: Standing, new: Standing, prefix: int) -> tuple[int, int, int]:
    """(place of the first change, tokens, bytes) of what both answers begin with, message by message; the place is
    -1 where the new one only grew. `prefix` as in `first_changed`."""
    place = first_changed(old, new, prefix)
    if place < 0:
        return place, old.plan.weight, old.size
    tokens, size, left = 0, 0, place
    weights = _weights(new)
    for start, end, content in runs(new):
        if left <= 0:
            break
        if content:
            tokens += next(weights)
            size += len(content)
            left -= 1
            continue
        end = min(end, start + left)
        tokens += sum(message.weight for message in new.messages[start:end])
        size += sum(len(message.raw) for message in new.messages[start:end])
        left -= end - start
    return place, tokens, size


def _weights(standing: Standing) -> Iterator[int]:
    """The weights of the messages put in, in their order."""
    last, weight = -1, 0
    for piece in standing.plan.pieces:
        if not isinstance(piece, Edit):
            if last >= 0:
                yield weight
            last = -1
        if isinstance(piece, Edit):
            if piece.index != last:
                if last >= 0:
                    yield weight
                last, weight = piece.index, standing.messages[piece.index].weight
            weight -= piece.before - piece.after
        elif not isinstance(piece, Keep):
            yield piece.weight
    if last >= 0:
        yield weight


def size_of(new: Standing, old: Standing, prefix: int) -> int:
    """The bytes of an answer's messages; `prefix` as in `first_changed`."""
    if old.answered and new.puts == old.puts and first_changed(old, new, prefix) < 0:
        return old.size + sum(len(message.raw) for message in new.messages[len(old.messages) :])
    return sum(
        len(content) or sum(len(message.raw) for message in new.messages[start:end])
        for start, end, content in runs(new)
    )


def runs(standing: Standing) -> list[tuple[int, int, bytes]]:
    """An answer as runs of kept messages (start, end, b"") and single messages put in (0, 0, bytes)."""
    runs: list[tuple[int, int, bytes]] = []
    last = -1
    for piece in standing.plan.pieces:
        if isinstance(piece, Keep):
            runs.append((piece.start, piece.end, b""))
        elif not isinstance(piece, Edit):
            runs.append((0, 0, standing.packet))
        elif piece.index != last:  # else a further unit of the same message
            runs.append((0, 0, standing.puts[piece.index]))
            last = piece.index
    return runs
