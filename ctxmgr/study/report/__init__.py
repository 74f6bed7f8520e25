"""One page of figures and drawings, without any other file. Knows no recordings and runs nothing."""

from ctxmgr.study.report import page
from ctxmgr.study.report.front import BASE, PolicyPoint, PolicyRow, RecordingSheet, document, knob_name
from ctxmgr.study.report.plots import escaped

__all__ = [
    "BASE",
    "PolicyPoint",
    "PolicyRow",
    "RecordingSheet",
    "document",
    "escaped",
    "knob_name",
    "page",
]
