"""Turns a recording into what stands beside the presets: peers and the clairvoyant.

They are simulated: no ctxmgr runs. They are measured as the presets are. A peer's host compacts at the end of its
window as the host of the presets does; the clairvoyant's never does.
"""

from ctxmgr.study.baselines.peers import PEERS
from ctxmgr.study.closed_loop import Foresight, clairvoyant
from ctxmgr.study.driving import ReplayOptions, ReplayResult, drive_peer
from ctxmgr.study.figures import CodeLengths, Measures, measure
from ctxmgr.study.metrics import MessageCache, PriceSheet, timeline
from ctxmgr.study.recordings import Recording


def peer(recorded: Recording, name: str, options: ReplayOptions) -> ReplayResult:
    """One of `PEERS`. `options`: of a preset's drive, but for `write`, which has a memory."""
    return drive_peer(recorded, name, PEERS[name], options)


def the_clairvoyant(
    recorded: Recording, known: MessageCache, sheet: PriceSheet, lengths: CodeLengths
) -> tuple[Measures, Foresight]:
    seen = clairvoyant(timeline.of(recorded), known, sheet)
    return measure(seen.sights, known, sheet, lengths), seen
