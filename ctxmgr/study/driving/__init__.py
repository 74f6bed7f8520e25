"""Drives a recorded session through a sidecar as its host would, and keeps what its model was shown.

Measures nothing: `ReplayResult` is what measures stand on.
"""

from ctxmgr.study.driving.drive import drive, drive_peer
from ctxmgr.study.driving.host import Peer, PeerList
from ctxmgr.study.driving.outcomes import HostLimits, ReplayedCall, ReplayOptions, ReplayResult

__all__ = ["HostLimits", "Peer", "PeerList", "ReplayOptions", "ReplayResult", "ReplayedCall", "drive", "drive_peer"]
