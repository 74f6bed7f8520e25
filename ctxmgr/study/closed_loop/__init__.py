"""What a policy costs when the model fetches again what it no longer sees; and what hindsight could have paid.

`closed_loop` measures one session under one policy, `clairvoyant` and `floor` are what it is held
against. It stands on what was shown at each call and knows neither ctxmgr nor how a list came about.
"""

from ctxmgr.study.closed_loop.clairvoyant import Foresight, clairvoyant, floor
from ctxmgr.study.closed_loop.meter import ClosedLoop, closed_loop

__all__ = [
    "ClosedLoop",
    "Foresight",
    "clairvoyant",
    "closed_loop",
    "floor",
]
