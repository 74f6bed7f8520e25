"""What stays in a list because of what it is worth, and the cache epochs in which it stays: measured reuse against
prices.

`worth` says how long a block is worth its place, `offers` what has outlived that, `prefix_cost` when and where a
change pays. `epoch` decides on the change and `epoch_writing` writes it. `layout` produces the same bytes on each
later call, and `receipts` report what was removed. Knows no preset, state or session, no natural language and no
tool names.
"""

from ctxmgr.engine.retention import receipts
from ctxmgr.engine.retention.epoch import LEAST_PRESSED, drafted, standing
from ctxmgr.engine.retention.epoch_writing import NO_PACKET, ListRoom, PacketWriter, WorthInputs, WorthTerms
from ctxmgr.engine.retention.layout import Layout, lay_out
from ctxmgr.engine.retention.prefix_cost import arithmetic, rates_by, step_above
from ctxmgr.engine.retention.receipts import BalancedResult, Original
from ctxmgr.engine.retention.shown import LONG_CHARACTERS, kind_of
from ctxmgr.engine.retention.worth import AGES, KEEP, YIELDS, Worth, keep_tokens, told_tokens

__all__ = [
    "AGES",
    "BalancedResult",
    "KEEP",
    "LEAST_PRESSED",
    "LONG_CHARACTERS",
    "Layout",
    "NO_PACKET",
    "Original",
    "PacketWriter",
    "ListRoom",
    "Worth",
    "WorthInputs",
    "WorthTerms",
    "YIELDS",
    "arithmetic",
    "drafted",
    "keep_tokens",
    "lay_out",
    "kind_of",
    "rates_by",
    "receipts",
    "standing",
    "step_above",
    "told_tokens",
]
