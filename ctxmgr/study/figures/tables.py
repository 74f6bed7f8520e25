"""Tables of figures for a terminal, with the metrics that a view shows."""

import textwrap
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.model import currency
from ctxmgr.study.console import figures_table, plain
from ctxmgr.study.figures.pooling import FLOOR, LONG_TOKENS
from ctxmgr.study.figures.registry import DOLLARS, SHARE, Figures, View, at
from ctxmgr.study.figures.table import METRICS, shown

COLUMNS = 80  # of a legend
NOT_REACTING = "recorded replies do not react to what is shown: the figures say what a reply would have missed"


def table(rows: Sequence[tuple[str, Figures]], view: View, title: str = "") -> Table:
    """Of one recording: (preset, figures)."""
    metrics = shown(view)
    made = figures_table(title, ("policy", *(metric.title for metric in metrics)))
    for preset, figures in rows:
        made.add_row(plain(preset), *(metric.text(metric.number(figures)) for metric in metrics))
    return made


def wide_table(rows: Sequence[tuple[str, Figures]], floor: Figures) -> RenderableType:
    """All that is shown of one recording: a row a metric, a column a policy. `floor` as plain values."""
    first = rows[0][1]
    title = f"what it costs and what it still knows: {first['rawTokens']:,} tokens of conversation"
    made = figures_table("")
    made.add_column("figure", no_wrap=True)
    for preset, _ in rows:
        made.add_column(plain(preset), justify="right")
    for metric in shown("wide"):
        made.add_row(metric.title, *(metric.text(metric.number(figures)) for _, figures in rows))
    about = (
        f"floor, which no policy costs less than: {_cell(floor['billedOfOff'])} of what off is billed\n"
        f"tokens by {first['weighedBy']}; {prices_line(first['prices'])}\n{legend('wide')}\n{NOT_REACTING}"
    )
    return Group(plain(title, "italic"), made, plain(about))


def totals_table(rows: Sequence[Figures], wide: bool) -> Table:
    """Rows of `totals`: of all recordings together. In 80 columns unless it is `wide`, and without the floor."""
    metrics = shown("totals")
    if not wide:
        metrics = [metric for metric in metrics if "brief" in metric.shown and metric.unit is not DOLLARS]
    heads = ("policy", "recordings", *(metric.title for metric in metrics), "kept: mean", "worst")
    made = figures_table("all recordings together", heads)
    for row in rows:
        if wide or row["preset"] != FLOOR:
            cells = [metric.text(at(row, metric.total)) for metric in metrics]
            kept = map(_cell, (at(row, "mean.kept"), row.get("worstKept")))
            made.add_row(plain(row["preset"]), str(row["recordings"]), *cells, *kept)
    made.caption = legend("totals") if wide else None
    return made


def means_table(rows: Sequence[Figures]) -> Table:
    """Rows of `means`."""
    metrics = [metric for metric in METRICS if metric.mean]
    heads = ("from tokens", "policy", "recordings", *(metric.title for metric in metrics))
    made = figures_table("means over recordings, each counting the same", (*heads, "stray breaks"))
    for number, row in enumerate(rows):
        is_last = number + 1 == len(rows) or rows[number + 1]["fromTokens"] != row["fromTokens"]
        made.add_row(
            f"{row['fromTokens']:,}" if row["fromTokens"] else "all",
            plain(row["preset"]),
            str(row["recordings"]),
            *(metric.text(row[metric.mean]) for metric in metrics),
            str(row["unannouncedBreaks"]),
            end_section=is_last,
        )
    made.caption = f"from {LONG_TOKENS:,} tokens of conversation on, and all"
    return made


def legend(view: View) -> str:
    """What the columns mean."""
    meanings = (f"{metric.title}: {metric.about[0].lower()}{metric.about[1:-1]}" for metric in shown(view))
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
