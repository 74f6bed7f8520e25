"""What later calls made outdated: `superseded` results, from a list's `history` of its files.

Knows no budget and no plan.
"""

from ctxmgr.engine.staleness.staleness import history, superseded

__all__ = ["history", "superseded"]
