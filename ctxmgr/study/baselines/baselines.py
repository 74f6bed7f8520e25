"""What stands beside the presets: peers, which do with a list what others do by their published rules, under the
names that they have in tables.

They are simulated: no ctxmgr runs. They are measured as the presets are. A peer's host compacts at the end of its
window as the host of the presets does.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ctxmgr.study.baselines import clearing, sawtooth
from ctxmgr.study.driving import Peer, ReplayOptions, ReplayResult, drive_peer
from ctxmgr.study.recordings import Recording

PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "masking-10": clearing.masking(newest_count=10, least_tokens=15_000),
        "masking-5": clearing.masking(newest_count=5, least_tokens=10_000),
        "clear-tool-uses": clearing.clear_tool_uses,
        "opencode": clearing.opencode,
        "sawtooth": sawtooth.cut,
    }
)


def peer(recorded: Recording, name: str, options: ReplayOptions) -> ReplayResult:
    """One of `PEERS`. `options`: of a preset's drive, but for `write`, which has a memory."""
    return drive_peer(recorded, name, PEERS[name], options)
