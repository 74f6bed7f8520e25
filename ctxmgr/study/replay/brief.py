"""Turns what came of replays into what is read first: a verdict in words and seven figures a policy, at 80 columns.

1. The verdict compares the first policy that was asked for with `off`: dollars, what is kept, what must be fetched
   again, and whether anything failed.
2. The figures: dollars of the closed loop, and as a part of `off`; what was billed, as a part of it; `kept`; recall
   in place; re-fetches in 100 calls; how often the prefix broke outside an epoch.
3. Without measures: calls, the mean list before and after, compactions, the 99th percentile of `context`, failures.
"""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.study.console import ALL_FIGURES, figure, figures_table, plain
from ctxmgr.study.figures import Figures
from ctxmgr.study.probes import probes_table
from ctxmgr.study.report import BASE

MEASURED = ("policy", "$ closed", "of off", "billed", "kept", "in place", "re-fetches", "breaks")
DRIVEN = ("policy", "calls", "before", "after", "compactions", "p99 ms", "failures")
TOGETHER = ("policy", "recordings", "billed", "closed", "kept", "mean", "worst", "in place", "re-fetches")
MEASURED_ABOUT = (
    "closed: dollars with what is fetched again; billed: as a part of off; kept: of\n"
    "what replies repeat; in place: names used next, in messages as they came;\n"
    f"re-fetches in 100 calls; breaks of the prefix outside an epoch.\n{ALL_FIGURES}"
)
DRIVEN_ABOUT = f"before, after: mean tokens of a list, by the estimate.\n{ALL_FIGURES}"


def brief(some: Sequence[Figures]) -> RenderableType:
    """One recording under one or several presets."""
    first = some[0]
    parts: list[RenderableType] = [plain(f"{first['file']}, window {first['window']:,} tokens", "bold")]
    rows = _rows(some)
    parts.append(plain(verdict(some)))
    parts += [_measured(rows), plain(MEASURED_ABOUT)] if rows else [_driven(some), plain(DRIVEN_ABOUT)]
    if probes := first.get("probes"):
        parts.append(probes_table("memory probes", probes["policies"], probes["controls"]))
    parts += [plain(f"{one['preset']}: {text}", "red") for one in some for text in one["failures"]]
    return Group(*parts)


def together(sums: Sequence[Figures]) -> Table:
    """Rows of `totals`, without the floor's: of all recordings."""
    table = figures_table("all recordings together", TOGETHER)
    for one in sums:
        if "kept" in one:
            billed, closed = (one["together"][name] for name in ("billed", "closed"))
            shares = (billed, closed, one["kept"], one["mean"]["kept"], one["worstKept"], one["inPlace"])
            cells = [str(one["recordings"]), *(figure(share, 3) for share in shares)]
            table.add_row(plain(one["preset"]), *cells, figure(one["fetchesIn100"], 1))
    return table


def verdict(some: Sequence[Figures]) -> str:
    """Rule 1, of what `brief` is of."""
    preset, failures = some[0]["preset"], sum(len(one["failures"]) for one in some)
    failed = f"{failures} failures" if failures else "nothing failed"
    by_name = {one["preset"]: one["measures"] for one in _rows(some)}
    if preset not in by_name or BASE not in by_name:
        return f"{failed[0].upper()}{failed[1:]}."
    mine, base = by_name[preset], by_name[BASE]
    loop, other = mine["closedLoop"], base["closedLoop"]
    if preset == BASE or not loop["closedOfOff"]:
        return f"{preset} costs ${loop['closed']:.2f}, {failed}."
    change = 100 * (1 - loop["closedOfOff"])
    what = f"{abs(change):.0f} % {'less' if change >= 0 else 'more'} than {BASE}"
    kept = " against ".join(figure(one["kept"]["share"], 3) for one in (mine, base))
    fetches = " against ".join(figure(one["fetchesIn100"], 1) for one in (loop, other))
    costs = f"{preset} costs {what}, with what is fetched again; {failed}."
    return f"{costs}\nKept {kept}, re-fetches in 100 calls {fetches}."


def _rows(some: Sequence[Figures]) -> list[Figures]:
    """What was measured: of the drives, and of what stands beside them."""
    return [one for one in (*some, *some[0].get("beside", ())) if "measures" in one]


def _measured(rows: Sequence[Figures]) -> Table:
    """Rule 2."""
    table = figures_table("", MEASURED)
    for one in rows:
        measures, loop = one["measures"], one["measures"]["closedLoop"]
        table.add_row(
            plain(one["preset"]),
            figure(loop["closed"], 2),
            figure(loop["closedOfOff"], 3),
            figure(loop["billedOfOff"], 3),
            figure(measures["kept"]["share"], 3),
            figure(measures["recall"]["inPlace"]["share"], 3),
            figure(loop["fetchesIn100"], 1),
            str(measures["unannouncedBreaks"]),
        )
    return table


def _driven(some: Sequence[Figures]) -> Table:
    """Rule 3."""
    table = figures_table("", DRIVEN)
    for one in some:
        row = one["all"]
        table.add_row(
            plain(one["preset"]),
            str(row["calls"]),
            f"{row['beforeMean']:,.0f}",
            f"{row['afterMean']:,.0f}",
            str(one["compactions"]["made"]),
            f"{row['p99']:.2f}",
            str(len(one["failures"])),
        )
    return table
