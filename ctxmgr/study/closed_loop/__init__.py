"""What a policy costs when the model fetches again what it no longer sees, and the floor below every policy.

It stands on what was shown at each call and knows neither ctxmgr nor how a list came about.
"""

from ctxmgr.study.closed_loop.meter import ClosedLoop, closed_loop, floor

__all__ = ["ClosedLoop", "closed_loop", "floor"]
