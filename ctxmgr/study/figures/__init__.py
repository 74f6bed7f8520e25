"""The registry of metrics, and what is generated from it: plain values, tables and Parquet columns.

Does not depend on the sidecar.
"""

from ctxmgr.study.figures import closed_cost, cost
from ctxmgr.study.figures.code_length import CodeLengths
from ctxmgr.study.figures.metric import Figures, Measures, interval, mean, value_at
from ctxmgr.study.figures.table import (
    CALLS,
    Column,
    ShownTable,
    calls,
    columns,
    difference,
    figures,
    legend,
    of_recording,
    of_totals,
    prices,
    prices_line,
    shown,
    totals,
)

__all__ = [
    "CALLS",
    "CodeLengths",
    "Column",
    "Figures",
    "Measures",
    "ShownTable",
    "value_at",
    "calls",
    "closed_cost",
    "columns",
    "cost",
    "difference",
    "figures",
    "interval",
    "legend",
    "mean",
    "of_recording",
    "of_totals",
    "prices",
    "prices_line",
    "shown",
    "totals",
]
