"""Turns the drives of one recording into measures and plain figures, and figures into tables.

1. Tables fit 80 columns: a verdict in words, and a few figures for each policy.
2. The verdict compares the first requested policy with `off`: dollars, what is kept, what must be fetched again,
   and whether anything failed.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from types import MappingProxyType

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.engine.presets import PRESETS
from ctxmgr.model import currency
from ctxmgr.study.console import figure, figures_table, plain
from ctxmgr.study.driving import ReplayedCall, ReplayResult
from ctxmgr.study.driving import peers as beside
from ctxmgr.study.figures import (
    CodeLengths,
    Figures,
    Measures,
    closed_cost,
    cost,
    figures,
    legend,
    of_recording,
    shown,
)
from ctxmgr.study.observations import MessageCache, PriceSheet, message_reader
from ctxmgr.study.probes import probes_table
from ctxmgr.study.recordings import Recording, Stream
from ctxmgr.study.report import BASE, PolicyRow, RecordingSheet

ABOUT = {**{name: f"{preset.summary.capitalize()}." for name, preset in PRESETS.items()}, **beside.ABOUT}
NO_KNOBS: Mapping[str, float] = MappingProxyType({})


class ReplayFigures(msgspec.Struct, frozen=True):
    """`figures`: by outcome, in order. `beside`: the same for simulated policies, with their name as "preset".

    `floor_figures`: the least that any policy costs, as plain values. `sheet`: for the report.
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
    """One of the outcomes must be of preset `off`. `peers`: results of simulated policies. `knobs`: `keep` in
    tokens of the outcomes that belong to the front.
    """
    ground = MessageCache(message_reader())  # shared by all policies
    lengths = CodeLengths()
    measures = [Measures(outcome.observations, ground, sheet, lengths) for outcome in outcomes]
    presets = {outcome.preset: session for outcome, session in zip(outcomes, measures, strict=True)}
    base = presets[BASE]
    least = closed_cost.floor_dollars(
        {outcome.preset: outcome.observations for outcome in outcomes}[BASE], ground, sheet
    )
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
    """`receipts`: lines of arithmetic; None for a simulated policy."""
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
        about=ABOUT.get(name, ""),
    )


def _about(outcome: ReplayResult, measured: Figures) -> str:
    return (
        f"{measured['closedLoop']['calls']:,} calls, {measured['rawTokens']:,} tokens of conversation, window "
        f"{outcome.window:,} tokens, recorded by {outcome.host}"
    )


ZONES = ("green", "yellow", "red", "compact")
ALL_FIGURES = "--json prints all figures, --report FILE.html plots them"


def of_drive(outcome: ReplayResult) -> Figures:
    """Everything that is shown, as plain values: tokens uncalibrated, times in milliseconds."""
    calls = outcome.calls
    by_zone = {zone: [call for call in calls if call.zone == zone] for zone in ZONES}
    return {
        "file": outcome.name,
        "host": outcome.host,
        "notes": list(outcome.notes),
        "preset": outcome.preset,
        "window": outcome.window,
        "all": _of_calls(calls),
        "zones": {zone: _of_calls(some) for zone, some in by_zone.items() if some},
        "compactions": {
            "requested": outcome.requested,
            "made": outcome.compacted,
            "own": outcome.own,
            "nothingToCompact": outcome.failed_compactions,
        },
        "turnEnds": {"count": outcome.turn_ends, **_times(outcome.turn_end_seconds)},
        "marks": [{"call": mark.call_index, "what": mark.kind, "text": mark.text} for mark in outcome.marks],
        "failures": list(outcome.failures),
        "fingerprint": outcome.fingerprint,
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The value at this share (0 to 1) of the sorted values; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _of_calls(calls: Sequence[ReplayedCall]) -> Figures:
    def mean(values: list[int]) -> float:
        return round(fmean(values), 1) if values else 0.0

    return {
        "calls": len(calls),
        "beforeMean": mean([call.before_tokens for call in calls]),
        "beforeLargest": max((call.before_tokens for call in calls), default=0),
        "afterMean": mean([call.after_tokens for call in calls]),
        "afterLargest": max((call.after_tokens for call in calls), default=0),
        "turnsDropped": mean([call.dropped for call in calls]),
        "resultsDistilled": mean([call.distilled for call in calls]),
        "resultsPruned": mean([call.pruned for call in calls]),
        "packetMean": mean([call.packet_tokens for call in calls]),
        "packetLargest": max((call.packet_tokens for call in calls), default=0),
        **_times([call.seconds for call in calls]),
    }


def _times(seconds: Sequence[float]) -> Figures:
    milliseconds = [1000 * value for value in seconds]
    return {"p50": round(percentile(milliseconds, 0.50), 2), "p99": round(percentile(milliseconds, 0.99), 2)}


# views


def brief(drives: Sequence[Figures]) -> RenderableType:
    """Rule 1: one recording under one or several presets."""
    first = drives[0]
    rows = _measured(drives)
    parts: list[RenderableType] = [plain(f"{first['file']}, window {first['window']:,} tokens", "bold")]
    parts.append(plain(verdict(drives)))
    if rows:
        table = of_recording([(row["preset"], row["measures"]) for row in rows], shown("brief"))
        parts += [table.rendered(""), plain(legend())]
    else:
        parts += [_driven(drives), plain("before, after: estimated mean tokens of a list.")]
    parts.append(plain(ALL_FIGURES))
    if probes := first.get("probes"):
        parts.append(probes_table("memory probes", probes["policies"]))
    parts += [plain(f"{drive['preset']}: {text}", "red") for drive in drives for text in drive["failures"]]
    return Group(*parts)


def verdict(drives: Sequence[Figures]) -> str:
    """Rule 2."""
    preset, failures = drives[0]["preset"], sum(len(drive["failures"]) for drive in drives)
    failed = f"{failures} failure{'s' if failures > 1 else ''}" if failures else "no failures"
    by_name = {row["preset"]: row["measures"] for row in _measured(drives)}
    if preset not in by_name or BASE not in by_name:
        return f"{failed[0].upper()}{failed[1:]}."
    mine, base = by_name[preset], by_name[BASE]
    loop, base_loop = mine["closedLoop"], base["closedLoop"]
    if preset == BASE or not loop["closedOfOff"]:
        return f"{preset} costs {currency.amount(loop['closed'], '.2f')}, {failed}."
    change = 100 * (1 - loop["closedOfOff"])
    what = f"{abs(change):.0f} % {'less' if change >= 0 else 'more'} than {BASE}"
    kept, base_kept = (figure(measures["kept"]["share"], 3) for measures in (mine, base))
    fetches, base_fetches = (figure(one["fetchesIn100"], 1) for one in (loop, base_loop))
    costs = f"{preset} costs {what}, re-fetches included; {failed}."
    return f"{costs}\nKept {kept} ({BASE} {base_kept}), re-fetches in 100 calls {fetches} ({BASE} {base_fetches})."


def _measured(drives: Sequence[Figures]) -> list[Figures]:
    """Of the drives and the simulated policies."""
    return [row for row in (*drives, *drives[0].get("beside", ())) if "measures" in row]


def _driven(drives: Sequence[Figures]) -> Table:
    table = figures_table("", ("policy", "calls", "before", "after", "compactions", "p99 ms", "failures"))
    for drive in drives:
        row = drive["all"]
        means = [f"{row[name]:,.0f}" for name in ("calls", "beforeMean", "afterMean")]
        counts = str(drive["compactions"]["made"]), f"{row['p99']:.2f}", str(len(drive["failures"]))
        table.add_row(plain(drive["preset"]), *means, *counts)
    return table
