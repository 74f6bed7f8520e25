"""How a provider's cache behaves: where a list should have marks, how much calls read compared with the
expectation, and how long a prefix is kept.

Knows no provider: a rule comes with each call.
"""

from ctxmgr.engine.caching import truth
from ctxmgr.engine.caching.breakpoints import Breakpoints, MarkInputs, placed
from ctxmgr.engine.caching.truth import LifetimeInForce, gap, in_force

__all__ = ["Breakpoints", "LifetimeInForce", "MarkInputs", "gap", "in_force", "placed", "truth"]
