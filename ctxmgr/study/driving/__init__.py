"""Drives a recorded session through a sidecar as its host would, and keeps what its model was shown.

Measures nothing: `ReplayResult` is what measures stand on. What stands beside the presets: `peers`.
"""

from ctxmgr.study.driving import peers
from ctxmgr.study.driving.drive import drive
from ctxmgr.study.driving.outcomes import HostLimits, ReplayedCall, ReplayOptions, ReplayResult
from ctxmgr.study.driving.peers import PEERS

__all__ = ["HostLimits", "PEERS", "ReplayOptions", "ReplayResult", "ReplayedCall", "drive", "peers"]
