"""What a plan is fitted by."""

import math
from collections.abc import Callable

import msgspec

from ctxmgr.engine.conversation import NOWHERE, BlockRef
from ctxmgr.engine.fit.media import MediaLimits
from ctxmgr.engine.invariants import Invariants
from ctxmgr.model import Weigh


class FitInputs(msgspec.Struct, frozen=True):
    """`limit`: tokens that the list may weigh; `target_tokens`: what one over it is brought to, where a preset
    keeps less than fits. `handle`: the name of an original in the archive, "" without one. `media`: what there may
    be of them. `turns_stay`: no more of them may leave. `cut_last`: the blocks that are cut last, and
    `working_set`, the index of the first message of what is cut only where all else does not do: asked for where
    something is to be cut."""

    limit: float
    weigh: Weigh
    rules: Invariants
    handle: Callable[[str], str]
    media: MediaLimits
    turns_stay: bool = False
    target_tokens: float = math.inf
    cut_last: Callable[[], frozenset[BlockRef]] = frozenset
    working_set: Callable[[], int] = lambda: NOWHERE


class ResultsLimit(msgspec.Struct, frozen=True):
    """Rule 6: above so many `tokens`, but not in the messages that `stays` gives by index."""

    tokens: float = math.inf
    stays: Callable[[], frozenset[int]] = frozenset
