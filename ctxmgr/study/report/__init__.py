"""One page of figures and drawings, without any other file. Knows no recordings and runs nothing."""

from ctxmgr.study.report import front, page, plots
from ctxmgr.study.report.front import BASE, PolicyPoint, PolicyRow, RecordingSheet, knob_name
from ctxmgr.study.report.plots import escaped

__all__ = [
    "BASE",
    "PolicyPoint",
    "PolicyRow",
    "RecordingSheet",
    "escaped",
    "front",
    "knob_name",
    "page",
    "plots",
]
