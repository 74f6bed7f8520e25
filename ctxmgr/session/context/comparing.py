"""Turns a projection into the runs of its answer, and two projections into the common beginning of their answers.

A provider caches the beginning of requests, so the first difference from the previous answer determines the cost.
"""

import hashlib
from collections.abc import Sequence
from itertools import groupby

import msgspec

from ctxmgr.model import BlockEdit, Keep, Packet, Piece, Plan, once
from ctxmgr.model.saved import Outline, State
from ctxmgr.session.projection import Projection, Run, Settled, is_of

OPEN = -1  # as the end of a range: to the end of the list
HASH_BYTES = 8


Runs = Sequence[Run]


def first_changed(old: Projection, new: Projection, shared: int) -> int:
    """The position in the new answer of its first difference from the old one; -1 if it only grew.

    `shared` messages are the same in both lists; later messages count as changed.
    """
    return -1 if only_grew(old, new, shared) else _first_difference(runs(old), runs(new), shared)


def _first_difference(before: Runs, after: Runs, shared: int) -> int:
    """The position in the runs `after` of their first difference from `before`; -1 if they only grew."""
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
    """Whether the new answer is simply the old one plus what came since. Decided without checking each piece: this
    is the usual case between epochs, and plans have hundreds of pieces.
    """
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
    """(position of the first change, tokens, bytes) of the common beginning of both answers, message by message.
    The position is -1 if the new one only grew. `shared` as in `first_changed`.
    """
    position = first_changed(old, new, shared)
    if position < 0:
        return position, old.plan.weight, answer_bytes(old)
    return position, *_head(new, position)


def resumed(state: State, new: Projection) -> tuple[int, int, int] | None:
    """Like `begins_with`, for the first answer after a restart. `state`: from before it. None if there was no
    earlier answer. If the list does not begin with the last one, or an earlier release answered it, the position is
    0: nothing is known to be shared.
    """
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
    """An answer as runs of kept messages and single inserted messages."""
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
    """The runs of an answer as edits of its list, each after a comma, in pieces to be joined; replacements are not
    copied.
    """
    before = projection.settled
    pieces: list[bytes] = list(before.edits) if before else []
    for start, end, content, _ in runs(projection)[len(before.runs) if before else 0 :]:
        pieces += (b',{"put":', content, b"}") if content else (b',{"keep":[%d,%d]}' % (start, end),)
    return pieces


def settled(before: Projection, plan: Plan) -> Settled | None:
    """What this plan's answer shares with the previous one; None if it does more than append to it."""
    pieces = before.plan.pieces
    if not pieces or not isinstance(pieces[-1], Keep) or not plan.goes_on_from(pieces):
        return None
    if plan.floor != before.plan.floor or pieces[-1].start == before.replacements.inside:
        return None
    if any(isinstance(piece, Packet) for piece in plan.pieces[len(pieces) :]):
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
    """The outline of an answer, by which the first answer after a restart is compared with the last one before.

    It consists of ranges of messages that were sent as they came, and of a hash for each inserted message. The end
    of the last range is open, so that it stays the same while the list only grows. It says nothing about the
    messages themselves; the tag identifies the list.
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
    """Like `runs`, with hashes in place of bytes."""
    return [
        Run(0, 0, part.encode())
        if isinstance(part, str)
        else Run(part[0], message_count if part[1] == OPEN else part[1])
        for part in outline
    ]


def _message_index(piece: Piece) -> tuple[int, int]:
    """A key that all blocks of one message share, and no other pieces."""
    if isinstance(piece, BlockEdit):
        return (0, piece.message_index)
    return (1, piece.start) if isinstance(piece, Keep) else (2, 0)


def _hash(pieces: Sequence[Piece], packet: bytes) -> str:
    """The hash of what they insert in place of one message; of the packet if they replace none."""
    edits = [
        (piece.block_index, piece.kind, piece.text, piece.arguments, *piece.media)
        for piece in pieces
        if isinstance(piece, BlockEdit)
    ]
    return hashlib.blake2b(_encode(edits) if edits else packet, digest_size=HASH_BYTES).hexdigest()
