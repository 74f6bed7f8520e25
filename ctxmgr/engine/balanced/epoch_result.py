"""What an epoch did, and what it is opened for."""

import msgspec

from ctxmgr.engine.balanced.receipts import Original
from ctxmgr.model import Epoch, Opening, Packet, Plan, Receipt

REPLACED: frozenset[Opening] = frozenset(("compaction", "tree"))  # the host may have put another list in place
MUST: frozenset[Opening] = frozenset(("pin", "undo", "compaction", "tree"))  # whatever they cost or bring back


class EpochResult(msgspec.Struct, frozen=True):
    """What an epoch did. `originals` of what left; `read_paths`: the files of which a read left."""

    plan: Plan
    packet: Packet
    receipt: Receipt
    originals: tuple[Original, ...]
    read_paths: tuple[str, ...] = ()


class BalancedResult(msgspec.Struct, frozen=True):
    """The plan, the epoch in force, and what was opened now, None where nothing was."""

    plan: Plan
    epoch: Epoch
    epoch_result: EpochResult | None = None
