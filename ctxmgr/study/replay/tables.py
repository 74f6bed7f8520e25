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

from ctxmgr.model import currency
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
        return f"{preset} costs {currency.amount(loop['closed'], '.2f')}, {failed}."
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
    if first["notes"]:
        notes = [[text] for text in first["notes"]]
        parts.append(_lines(f"read from a recording of {first['host']}", ["left out, or odd"], notes))
    for drive in drives:
        marks = [[str(mark["call"]), mark["what"], mark["text"]] for mark in drive["marks"]]
        if marks:
            title = f"what happened, preset {drive['preset']}"
            parts.append(_lines(title, ["after call", "what", ""], marks, MARKS_SHOWN))
    for drive in drives:
        if drive["failures"]:
            title = f"FAILED, preset {drive['preset']}: {len(drive['failures'])}"
            parts.append(_lines(title, ["what is wrong"], [[text] for text in drive["failures"]], FAILURES_SHOWN))
    return Group(*parts)


def _measured(drives: Sequence[Figures]) -> list[Figures]:
    """Of the drives, and of what stands beside them."""
    return [one for one in (*drives, *drives[0].get("beside", ())) if "measures" in one]


def _driven(drives: Sequence[Figures]) -> Table:
    table = figures_table("", ("policy", "calls", "before", "after", "compactions", "p99 ms", "failures"))
    for drive in drives:
        row = drive["all"]
        means = [f"{row[name]:,.0f}" for name in ("calls", "beforeMean", "afterMean")]
        counts = str(drive["compactions"]["made"]), f"{row['p99']:.2f}", str(len(drive["failures"]))
        table.add_row(plain(drive["preset"]), *means, *counts)
    return table


def _zones(drives: Sequence[Figures]) -> Table:
    first = drives[0]
    names = ("calls", "before: mean", "largest", "after: mean", "largest", "turns dropped", "distilled", "pruned")
    heads = ("preset", "zone", *names, "packet", "p50 ms", "p99 ms")
    drawn = _table(f"{first['file']}, window {first['window']:,} tokens", heads, names=2)
    for drive in drives:
        for zone, row in [*drive["zones"].items(), ("all", drive["all"])]:
            last = zone == "all"
            style = "bold" if last else ""
            drawn.add_row(plain(drive["preset"]), zone, *_cells(row), style=style, end_section=last)
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
    names = ("preset", "requested", "made", "of these unasked", "nothing to compact", "turn_end p50 ms", "p99 ms")
    drawn = _table("compactions and checks", (*names, "failures", "fingerprint"), names=1)
    for drive in drives:
        counts = [str(drive["compactions"][name]) for name in ("requested", "made", "own", "nothingToCompact")]
        times = [f"{drive['turnEnds'][name]:.2f}" for name in ("p50", "p99")]
        failures = plain(str(len(drive["failures"])), "bold red" if drive["failures"] else "")
        drawn.add_row(plain(drive["preset"]), *counts, *times, failures, drive["fingerprint"][:12])
    return drawn


def _lines(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], shown: int | None = None) -> Table:
    """A table of texts, the first few."""
    drawn = _table(title, heads, names=len(heads))
    for row in rows[:shown]:
        drawn.add_row(*map(plain, row))
    if shown is not None and len(rows) > shown:
        drawn.add_row(*[""] * (len(heads) - 1), f"and {len(rows) - shown} more")
    return drawn


def _table(title: str, heads: Sequence[str], names: int) -> Table:
    """The first columns are of names, the others of figures."""
    drawn = Table(title=plain(title), title_justify="left", caption_justify="left", header_style="bold")
    for number, head in enumerate(heads):
        drawn.add_column(head, justify="left" if number < names else "right", overflow="fold")
    return drawn
