"""What stands beside the presets in a comparison: the plain rule, and hindsight. Knows no sidecar."""

from ctxmgr.study.baselines import baselines, control
from ctxmgr.study.baselines.control import BOUNDS, Bounds

__all__ = ["BOUNDS", "Bounds", "baselines", "control"]
