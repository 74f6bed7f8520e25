"""Turns two folders of results into what became worse from one to the other: for CI.

1. Compared are recordings that both have, policy by policy, by name: the content is the same, the release or the
   settings may not be.
2. Worse is a mean that moved by more than the threshold: closed cost up, recall or probes down. So is any answer
   that failed a check and did not before, and a recording that has no figures any more.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import msgspec

from ctxmgr.study.corpus.reports.reporting import PAIRED, Figures, Queries, by_recording

THRESHOLD = 0.01  # a hundredth of what `off` costs, or of all answers: beyond what chance moves
RISES = {"closedOfOff"}  # figures that are worse where they rise


class FigureChange(msgspec.Struct, frozen=True):
    """One figure of one policy, before and now, over so many recordings."""

    policy: str
    figure: str
    recording_count: int
    before: str
    now: str
    is_worse: bool


def changes(now: Path, before: Path, threshold: float = THRESHOLD) -> list[FigureChange]:
    """In the order of policies and figures. Raises ResultsFault."""
    with Queries(now) as new, Queries(before) as old:
        mine, theirs = by_recording(new), by_recording(old)
    out = []
    for policy in mine:
        here, there = mine[policy], theirs.get(policy, {})
        both = sorted(here.keys() & there.keys())
        out += [
            one for figure in PAIRED if (one := _moved(policy, figure, _of(both, here, there, figure), threshold))
        ]
        faults = [sum(some[digest]["faults"] for digest in both) for some in (there, here)]
        if both:
            out.append(
                FigureChange(policy, "faults", len(both), str(faults[0]), str(faults[1]), faults[1] > faults[0])
            )
    for policy in theirs:
        gone = sorted(theirs[policy].keys() - mine.get(policy, {}).keys())
        if gone and policy in mine:
            out.append(FigureChange(policy, "recordings without figures", len(gone), "0", str(len(gone)), True))
    return out


def _of(both: Sequence[str], here: dict[str, Figures], there: dict[str, Figures], figure: str) -> list[list[float]]:
    pairs = ((there[digest][figure], here[digest][figure]) for digest in both)
    return [[one, other] for one, other in pairs if one is not None and other is not None]


def _moved(policy: str, figure: str, pairs: list[list[float]], threshold: float) -> FigureChange | None:
    if not pairs:
        return None
    before, now = fmean(one for one, _ in pairs), fmean(one for _, one in pairs)
    rise = now - before if figure in RISES else before - now
    return FigureChange(policy, figure, len(pairs), f"{before:.4f}", f"{now:.4f}", rise > threshold)
