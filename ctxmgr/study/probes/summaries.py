"""Turns a summary, and what it replaces, into scores: what it answers by itself of all that was asked there.

Used is what the kept part uses again: it is what came after.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.probes.asking import GradedProbe, PolicyGrades
from ctxmgr.study.probes.evidence import grade
from ctxmgr.study.probes.figures import Scores, scores
from ctxmgr.study.probes.index import EvidenceIndex
from ctxmgr.study.probes.kinds import probes
from ctxmgr.study.probes.reading import history, turn
from ctxmgr.study.probes.session import names_of
from ctxmgr.study.recordings import compaction_message


class RemovedPart:
    """What was taken out and what was kept, messages as pi stores them, oldest first: read once, asked of as many
    summaries as there are."""

    def __init__(self, removed: Sequence[bytes], kept: Sequence[bytes]) -> None:
        of = history([turn(raw) for raw in (*removed, *kept)])
        self._names = names_of(of)
        self._probes = probes(of, len(removed))

    def scores(self, summary: str) -> Scores:
        index = EvidenceIndex(self._names)
        ids = frozenset({index.number(compaction_message(summary, 0, 0))})
        found = [
            GradedProbe(0, probe, grade(probe, lambda evidence: index.share(evidence, ids)))
            for probe in self._probes
        ]
        return msgspec.structs.replace(scores(PolicyGrades(tuple(found), ((),))), untrue=None)


def of_summary(removed: Sequence[bytes], kept: Sequence[bytes], summary: str) -> Scores:
    """`removed` and `kept`: messages as pi stores them, oldest first."""
    return RemovedPart(removed, kept).scores(summary)
