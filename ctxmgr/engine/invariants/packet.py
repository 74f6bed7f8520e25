"""Packet: at most one; where whole turns leave, before every message that stays but prompts and summaries."""

from ctxmgr.engine.invariants.rule import Rule, Walk


class OnePacket(Rule):
    """A plan has one place for a packet: a chooser has nothing to ask. Tally: is it broken?"""

    name = "packet"

    def __init__(self, in_front: bool = False) -> None:
        self._in_front = in_front

    def inserted(self, tally: bool, walk: Walk) -> bool:
        behind = self._in_front and walk.first_index >= 0
        return tally or behind or len(walk.packets) > 1
