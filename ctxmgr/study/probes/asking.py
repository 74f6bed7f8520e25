"""Turns the lists that a policy sent into grades of the probes, and into where each lost evidence was lost.

A failed probe is one with less than all of its evidence. What it lost is told by the messages that held it: the
newest call whose list had one of them, and which of them the next list no longer had.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.study.metrics import Observation
from ctxmgr.study.probes.evidence import Probe, grade
from ctxmgr.study.probes.index import EvidenceIndex, Ids
from ctxmgr.study.probes.precision import Precision
from ctxmgr.study.probes.session import Examined

WHOLE = 1 - 1e-9
LEFT_SHOWN = 3


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
    """The lists of one policy's calls, as numbers of messages, by the id of the reply that followed."""

    def __init__(self, index: EvidenceIndex, sights: Sequence[Observation]) -> None:
        self._index, self._sights = index, sights
        self._ids = [tuple(index.number(one.raw) for one in sight.projected_messages) for sight in sights]
        self._calls = {sight.reply.id: call for call, sight in enumerate(sights)}
        self._calls_by_message: dict[int, list[int]] = {}  # message to the calls that it was sent at
        for call, ids in enumerate(self._ids):
            for id in set(ids):
                self._calls_by_message.setdefault(id, []).append(call)

    def call(self, reply: str) -> int | None:
        return self._calls.get(reply)

    def ids(self, call: int) -> Ids:
        return frozenset(self._ids[call])

    def lost(self, probe: Probe, call: int) -> Loss:
        """Of the missing evidence, what went last."""
        ids = self.ids(call)
        best = Loss(-1)
        for part in probe.parts:
            for evidence in part.evidence:
                for holders in self._index.holder_sets(evidence):
                    if holders.isdisjoint(ids):
                        best = max(best, self._left(holders, call), key=lambda one: one.call_index)
        return best

    def _left(self, holders: Ids, call: int) -> Loss:
        last = max((at for id in holders for at in self._calls_by_message.get(id, ()) if at < call), default=None)
        if last is None:
            return Loss(-1)
        gone = [id for id in self._ids[last] if id in holders]
        first = self._sights[last + 1]
        return Loss(last + 1, first.epoch_number, first.own > 0, tuple(map(self._described, gone[:LEFT_SHOWN])))

    def _described(self, id: int) -> str:
        entry = self._index.entries[id]
        calls = ", ".join(call.name for call in entry.turn.calls)
        start = " ".join(" ".join(entry.lines).split())[:80]
        return f"{entry.turn.role}{f' calling {calls}' if calls else ''}: {start}"


def answers(of: Examined, index: EvidenceIndex, lists: ProjectedLists) -> PolicyGrades:
    """Asked at the points whose call the policy made."""
    found: list[GradedProbe] = []
    calls = [(point, call) for point in of.points if (call := lists.call(point.reply)) is not None]
    for point, call in calls:
        found += _asked(point.probes, call, index, lists)
    return PolicyGrades(tuple(found), len(calls))


def _asked(
    probes: Sequence[Probe], call: int, index: EvidenceIndex, lists: ProjectedLists
) -> Iterator[GradedProbe]:
    ids = lists.ids(call)
    for probe in probes:
        share = grade(probe, lambda evidence: index.share(evidence, ids))
        yield GradedProbe(call, probe, share, None if share >= WHOLE else lists.lost(probe, call))
