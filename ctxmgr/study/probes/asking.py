"""Turns the lists that a policy sent into grades of the probes, and into where each lost evidence was lost.

A failed probe is one with less than all of its evidence. What it lost is told by the messages that held it: the
newest call whose list had one of them, and which of them the next list no longer had.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.study.metrics import Observation, stands_for_others
from ctxmgr.study.probes.evidence import Probe, grade
from ctxmgr.study.probes.index import EvidenceIndex, Ids
from ctxmgr.study.probes.session import Examined
from ctxmgr.study.probes.untrue import untrue

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
    """One policy on one session. `untrue`: statements that do not hold, at each point, whose calls are
    `call_indices`; `tokens` a call, mean."""

    answers: tuple[GradedProbe, ...]
    untrue: tuple[tuple[str, ...], ...]
    tokens: float | None = None
    call_indices: tuple[int, ...] = ()


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

    def stand_ins(self, call: int) -> tuple[int, ...]:
        """Messages that stand for others: the packet, a host's summary."""
        sight = self._sights[call]
        return tuple(
            id
            for id, one in zip(self._ids[call], sight.projected_messages, strict=True)
            if stands_for_others(sight, one)
        )

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
    wrong = []
    calls = []
    for point in of.points:
        call = lists.call(point.reply)
        if call is None:
            continue
        ids = lists.ids(call)
        found += _asked(point.probes, call, index, lists)
        wrong.append(untrue(of, point.end, index, ids, lists.stand_ins(call)))
        calls.append(call)
    return PolicyGrades(tuple(found), tuple(wrong), call_indices=tuple(calls))


def _asked(
    probes: Sequence[Probe], call: int, index: EvidenceIndex, lists: ProjectedLists
) -> Iterator[GradedProbe]:
    ids = lists.ids(call)
    for probe in probes:
        share = grade(probe, lambda evidence: index.share(evidence, ids))
        yield GradedProbe(call, probe, share, None if share >= WHOLE else lists.lost(probe, call))
