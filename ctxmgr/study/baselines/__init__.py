"""What stands beside the presets in a comparison: peers by their published rules. Knows no sidecar."""

from ctxmgr.study.baselines import baselines
from ctxmgr.study.baselines.baselines import PEERS

__all__ = ["PEERS", "baselines"]
