"""Drives a recorded session through a sidecar as its host would, and keeps what its model was shown.

Measures nothing: `ReplayResult` is what measures stand on.
"""

from ctxmgr.study.driving.drive import drive
from ctxmgr.study.driving.outcomes import HostLimits, ReplayedCall, ReplayOptions, ReplayResult

__all__ = ["HostLimits", "ReplayOptions", "ReplayResult", "ReplayedCall", "drive"]
