"""Plans for the checks, sound and with a fault."""

from ctxmgr.model.messages import Message
from ctxmgr.model.projection import BlockEdit, Keep, Packet, Piece, Plan
from tests.notation import a, call, r, think, u

READ = call("read", path="x")
PACKET = Packet("p", 1)


def plan_of(messages: tuple[Message, ...], *pieces: Piece, off: int = 0) -> Plan:
    """A plan of these pieces that says what they weigh, but for `off` tokens."""
    weight = off
    for piece in pieces:
        if isinstance(piece, Keep):
            weight += sum(message.weight for message in messages[piece.start : piece.end])
        elif isinstance(piece, Packet):
            weight += piece.weight
        else:
            weight += messages[piece.message_index].weight - piece.before_tokens + piece.after_tokens
    raw = sum(message.weight for message in messages)
    return Plan(pieces, "green", 0, weight, raw, {})


def edit(index: int, before: int = 100, after: int = 3, block: int = 0) -> BlockEdit:
    return BlockEdit(index, block, "pruned", "x", "k", before, after)


STEP = [a(think("hm"), READ), r("x" * 400)]
LONG = u("go " * 20)


def pieces_of(places: list[int], plan: Plan) -> list[Piece]:
    """A piece a message, edited where the plan edits it."""
    edits = {piece.message_index: piece for piece in plan.pieces if isinstance(piece, BlockEdit)}
    return [edits.get(at, Keep(at, at + 1)) for at in places]


class Watched(tuple[Message, ...]):
    """Messages that note by `looked_at` which of them were asked for."""

    looked_at: list[int]

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        self.looked_at.append(at)
        return super().__getitem__(at)
