"""The plan of a projection: which messages stay, which are edited, where the packet goes, and why."""

from typing import Any, Literal

import msgspec

from ctxmgr.model.policy import WorkingSet, Zone

Verdict = Literal["kept", "distilled", "pruned", "cut", "dropped", "inserted"]
EditKind = Literal["distilled", "pruned", "shortened", "cut"]
Written = tuple[str | tuple[int, int], ...]
"""The parts of a text as it was sent: written text, and character ranges [start, end) of the original."""


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A remembered edit of one block, or the removal of a message. It is valid until the branch or the list it
    belongs to is gone.

    `limit`: the length in characters to which a result was distilled; for a result that was cut on arrival, in
    tokens; for others, zero. Kind `shortened` is for a call's arguments; `cut` for any block that did not fit, or
    was too long on arrival. `written`: the replacement of the block's content (for a call, its arguments as JSON
    text), `weight` its tokens. Once it is set, it is reused; without it, the edit was never sent. `media`: in a cut
    block, the texts that replace these of its images and documents; if nothing is written, its text is unchanged.
    `to_fit`: a message was dropped because the list did not fit.
    """

    kind: Literal["distilled", "pruned", "shortened", "cut", "dropped"]
    limit: int = msgspec.field(default_factory=int)  # so that it is stored even if 0, as in earlier snapshots
    written: Written = msgspec.field(default=(), name="w")
    weight: int = msgspec.field(default=0, name="n")
    media: tuple[tuple[int, str], ...] = msgspec.field(default=(), name="m")
    to_fit: bool = msgspec.field(default=False, name="f")


class Keep(msgspec.Struct, frozen=True, gc=False):
    """Messages [start, end) of the list, unchanged."""

    start: int
    end: int


class BlockEdit(msgspec.Struct, frozen=True, gc=False):
    """Message `message_index` with the text of its block `block_index` replaced, or for a call block its
    `arguments`. If it is cut, `media` is as in its decision, and a text of "" means unchanged. Weights in tokens,
    uncalibrated.
    """

    message_index: int
    block_index: int
    kind: EditKind
    text: str
    key: str
    before_tokens: int
    after_tokens: int
    arguments: dict[str, Any] | None = None
    media: tuple[tuple[int, str], ...] = ()


class Packet(msgspec.Struct, frozen=True, gc=False):
    """The packet, inserted at this place."""

    text: str
    weight: int


Piece = Keep | BlockEdit | Packet


class HeavyMessage(msgspec.Struct, frozen=True):
    """What is still in a list that does not fit: a message's role and index, and its tokens."""

    kind: str
    index: int
    tokens: int


class Plan(msgspec.Struct, frozen=True):
    """A whole projection. `floor`: the index of the first kept turn's first message; in preset `balanced`, of the
    message after the packet.

    `dropped`: the number of messages removed individually, not with their turn. `decisions`: all current edits, old
    and new, by key. `blocks_cut`: the number of cut blocks. `too_big`: empty if the list fits. `allowance`: tokens
    that the packet may have beyond what was removed from the list, for what the host removed itself. `working_set`:
    what is promised of the newest part. `fit_floor`: turns before this message were removed although they belong to
    the working set, because the list did not fit; 0 for none.
    """

    pieces: tuple[Piece, ...]
    zone: Zone
    floor: int
    weight: int
    raw_weight: int
    decisions: dict[str, Decision]
    turns_kept: int = 0
    turns_dropped: int = 0
    distilled: int = 0
    pruned: int = 0
    dropped: int = 0
    packet_weight: int = 0
    blocks_cut: int = 0
    too_big: tuple[HeavyMessage, ...] = ()
    allowance: int = 0
    working_set: WorkingSet = WorkingSet(results=0, tokens=0)
    fit_floor: int = 0

    def goes_on_from(self, pieces: tuple[Piece, ...]) -> bool:
        """Whether the plan begins with these pieces. The last one may be longer now."""
        last = len(pieces) - 1
        if last < 0 or len(self.pieces) <= last or self.pieces[:last] != pieces[:last]:
            return False
        ended, now = pieces[last], self.pieces[last]
        if isinstance(ended, Keep) and isinstance(now, Keep):
            return now.start == ended.start and now.end >= ended.end
        return now == ended

    @property
    def packet(self) -> Packet | None:
        """The packet among its pieces."""
        kinds = list(map(type, self.pieces))
        packet = self.pieces[kinds.index(Packet)] if Packet in kinds else None
        return packet if isinstance(packet, Packet) else None
