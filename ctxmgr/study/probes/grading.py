"""Grades of the probes for the lists that a policy sent, and where each lost evidence was lost.

A failed probe is one with less than all of its evidence. What it lost is told by the messages that held it: the
newest call whose list had one of them, and which of them the next list no longer had.
"""

from collections.abc import Sequence
from functools import partial

import msgspec

from ctxmgr.study.observations import Observation
from ctxmgr.study.probes.evidence import EvidenceIndex, Ids, Probe, grade
from ctxmgr.study.probes.precision import Precision
from ctxmgr.study.probes.session import Examined

WHOLE = 1 - 1e-9
HOLDERS_SHOWN = 3


class Loss(msgspec.Struct, frozen=True):
    """`call_index`: from this one on it was not there, -1: it never was; `epoch_number` of that call; `holders`:
    what had held it.

    `after_compaction`: the host had compacted before that call.
    """

    call_index: int
    epoch_number: int = 0
    after_compaction: bool = False
    holders: tuple[str, ...] = ()


class GradedProbe(msgspec.Struct, frozen=True):
    """One probe at one call. `lost` where it failed."""

    call_index: int
    probe: Probe
    grade: float
    loss: Loss | None = None


class PolicyGrades(msgspec.Struct, frozen=True):
    """One policy on one session, asked at so many points. `tokens` a call, mean; `precision`: of its packets, None
    where nobody asked."""

    answers: tuple[GradedProbe, ...]
    point_count: int
    tokens: float | None = None
    precision: Precision | None = None


class ProjectedLists:
    """The lists of one policy's calls, as numbers of messages. `calls`: by the id of the reply that followed."""

    def __init__(self, index: EvidenceIndex, sights: Sequence[Observation]) -> None:
        self._index, self._sights = index, sights
        self._lists = [tuple(index.number(message.raw) for message in sight.projected_messages) for sight in sights]
        self.calls = {sight.reply.id: call for call, sight in enumerate(sights)}
        self._calls_by_message: dict[int, list[int]] = {}
        for call, ids in enumerate(self._lists):
            for id in set(ids):
                self._calls_by_message.setdefault(id, []).append(call)

    def ids(self, call: int) -> Ids:
        return frozenset(self._lists[call])

    def loss(self, probe: Probe, call: int) -> Loss:
        """Of the missing evidence, what went last."""
        ids = self.ids(call)
        holder_sets = (
            holders
            for part in probe.parts
            for evidence in part.evidence
            for holders in self._index.holder_sets(evidence)
        )
        losses = (self._loss_of(holders, call) for holders in holder_sets if holders.isdisjoint(ids))
        return max(losses, key=lambda loss: loss.call_index, default=Loss(-1))

    def _loss_of(self, holders: Ids, call: int) -> Loss:
        calls = (number for id in holders for number in self._calls_by_message.get(id, ()) if number < call)
        last = max(calls, default=None)
        if last is None:
            return Loss(-1)
        gone = [id for id in self._lists[last] if id in holders]
        first = self._sights[last + 1]
        shown = tuple(map(self._described, gone[:HOLDERS_SHOWN]))
        return Loss(last + 1, first.epoch_number, first.own > 0, shown)

    def _described(self, id: int) -> str:
        message = self._index.entries[id].message
        calls = ", ".join(call.name for call in message.calls)
        start = " ".join(" ".join(message.lines).split())[:80]
        return f"{message.role}{f' calling {calls}' if calls else ''}: {start}"


def answers(of: Examined, index: EvidenceIndex, lists: ProjectedLists) -> PolicyGrades:
    """Asked at the points whose call the policy made."""
    graded: list[GradedProbe] = []
    points = [(point, lists.calls[point.reply]) for point in of.points if point.reply in lists.calls]
    for point, call in points:
        ids = lists.ids(call)
        for probe in point.probes:
            share = grade(probe, partial(index.share, ids=ids))
            graded.append(GradedProbe(call, probe, share, None if share >= WHOLE else lists.loss(probe, call)))
    return PolicyGrades(tuple(graded), len(points))
