"""Turns an answer into its outline, by which the first answer after a restart is compared with the last one before.

An outline is made of ranges of messages that went out as they came, and of a hash for each message that was put in;
the last range is left open at its end, so that it stays the same while the list only grows. It tells nothing of the
messages themselves: that the list is the same is told by its tag.
"""

import hashlib
from collections.abc import Sequence
from itertools import groupby

import msgspec

from ctxmgr.model import BlockEdit, Keep, Piece
from ctxmgr.model.saved import Outline
from ctxmgr.session.projection import Projection

OPEN = -1  # as the end of a range: to the end of the list
HASH_BYTES = 8

Runs = list[tuple[int, int, bytes]]
_encode = msgspec.json.Encoder(order="deterministic").encode


def outline(answered: Projection) -> Outline:
    """The outline of the answer that a projection makes."""
    plan, message_count = answered.plan, len(answered.messages)
    found: list[tuple[int, int] | str] = []
    for _, group in groupby(plan.pieces, key=_message_index):
        pieces = list(group)
        if isinstance(pieces[0], Keep):
            start, end = pieces[0].start, pieces[0].end
            found.append((start, OPEN if end == message_count else end))
        else:
            found.append(_hash(pieces, answered.replacements.packet))
    return tuple(found)


def runs_of(outline: Outline, message_count: int) -> Runs:
    """As `comparing.runs`, with the hash in place of the bytes."""
    return [
        (0, 0, one.encode()) if isinstance(one, str) else (one[0], message_count if one[1] == OPEN else one[1], b"")
        for one in outline
    ]


def _message_index(piece: Piece) -> tuple[int, int]:
    """What the blocks of one message have in common, and no two other pieces."""
    if isinstance(piece, BlockEdit):
        return (0, piece.message_index)
    return (1, piece.start) if isinstance(piece, Keep) else (2, 0)


def _hash(pieces: Sequence[Piece], packet: bytes) -> str:
    """Of what they put in the place of one message, or of none: there stands the packet."""
    edits = [
        (one.block_index, one.kind, one.text, one.arguments, *one.media)
        for one in pieces
        if isinstance(one, BlockEdit)
    ]
    return hashlib.blake2b(_encode(edits) if edits else packet, digest_size=HASH_BYTES).hexdigest()
