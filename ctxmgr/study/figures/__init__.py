"""Figures of one session under one policy, of several, how sure they are, and as tables. Know no sidecar."""

from ctxmgr.study.figures import figures, tables
from ctxmgr.study.figures.code_length import CodeLengths
from ctxmgr.study.figures.figures import Figures
from ctxmgr.study.figures.measures import Measures, measure
from ctxmgr.study.figures.resampling import difference
from ctxmgr.study.figures.tables import means_table, prices_line

__all__ = [
    "CodeLengths",
    "Figures",
    "Measures",
    "difference",
    "figures",
    "means_table",
    "measure",
    "prices_line",
    "tables",
]
