"""The machinery of cache epochs: how what was decided is laid out, what a change costs, and what it says of itself.

What leaves, and when, is said by `engine.retention`. Knows no preset, no state and no session.
"""

from ctxmgr.engine.balanced import receipts
from ctxmgr.engine.balanced.apply_decisions import Layout, drops, extended, lay_out, parted
from ctxmgr.engine.balanced.cache_cost import UNIT, PrefixBreak, arithmetic, cost, is_cold, rates_by, summed_up
from ctxmgr.engine.balanced.epoch_result import MUST, REPLACED, BalancedResult, EpochResult
from ctxmgr.engine.balanced.packet_writer import NO_PACKET, PacketWriter
from ctxmgr.engine.balanced.receipts import Original
from ctxmgr.engine.balanced.shown import headless, hidden

__all__ = [
    "BalancedResult",
    "EpochResult",
    "Layout",
    "MUST",
    "NO_PACKET",
    "Original",
    "PacketWriter",
    "PrefixBreak",
    "REPLACED",
    "UNIT",
    "arithmetic",
    "cost",
    "drops",
    "extended",
    "headless",
    "hidden",
    "is_cold",
    "lay_out",
    "parted",
    "rates_by",
    "receipts",
    "summed_up",
]
