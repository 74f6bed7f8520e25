"""Turns policy and zone into how much a packet may weigh, and a ledger into a packet of no more than that."""

import msgspec

from ctxmgr.engine.packet import packet
from ctxmgr.model import PACKET_MARK, PacketTokens, Policy, Weigh, Zone
from ctxmgr.model.saved import Ledger


def packet_budget(policy: Policy, zone: Zone, resume: bool) -> int:
    """In tokens."""
    if resume:
        return policy.resume_tokens
    if isinstance(policy.packet_tokens, PacketTokens):
        return int(getattr(policy.packet_tokens, zone))
    shares = {"green": 1.0, "yellow": 0.8, "red": 0.6, "compact": 0.4}  # as the default's row falls
    return int(policy.packet_tokens * shares[zone])


class PacketText(msgspec.Struct, frozen=True):
    """What a packet is written of."""

    ledger: Ledger
    scratchpad: str
    weigh: Weigh

    def within(self, budget: int, resume: bool, asked: bool = True) -> str:
        """In so many tokens, "" where nothing fits; `asked`: with earlier requests."""
        text = packet.render(
            self.ledger,
            budget=budget,
            weigh=self.weigh,
            resume=resume,
            scratchpad=self.scratchpad,
            asked=asked,
        )
        if not text and self.weigh(PACKET_MARK) <= budget:
            return PACKET_MARK  # so little was left out that nothing more may be said of it
        return text
