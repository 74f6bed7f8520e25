"""The first step of every list: a tool result longer than the policy allows is cut as it arrives.

Knows no preset. `engine.fit` later cuts what does not fit the window.
"""

from ctxmgr.engine.arrival.arrival import ArrivalInputs, arriving, arriving_weight, line_numbers
from ctxmgr.engine.arrival.outline import counts, outline

__all__ = ["ArrivalInputs", "arriving", "arriving_weight", "counts", "line_numbers", "outline"]
