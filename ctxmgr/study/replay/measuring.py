"""Turns one recording's drives under several presets into their measures, and into what stands beside them."""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.baselines import baselines as beside
from ctxmgr.study.baselines.baselines import Hindsight
from ctxmgr.study.metrics import figures as measures_figures
from ctxmgr.study.metrics import message_cache
from ctxmgr.study.metrics.billing import Prices
from ctxmgr.study.metrics.figures import Figures
from ctxmgr.study.metrics.measures import Measures, measure
from ctxmgr.study.metrics.message_cache import Known
from ctxmgr.study.recordings.recording import Recording, Stream
from ctxmgr.study.replay import report_measured
from ctxmgr.study.replay.outcomes import Outcome
from ctxmgr.study.report.lines import BASE, OPTIMUM, Sheet


class Worked(msgspec.Struct, frozen=True):
    """`figures` by outcome, in their order; `beside`: the same of what was simulated, with its name as "preset".

    `distances` of the presets from the optimum, as plain values. `sheet` for the report.
    """

    figures: tuple[Figures, ...]
    beside: tuple[Figures, ...]
    distances: tuple[Figures, ...]
    sheet: Sheet


def work(
    recorded: Recording | Stream, outcomes: Sequence[Outcome], prices: Prices, control: bool, optimum: bool
) -> Worked:
    """One of the outcomes is of preset `off`. A stream of events is what a host showed, and no course to simulate a
    policy on: nothing stands beside it."""
    ground = Known(message_cache.reader())  # what is known of a message is known for all
    measures = [measure(outcome.sights, ground, prices) for outcome in outcomes]
    presets = {outcome.preset: one for outcome, one in zip(outcomes, measures, strict=True)}
    base = presets[BASE].bill
    simulated: dict[str, Measures] = {}
    seen: Hindsight | None = None
    if isinstance(recorded, Recording):
        if control:
            simulated[report_measured.CONTROL] = beside.the_control(recorded, ground, prices)
        if optimum:
            seen = beside.hindsight(recorded, ground, prices, outcomes[0].window, {**presets, **simulated})
            simulated[OPTIMUM] = seen.best
    return Worked(
        figures=tuple(measures_figures.figures(one, base) for one in measures),
        beside=tuple(
            {"preset": name, "measures": measures_figures.figures(one, base)} for name, one in simulated.items()
        ),
        distances=tuple(_distance(one) for one in seen.distances) if seen else (),
        sheet=report_measured.sheet(
            recorded.name,
            _about(outcomes[0], measures[0]),
            presets,
            simulated,
            seen,
            {outcome.preset: outcome.arithmetic for outcome in outcomes},
        ),
    )


def _distance(one: beside.Distance) -> Figures:
    optimum, floor, dearer = (None if at is None else round(at, 4) for at in (one.optimum, one.floor, one.dearer))
    return {
        "preset": one.preset,
        "recall": round(one.recall, 5),
        "money": round(one.cost, 4),
        "optimum": optimum,
        "floor": floor,
        "dearer": dearer,
    }


def _about(outcome: Outcome, measures: Measures) -> str:
    return (
        f"{len(measures.calls):,} calls, {measures.raw_tokens:,} tokens of conversation, window "
        f"{outcome.window:,} tokens, recorded by {outcome.host}"
    )
