"""Turns a projection into the messages of its answer that belong under a cache mark (`engine.caching`).

Only a message that every host sends on, and whose last block can bear one, gets a mark: no thinking, no empty text,
no reply that failed.
"""

from bisect import bisect_right

from ctxmgr.engine.caching import Breakpoints, MarkInputs, placed
from ctxmgr.model import OWN_MARKS, BlockEdit, Keep, Message
from ctxmgr.session.projection import Projection
from ctxmgr.session.session import SessionCore

FAILED = ("error", "aborted")
BEARING = frozenset(("text", "call", "result", "image", "summary"))


def marked(
    session: SessionCore, projection: Projection, place: int | None, own: int | None, time_ms: int | None
) -> Breakpoints:
    """Of the answer that this projection makes. `place`: as `begins_with` has it; None without an answer before."""
    rule = session.model.terms_by(session.state).cache
    if rule.kind != "marks":
        return Breakpoints()
    answered = AnsweredMessages(projection)
    inputs = MarkInputs(
        rule=rule,
        message_count=answered.count,
        same_count=None if place == -1 else place or 0,
        own_marks=OWN_MARKS if own is None else own,
        blocks=answered.blocks,
        may_bear=answered.may_bear,
        time_ms=time_ms,
    )
    return placed(inputs, session.state.marked_starts)


class AnsweredMessages:
    """The messages of an answer by their places in it."""

    def __init__(self, projection: Projection) -> None:
        self._messages = projection.messages
        self._starts: list[int] = []  # of each run: its first place, and the message that stands there
        self._firsts: list[int | None] = []  # None: the packet
        self.count, last = 0, -1
        for piece in projection.plan.pieces:
            if isinstance(piece, Keep):
                self._add(piece.start, piece.end - piece.start)
            elif not isinstance(piece, BlockEdit):
                self._add(None, 1)
            elif piece.message_index != last:  # else a further block of the same message
                last = piece.message_index
                self._add(last, 1)

    def _add(self, first: int | None, count: int) -> None:
        self._starts.append(self.count)
        self._firsts.append(first)
        self.count += count

    def _message(self, place: int) -> Message | None:
        """None: the packet."""
        run = bisect_right(self._starts, place) - 1
        first = self._firsts[run]
        return None if first is None else self._messages[first + place - self._starts[run]]

    def blocks(self, start: int, end: int) -> int:
        """Content blocks of the messages [start, end)."""
        found = (self._message(place) for place in range(start, end))
        return sum(1 if one is None else max(1, len(one.view.blocks)) for one in found)

    def may_bear(self, place: int) -> bool:
        """May its last block bear a mark?"""
        message = self._message(place)
        if message is None:
            return True
        last = message.view.blocks[-1] if message.view.blocks else None
        if last is None or last.kind not in BEARING or message.view.stop in FAILED:
            return False
        return last.kind != "text" or bool(last.text)
