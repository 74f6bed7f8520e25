"""The last step of every list: what does not fit is cut until it does, and no more.

Knows lists, plans and invariants, and no preset.
"""

from ctxmgr.engine.fit.fitting import CutLast, FitInputs, fitted, unfit
from ctxmgr.engine.fit.media import MediaLimits

__all__ = ["CutLast", "FitInputs", "MediaLimits", "fitted", "unfit"]
