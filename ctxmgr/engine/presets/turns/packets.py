"""Turns a state and what would leave into the packet that stands for it, rendered once a place.

Between moves of the first kept turn the packet keeps its bytes, so that it does not change the prefix with each new
fact. What is new since stands in the kept turns.
"""

from ctxmgr.engine.packet import PacketText, lacks, packet_budget
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.model import Zone
from ctxmgr.model.saved import RenderedPacket, State


class Packets:
    """`rendered` is the packet in force, `budget` and `lean` in tokens: of the packet that comes now, and of one
    that comes on each call."""

    def __init__(self, state: State, zone: Zone, inputs: Inputs) -> None:
        self.rendered, self.budget = state.packet, packet_budget(inputs.policy, zone, state.resume)
        self.lean = packet_budget(inputs.policy, zone, resume=False)
        self._resume, self._ledger = state.resume, inputs.ledger
        self._text = PacketText(inputs.ledger, state.scratchpad, inputs.weigh)
        self._tried: RenderedPacket | None = None
        self._lacking: dict[int, frozenset[str]] = {}

    def render(self, stands_for: int) -> tuple[str, int]:
        """The packet for what weighs so many tokens, with its weight."""
        self.rendered = self._at(min(self.budget, stands_for), stands_for, self._resume)
        return self.rendered.text, self.rendered.weight

    def lacks(self, stands_for: int) -> frozenset[str]:
        """The summaries, by digest, that the lean packet would not hold in full. The resume packet comes but once:
        what it alone can carry is lost with the next call."""
        if stands_for not in self._lacking:
            self._tried = self._at(min(self.lean, stands_for), stands_for, resume=False)
            self._lacking[stands_for] = lacks(self._ledger, self._tried.text)
        return self._lacking[stands_for]

    def _at(self, allowed: int, stands_for: int, resume: bool) -> RenderedPacket:
        place = f"{'resume' if resume else 'lean'}: {allowed} of {stands_for}"
        for rendered in (self.rendered, self._tried):
            if rendered is not None and rendered.placement_key == place:
                return rendered
        text = self._text.within(allowed, resume)
        return RenderedPacket(place, text, self._text.weigh(text))
