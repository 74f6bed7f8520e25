"""What a policy costs when the model fetches again what it no longer sees; and what hindsight could have paid.

`closed_loop` measures one session under one policy, `clairvoyant` and `floor` are what it is held against, `totals`
puts recordings together. It stands on what was shown at each call and knows neither ctxmgr nor how a list came
about.
"""

from ctxmgr.study.closed_loop.clairvoyant import Foresight, clairvoyant, floor
from ctxmgr.study.closed_loop.meter import ClosedLoop, closed_loop
from ctxmgr.study.closed_loop.totals import FLOOR, MEANINGS, totals, totals_table

__all__ = [
    "ClosedLoop",
    "FLOOR",
    "Foresight",
    "MEANINGS",
    "clairvoyant",
    "closed_loop",
    "floor",
    "totals",
    "totals_table",
]
