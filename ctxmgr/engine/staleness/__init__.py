"""What later calls made out of date: `superseded` results, by the lines of a file that were read and changed since.

Knows no budget and no plan.
"""

from ctxmgr.engine.staleness.staleness import superseded

__all__ = ["superseded"]
