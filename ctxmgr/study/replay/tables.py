"""Turns outcomes of driving into plain figures, and figures into what people read.

1. What is read first fits 80 columns: a verdict in words, and a few figures a policy.
2. The verdict compares the first policy that was asked for with `off`: dollars, what is kept, what must be fetched
   again, and whether anything failed.
3. `--wide` shows all.
"""

from collections.abc import Sequence
from statistics import fmean

from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.study.console import ALL_FIGURES, figure, figures_table, plain
from ctxmgr.study.driving import ReplayedCall, ReplayResult
from ctxmgr.study.figures import Figures, legend, table, wide_table
from ctxmgr.study.probes import probes_table
from ctxmgr.study.report import BASE

ZONES = ("green", "yellow", "red", "compact")
FAILURES_SHOWN = 20
MARKS_SHOWN = 12


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


# views


def brief(drives: Sequence[Figures]) -> RenderableType:
    """Rule 1: one recording under one or several presets."""
    first = drives[0]
    rows = _measured(drives)
    parts: list[RenderableType] = [plain(f"{first['file']}, window {first['window']:,} tokens", "bold")]
    parts.append(plain(verdict(drives)))
    if rows:
        parts += [table([(row["preset"], row["measures"]) for row in rows], "brief"), plain(legend("brief"))]
    else:
        parts += [_driven(drives), plain("before, after: mean tokens of a list, by the estimate.")]
    parts.append(plain(ALL_FIGURES))
    if probes := first.get("probes"):
        parts.append(probes_table("memory probes", probes["policies"], probes["controls"]))
    parts += [plain(f"{one['preset']}: {text}", "red") for one in drives for text in one["failures"]]
    return Group(*parts)


def verdict(drives: Sequence[Figures]) -> str:
    """Rule 2."""
    preset, failures = drives[0]["preset"], sum(len(one["failures"]) for one in drives)
    failed = f"{failures} failures" if failures else "nothing failed"
    by_name = {row["preset"]: row["measures"] for row in _measured(drives)}
    if preset not in by_name or BASE not in by_name:
        return f"{failed[0].upper()}{failed[1:]}."
    mine, base = by_name[preset], by_name[BASE]
    loop, base_loop = mine["closedLoop"], base["closedLoop"]
    if preset == BASE or not loop["closedOfOff"]:
        return f"{preset} costs ${loop['closed']:.2f}, {failed}."
    change = 100 * (1 - loop["closedOfOff"])
    what = f"{abs(change):.0f} % {'less' if change >= 0 else 'more'} than {BASE}"
    kept = " against ".join(figure(one["kept"]["share"], 3) for one in (mine, base))
    fetches = " against ".join(figure(one["fetchesIn100"], 1) for one in (loop, base_loop))
    costs = f"{preset} costs {what}, with what is fetched again; {failed}."
    return f"{costs}\nKept {kept}, re-fetches in 100 calls {fetches}."


def tables(drives: Sequence[Figures]) -> RenderableType:
    """Rule 3: one recording under one or several presets, side by side."""
    first, rows = drives[0], _measured(drives)
    parts: list[RenderableType] = [_zones(drives), _summary(drives)]
    if rows:
        parts.append(wide_table([(row["preset"], row["measures"]) for row in rows], first["floor"]))
    if probes := first.get("probes"):
        parts.append(probes_table("memory probes", probes["policies"], probes["controls"]))
    parts += [_notes(first)] if first["notes"] else []
    parts += [_marks(one) for one in drives if one["marks"]]
    parts += [_failures(one) for one in drives if one["failures"]]
    return Group(*parts)


def _measured(drives: Sequence[Figures]) -> list[Figures]:
    """Of the drives, and of what stands beside them."""
    return [one for one in (*drives, *drives[0].get("beside", ())) if "measures" in one]


