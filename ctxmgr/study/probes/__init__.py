"""Memory probes: questions about a recorded session that rules derive from it, and how much of each answer a list
still contains. No model asks, answers or judges.

`history` reads from messages what happened (with `messages`, `commands` and `wording`), `kinds` turns that into
probes, and `figures` grades lists by their `evidence`. This package must know neither `ctxmgr.engine` nor
`ctxmgr.summarize`: what measures a policy must not share its recognition. A grade says what could be answered, not
what would be.
"""

from ctxmgr.study.probes import evidence, figures, history, kinds
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
    "history",
    "kinds",
    "lists_of",
    "means",
    "probes_table",
    "scores",
    "write_failed",
]
