"""Memory probes: questions about a recorded session that rules derive from it, and how much of each answer a list
still contains. No model asks, answers or judges.

`reading` turns messages into what happened, `kinds` turns that into probes, `evidence` and `grading` grade lists.
This package must know neither `ctxmgr.engine` nor `ctxmgr.summarize`: what is measured must not derive its own
answers. A grade says what could be answered, not what would be.
"""

from ctxmgr.study.probes import evidence, figures, kinds, reading
from ctxmgr.study.probes.command import (
    Probing,
    drawn,
    failed_line,
    probes_table,
    write_failed,
)
from ctxmgr.study.probes.evidence import ProbeKind
from ctxmgr.study.probes.figures import Scores, failures, means, scores
from ctxmgr.study.probes.probing import NEWEST, RemovedPart, Stub, graded, lists_of

__all__ = [
    "NEWEST",
    "ProbeKind",
    "Probing",
    "RemovedPart",
    "Scores",
    "Stub",
    "drawn",
    "evidence",
    "failed_line",
    "failures",
    "figures",
    "graded",
    "kinds",
    "lists_of",
    "means",
    "probes_table",
    "reading",
    "scores",
    "write_failed",
]
