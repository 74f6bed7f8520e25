"""Where cache marks belong on a list, by how its provider keeps what lists begin with.

Knows no provider: a rule comes with each call.
"""

from ctxmgr.engine.caching.breakpoints import Breakpoints, MarkInputs, placed

__all__ = ["Breakpoints", "MarkInputs", "placed"]
