"""What stands beside the presets in a comparison: peers by their published rules. Knows no sidecar."""

from ctxmgr.study.baselines import peers
from ctxmgr.study.baselines.peers import PEERS

__all__ = ["PEERS", "peers"]
