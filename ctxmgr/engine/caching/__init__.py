"""How a provider's cache behaves: where marks belong on a list, what calls read of what they should have, and how
long a start is kept.

Knows no provider: a rule comes with each call.
"""

from ctxmgr.engine.caching import truth
from ctxmgr.engine.caching.breakpoints import Breakpoints, MarkInputs, placed
from ctxmgr.engine.caching.gap import gap
from ctxmgr.engine.caching.lifetime import LifetimeInForce, in_force

__all__ = ["Breakpoints", "LifetimeInForce", "MarkInputs", "gap", "in_force", "placed", "truth"]
