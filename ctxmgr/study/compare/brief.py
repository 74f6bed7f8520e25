"""Turns the rows of summaries into what is read first: which holds most, and six figures each, at 80 columns.

The figures: tokens of the summary, how many it stands for, what it holds of paths, identifiers, tasks and so
on (mean of kinds), what of the probes it answers (mean of kinds), tokens of the model that wrote it, and seconds.
"""

from collections.abc import Iterable, Sequence
from statistics import fmean

from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.study.compare.rows import SummaryRow
from ctxmgr.study.console import ALL_FIGURES, figure, figures_table, plain

HEADS = ("strategy, format", "summary", "stands for", "holds", "answers", "model tokens", "seconds")
ABOUT = (
    "holds, answers: means of kinds, 0 to 1, of what the removed messages mention\n"
    f"and of the memory probes.\n{ALL_FIGURES}"
)


def brief(rows: Sequence[SummaryRow]) -> RenderableType:
    """By recording."""
    parts: list[RenderableType] = []
    for name in dict.fromkeys(row.recording for row in rows):
        mine = [row for row in rows if row.recording == name]
        parts += [plain(name, "bold"), plain(verdict(mine)), *map(plain, both_ways(mine)), _table(mine)]
    return Group(*parts, *([plain(ABOUT)] if rows else []))


def verdict(rows: Sequence[SummaryRow]) -> str:
    """Which summary of one recording answers most, else which holds most; the shorter one of two."""
    measured = [row for row in rows if answers(row) is not None or holds(row) is not None]
    if not measured:
        return "Nothing was measured."
    best = max(measured, key=lambda row: (answers(row) or 0, holds(row) or 0, -row.summary_tokens))
    found = answers(best)
    what = "holds most" if found is None else f"answers most: {found:.2f} of the probes"
    bad = sum(bool(row.failures or row.fallback_reasons) for row in rows)
    failed = f"{bad} of {len(rows)} were written without a model or failed" if bad else "nothing failed"
    return f"{named(best)} {what}; {failed}."


def both_ways(rows: Sequence[SummaryRow]) -> list[str]:
    """A line on what a model's call costs with a copy and at the end of the list, of the dearest summary; none
    where neither is open or nothing has a price."""
    bills = [row.bill for row in rows if row.bill is not None and row.bill.counted_in == "dollars"]
    if not bills:
        return []
    dearest = max(bills, key=lambda bill: bill.cheaper_cost)
    parts = ((dearest.cold_cost, "with a copy"), (dearest.warm_cost, "at the list's end"))
    costs = [f"{cost:,.3f} $ {where}" for cost, where in parts if cost is not None]
    return [f"A model's call for it: {', '.join(costs)}."] if costs else []


def named(row: SummaryRow) -> str:
    return f"{row.strategy}, {row.format}"


def holds(row: SummaryRow) -> float | None:
    """The mean share of kinds of which anything was removed."""
    counts = (row.retained or {}).values()
    return _mean(one.retained_count / one.total_count for one in counts if one.total_count)


def answers(row: SummaryRow) -> float | None:
    """The mean share of kinds of probes."""
    shares = (one.every.share for one in row.probes.kinds.values()) if row.probes else ()
    return _mean(one for one in shares if one is not None)


def _mean(values: Iterable[float]) -> float | None:
    some = list(values)
    return fmean(some) if some else None


def _table(rows: Sequence[SummaryRow]) -> Table:
    table = figures_table("", HEADS)
    for row in rows:
        shares = (figure(one, 2) for one in (holds(row), answers(row)))
        sizes = (f"{row.summary_tokens:,}", f"{row.replaced_tokens:,}")
        spent = f"{row.input_tokens + row.output_tokens:,}"
        table.add_row(plain(named(row)), *sizes, *shares, spent, f"{row.wall_ms / 1_000:.2f}")
    return table
