"""Turns a recording into what stands beside the presets: the control policy and the clairvoyant.

Both are simulated: no ctxmgr runs. They are measured as the presets are.
"""

from ctxmgr.study.baselines import control
from ctxmgr.study.closed_loop import Foresight, clairvoyant
from ctxmgr.study.figures import Measures, measure
from ctxmgr.study.metrics import MessageCache, PriceSheet, timeline
from ctxmgr.study.recordings import Recording


def the_control(recorded: Recording, known: MessageCache, sheet: PriceSheet) -> Measures:
    return measure(control.sights(timeline.of(recorded), known.weight), known, sheet)


def the_clairvoyant(recorded: Recording, known: MessageCache, sheet: PriceSheet) -> tuple[Measures, Foresight]:
    seen = clairvoyant(timeline.of(recorded), known, sheet)
    return measure(seen.sights, known, sheet), seen
