"""Turns the ledger into the one lean text that stands for what left. Knows no list."""

from ctxmgr.engine.packet import packet
from ctxmgr.engine.packet.budget import PacketText, packet_allowance, packet_budget
from ctxmgr.engine.packet.commands import blocker_lines, blockers, how_it_ended, worked_lines
from ctxmgr.engine.packet.packet import SMALLEST_TOKENS

__all__ = [
    "PacketText",
    "SMALLEST_TOKENS",
    "blocker_lines",
    "blockers",
    "how_it_ended",
    "packet",
    "packet_allowance",
    "packet_budget",
    "worked_lines",
]