def _driven(drives: Sequence[Figures]) -> Table:
    heads = ("policy", "calls", "before", "after", "compactions", "p99 ms", "failures")
    made = figures_table("", heads)
    for one in drives:
        row = one["all"]
        made.add_row(
            plain(one["preset"]),
            str(row["calls"]),
            f"{row['beforeMean']:,.0f}",
            f"{row['afterMean']:,.0f}",
            str(one["compactions"]["made"]),
            f"{row['p99']:.2f}",
            str(len(one["failures"])),
        )
    return made


def _zones(drives: Sequence[Figures]) -> Table:
    first = drives[0]
    drawn = _table(f"{first['file']}, window {first['window']:,} tokens")
    for name in ("preset", "zone"):
        drawn.add_column(name, no_wrap=True)
    names = ("calls", "before: mean", "largest", "after: mean", "largest", "turns dropped", "distilled", "pruned")
    for name in (*names, "packet", "p50 ms", "p99 ms"):
        drawn.add_column(name, justify="right")
    for one in drives:
        rows = [*one["zones"].items(), ("all", one["all"])]
        for zone, row in rows:
            last = zone == "all"
            drawn.add_row(plain(one["preset"]), zone, *_cells(row), style="bold" if last else "", end_section=last)
    drawn.caption = (
        "tokens by the estimate that decides, uncalibrated; "
        "dropped, distilled, pruned and packet: mean a call; times of `context`"
    )
    return drawn


def _cells(row: Figures) -> list[str]:
    tokens = [f"{row[name]:,.0f}" for name in ("calls", "beforeMean", "beforeLargest", "afterMean", "afterLargest")]
    counts = [f"{row[name]:.1f}" for name in ("turnsDropped", "resultsDistilled", "resultsPruned")]
    return [*tokens, *counts, f"{row['packetMean']:,.0f}", f"{row['p50']:.2f}", f"{row['p99']:.2f}"]


def _summary(drives: Sequence[Figures]) -> Table:
    drawn = _table("compactions and checks")
    names = ("preset", "requested", "made", "of these unasked", "nothing to compact", "turn_end p50 ms", "p99 ms")
    for name in (*names, "failures", "fingerprint"):
        drawn.add_column(name, justify="left" if name in ("preset", "fingerprint") else "right")
    for one in drives:
        made, ends = one["compactions"], one["turnEnds"]
        counts = [str(made[name]) for name in ("requested", "made", "own", "nothingToCompact")]
        failures = plain(str(len(one["failures"])), "bold red" if one["failures"] else "")
        times = [f"{ends[name]:.2f}" for name in ("p50", "p99")]
        drawn.add_row(plain(one["preset"]), *counts, *times, failures, one["fingerprint"][:12])
    return drawn


def _notes(one: Figures) -> Table:
    """What of the file is not in the recording, or odd in it."""
    drawn = _table(f"read from a recording of {one['host']}")
    drawn.add_column("left out, or odd", overflow="fold")
    for text in one["notes"]:
        drawn.add_row(plain(text))
    return drawn


def _marks(one: Figures) -> Table:
    """When something happened, the first few."""
    drawn = _table(f"what happened, preset {one['preset']}")
    for name in ("after call", "what", ""):
        drawn.add_column(name, justify="right" if name == "after call" else "left")
    for mark in one["marks"][:MARKS_SHOWN]:
        drawn.add_row(str(mark["call"]), plain(mark["what"]), plain(mark["text"]))
    if (more := len(one["marks"]) - MARKS_SHOWN) > 0:
        drawn.add_row("", f"and {more} more", "")
    return drawn


def _failures(one: Figures) -> Table:
    drawn = _table(f"FAILED, preset {one['preset']}: {len(one['failures'])}")
    drawn.add_column("what is wrong", overflow="fold")
    for text in one["failures"][:FAILURES_SHOWN]:
        drawn.add_row(plain(text, "red"))
    if (more := len(one["failures"]) - FAILURES_SHOWN) > 0:
        drawn.add_row(f"and {more} more")
    return drawn


def _table(title: str) -> Table:
    return Table(title=plain(title), title_justify="left", caption_justify="left", header_style="bold")
