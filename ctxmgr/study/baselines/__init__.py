"""What stands beside the presets in a comparison: peers by their published rules, hindsight. Knows no sidecar."""

from ctxmgr.study.baselines import baselines, sawtooth
from ctxmgr.study.baselines.peers import PEERS
from ctxmgr.study.baselines.sawtooth import BOUNDS, Bounds

__all__ = ["BOUNDS", "Bounds", "PEERS", "baselines", "sawtooth"]
