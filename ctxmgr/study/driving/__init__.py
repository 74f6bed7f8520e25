"""Drives a recorded session through a sidecar as its host would, and keeps what its model was shown.

Measures nothing: measures are based on `ReplayResult`. `peers` stand beside the presets.
"""

from ctxmgr.study.driving import peers
from ctxmgr.study.driving.drive import drive, drive_alone
from ctxmgr.study.driving.outcomes import HostLimits, ReplayedCall, ReplayOptions, ReplayResult
from ctxmgr.study.driving.peers import PEERS

__all__ = ["HostLimits", "PEERS", "ReplayOptions", "ReplayResult", "ReplayedCall", "drive", "drive_alone", "peers"]
