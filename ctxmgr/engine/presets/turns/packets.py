"""Turns a state and what would leave into the packet that stands for it, rendered once a place.

Between moves of the first kept turn the packet keeps its bytes as long as it fits, whatever the zone, so that it
does not change the prefix with each new fact. What is new since stands in the kept turns.
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
        if not self._stays(left):
            shrinks = self.rendered is not None and self.rendered.placement_key == _place(left, self._resume)
            most = max(left.tokens, left.most_tokens // 2) if shrinks else left.most_tokens  # not with each call
            allowed = min(self.budget, most)
            shown = self._text.in_view(one for one in self._messages[left.start :] if one.view.role == "user")
            text = self._text.within(allowed, self._resume, shown)
            self.rendered = RenderedPacket(_place(left, self._resume), text, self._text.weigh(text))
        return (self.rendered.text, self.rendered.weight) if self.rendered is not None else ("", 0)

    def _stays(self, left: LeftOut) -> bool:
        """Does the packet in force keep its bytes? One that resumed does, where it is no larger than others are."""
        before = self.rendered
        if before is None or before.weight > left.most_tokens:
            return False
        fits = not self._resume and before.weight <= self.budget
        return before.placement_key == _place(left, self._resume) or (
            fits and before.placement_key == _place(left, resume=True)
        )


def _place(left: LeftOut, resume: bool) -> str:
    return f"{'resume' if resume else 'lean'}: {left.tokens} before {left.start}"
