"""One page of figures and drawings, without a script or a file beside it. Knows no recording and runs nothing."""

from ctxmgr.study.report import page
from ctxmgr.study.report.front import PolicyPoint, document
from ctxmgr.study.report.plots import escaped
from ctxmgr.study.report.rows import BASE, PolicyRow, RecordingSheet, knob_name

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
