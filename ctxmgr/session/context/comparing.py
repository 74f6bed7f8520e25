"""Turns a projection into the runs of its answer, and two of them into what their answers begin with.

A provider keeps what requests begin with: where an answer first differs from the one before is what it costs.
"""

import hashlib
from collections.abc import Sequence
from itertools import groupby

import msgspec

from ctxmgr.model import BlockEdit, Keep, Piece, Plan, once
from ctxmgr.model.saved import Outline, State
from ctxmgr.session.projection import Projection, Run, Settled, is_of

OPEN = -1  # as the end of a range: to the end of the list
HASH_BYTES = 8


Runs = Sequence[Run]


def first_changed(old: Projection, new: Projection, shared: int) -> int:
    """The place in the new answer where it first differs from the old one; -1 where it only grew.

    `shared` messages are the same in both lists; messages after them count as changed.
    """
    return -1 if only_grew(old, new, shared) else _first_difference(runs(old), runs(new), shared)


def _first_difference(before: Runs, after: Runs, shared: int) -> int:
    """The place in the runs `after` where they first differ from those `before`; -1 where they only grew."""
    position = 0
    for number, (start, end, content, _) in enumerate(after):
        if number >= len(before):
            return -1
        old_start, old_end, old_content, _ = before[number]
        if content or old_content:
            if content != old_content:
                return position
            position += 1
            continue
        same = min(end, old_end, shared) - start if start == old_start else 0
        position += max(0, same)
        if same < old_end - old_start:
            return position
        if end > old_end:
            return -1 if number == len(before) - 1 else position
    return -1 if len(after) >= len(before) else position


def only_grew(old: Projection, new: Projection, shared: int) -> bool:
    """Whether the new answer is plainly the old one and what came since. Decided without a look at each piece:
    between epochs it is, and plans have hundreds of them."""
    before = old.plan.pieces
    if not before or not new.plan.goes_on_from(before):
        return False
    ended = before[-1]
    return (
        isinstance(ended, Keep)
        and ended.end <= shared
        and new.replacements.messages == old.replacements.messages
        and new.replacements.packet == old.replacements.packet
    )


def begins_with(old: Projection, new: Projection, shared: int) -> tuple[int, int, int]:
    """(place of the first change, tokens, bytes) of what both answers begin with, message by message; the place is
    -1 where the new one only grew. `shared` as in `first_changed`."""
    position = first_changed(old, new, shared)
    if position < 0:
        return position, old.plan.weight, answer_bytes(old)
    return position, *_head(new, position)


def resumed(state: State, new: Projection) -> tuple[int, int, int] | None:
    """As `begins_with`, of the first answer after a restart: `state` as it was before it; None where nothing was
    answered before. Where the list does not begin with the last one, or an earlier release answered it, nothing is
    known to be shared: the place is 0."""
    shown = state.last_projection
    if shown is None:
        return None
    count = shown.message_count
    if bool(state.sent) != bool(count) or not is_of(shown, new.messages):
        return 0, 0, 0
    before = runs_of(state.sent, count)
    position = _first_difference(before, runs_of(outline(new), len(new.messages)), count)
    messages = sum(run.message_count for run in before)
    return position, *_head(new, messages if position < 0 else position)


def _head(new: Projection, count: int) -> tuple[int, int]:
    """(tokens, bytes) of the first `count` messages of an answer."""
    tokens, size, left = 0, 0, count
    for run in runs(new):
        if left <= 0:
            break
        messages = new.messages[run.start : min(run.end, run.start + left)]
        tokens += sum(message.weight for message in messages) - run.saved_tokens
        size += len(run.content) or sum(len(message.raw) for message in messages)
        left -= run.message_count
    return tokens, size


@once
def answer_bytes(projection: Projection) -> int:
    """The bytes of all messages of an answer."""
    before, messages = projection.settled, projection.messages
    size, count, ended = (before.size_bytes, len(before.runs), before.end) if before else (0, 0, 0)
    for run in runs(projection)[count:]:
        new = messages[max(run.start, ended) : run.end]
        size += len(run.content) or sum([len(message.raw) for message in new])
    return size


