"""Turns a state and what would leave into the packet that stands for it, rendered once a place.

Between moves of the first kept turn the packet keeps its bytes, so that it does not change the prefix with each new
fact. What is new since stands in the kept turns.
"""

from collections.abc import Sequence

from ctxmgr.engine.packet import PacketText, packet_allowance, packet_budget
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.engine.presets.turns.summary_folding import LeftOut
from ctxmgr.model import Message, Zone
from ctxmgr.model.saved import RenderedPacket, State


class Packets:
    """`rendered` is the packet in force; in tokens: `budget` of the packet that comes now, `allowance` that it may
    weigh beyond what left the list."""

    def __init__(self, messages: Sequence[Message], state: State, zone: Zone, inputs: Inputs) -> None:
        self.rendered, self.budget = state.packet, packet_budget(inputs.policy, zone, state.resume)
        self.allowance = packet_allowance(state, self.budget)
        self._messages, self._resume = messages, state.resume
        self._text = PacketText(inputs.ledger, state.scratchpad, inputs.weigh, state.summaries)

    def render(self, left: LeftOut) -> tuple[str, int]:
        """The packet for it, with its weight."""
        allowed = min(self.budget, left.most_tokens)
        place = f"{'resume' if self._resume else 'lean'}: {allowed} of {left.tokens}"
        if self.rendered is None or self.rendered.placement_key != place:
            shown = self._text.in_view(one for one in self._messages[left.start :] if one.view.role == "user")
            text = self._text.within(allowed, self._resume, shown)
            self.rendered = RenderedPacket(place, text, self._text.weigh(text))
        return self.rendered.text, self.rendered.weight
