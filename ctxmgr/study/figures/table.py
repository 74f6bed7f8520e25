"""All metrics in their order, and what is generated from them for one session: plain values, and Parquet rows.

To add a metric, add it to `METRICS` of its file (a new file: to `METRICS` here).
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ctxmgr.study.figures import closed_cost, cost, grounding, kept, recall, said
from ctxmgr.study.figures.calls import series
from ctxmgr.study.figures.registry import SHARE, Figures, Measures, Metric, View, put, share
from ctxmgr.study.observations import PriceSheet, Ratio, message_cache

METRICS: tuple[Metric, ...] = tuple(
    metric for of in (closed_cost, cost, kept, recall, grounding, said) for metric in of.METRICS
)


class Column(msgspec.Struct, frozen=True):
    """A column of Parquet rows: its name, what it is, its type, and its value for one session."""

    name: str
    about: str
    type: Any
    of: Callable[[Measures], float | int | None]


def shown(view: View) -> list[Metric]:
    return [metric for metric in METRICS if view in metric.shown]


def figures(session: Measures, base: Measures | None) -> Figures:
    """Of one session, as `--json` has them. `base`: the same recording under preset `off`."""
    made: Figures = {"prices": prices(session.sheet), "weighedBy": message_cache.weigher().name}
    for metric in METRICS:
        put(made, metric.path, metric.plain(session, base))
    made["series"] = series(session)
    return made


def columns() -> Iterator[Column]:
    """The columns of a recording and policy in a corpus: of a ratio its share, its part and its whole."""
    for metric in METRICS:
        for name, (about, type, take) in zip(metric.columns, _forms(metric), strict=False):
            yield Column(name, about, type, take)


def _forms(metric: Metric) -> Iterator[tuple[str, Any, Callable[[Measures], Any]]]:
    """The number, or the share; then part and whole of a ratio."""

    def number(session: Measures) -> Any:
        value = metric.of(session)
        return value.share if isinstance(value, Ratio) else value

    yield metric.about, int if metric.unit.json_digits == 0 else float | None, number
    yield f"The part of `{metric.path}`.", int, lambda session: _ratio(metric, session).part
    yield f"The whole of `{metric.path}`.", int, lambda session: _ratio(metric, session).total


def _ratio(metric: Metric, session: Measures) -> Ratio:
    value = metric.of(session)
    assert isinstance(value, Ratio)
    return value


def from_row(row: Figures, base: Figures | None) -> Figures:
    """Figures again, of the columns of a Parquet row. `base`: the row of preset `off` on the same recording."""
    made: Figures = {}
    for metric in METRICS:
        values = [row[column] for column in metric.columns]
        if metric.unit is SHARE and values:
            put(made, metric.path, dict(zip(("share", "held", "of"), values, strict=False)))
        elif values:
            put(made, metric.path, values[0])
    for metric in METRICS:
        if metric.part_of and base is not None:
            columns = next(other.columns for other in METRICS if other.path == metric.part_of)
            if columns:
                put(made, metric.path, share(row[columns[0]], base[columns[0]]))
    return made


def prices(sheet: PriceSheet) -> Figures:
    """`input`, `output` and tiers' in dollars a million tokens, `read` and `write` as shares of the input price."""
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
