"""Turns the ledger into the one lean text that stands for what left, and edits that left into what they put there.
Knows no plan."""

from ctxmgr.engine.packet import packet
from ctxmgr.engine.packet.budget import PacketText, packet_allowance, packet_budget
from ctxmgr.engine.packet.commands import MOST_BLOCKERS, command_states
from ctxmgr.engine.packet.ended_by import ended_of
from ctxmgr.engine.packet.packet import SMALLEST_TOKENS
from ctxmgr.engine.packet.state_of_work import newest_checks
from ctxmgr.engine.packet.values import made_lines

__all__ = [
    "MOST_BLOCKERS",
    "PacketText",
    "SMALLEST_TOKENS",
    "command_states",
    "ended_of",
    "made_lines",
    "newest_checks",
    "packet",
    "packet_allowance",
    "packet_budget",
]
