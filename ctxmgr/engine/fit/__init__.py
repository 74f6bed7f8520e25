"""The last step of every list: what does not fit is cut until it does, no more than is needed.

Knows lists, plans and invariants, and no preset.
"""

from ctxmgr.engine.fit.fitting import CutLast, FitInputs, fitted
from ctxmgr.engine.fit.media import MediaLimits
from ctxmgr.engine.fit.steps import unfit

__all__ = ["CutLast", "FitInputs", "MediaLimits", "fitted", "unfit"]
