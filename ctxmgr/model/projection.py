"""The plan of a projection: which messages stay, which are edited, where the packet goes, and why."""

from typing import Any, Literal

import msgspec

from ctxmgr.model.policy import WorkingSet, Zone

Verdict = Literal["kept", "distilled", "pruned", "cut", "dropped", "inserted"]
EditKind = Literal["distilled", "pruned", "shortened", "cut"]
Written = tuple[str | tuple[int, int], ...]
"""A text as it was sent: what was written, and character ranges [start, end) of the original's text, joined."""


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A remembered edit of one block, or that a message is left out: it holds until the branch or the list it
    belongs to is gone.

    `limit` is the length in characters a distilled result was cut to, of a result that was cut as it arrived in
    tokens; 0 for all others. `shortened` are a call's arguments; `cut` is what would not fit, of whichever kind, or
    was too long as it arrived. `written` was put in the block's place (of a call:
    its arguments as JSON text), `weight` tokens. Once it is there it is not made again; without it the edit has
    never been sent. `media`: of a cut block, the texts that stand for these of its pictures and documents; where
    nothing is written its text is as it came. `to_fit`: a message was dropped because the list did not fit.
    """

    kind: Literal["distilled", "pruned", "shortened", "cut", "dropped"]
    limit: int = msgspec.field(default_factory=int)  # and so on disk where it is 0, as it always was
    written: Written = msgspec.field(default=(), name="w")
    weight: int = msgspec.field(default=0, name="n")
    media: tuple[tuple[int, str], ...] = msgspec.field(default=(), name="m")
    to_fit: bool = msgspec.field(default=False, name="f")


class Keep(msgspec.Struct, frozen=True, gc=False):
    """Messages [start, end) of the list as it came, byte for byte."""

    start: int
    end: int


class BlockEdit(msgspec.Struct, frozen=True, gc=False):
    """Message `message_index` with the text of its block `block_index` replaced; of a call block, its `arguments`;
    where it is cut, `media` as its decision says, and a text of "" is as it came.
    Weights in tokens, uncalibrated."""

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
    """What is left in a list that does not fit: a message's role and index, and its tokens."""

    kind: str
    index: int
    tokens: int


class Plan(msgspec.Struct, frozen=True):
    """A whole projection. `floor` is the index of the first kept turn's first message.

    In preset `balanced` it is the message that the packet stands before. `dropped` counts messages left out by
    themselves, not with their turn.
    `decisions` are all edits in force, old and new, by key. `blocks_cut` were cut; `too_big` is
    empty where the list fits. `allowance`: tokens that the packet may weigh beyond what left the list, for what the
    host took away itself. `working_set`: what is promised of the newest of it; `fit_floor`: turns before this
    message left though they belong to that, because the list did not fit, 0 for none.
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
        """Whether it begins with these pieces, of which the last may be longer now."""
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
