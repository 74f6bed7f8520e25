"""The machinery of cache epochs: when one begins, what stays within a budget, where the packet stands.

`decided` says when an epoch pays and what leaves then, `standing` and `carried_on` lay out what was decided before.
Knows no preset, no state and no session.
"""

from ctxmgr.engine.balanced import budget, pins, protection, receipts
from ctxmgr.engine.balanced.apply_decisions import Layout, drops, extended, lay_out, parted
from ctxmgr.engine.balanced.cache_cost import (
    UNIT,
    PrefixBreak,
    arithmetic,
    cost,
    is_cold,
    price_steps,
    rates_by,
    summed_up,
)
from ctxmgr.engine.balanced.epoch_start import MUST, REPLACED, EpochInputs, EpochResult, hidden
from ctxmgr.engine.balanced.evicted_index import counted as quoted_count
from ctxmgr.engine.balanced.evicted_index import quotations
from ctxmgr.engine.balanced.globs import Globs
from ctxmgr.engine.balanced.packet_placement import NO_PACKET, PacketWriter, headless
from ctxmgr.engine.balanced.pins import RETURNED_EPOCHS
from ctxmgr.engine.balanced.project import BalancedInputs, BalancedResult, carried_on, decided, standing
from ctxmgr.engine.balanced.protection import Protection
from ctxmgr.engine.balanced.receipts import Original

__all__ = [
    "BalancedInputs",
    "BalancedResult",
    "EpochInputs",
    "EpochResult",
    "Globs",
    "Layout",
    "MUST",
    "NO_PACKET",
    "Original",
    "PacketWriter",
    "PrefixBreak",
    "Protection",
    "REPLACED",
    "RETURNED_EPOCHS",
    "UNIT",
    "arithmetic",
    "budget",
    "carried_on",
    "cost",
    "decided",
    "drops",
    "extended",
    "headless",
    "hidden",
    "is_cold",
    "lay_out",
    "parted",
    "pins",
    "price_steps",
    "protection",
    "quotations",
    "quoted_count",
    "rates_by",
    "receipts",
    "standing",
    "summed_up",
]
