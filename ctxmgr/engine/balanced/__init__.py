"""The machinery of cache epochs: when one begins, what stays within a budget, where the packet stands.

`decided` says when an epoch pays and what leaves then, `standing` and `carried_on` lay out what was decided before.
Knows no preset, no state and no session.
"""

from ctxmgr.engine.balanced import budget, pins, protection, receipts
from ctxmgr.engine.balanced.apply_decisions import Layout, lay_out
from ctxmgr.engine.balanced.cache_cost import arithmetic, is_cold, price_steps, rates_by
from ctxmgr.engine.balanced.epoch_start import EpochInputs
from ctxmgr.engine.balanced.globs import Globs
from ctxmgr.engine.balanced.packet_placement import NO_PACKET, PacketWriter
from ctxmgr.engine.balanced.pins import RETURNED_EPOCHS
from ctxmgr.engine.balanced.project import BalancedInputs, BalancedResult, carried_on, decided, standing
from ctxmgr.engine.balanced.protection import Protection
from ctxmgr.engine.balanced.receipts import Original

__all__ = [
    "BalancedInputs",
    "EpochInputs",
    "Globs",
    "Layout",
    "NO_PACKET",
    "Original",
    "PacketWriter",
    "BalancedResult",
    "Protection",
    "RETURNED_EPOCHS",
    "arithmetic",
    "budget",
    "carried_on",
    "decided",
    "is_cold",
    "lay_out",
    "pins",
    "price_steps",
    "protection",
    "rates_by",
    "receipts",
    "standing",
]
