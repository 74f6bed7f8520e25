"""Turns one recording's drives under several presets into their measures, and into what stands beside them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from ctxmgr.study.baselines import baselines as beside
from ctxmgr.study.closed_loop import floor
from ctxmgr.study.driving import ReplayResult
from ctxmgr.study.figures import CodeLengths, Figures, Measures, measure
from ctxmgr.study.figures import figures as measures_figures
from ctxmgr.study.metrics import MessageCache, PriceSheet, message_cache
from ctxmgr.study.recordings import Recording, Stream
from ctxmgr.study.replay import report_measured
from ctxmgr.study.report import BASE, CLAIRVOYANT, RecordingSheet

NO_KNOBS: Mapping[str, float] = MappingProxyType({})


class ReplayFigures(msgspec.Struct, frozen=True):
    """`figures` by outcome, in their order; `beside`: the same of what was simulated, with its name as "preset".

    `floor_figures`: what no policy costs less than, as plain values. `sheet` for the report.
    """

    figures: tuple[Figures, ...]
    beside: tuple[Figures, ...]
    floor_figures: Figures
    sheet: RecordingSheet


def work(
    recorded: Recording | Stream,
    outcomes: Sequence[ReplayResult],
    sheet: PriceSheet,
    peers: Sequence[ReplayResult],
    clairvoyant: bool,
    knobs: Mapping[str, float] = NO_KNOBS,
) -> ReplayFigures:
    """One of the outcomes is of preset `off`; `peers`: what came of those that stand beside. A stream of events is
    what a host showed, and no course to simulate a policy on: nothing stands beside it. `knobs`: `keep` in tokens
    of those outcomes that are of the front."""
    ground = MessageCache(message_cache.reader())  # what is known of a message is known for all
    lengths = CodeLengths()
    measures = [measure(outcome.observations, ground, sheet, lengths) for outcome in outcomes]
    presets = {outcome.preset: one for outcome, one in zip(outcomes, measures, strict=True)}
    base = presets[BASE]
    least = floor({outcome.preset: outcome.observations for outcome in outcomes}[BASE], ground, sheet)
    simulated = {one.preset: measure(one.observations, ground, sheet, lengths) for one in peers}
    free: dict[str, Figures] = {}
    if isinstance(recorded, Recording) and clairvoyant:
        simulated[CLAIRVOYANT], seen = beside.the_clairvoyant(recorded, ground, sheet, lengths)
        free[CLAIRVOYANT] = measures_figures.foresight(seen)
    return ReplayFigures(
        figures=tuple(measures_figures.figures(one, base) for one in measures),
        beside=tuple(
            {"preset": name, "measures": measures_figures.figures(one, base), **free.get(name, {})}
            for name, one in simulated.items()
        ),
        floor_figures=measures_figures.floor(least, base),
        sheet=report_measured.sheet(
            recorded.name,
            _about(outcomes[0], measures[0]),
            {**presets, **simulated},
            {outcome.preset: outcome.arithmetic for outcome in outcomes},
            least,
            knobs,
        ),
    )


def _about(outcome: ReplayResult, measures: Measures) -> str:
    return (
        f"{len(measures.calls):,} calls, {measures.raw_tokens:,} tokens of conversation, window "
        f"{outcome.window:,} tokens, recorded by {outcome.host}"
    )
