"""Memory probes: questions about a recorded session that follow from it by rules, and how much of each answer a
list still holds. No model asks, answers or judges.

`reading` turns messages into what happened, `kinds` that into probes, `index` and `asking` grade lists. It must
know neither `ctxmgr.engine` nor `ctxmgr.summarize`: what is measured derives no answer. A grade says what could be
answered, not what would be.
"""

from ctxmgr.study.probes.command import Probing, drawn
from ctxmgr.study.probes.figures import Scores, means
from ctxmgr.study.probes.probing import lists_of
from ctxmgr.study.probes.stub import Stub
from ctxmgr.study.probes.summaries import of_summary
from ctxmgr.study.probes.tables import probes_table

__all__ = ["Probing", "Scores", "Stub", "drawn", "lists_of", "means", "of_summary", "probes_table"]
