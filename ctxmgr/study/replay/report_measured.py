"""Turns measures into the report's lines and sheets."""

from collections.abc import Iterator, Mapping, Sequence

from ctxmgr.study.baselines.baselines import Distance, Hindsight
from ctxmgr.study.metrics.measures import Measures
from ctxmgr.study.report.lines import BASE, OPTIMUM, Line, Sheet
from ctxmgr.study.report.scales import dollars

CONTROL = "control"
SIMULATED = (CONTROL, OPTIMUM)


def sheet(
    name: str,
    about: str,
    presets: Mapping[str, Measures],
    simulated: Mapping[str, Measures],
    hindsight: Hindsight | None = None,
    receipts: Mapping[str, Sequence[str]] | None = None,
) -> Sheet:
    """One recording: presets and what stands beside them, by name; `receipts`: lines of arithmetic by preset."""
    every = {**presets, **simulated}
    return Sheet(
        name=name,
        lines=tuple(line(one, measures, (receipts or {}).get(one, ())) for one, measures in every.items()),
        about=about,
        curve=hindsight.corners if hindsight else (),
        notes=tuple(_distances(hindsight.distances)) if hindsight else (),
    )


def line(name: str, measures: Measures, receipts: Sequence[str] = ()) -> Line:
    return Line(
        name=name,
        cost=measures.bill.money,
        recall=measures.recall.overall.share,
        in_place=measures.recall.in_place.share,
        far=measures.recall.far.share,
        grounding=measures.lines.share,
        breaks=measures.bill.breaks,
        context=tuple(call.tokens for call in measures.bill.calls),
        money=tuple(call.money for call in measures.bill.calls),
        epochs=tuple(number for number, call in enumerate(measures.bill.calls) if call.announced),
        receipts=tuple(receipts),
        simulated=name in SIMULATED,
    )


def _distances(some: Sequence[Distance]) -> Iterator[str]:
    """One sentence for each preset that is no yardstick itself."""
    for one in some:
        if one.preset == BASE:
            continue
        if one.optimum is None or one.dearer is None:
            yield f"{one.preset}: no schedule of the optimum's family reaches its recall of {one.recall:.3f}."
        else:
            yield (
                f"{one.preset} cost {dollars(one.cost)} at recall {one.recall:.3f}; the optimum of hindsight "
                f"reaches that for {dollars(one.optimum)}: {one.dearer:+.0%}."
            )
