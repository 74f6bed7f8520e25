"""All metrics in order, and what is generated from them: plain values, Parquet rows, and a table for a terminal.

To add a metric, add it to `METRICS` of its file (for a new file, also to `METRICS` here).

Combines figures of several recordings into one row for each policy, and computes how certain a difference of two
policies is:

1. Totals sum dollars, and pool ratios: each byte or question counts the same. A policy is compared with `off` on
   the recordings that it was measured on. The floor has its own row.
2. In a mean each recording counts the same, whatever its length. A recording without a figure is left out.
3. The bootstrap draws as many recordings as there are, with repetition, `DRAWS` times; the interval holds the
   middle 95 % of the results. The random numbers are the same in every run.
"""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from statistics import fmean
from typing import Any, TypeVar

import msgspec
from rich.table import Table

from ctxmgr.model import currency
from ctxmgr.study.console import figure, figures_table, plain
from ctxmgr.study.figures import closed_cost, cost, grounding, recall
from ctxmgr.study.figures.metric import (
    DOLLARS,
    PER_100,
    SHARE,
    Figures,
    Measures,
    Metric,
    View,
    interval,
    mean,
    put,
    rounded,
    share,
    value_at,
)
from ctxmgr.study.observations import Observation, PriceSheet, Ratio, message_weigher, total

LEGEND_COLUMNS = 80
T = TypeVar("T")


def _repeats(session: Measures) -> tuple[Ratio, ...]:
    """The ratio behind `kept` (`code_length`): bytes, one for each call."""
    return session.lengths.repeats(session.observations)


KEPT = Metric(
    path="kept",
    title="kept",
    unit=SHARE,
    about="Share of what replies repeat from the earlier conversation that is in the list, by code length.",
    of=lambda session: total(session.once(_repeats)),
    shown=("brief", "page"),
    total="kept",
    columns=("kept_share", "kept_bytes", "repeated_bytes"),
)
METRICS: tuple[Metric, ...] = (
    *closed_cost.METRICS,
    *cost.METRICS,
    KEPT,
    *recall.METRICS,
    *grounding.METRICS,
    *recall.SAID,
)


class Column(msgspec.Struct, frozen=True):
    """A column of Parquet rows. `type`: a Python type, `| None` if nullable; or, for a list, the columns of its
    elements.

    `of`: its value for one session, or one value for each of its calls; None if it does not follow from a session's
    figures. `key`: of a call's column in `--json`; its `name` is "" if it is no Parquet column.
    """

    name: str
    about: str
    type: Any
    of: Callable[[Measures], Any] = lambda session: None
    key: str = ""


def shown(view: View) -> list[Metric]:
    return [metric for metric in METRICS if view in metric.shown]


def figures(session: Measures, base: Measures | None) -> Figures:
    """The figures of one session for `--json`. `base`: the same recording under preset `off`."""
    made: Figures = {"prices": prices(session.sheet), "weighedBy": message_weigher().name}
    for metric in METRICS:
        put(made, metric.path, metric.plain(session, base))
    return {**made, "series": calls(session, {column.key: column for column in CALLS})}


