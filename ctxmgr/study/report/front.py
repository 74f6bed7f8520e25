"""Turns policies on recordings into the picture of them all: what what lists had that replies repeat, and the bill.

1. A policy is one point: its bill across, where the host alone is 1, and `kept` up. Both are of all recordings
   together: dollars over dollars, bytes over bytes, of the recordings that it was measured on.
2. The front is one policy at several values of its knob, joined by a line in the order of the knob. Its points have
   the knob's value as their name, or the point that it is. What comes to the same has one name.
3. What no ctxmgr ran is a square.
4. A policy without one of the two figures is no point: `left_out` names it.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean

import msgspec

from ctxmgr.study.metrics import Ratio, total
from ctxmgr.study.report.plots import Axis, Beside, Dot, Edge, Path, against
from ctxmgr.study.report.rows import BASE, FRONT, PolicyRow, RecordingSheet, knob_name
from ctxmgr.study.report.rows import colours as colours_of
from ctxmgr.study.report.scales import plain

BILLED_PATH = "closedLoop.billed"
HIGH = 380  # units of the drawing: more than of others, for all names have to find room
BILLED = Axis("bill, host alone = 1", plain, rounded=True)
KEPT = Axis("kept of what replies repeat", plain, rounded=True)

Pair = tuple[PolicyRow, PolicyRow | None]  # a policy on a recording, and the host alone there


class PolicyPoint(msgspec.Struct, frozen=True):
    """One policy over recordings. Shares are together, of what the host alone costs; None where nothing was
    measured. `repeats`: what `kept` is of, in bytes, with its mean and its least of a recording. `knob`: its
    `keep` in tokens, where it is of the front."""

    name: str
    recording_count: int
    billed_share: float | None
    repeats: Ratio
    mean_repeats: float | None = None
    least_repeats: float | None = None
    closed_share: float | None = None
    fetches_in_100: float | None = None
    knob: float | None = None
    simulated: bool = False

    @property
    def is_drawn(self) -> bool:
        return self.billed_share is not None and self.repeats.share is not None


def policy_points(sheets: Sequence[RecordingSheet]) -> list[PolicyPoint]:
    """One a policy, in the order of the sheets' lines; the front's in the order of the knob, last."""
    found: dict[str, list[Pair]] = {}
    for sheet in sheets:
        base = next((line for line in sheet.lines if line.name == BASE), None)
        for line in sheet.lines:
            found.setdefault(line.name, []).append((line, base))
    made = [_point(name, pairs) for name, pairs in found.items()]
    return sorted(made, key=lambda one: -1.0 if one.knob is None else one.knob)


def _point(name: str, pairs: Sequence[Pair]) -> PolicyPoint:
    calls = sum(len(line.context) for line, _ in pairs)
    in_100 = ((line.number("closedLoop.fetchesIn100"), len(line.context)) for line, _ in pairs)
    known = [fetches * count / 100 for fetches, count in in_100 if fetches is not None]
    billed, closed = (
        [(line.number(path), base.number(path)) for line, base in pairs if base is not None]
        for path in (BILLED_PATH, "closedLoop.closed")
    )
    shares = [share for line, _ in pairs if (share := line.repeats.share) is not None]
    return PolicyPoint(
        name,
        len(_measured(billed)),
        _together(billed),
        total(line.repeats for line, _ in pairs),
        fmean(shares) if shares else None,
        min(shares, default=None),
        _together(closed),
        100 * sum(known) / calls if calls and len(known) == len(pairs) else None,
        pairs[0][0].knob,
        pairs[0][0].simulated,
    )


def _measured(dollars: Iterable[tuple[float | None, float | None]]) -> list[tuple[float, float]]:
    return [(one, whole) for one, whole in dollars if one is not None and whole]


def _together(dollars: Iterable[tuple[float | None, float | None]]) -> float | None:
    """Of a policy's and the host's alone: the share, on the recordings where both are known."""
    known = _measured(dollars)
    return sum(one for one, _ in known) / sum(whole for _, whole in known) if known else None


def floor_share(sheets: Sequence[RecordingSheet]) -> float | None:
    """What no policy is billed less than, of the host alone's bill, together; of recordings that have both."""
    bases = ((sheet, next((line for line in sheet.lines if line.name == BASE), None)) for sheet in sheets)
    return _together([(sheet.floor, base.number(BILLED_PATH)) for sheet, base in bases if base is not None])


def drawing(points: Sequence[PolicyPoint], floor: float | None, colours: Mapping[str, int] | None = None) -> str:
    """SVG text; "" where there is nothing to draw. `colours` by policy."""
    colours = colours or colours_of(one.name for one in points)
    shown = [one for one in points if one.is_drawn]
    front = [one for one in shown if one.knob is not None]
    names = _names_of(front)
    dots = [
        Dot(
            colours[FRONT if one.knob is not None else one.name],
            *_place(one),
            _title(one),
            names[one.name] if one.knob is not None else one.name,
            one.simulated,
        )
        for one in shown
    ]
    edges = () if floor is None else (Edge(floor, "floor"),)
    paths = (Path(FRONT, colours[FRONT], tuple(map(_place, front))),) if len(front) > 1 else ()
    return against(dots, BILLED, KEPT, Beside(edges, paths, HIGH))


def legend(points: Iterable[PolicyPoint], floor: float | None) -> list[str]:
    """What marks and lines mean, in words."""
    shown = [one for one in points if one.is_drawn]
    says = ["round: driven through ctxmgr"] if any(not one.simulated for one in shown) else []
    says += ["square: simulated"] if any(one.simulated for one in shown) else []
    says += [f"line: {FRONT}"] if sum(one.knob is not None for one in shown) > 1 else []
    return says if floor is None else [*says, "dashed: no policy costs less"]


def left_out(points: Iterable[PolicyPoint]) -> list[str]:
    """The names of those without a point."""
    return [one.name for one in points if not one.is_drawn]


def _place(one: PolicyPoint) -> tuple[float, float]:
    return one.billed_share or 0.0, one.repeats.share or 0.0


def _names_of(front: Sequence[PolicyPoint]) -> dict[str, str]:
    """By policy: the knob's value; of several in one place all, at the last of them."""
    names: dict[str, str] = {}
    for _, group in groupby(front, key=lambda one: [round(value, 3) for value in _place(one)]):
        same = list(group)
        names |= dict.fromkeys((one.name for one in same), "")
        names[same[-1].name] = ", ".join(knob_name(one.knob or 0.0) for one in same)
    return names


def _title(one: PolicyPoint) -> str:
    billed, kept = _place(one)
    many = "" if one.recording_count == 1 else f", {one.recording_count} recordings"
    return f"{one.name}: kept {kept:.3f} at {billed:.3f} of the bill of the host alone{many}"
