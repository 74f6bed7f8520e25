"""Turns outcomes of driving into figures, and figures into tables for people."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.study.closed_loop import totals, totals_table
from ctxmgr.study.console import plain
from ctxmgr.study.driving import ReplayedCall, ReplayResult
from ctxmgr.study.figures import tables as measures_tables
from ctxmgr.study.probes import probes_table
from ctxmgr.study.report import BASE

ZONES = ("green", "yellow", "red", "compact")
STRETCHES = 10  # parts of a session in which the growth is shown
FAILURES_SHOWN = 20
MARKS_SHOWN = 12

Figures = dict[str, Any]


def figures(outcome: ReplayResult) -> Figures:
    """All that is shown, as plain values: tokens uncalibrated, times in milliseconds."""
    calls = outcome.calls
    by_zone = {zone: [call for call in calls if call.zone == zone] for zone in ZONES}
    return {
        "file": outcome.name,
        "host": outcome.host,
        "notes": list(outcome.notes),
        "preset": outcome.preset,
        "window": outcome.window,
        "all": _row(calls),
        "zones": {zone: _row(some) for zone, some in by_zone.items() if some},
        "growth": [_growth(some) for some in _stretches(calls)],
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
    """The value that `share` of the values do not exceed; 0 where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _row(calls: Sequence[ReplayedCall]) -> Figures:
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
    milliseconds = [1000 * one for one in seconds]
    return {"p50": round(percentile(milliseconds, 0.50), 2), "p99": round(percentile(milliseconds, 0.99), 2)}


def _stretches(calls: Sequence[ReplayedCall]) -> list[Sequence[ReplayedCall]]:
    bounds = [len(calls) * number // STRETCHES for number in range(STRETCHES + 1)]
    return [calls[start:end] for start, end in pairwise(bounds) if end > start]


def _growth(calls: Sequence[ReplayedCall]) -> Figures:
    row = _row(calls)
    return {name: row[name] for name in ("calls", "beforeMean", "afterMean", "afterLargest")}


# views


def tables(some: Sequence[Figures]) -> RenderableType:
    """One recording under one or several presets, side by side."""
    parts: list[RenderableType] = [_zones(some), _growths(some), _summary(some)]
    rows = [one for one in (*some, *some[0].get("beside", ())) if "measures" in one]
    parts += [measures_tables.table([(one["preset"], one["measures"]) for one in rows])] if rows else []
    parts += [totals_table(totals([[{**rows[0], "floor": some[0]["floor"]}, *rows[1:]]], BASE))] if rows else []
    if probes := some[0].get("probes"):
        parts.append(probes_table("memory probes", probes["policies"], probes["controls"]))
    parts += [_notes(some[0])] if some[0]["notes"] else []
    parts += [_marks(one) for one in some if one["marks"]]
    parts += [_failures(one) for one in some if one["failures"]]
    return Group(*parts)


def _zones(some: Sequence[Figures]) -> Table:
    first = some[0]
    table = _table(f"{first['file']}, window {first['window']:,} tokens")
    for name in ("preset", "zone"):
        table.add_column(name, no_wrap=True)
    names = ("calls", "before: mean", "largest", "after: mean", "largest", "turns dropped", "distilled", "pruned")
    for name in (*names, "packet", "p50 ms", "p99 ms"):
        table.add_column(name, justify="right")
    for one in some:
        rows = [*one["zones"].items(), ("all", one["all"])]
        for zone, row in rows:
            last = zone == "all"
            table.add_row(plain(one["preset"]), zone, *_cells(row), style="bold" if last else "", end_section=last)
    table.caption = (
        "tokens by the estimate that decides, uncalibrated; "
        "dropped, distilled, pruned and packet: mean a call; times of `context`"
    )
    return table


def _cells(row: Figures) -> list[str]:
    tokens = [f"{row[name]:,.0f}" for name in ("calls", "beforeMean", "beforeLargest", "afterMean", "afterLargest")]
    counts = [f"{row[name]:.1f}" for name in ("turnsDropped", "resultsDistilled", "resultsPruned")]
    return [*tokens, *counts, f"{row['packetMean']:,.0f}", f"{row['p50']:.2f}", f"{row['p99']:.2f}"]


def _growths(some: Sequence[Figures]) -> Table:
    """The context over the session: does it grow with the number of turns?"""
    table = _table("mean context by tenth of the session, tokens")
    table.add_column("")
    most = max(len(one["growth"]) for one in some)
    for number in range(most):
        table.add_column(str(number + 1), justify="right")
    for one in some:
        for name, title in (("beforeMean", "before"), ("afterMean", "after")):
            cells = [f"{part[name]:,.0f}" for part in one["growth"]]
            table.add_row(plain(f"{one['preset']}, {title}"), *cells)
    return table


def _summary(some: Sequence[Figures]) -> Table:
    table = _table("compactions and checks")
    names = ("preset", "requested", "made", "of these unasked", "nothing to compact", "turn_end p50 ms", "p99 ms")
    for name in (*names, "failures", "fingerprint"):
        table.add_column(name, justify="left" if name in ("preset", "fingerprint") else "right")
    for one in some:
        made, ends = one["compactions"], one["turnEnds"]
        counts = [str(made[name]) for name in ("requested", "made", "own", "nothingToCompact")]
        failures = plain(str(len(one["failures"])), "bold red" if one["failures"] else "")
        times = [f"{ends[name]:.2f}" for name in ("p50", "p99")]
        table.add_row(plain(one["preset"]), *counts, *times, failures, one["fingerprint"][:12])
    return table


def _notes(one: Figures) -> Table:
    """What of the file is not in the recording, or odd in it."""
    table = _table(f"read from a recording of {one['host']}")
    table.add_column("left out, or odd", overflow="fold")
    for text in one["notes"]:
        table.add_row(plain(text))
    return table


def _marks(one: Figures) -> Table:
    """When something happened, the first few."""
    table = _table(f"what happened, preset {one['preset']}")
    for name in ("after call", "what", ""):
        table.add_column(name, justify="right" if name == "after call" else "left")
    for mark in one["marks"][:MARKS_SHOWN]:
        table.add_row(str(mark["call"]), plain(mark["what"]), plain(mark["text"]))
    if (more := len(one["marks"]) - MARKS_SHOWN) > 0:
        table.add_row("", f"and {more} more", "")
    return table


def _failures(one: Figures) -> Table:
    table = _table(f"FAILED, preset {one['preset']}: {len(one['failures'])}")
    table.add_column("what is wrong", overflow="fold")
    for text in one["failures"][:FAILURES_SHOWN]:
        table.add_row(plain(text, "red"))
    if (more := len(one["failures"]) - FAILURES_SHOWN) > 0:
        table.add_row(f"and {more} more")
    return table


def _table(title: str) -> Table:
    return Table(title=plain(title), title_justify="left", caption_justify="left", header_style="bold")
