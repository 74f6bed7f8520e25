"""Turns one recording's drives under several presets into their measures, and into what stands beside them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from ctxmgr.study.closed_loop import floor
from ctxmgr.study.driving import ReplayResult
from ctxmgr.study.figures import CodeLengths, Figures, Measures, closed_cost, cost, figures
from ctxmgr.study.observations import MessageCache, PriceSheet, message_cache
from ctxmgr.study.recordings import Recording, Stream
from ctxmgr.study.report import BASE, PolicyRow, RecordingSheet

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
    knobs: Mapping[str, float] = NO_KNOBS,
) -> ReplayFigures:
    """One of the outcomes is of preset `off`; `peers`: what came of those that stand beside. `knobs`: `keep` in
    tokens of those outcomes that are of the front."""
    ground = MessageCache(message_cache.reader())  # what is known of a message is known for all
    lengths = CodeLengths()
    measures = [Measures(outcome.observations, ground, sheet, lengths) for outcome in outcomes]
    presets = {outcome.preset: session for outcome, session in zip(outcomes, measures, strict=True)}
    base = presets[BASE]
    least = floor({outcome.preset: outcome.observations for outcome in outcomes}[BASE], ground, sheet)
    simulated = {peer.preset: Measures(peer.observations, ground, sheet, lengths) for peer in peers}
    made = {name: figures(session, base) for name, session in {**presets, **simulated}.items()}
    return ReplayFigures(
        figures=tuple(made[outcome.preset] for outcome in outcomes),
        beside=tuple({"preset": name, "measures": made[name]} for name in simulated),
        floor_figures=closed_cost.floor(least, base),
        sheet=RecordingSheet(
            name=recorded.name,
            lines=(
                *(_row(outcome.preset, made, presets, outcome.arithmetic, knobs) for outcome in outcomes),
                *(_row(name, made, simulated, None, knobs) for name in simulated),
            ),
            about=_about(outcomes[0], made[outcomes[0].preset]),
            floor=least,
        ),
    )


def _row(
    name: str,
    made: Mapping[str, Figures],
    measures: Mapping[str, Measures],
    receipts: Sequence[str] | None,
    knobs: Mapping[str, float],
) -> PolicyRow:
    """`receipts`: lines of arithmetic; None of what is simulated."""
    calls = measures[name].once(cost.of_session)
    return PolicyRow(
        name=name,
        figures=made[name],
        context=tuple(call.tokens for call in calls),
        call_costs=tuple(call.money for call in calls),
        epochs=tuple(number for number, call in enumerate(calls) if call.announced),
        receipts=tuple(receipts or ()),
        simulated=receipts is None,
        knob=knobs.get(name),
    )


def _about(outcome: ReplayResult, measured: Figures) -> str:
    return (
        f"{measured['closedLoop']['calls']:,} calls, {measured['rawTokens']:,} tokens of conversation, window "
        f"{outcome.window:,} tokens, recorded by {outcome.host}"
    )
