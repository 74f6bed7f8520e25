"""The peers: what others do with a list, by their published rules, under the names that they have in tables."""

from collections.abc import Mapping
from types import MappingProxyType

from ctxmgr.study.baselines import clearing, sawtooth
from ctxmgr.study.driving import Peer

PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "masking-10": clearing.masking(newest_count=10, least_tokens=15_000),
        "masking-5": clearing.masking(newest_count=5, least_tokens=10_000),
        "clear-tool-uses": clearing.clear_tool_uses,
        "opencode": clearing.opencode,
        "sawtooth": sawtooth.cut,
    }
)
