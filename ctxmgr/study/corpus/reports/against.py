"""Turns two folders of results into what became worse from one to the other: for CI.

1. Compared are recordings that both have, policy by policy, by name: the content is the same, the release or the
   settings may not be.
2. Worse is a mean that moved by more than the threshold: closed cost up, kept, recall or probes down. So is any
   answer that failed a check and did not before, and a recording that has no figures any more.
3. What can not be compared is worse, too: a policy that only one side asked for, one without a recording in common,
   a figure that is not there any more.
"""

from collections.abc import Iterator, Sequence
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
        sides = [[name for name, _ in one.run.policies] for one in (old, new)]
    out: list[FigureChange] = []
    for policy in dict.fromkeys([*sides[1], *sides[0]]):
        if all(policy in names for names in sides):
            out += _of_policy(policy, mine.get(policy, {}), theirs.get(policy, {}), threshold)
        else:
            earlier, later = ("asked for" if policy in names else "not asked for" for names in sides)
            out.append(FigureChange(policy, "policy", 0, earlier, later, True))
    return out


def _of_policy(
    policy: str, here: dict[str, Figures], there: dict[str, Figures], threshold: float
) -> Iterator[FigureChange]:
    both = sorted(here.keys() & there.keys())
    if not both:
        yield FigureChange(policy, "recordings in common", 0, str(len(there)), str(len(here)), True)
        return
    for figure in PAIRED:
        if one := _moved(
            policy, figure, [(there[digest][figure], here[digest][figure]) for digest in both], threshold
        ):
            yield one
    faults = [sum(some[digest]["faults"] for digest in both) for some in (there, here)]
    yield FigureChange(policy, "faults", len(both), str(faults[0]), str(faults[1]), faults[1] > faults[0])
    if gone := there.keys() - here.keys():
        yield FigureChange(policy, "recordings without figures", len(gone), "0", str(len(gone)), True)


def _moved(
    policy: str, figure: str, some: Sequence[tuple[float | None, float | None]], threshold: float
) -> FigureChange | None:
    """None where there was nothing before."""
    pairs = [(one, other) for one, other in some if one is not None and other is not None]
    if not pairs:
        earlier = [one for one, _ in some if one is not None]
        return FigureChange(policy, figure, 0, f"{fmean(earlier):.4f}", "none", True) if earlier else None
    before, now = fmean(one for one, _ in pairs), fmean(one for _, one in pairs)
    rise = now - before if figure in RISES else before - now
    return FigureChange(policy, figure, len(pairs), f"{before:.4f}", f"{now:.4f}", rise > threshold)
