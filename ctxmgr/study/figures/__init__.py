"""All figures of one session under one policy, of several, and the tables that people see. Know no sidecar."""

from ctxmgr.study.figures import figures, tables
from ctxmgr.study.figures.figures import Figures
from ctxmgr.study.figures.measures import Measures, measure
from ctxmgr.study.figures.tables import means_table, prices_line

__all__ = ["Figures", "Measures", "figures", "means_table", "measure", "prices_line", "tables"]
