"""Aggregates answers into figures: each kind by policy, for the used probes and for all; over points, then over
recordings.

A kind's figure in one session is the mean over its points of the mean of its probes there; over sessions, the mean
of theirs. A point or session without such a probe is skipped.

Also grades the probes for the lists that a policy sent, and finds where each piece of missing evidence was lost.

A failed probe is one without all of its evidence. The loss is located by the messages that contained the evidence:
the newest call whose list had one of them, and which of them the next list lacked.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import fmean
from typing import get_args

import msgspec

from ctxmgr.study.figures import Figures, mean
from ctxmgr.study.observations import Observation
from ctxmgr.study.probes.evidence import EvidenceIndex, Ids, Probe, ProbeKind, grade
from ctxmgr.study.probes.kinds import Examined
from ctxmgr.study.probes.precision import LineCounts, Precision

WHOLE = 1 - 1e-9
HOLDERS_SHOWN = 3


class Loss(msgspec.Struct, frozen=True):
    """`call_index`: the first call without it, -1: it was never there. `epoch_number` of that call. `holders`: what
    had contained it. `after_compaction`: the host had compacted before that call. Plain values have shorter names.
    """

    call_index: int = msgspec.field(name="call")
    epoch_number: int = msgspec.field(name="epoch", default=0)
    after_compaction: bool = msgspec.field(name="compacted", default=False)
    holders: tuple[str, ...] = msgspec.field(name="left", default=())


class GradedProbe(msgspec.Struct, frozen=True):
    """One probe at one call. `lost` if it failed."""

    call_index: int
    probe: Probe
    grade: float
    loss: Loss | None = None


class PolicyGrades(msgspec.Struct, frozen=True):
    """One policy on one session, asked at several points. `tokens` per call, mean. `precision`: of its packets,
    None if not asked for.
    """

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
        """Of the missing evidence, what was lost last."""
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


KINDS: tuple[str, ...] = get_args(ProbeKind)


class Score(msgspec.Struct, frozen=True):
    """`share` 0 to 1 of this many probes, None for none."""

    share: float | None
    probe_count: int = msgspec.field(name="probes")


class KindScores(msgspec.Struct, frozen=True):
    used: Score
    every: Score


class Scores(msgspec.Struct, frozen=True):
    """One policy, for one session or averaged over several. `tokens` per call, None if not counted. `precision`: of
    its packets, None if not asked for.
    """

    kinds: dict[str, KindScores]
    point_count: int = msgspec.field(name="points")
    tokens: float | None = None
    precision: Precision | None = None


def scores(of: PolicyGrades) -> Scores:
    """For one session."""
    kinds = {
        kind: KindScores(_score(answer for answer in some if answer.probe.used), _score(some))
        for kind in KINDS
        if (some := [answer for answer in of.answers if answer.probe.kind == kind])
    }
    return Scores(kinds, of.point_count, of.tokens, of.precision)


def means(some: Sequence[Scores]) -> Scores:
    """Over sessions with equal weight; probes, points and lines of packets are added up."""
    by_kind = {kind: [session.kinds[kind] for session in some if kind in session.kinds] for kind in KINDS}
    kinds = {
        kind: KindScores(_together([both.used for both in found]), _together([both.every for both in found]))
        for kind, found in by_kind.items()
        if found
    }
    return Scores(
        kinds,
        sum(session.point_count for session in some),
        mean(session.tokens for session in some),
        _added_up([session.precision for session in some if session.precision is not None]),
    )


def _added_up(some: Sequence[Precision]) -> Precision | None:
    if not some:
        return None
    names = dict.fromkeys(name for precision in some for name in precision.sections)
    return Precision(
        sum(precision.packet_count for precision in some),
        mean(precision.packet_tokens for precision in some),
        fmean(precision.tokens_a_call for precision in some),
        {
            name: sum((precision.sections.get(name, LineCounts()) for precision in some), LineCounts())
            for name in names
        },
    )


def values(of: Scores) -> Figures:
    """For `--json`."""
    return {
        "points": of.point_count,
        "tokens": _rounded(of.tokens, 1),
        "kinds": {
            kind: {
                name: {"share": _rounded(score.share), "probes": score.probe_count}
                for name, score in (("used", both.used), ("all", both.every))
            }
            for kind, both in of.kinds.items()
        },
        "packets": None if of.precision is None else _packets(of.precision),
    }


def _packets(of: Precision) -> Figures:
    return {
        "packets": of.packet_count,
        "tokens": _rounded(of.packet_tokens, 1),
        "tokensACall": _rounded(of.tokens_a_call, 1),
        **msgspec.to_builtins(of.every),
        "sections": msgspec.to_builtins(of.sections),
    }


def failures(of: PolicyGrades) -> list[Figures]:
    """As plain values: lines of packets that do not hold, then probes, used ones first, then by how much is
    missing, each with the call, the question, the evidence, and where it was lost.
    """
    wrong = [
        {
            "call": line.call_index,
            "calls": line.call_count,
            "kind": "untrue",
            "section": line.section,
            "statement": line.text,
        }
        for line in (of.precision.untrue if of.precision else ())
    ]
    failed = [
        {
            "call": answer.call_index,
            "kind": answer.probe.kind,
            "used": answer.probe.used,
            "grade": round(answer.grade, 4),
            "question": answer.probe.question,
            "evidence": answer.probe.answer,
            "lost": msgspec.to_builtins(answer.loss) if answer.loss and answer.loss.call_index >= 0 else None,
        }
        for answer in sorted(
            (answer for answer in of.answers if answer.grade < WHOLE),
            key=lambda answer: (not answer.probe.used, answer.grade, answer.call_index),
        )
    ]
    return [*wrong, *failed]


def _score(some: Iterable[GradedProbe]) -> Score:
    by_point: dict[int, list[float]] = {}
    for answer in some:
        by_point.setdefault(answer.call_index, []).append(answer.grade)
    share = fmean(map(fmean, by_point.values())) if by_point else None
    return Score(share, sum(map(len, by_point.values())))


def _together(some: Sequence[Score]) -> Score:
    return Score(mean(score.share for score in some), sum(score.probe_count for score in some))


def _rounded(value: float | None, digits: int = 5) -> float | None:
    return None if value is None else round(value, digits)
