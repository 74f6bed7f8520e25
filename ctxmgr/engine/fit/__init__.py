"""The last step of every list: what does not fit is cut until it does, and no more.

Knows lists, plans and invariants, and no preset.
"""

from ctxmgr.engine.fit.draft import MediaLimits
from ctxmgr.engine.fit.fitting import CutLast, FitInputs, fitted, unfit

__all__ = ["CutLast", "FitInputs", "MediaLimits", "fitted", "unfit"]
