"""The first step of every list: a tool result that is longer than a policy takes is cut as it arrives.

Knows no preset; what does not fit the window is cut later, by `engine.fit`.
"""

from ctxmgr.engine.arrival.arrival import ArrivalInputs, arriving, arriving_weight

__all__ = ["ArrivalInputs", "arriving", "arriving_weight"]
