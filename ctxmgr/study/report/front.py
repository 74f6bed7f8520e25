"""Turns policies on recordings into the picture of them all: closed-loop cost against re-fetches.

1. A policy is one point: re-fetches in 100 of its calls across, its closed-loop cost up, where the host alone is 1.
   Both are of all recordings together: dollars over dollars, re-fetches over calls, of the recordings that it was
   measured on.
2. The front is one policy at several values of its knob, joined by a line in the order of the knob. Its points have
   the knob's value as their name. What comes to the same has one name.
3. What no ctxmgr ran is a square.
4. A policy without one of the two figures is no point: `left_out` names it.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean
from types import MappingProxyType

import msgspec

from ctxmgr.study.report.lines import BASE, COLOURS, FRONT, PolicyRow, RecordingSheet
from ctxmgr.study.report.plots import Axis, Beside, Dot, Edge, Path, against
from ctxmgr.study.report.scales import plain

HIGH = 380  # units of the drawing: more than of others, for all names have to find room
FETCHES = Axis("re-fetches in 100 calls", plain)
CLOSED = Axis("closed-loop cost, host alone = 1", plain, rounded=True)


class PolicyPoint(msgspec.Struct, frozen=True):
    """One policy over recordings. `closed_share`: together, of what the host alone does; `mean_closed`: the mean of
    recordings; None where nothing was measured. `knob`: its costVersusRecall, where it is of the front."""

    name: str
    recording_count: int
    fetches_in_100: float | None
    closed_share: float | None
    mean_closed: float | None = None
    knob: float | None = None
    simulated: bool = False

    @property
    def is_drawn(self) -> bool:
        return self.fetches_in_100 is not None and self.closed_share is not None


def policy_points(sheets: Sequence[RecordingSheet]) -> list[PolicyPoint]:
    """One a policy, in the order of the sheets' lines; the front's in the order of the knob, last."""
    found: dict[str, list[tuple[PolicyRow, PolicyRow | None]]] = {}
    for sheet in sheets:
        base = next((line for line in sheet.lines if line.name == BASE), None)
        for line in sheet.lines:
            found.setdefault(line.name, []).append((line, base))
    made = [_point(name, pairs) for name, pairs in found.items()]
    return sorted(made, key=lambda one: -1.0 if one.knob is None else one.knob)


def _point(name: str, pairs: Sequence[tuple[PolicyRow, PolicyRow | None]]) -> PolicyPoint:
    counted = [
        (line, line.closed_cost, base.closed_cost)
        for line, base in pairs
        if line.closed_cost is not None and base is not None and base.closed_cost
    ]
    calls = sum(len(line.context) for line, _, _ in counted)
    fetches = [(line.fetches_in_100, len(line.context)) for line, _, _ in counted]
    known = [some * calls / 100 for some, calls in fetches if some is not None]
    first = pairs[0][0]
    return PolicyPoint(
        name,
        len(counted),
        100 * sum(known) / calls if calls and len(known) == len(fetches) else None,
        sum(cost for _, cost, _ in counted) / sum(whole for _, _, whole in counted) if counted else None,
        fmean(cost / whole for _, cost, whole in counted) if counted else None,
        first.knob,
        first.simulated,
    )


def floor_share(sheets: Sequence[RecordingSheet]) -> float | None:
    """What no policy costs less than, of what the host alone costs, together; of recordings that have both."""
    parts = []
    for sheet in sheets:
        base = next((line for line in sheet.lines if line.name == BASE), None)
        if sheet.floor is not None and base is not None and base.closed_cost:
            parts.append((sheet.floor, base.closed_cost))
    return sum(floor for floor, _ in parts) / sum(whole for _, whole in parts) if parts else None


def drawing(
    points: Sequence[PolicyPoint], floor: float | None, colours: Mapping[str, int] = MappingProxyType(COLOURS)
) -> str:
    """SVG text; "" where there is nothing to draw. `colours` by policy."""
    shown = [one for one in points if one.is_drawn]
    front = [one for one in shown if one.knob is not None]
    names = _names_of(front)
    dots = [
        Dot(
            colours[FRONT if one.knob is not None else one.name],
            one.fetches_in_100 or 0.0,
            one.closed_share or 0.0,
            _title(one),
            names[one.name] if one.knob is not None else one.name,
            one.simulated,
        )
        for one in shown
    ]
    edges = () if floor is None else (Edge(floor, "floor"),)
    places = tuple((one.fetches_in_100 or 0.0, one.closed_share or 0.0) for one in front)
    paths = (Path(FRONT, colours[FRONT], places),) if len(front) > 1 else ()
    return against(dots, FETCHES, CLOSED, Beside(edges, paths, HIGH))


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


def _names_of(front: Sequence[PolicyPoint]) -> dict[str, str]:
    """By policy: the knob's value; of several in one place all, at the last of them."""
    names: dict[str, str] = {}
    for _, group in groupby(front, key=lambda one: (_rounded(one.fetches_in_100), _rounded(one.closed_share))):
        same = list(group)
        names |= dict.fromkeys((one.name for one in same), "")
        names[same[-1].name] = ", ".join(plain(one.knob or 0.0) for one in same)
    return names


def _rounded(value: float | None) -> float:
    """As far as one can see."""
    return round(value or 0.0, 3)


def _title(one: PolicyPoint) -> str:
    closed, fetches = one.closed_share or 0.0, one.fetches_in_100 or 0.0
    many = "" if one.recording_count == 1 else f", {one.recording_count} recordings"
    return f"{one.name}: {closed:.3f} of the host alone, {fetches:.1f} re-fetches in 100 calls{many}"
