"""The last step of every list: what does not fit is cut until it does, no more than is needed.

Knows lists, plans and invariants, and no preset.
"""

from ctxmgr.engine.fit.fitting import CutLast, FitInputs, fitted, unfit
from ctxmgr.engine.fit.media import MediaLimits

__all__ = ["CutLast", "FitInputs", "MediaLimits", "fitted", "unfit"]
