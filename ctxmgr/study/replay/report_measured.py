"""Turns measures into the report's lines and sheets."""

from collections.abc import Mapping, Sequence

from ctxmgr.study.figures import Measures
from ctxmgr.study.report import PolicyRow, RecordingSheet


def sheet(
    name: str,
    about: str,
    policies: Mapping[str, Measures],
    receipts: Mapping[str, Sequence[str]],
    floor: float | None,
    knobs: Mapping[str, float],
) -> RecordingSheet:
    """One recording: presets and what stands beside them, by name. `receipts`: lines of arithmetic by preset, of
    all presets; who has none is simulated. `floor` in dollars; `knobs` of those that are of the front."""
    lines = tuple(line(one, measures, receipts.get(one), knobs.get(one)) for one, measures in policies.items())
    return RecordingSheet(name=name, lines=lines, about=about, floor=floor)


def line(name: str, measures: Measures, receipts: Sequence[str] | None, knob: float | None) -> PolicyRow:
    return PolicyRow(
        name=name,
        cost=measures.bill.money,
        recall_share=measures.recall.overall.share,
        in_place_share=measures.recall.in_place.share,
        far_share=measures.recall.far.share,
        grounding_share=measures.lines.share,
        breaks=measures.bill.breaks,
        context=tuple(call.tokens for call in measures.bill.calls),
        call_costs=tuple(call.money for call in measures.bill.calls),
        epochs=tuple(number for number, call in enumerate(measures.bill.calls) if call.announced),
        receipts=tuple(receipts or ()),
        simulated=receipts is None,
        billed_cost=measures.closed.billed,
        repeats=measures.repeats,
        closed_cost=measures.closed.closed,
        fetches_in_100=measures.closed.in_100,
        knob=knob,
    )
