"""What later calls made out of date: `superseded` results, by what a list's `history` tells of its files.

Knows no budget and no plan.
"""

from ctxmgr.engine.staleness.staleness import history, superseded

__all__ = ["history", "superseded"]
