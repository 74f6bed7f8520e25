"""What stands beside the presets in a comparison: peers by their published rules, hindsight. Knows no sidecar."""

from ctxmgr.study.baselines import baselines
from ctxmgr.study.baselines.baselines import PEERS

__all__ = ["PEERS", "baselines"]