@once
def runs(projection: Projection) -> Runs:
    """An answer as runs of kept messages and single messages put in."""
    before, inside = projection.settled, projection.replacements.inside
    packet_weight = projection.plan.packet_weight
    runs: list[Run] = list(before.runs) if before else []
    for piece in projection.plan.pieces[before.piece_count if before else 0 :]:
        if isinstance(piece, Keep):
            start = piece.start
            if start == inside:
                runs.append(Run(start, start + 1, projection.replacements.messages[start], -packet_weight))
                start += 1
            if start < piece.end:
                runs.append(Run(start, piece.end))
            continue
        if not isinstance(piece, BlockEdit):
            packet_weight = piece.weight
            if inside < 0:
                runs.append(Run(0, 0, projection.replacements.packet, -packet_weight))
            continue
        index, saved = piece.message_index, piece.before_tokens - piece.after_tokens
        if index == inside and not (runs and runs[-1].end == index + 1):
            saved -= packet_weight
        if runs and runs[-1].content and runs[-1].end == index + 1:  # a further block of the same message
            runs[-1] = runs[-1]._replace(saved_tokens=runs[-1].saved_tokens + saved)
        else:
            runs.append(Run(index, index + 1, projection.replacements.messages[index], saved))
    return runs


@once
def edits(projection: Projection) -> Sequence[bytes]:
    """The runs of an answer as edits of its list, with a comma before each, in pieces to be joined: what is put in
    a message's place is not copied."""
    before = projection.settled
    pieces: list[bytes] = list(before.edits) if before else []
    for start, end, content, _ in runs(projection)[len(before.runs) if before else 0 :]:
        pieces += (b',{"put":', content, b"}") if content else (b',{"keep":[%d,%d]}' % (start, end),)
    return pieces


def settled(before: Projection, plan: Plan) -> Settled | None:
    """What the answer by this plan shares with the one before; None where it does not only add to that."""
    pieces = before.plan.pieces
    if not pieces or not isinstance(pieces[-1], Keep) or not plan.goes_on_from(pieces):
        return None
    if plan.floor != before.plan.floor or pieces[-1].start == before.replacements.inside:
        return None
    return Settled(
        piece_count=len(pieces) - 1,
        runs=tuple(runs(before)[:-1]),
        edits=tuple(edits(before)[:-1]),
        replacements=before.replacements,
        end=pieces[-1].end,
        size_bytes=answer_bytes(before),
    )


_encode = msgspec.json.Encoder(order="deterministic").encode


def outline(answered: Projection) -> Outline:
    """The outline of an answer, by which the first one after a restart is compared with the last one before.

    It is made of ranges of messages that went out as they came, and of a hash for each message that was put in. The
    last range is left open at its end, so that it stays the same while the list only grows. It tells nothing of the
    messages themselves: that the list is the same is told by its tag.
    """
    plan, message_count = answered.plan, len(answered.messages)
    parts: list[tuple[int, int] | str] = []
    for _, group in groupby(plan.pieces, key=_message_index):
        pieces = list(group)
        if isinstance(pieces[0], Keep):
            start, end = pieces[0].start, pieces[0].end
            if start == answered.replacements.inside:
                start += 1
            parts += [(start, OPEN if end == message_count else end)] if start < end else []
        else:
            parts.append(_hash(pieces, answered.replacements.packet))
    return tuple(parts)


def runs_of(outline: Outline, message_count: int) -> Runs:
    """As `runs`, with the hash in place of the bytes."""
    return [
        Run(0, 0, part.encode())
        if isinstance(part, str)
        else Run(part[0], message_count if part[1] == OPEN else part[1])
        for part in outline
    ]


def _message_index(piece: Piece) -> tuple[int, int]:
    """What the blocks of one message have in common, and no two other pieces."""
    if isinstance(piece, BlockEdit):
        return (0, piece.message_index)
    return (1, piece.start) if isinstance(piece, Keep) else (2, 0)


def _hash(pieces: Sequence[Piece], packet: bytes) -> str:
    """Of what they put in the place of one message, or of none: there stands the packet."""
    edits = [
        (piece.block_index, piece.kind, piece.text, piece.arguments, *piece.media)
        for piece in pieces
        if isinstance(piece, BlockEdit)
    ]
    return hashlib.blake2b(_encode(edits) if edits else packet, digest_size=HASH_BYTES).hexdigest()
