"""The registry of metrics, and what is generated from it: plain values, tables and Parquet columns.

Does not depend on the sidecar.
"""

from ctxmgr.study.figures import closed_cost, cost
from ctxmgr.study.figures.code_length import CodeLengths
from ctxmgr.study.figures.registry import Figures, Measures, interval, value_at
from ctxmgr.study.figures.table import (
    CALLS,
    Column,
    ShownTable,
    columns,
    difference,
    figures,
    legend,
    of_recording,
    of_totals,
    prices,
    prices_line,
    shown,
    table,
    totals,
    totals_table,
)

__all__ = [
    "CALLS",
    "CodeLengths",
    "Column",
    "Figures",
    "Measures",
    "ShownTable",
    "value_at",
    "closed_cost",
    "columns",
    "cost",
    "difference",
    "figures",
    "interval",
    "legend",
    "of_recording",
    "of_totals",
    "prices",
    "prices_line",
    "shown",
    "table",
    "totals",
    "totals_table",
]
