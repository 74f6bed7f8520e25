"""Turns answers into figures: each kind by policy, for the used probes and for all; over points, then recordings.

The figure of a kind in one session is the mean over its points of the mean of its probes there; over sessions, the
mean of theirs. A point or a session without such a probe is left out.
"""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import get_args

import msgspec

from ctxmgr.study.figures import Figures
from ctxmgr.study.probes.evidence import ProbeKind
from ctxmgr.study.probes.grading import WHOLE, GradedProbe, PolicyGrades
from ctxmgr.study.probes.precision import LineCounts, Precision

KINDS: tuple[str, ...] = get_args(ProbeKind)


class Score(msgspec.Struct, frozen=True):
    """`share` 0 to 1 of so many probes, None where there are none."""

    share: float | None
    probe_count: int = msgspec.field(name="probes")


class KindScores(msgspec.Struct, frozen=True):
    used: Score
    every: Score


class Scores(msgspec.Struct, frozen=True):
    """One policy, of one session or the mean of several. `tokens` a call, None where they were not weighed;
    `precision`: of its packets, None where nobody asked."""

    kinds: dict[str, KindScores]
    point_count: int = msgspec.field(name="points")
    tokens: float | None = None
    precision: Precision | None = None


def scores(of: PolicyGrades) -> Scores:
    """Of one session."""
    by_kind: dict[str, list[GradedProbe]] = {}
    for answer in of.answers:
        by_kind.setdefault(answer.probe.kind, []).append(answer)
    kinds = {
        kind: KindScores(_score(one for one in some if one.probe.used), _score(some))
        for kind in KINDS
        if (some := by_kind.get(kind))
    }
    return Scores(kinds, of.point_count, of.tokens, of.precision)


def means(some: Sequence[Scores]) -> Scores:
    """Over sessions, each counting the same; probes, points and lines of packets are added up."""
    kinds = {}
    for kind in KINDS:
        found = [one.kinds[kind] for one in some if kind in one.kinds]
        if found:
            kinds[kind] = KindScores(
                _together([one.used for one in found]), _together([one.every for one in found])
            )
    return Scores(
        kinds,
        sum(one.point_count for one in some),
        _mean(one.tokens for one in some),
        _added_up([one.precision for one in some if one.precision is not None]),
    )


def _added_up(some: Sequence[Precision]) -> Precision | None:
    if not some:
        return None
    names = dict.fromkeys(name for one in some for name in one.sections)
    return Precision(
        sum(one.packet_count for one in some),
        _mean(one.packet_tokens for one in some),
        fmean(one.tokens_a_call for one in some),
        {name: sum((one.sections.get(name, LineCounts()) for one in some), LineCounts()) for name in names},
    )


def values(of: Scores) -> Figures:
    """For `--json`."""
    return {
        "points": of.point_count,
        "tokens": _rounded(of.tokens, 1),
        "kinds": {
            kind: {
                name: {"share": _rounded(one.share), "probes": one.probe_count}
                for name, one in (("used", both.used), ("all", both.every))
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
        **_lines(of.every),
        "sections": {name: _lines(counts) for name, counts in of.sections.items()},
    }


def _lines(of: LineCounts) -> Figures:
    return {
        "lines": of.line_count,
        "judged": of.judged_count,
        "untrue": of.untrue_count,
        "unjudged": of.unjudged_count,
    }


def failure(one: GradedProbe) -> Figures:
    """A failed probe as plain values: the call, the question, the evidence, and where it was lost."""
    assert one.loss is not None
    loss = one.loss
    return {
        "call": one.call_index,
        "kind": one.probe.kind,
        "used": one.probe.used,
        "grade": round(one.grade, 4),
        "question": one.probe.question,
        "evidence": one.probe.answer,
        "lost": None
        if loss.call_index < 0
        else {
            "call": loss.call_index,
            "epoch": loss.epoch_number,
            "compacted": loss.after_compaction,
            "left": list(loss.holders),
        },
    }


def failures(of: PolicyGrades) -> list[Figures]:
    """Lines of packets that do not hold, then used ones, then those that lack most."""
    failed = [one for one in of.answers if one.grade < WHOLE]
    failed.sort(key=lambda one: (not one.probe.used, one.grade, one.call_index))
    wrong = [
        {
            "call": one.call_index,
            "calls": one.call_count,
            "kind": "untrue",
            "section": one.section,
            "statement": one.text,
        }
        for one in (of.precision.untrue if of.precision else ())
    ]
    return [*wrong, *map(failure, failed)]


def _score(some: Iterable[GradedProbe]) -> Score:
    by_point: dict[int, list[float]] = {}
    for one in some:
        by_point.setdefault(one.call_index, []).append(one.grade)
    share = fmean(map(fmean, by_point.values())) if by_point else None
    return Score(share, sum(map(len, by_point.values())))


def _together(some: Sequence[Score]) -> Score:
    return Score(_mean(one.share for one in some), sum(one.probe_count for one in some))


def _mean(some: Iterable[float | None]) -> float | None:
    known = [one for one in some if one is not None]
    return fmean(known) if known else None


def _rounded(value: float | None, digits: int = 5) -> float | None:
    return None if value is None else round(value, digits)
