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
from ctxmgr.study.probes.grading import WHOLE, GradedProbe, Loss, PolicyGrades
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
    kinds = {
        kind: KindScores(_score(answer for answer in some if answer.probe.used), _score(some))
        for kind in KINDS
        if (some := [answer for answer in of.answers if answer.probe.kind == kind])
    }
    return Scores(kinds, of.point_count, of.tokens, of.precision)


def means(some: Sequence[Scores]) -> Scores:
    """Over sessions, each counting the same; probes, points and lines of packets are added up."""
    by_kind = {kind: [session.kinds[kind] for session in some if kind in session.kinds] for kind in KINDS}
    kinds = {
        kind: KindScores(_together([both.used for both in found]), _together([both.every for both in found]))
        for kind, found in by_kind.items()
        if found
    }
    return Scores(
        kinds,
        sum(session.point_count for session in some),
        _mean(session.tokens for session in some),
        _added_up([session.precision for session in some if session.precision is not None]),
    )


def _added_up(some: Sequence[Precision]) -> Precision | None:
    if not some:
        return None
    names = dict.fromkeys(name for precision in some for name in precision.sections)
    return Precision(
        sum(precision.packet_count for precision in some),
        _mean(precision.packet_tokens for precision in some),
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


def failures(of: PolicyGrades) -> list[Figures]:
    """As plain values: lines of packets that do not hold, then probes, used ones first, then those that lack most,
    each with the call, the question, the evidence, and where it was lost."""
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
            "lost": None if answer.loss is None or answer.loss.call_index < 0 else _loss(answer.loss),
        }
        for answer in sorted(
            (answer for answer in of.answers if answer.grade < WHOLE),
            key=lambda answer: (not answer.probe.used, answer.grade, answer.call_index),
        )
    ]
    return [*wrong, *failed]


def _loss(loss: Loss) -> Figures:
    return {
        "call": loss.call_index,
        "epoch": loss.epoch_number,
        "compacted": loss.after_compaction,
        "left": list(loss.holders),
    }


def _score(some: Iterable[GradedProbe]) -> Score:
    by_point: dict[int, list[float]] = {}
    for answer in some:
        by_point.setdefault(answer.call_index, []).append(answer.grade)
    share = fmean(map(fmean, by_point.values())) if by_point else None
    return Score(share, sum(map(len, by_point.values())))


def _together(some: Sequence[Score]) -> Score:
    return Score(_mean(score.share for score in some), sum(score.probe_count for score in some))


def _mean(some: Iterable[float | None]) -> float | None:
    known = [value for value in some if value is not None]
    return fmean(known) if known else None


def _rounded(value: float | None, digits: int = 5) -> float | None:
    return None if value is None else round(value, digits)
