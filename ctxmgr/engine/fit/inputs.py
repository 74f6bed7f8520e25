"""What a plan is fitted by."""

import math
from collections.abc import Callable

import msgspec

from ctxmgr.engine.conversation import NOWHERE, BlockRef
from ctxmgr.engine.fit.media import MediaLimits
from ctxmgr.engine.invariants import Invariants
from ctxmgr.model import Weigh


class CutLast(msgspec.Struct, frozen=True):
    """`blocks` that are cut last, and after them the `working_set`, by the index of its first message: both asked
    for where something is to be cut. `target_tokens`: what a list is brought to where the working set is cut."""

    blocks: Callable[[], frozenset[BlockRef]] = frozenset
    working_set: Callable[[], int] = lambda: NOWHERE
    target_tokens: float = math.inf


class FitInputs(msgspec.Struct, frozen=True):
    """`limit`: tokens that the list may weigh; `target_tokens`: what one over it is brought to, where a preset
    keeps less. `handle`: the name of an original in the archive, "" without one. `media`: what there may be of
    them. `turns_stay`: no more of them may leave. `last`: what is cut after all else."""

    limit: float
    weigh: Weigh
    rules: Invariants
    handle: Callable[[str], str]
    media: MediaLimits
    turns_stay: bool = False
    target_tokens: float = math.inf
    last: CutLast = CutLast()
