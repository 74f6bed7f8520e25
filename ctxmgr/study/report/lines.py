"""What the report is made from: figures of one policy on one recording, and which of them its tables show."""

from collections.abc import Callable, Iterable
from statistics import fmean

import msgspec

from ctxmgr.engine.presets.balanced import Balanced
from ctxmgr.engine.presets.off import Off
from ctxmgr.engine.retention import KEEP
from ctxmgr.study.metrics import Ratio
from ctxmgr.study.report.scales import dollars, plain
from ctxmgr.study.report.style import LIGHT

BASE = Off.name  # the line that costs are shares of
CLAIRVOYANT = "clairvoyant"
FRONT = "balanced by keep"
COLOURS = {BASE: 0, "turns": 1, "tools": 2, Balanced.name: 3, CLAIRVOYANT: 5}  # others take turns
COLOURS[FRONT] = COLOURS[Balanced.name]
SPARE = [number for number in range(len(LIGHT)) if number not in COLOURS.values()]


class PolicyRow(msgspec.Struct, frozen=True):
    """One policy on one recording. `cost` in dollars; shares from 0 to 1, None where there was nothing to ask for.

    `context` in tokens and `call_costs` in dollars, by call; `epochs`: the calls that opened one. `receipts`: the
    arithmetic of each, one line. `simulated`: no ctxmgr ran. `billed_cost` and `closed_cost`: with the overhead of
    each call, warm, and closed-loop, in dollars. `repeats`: what `kept` is of, in bytes. `knob`: its
    `keep` in tokens, where it is of the front.
    """

    name: str
    cost: float
    recall_share: float | None
    in_place_share: float | None
    far_share: float | None
    grounding_share: float | None
    breaks: int
    context: tuple[int, ...]
    call_costs: tuple[float, ...]
    epochs: tuple[int, ...] = ()
    receipts: tuple[str, ...] = ()
    simulated: bool = False
    billed_cost: float | None = None
    repeats: Ratio = Ratio()
    closed_cost: float | None = None
    fetches_in_100: float | None = None
    knob: float | None = None


class RecordingSheet(msgspec.Struct, frozen=True):
    """One recording. `about`: a line under its name; `floor`: dollars that no policy costs less than; `kinds` of
    memory probes, each with the share that a policy's list held of the answers, by policy; `verdict`: what comes of
    it, in words."""

    name: str
    lines: tuple[PolicyRow, ...]
    about: str = ""
    floor: float | None = None
    kinds: tuple[tuple[str, dict[str, float]], ...] = ()
    verdict: str = ""


class Figure(msgspec.Struct, frozen=True):
    """A column of the tables: what it is of a line (given the base), and how it is written."""

    name: str
    of: Callable[[PolicyRow, PolicyRow | None], float | None]
    written: Callable[[float], str]


def share(value: float) -> str:
    return f"{value:.3f}"


def _closed_of_off(line: PolicyRow, base: PolicyRow | None) -> float | None:
    return (
        line.closed_cost / base.closed_cost if line.closed_cost is not None and base and base.closed_cost else None
    )


KEPT = Figure("kept", lambda line, _: line.repeats.share, share)
IN_PLACE = Figure("in place", lambda line, _: line.in_place_share, share)
CLOSED = Figure("closed", _closed_of_off, share)
FETCHES = Figure("re-fetches in 100", lambda line, _: line.fetches_in_100, "{:,.3g}".format)
COST = Figure("cost of off", lambda line, base: line.cost / base.cost if base and base.cost else None, share)
SHARES = (
    COST,
    KEPT,
    IN_PLACE,
    Figure("recall", lambda line, _: line.recall_share, share),
    Figure("far", lambda line, _: line.far_share, share),
    Figure("grounding", lambda line, _: line.grounding_share, share),
    Figure("breaks", lambda line, _: line.breaks, "{:,.4g}".format),
    CLOSED,
    FETCHES,
)
ALL = (
    Figure("cost", lambda line, _: line.cost, dollars),
    *SHARES,
    Figure("epochs", lambda line, _: len(line.epochs), "{:,.0f}".format),
    Figure("mean context", lambda line, _: fmean(line.context) if line.context else None, "{:,.0f}".format),
    Figure("largest", lambda line, _: max(line.context, default=0), "{:,.0f}".format),
)


def knob_name(knob: float) -> str:
    """The point of `keep` that this is, or the number."""
    return next((point for point, tokens in KEEP.items() if tokens == knob), plain(knob))


def colours(names: Iterable[str]) -> dict[str, int]:
    """A policy has one colour, wherever it stands."""
    others = [name for name in dict.fromkeys(names) if name not in COLOURS]
    return {**COLOURS, **{name: SPARE[number % len(SPARE)] for number, name in enumerate(others)}}


def cell(figure: Figure, value: float | None) -> str:
    return "–" if value is None else figure.written(value)
