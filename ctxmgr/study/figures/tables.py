"""Tables of figures for a terminal, with the few metrics that count most."""

import textwrap
from collections.abc import Sequence

from rich.table import Table

from ctxmgr.model import currency
from ctxmgr.study.console import figures_table, plain
from ctxmgr.study.figures.pooling import FLOOR
from ctxmgr.study.figures.registry import DOLLARS, SHARE, Figures, value_at
from ctxmgr.study.figures.table import shown

COLUMNS = 80  # of a legend


def table(rows: Sequence[tuple[str, Figures]]) -> Table:
    """Of one recording: (preset, figures)."""
    metrics = shown("brief")
    made = figures_table("", ("policy", *(metric.title for metric in metrics)))
    for preset, figures in rows:
        made.add_row(plain(preset), *(metric.text(metric.number(figures)) for metric in metrics))
    return made


def totals_table(rows: Sequence[Figures]) -> Table:
    """Rows of `totals`: of all recordings together, without the floor."""
    metrics = [metric for metric in shown("brief") if metric.total and metric.unit is not DOLLARS]
    heads = ("policy", "recordings", *(metric.title for metric in metrics), "kept: mean", "worst")
    made = figures_table("all recordings together", heads)
    for row in rows:
        if row["preset"] != FLOOR:
            cells = [metric.text(value_at(row, metric.total)) for metric in metrics]
            kept = map(_cell, (value_at(row, "mean.kept"), row.get("worstKept")))
            made.add_row(plain(row["preset"]), str(row["recordings"]), *cells, *kept)
    return made


def legend() -> str:
    """What the columns mean."""
    meanings = (f"{metric.title}: {metric.about[0].lower()}{metric.about[1:-1]}" for metric in shown("brief"))
    return "\n".join(textwrap.wrap("; ".join(meanings), COLUMNS))


def prices_line(prices: Figures) -> str:
    """Of `table.prices`."""
    return (
        f"input at {prices['input']:g} {currency.A_MILLION_TOKENS}, read {prices['read']:g}, "
        f"write {prices['write']:g}, "
        f"cache {prices['ttl_ms'] / 1000:g} s{', ' + prices['cache'] if 'cache' in prices else ''}"
    )


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.{SHARE.digits}f}"