def calls(session: Measures, columns: Mapping[str, Column]) -> list[Figures]:
    """One row for each call, with these columns by their names."""
    rows = zip(*(column.of(session) for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def columns() -> list[Column]:
    """The columns of a corpus row (a recording and policy); for a ratio its share, numerator and denominator."""
    return [
        Column(name, about, type, partial(_value, metric, form))
        for metric in METRICS
        for name, (about, type, form) in zip(
            metric.columns,
            (
                (metric.about, float | None if metric.unit.json_digits else int, "share"),
                (f"Numerator of `{metric.path}`.", int, "part"),
                (f"Denominator of `{metric.path}`.", int, "total"),
            ),
            strict=False,
        )
    ]


def _value(metric: Metric, form: str, session: Measures) -> Any:
    """The metric's number, or this attribute of its ratio."""
    value = metric.of(session)
    return getattr(value, form) if isinstance(value, Ratio) else value


def prices(sheet: PriceSheet) -> Figures:
    """`input`, `output` and the tiers in dollars per million tokens; `read` and `write` as shares of the input
    price.
    """
    usual = sheet.prices
    return {
        "input": usual.input,
        "read": share(usual.cache_read, usual.input) or 0.0,
        "write": share(usual.cache_write, usual.input) or 0.0,
        "ttl_ms": sheet.ttl_ms,
        "output": usual.output,
        "overheadTokens": sheet.overhead_tokens,
        **({} if sheet.rule is None else {"cache": sheet.caching}),
        "tiers": [
            {
                "aboveTokens": tier.above_tokens,
                "input": tier.input,
                "output": tier.output,
                "cacheRead": tier.cache_read,
                "cacheWrite": tier.cache_write,
            }
            for tier in usual.tiers
        ],
    }


# for a terminal, with the most important metrics


class ShownTable(msgspec.Struct, frozen=True):
    """The content of a table for the terminal and the page: heads, one row of cells for each policy, and the
    meaning of each column. `values`: the shares behind the cells, None if a cell is no share of `off`.
    """

    heads: tuple[str, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    values: tuple[tuple[float | None, ...], ...]
    meanings: tuple[tuple[str, str], ...]

    def rendered(self, title: str) -> Table:
        """The table for a terminal."""
        made = figures_table(title, ("policy", *self.heads))
        for name, cells in zip(self.names, self.cells, strict=True):
            made.add_row(plain(name), *cells)
        return made


def of_recording(rows: Sequence[tuple[str, Figures]], metrics: Sequence[Metric]) -> ShownTable:
    """The table of one recording. `rows`: (policy, figures)."""
    numbers = [[metric.number(figures) for metric in metrics] for _, figures in rows]
    return ShownTable(
        heads=tuple(metric.title for metric in metrics),
        names=tuple(name for name, _ in rows),
        cells=tuple(_texts(metrics, row) for row in numbers),
        values=tuple(_shares(metrics, row) for row in numbers),
        meanings=tuple((metric.title, metric.about) for metric in metrics),
    )


def _texts(metrics: Sequence[Metric], numbers: Sequence[float | None]) -> tuple[str, ...]:
    return tuple(metric.text(number) for metric, number in zip(metrics, numbers, strict=True))


def _shares(metrics: Sequence[Metric], numbers: Sequence[float | None]) -> tuple[float | None, ...]:
    return tuple(number if metric.part_of else None for metric, number in zip(metrics, numbers, strict=True))


def legend() -> str:
    """The meaning of the columns of `table`."""
    meanings = (f"{metric.title}: {metric.about[0].lower()}{metric.about[1:-1]}" for metric in shown("brief"))
    return "\n".join(textwrap.wrap("; ".join(meanings), LEGEND_COLUMNS))


def prices_line(prices: Figures) -> str:
    """Formats the result of `prices` on one line."""
    return (
        f"input at {prices['input']:g} {currency.A_MILLION_TOKENS}, read {prices['read']:g}, "
        f"write {prices['write']:g}, "
        f"cache {prices['ttl_ms'] / 1000:g} s{', ' + prices['cache'] if 'cache' in prices else ''}"
    )


# for each call


def _call(
    key: str, name: str, about: str, type: Any, measure: Callable[[Measures], Sequence[T]], of: Callable[[T], Any]
) -> Column:
    """`measure`: returns one measurement for each call of a session. `of`: returns the figure in it."""
    return Column(name, about, type, lambda session: [of(call) for call in session.once(measure)], key)


def _shown(session: Measures) -> Sequence[Observation]:
    return session.observations


def _spent(session: Measures) -> list[float]:
    sums = accumulate(call.money for call in session.once(cost.of_session))
    return [round(dollars, 6) for dollars in sums]


BILLED = cost.of_session
CALLS: tuple[Column, ...] = (
    _call(
        "at",
        "time_ms",
        "Time of the call in ms. null: unknown.",
        int | None,
        _shown,
        lambda call: call.time_ms,
    ),
    _call("sent", "sent_tokens", "Tokens of the list that was sent.", int, BILLED, lambda call: call.tokens),
    _call(
        "cached",
        "cached_tokens",
        "Of these, tokens that are the same as in the call before.",
        int,
        BILLED,
        lambda call: call.cached,
    ),
    _call("dollars", "dollars", "Cost of its input.", float, BILLED, lambda call: call.money),
    Column("", "What the input costs up to it.", float, _spent, "spent"),
    _call("epoch", "epoch_number", "Number of its cache epoch.", int, _shown, lambda call: call.epoch_number),
    _call(
        "announced",
        "is_announced",
        "Whether this call began the epoch.",
        bool,
        BILLED,
        lambda call: call.announced,
    ),
    _call(
        "broke",
        "is_broken",
        "Whether its list begins differently from the one before.",
        bool,
        BILLED,
        lambda call: call.broke,
    ),
    _call("cold", "is_cold", "Whether the cache had expired.", bool, BILLED, lambda call: call.cold),
    _call(
        "own",
        "own_count",
        "Compactions that the host made on its own before it.",
        int,
        _shown,
        lambda call: call.own,
    ),
    _call("names", "name_count", "Names that its reply uses.", int, recall.calls, lambda call: call.total),
    _call(
        "recalled",
        "recalled_count",
        "Of these, names in view.",
        int,
        recall.calls,
        lambda call: call.part,
    ),
    _call(
        "keptOf",
        "",
        "Bytes that the old conversation gave to its reply.",
        int,
        _repeats,
        lambda call: call.total,
    ),
    _call("keptBytes", "", "Of these bytes those that its list gave.", int, _repeats, lambda call: call.part),
    _call("lines", "", "Lines that its edits replace.", int, grounding.calls, lambda call: call.total),
    _call("grounded", "", "Of these those in view.", int, grounding.calls, lambda call: call.part),
)


FLOOR = "floor"


def totals(parts: Sequence[Sequence[Figures]], base: str) -> list[Figures]:
    """Rule 1. `parts`: for each recording, one row for each policy, with "preset" and "measures"; the first row has
    "floor".
    """
    measured = [{row["preset"]: row["measures"] for row in part} for part in parts]
    names = dict.fromkeys(name for part in measured for name in part)
    floor = sum(part[0]["floor"]["money"] for part in parts)
    of_base = {key: share(floor, _sum([part[base] for part in measured], key)) for key in ("billed", "closed")}
    return [
        *(_total(name, [part for part in measured if name in part], base) for name in names),
        {
            "preset": FLOOR,
            "recordings": len(parts),
            "money": {"billed": floor},
            "together": {**of_base, "all": None},
        },
    ]


def _total(name: str, measured: Sequence[Figures], base: str) -> Figures:
    """`measured`: figures by policy, for each recording that this policy was measured on."""
    mine, bases = ([part[policy] for part in measured] for policy in (name, base))
    calls = sum(measures["closedLoop"]["calls"] for measures in mine)
    row: Figures = {"preset": name, "recordings": len(mine), "calls": calls}
    for metric in METRICS:
        if metric.total:
            put(row, metric.total, _pooled(metric, mine, bases))
    averaged = {key: f"closedLoop.{key}OfOff" for key in ("billed", "closed", "all")} | {"kept": "kept.share"}
    row["mean"] = {
        key: rounded(mean(value_at(measures, path) for measures in mine), SHARE) for key, path in averaged.items()
    }
    return row | {"worstKept": _worst_kept(mine)}


def _pooled(metric: Metric, mine: Sequence[Figures], bases: Sequence[Figures]) -> float | None:
    if metric.unit is PER_100:
        return share(100 * _sum(mine, "fetches"), _sum(mine, "calls"))
    if metric.part_of:
        key = metric.total.rpartition(".")[2]
        return share(_sum(mine, key), _sum(bases, key))
    values = [value_at(measures, metric.path) for measures in mine]
    if metric.unit is SHARE:
        return share(sum(value["held"] for value in values), sum(value["of"] for value in values))
    return rounded(sum(values), metric.unit)


def _sum(some: Iterable[Figures], key: str) -> float:
    return float(sum(value_at(measures["closedLoop"], key) for measures in some))


RECORDINGS = ("recordings", "The number of recordings that the policy was measured on.")
OF_KEPT = (
    ("mean", "The mean of `kept`; each recording counts the same."),
    ("worst", "The least `kept` of any recording."),
)


def of_totals(rows: Sequence[Figures]) -> ShownTable:
    """The table of `totals`, without the floor. `kept` is followed by its mean and its worst value."""
    metrics = [metric for metric in shown("brief") if metric.total and metric.unit is not DOLLARS]
    behind = metrics.index(KEPT) + 1
    policies = [row for row in rows if row["preset"] != FLOOR]
    cells, values = [], []
    for row in policies:
        numbers = [value_at(row, metric.total) for metric in metrics]
        kept = (figure(value, SHARE.digits) for value in (row["mean"]["kept"], row["worstKept"]))
        texts, shares = _texts(metrics, numbers), _shares(metrics, numbers)
        cells.append((str(row["recordings"]), *texts[:behind], *kept, *texts[behind:]))
        values.append((None, *shares[:behind], None, None, *shares[behind:]))
    meanings = [(metric.title, metric.about) for metric in metrics]
    meanings[behind:behind] = OF_KEPT
    meanings.insert(0, RECORDINGS)
    return ShownTable(
        heads=tuple(title for title, _ in meanings),
        names=tuple(row["preset"] for row in policies),
        cells=tuple(cells),
        values=tuple(values),
        meanings=tuple(meanings),
    )


def _worst_kept(some: Sequence[Figures]) -> float | None:
    shares = (measures["kept"]["share"] for measures in some)
    return min((share for share in shares if share is not None), default=None)


def difference(pairs: Sequence[tuple[float, float]]) -> Figures:
    """Rule 3: the difference of two policies, first minus second: the number of recordings, the mean, and its
    interval. `pairs`: the values on each recording; at least one. With a single recording the interval is that
    value.
    """
    deltas = [first - second for first, second in pairs]
    low, high = interval(len(deltas), lambda drawn: fmean(map(deltas.__getitem__, drawn)))
    return {"recording_count": len(deltas), "mean": fmean(deltas), "low": low, "high": high}
