"""Turns shares by kind and policy into a bar chart: a group a kind, one under the other, a bar a policy; SVG text,
as in `plots`.

Colours are the page's classes; text from outside is escaped; the same values give the same bytes.
"""

from collections.abc import Mapping, Sequence

from ctxmgr.study.report.labels import CHARACTER
from ctxmgr.study.report.plots import BESIDE, RIGHT, TOP, WIDTH, escaped
from ctxmgr.study.report.scales import Scale, ticks

BOTTOM = 30  # room for the numbers
BAR, GAP = 4, 8  # units: a bar, and between two groups
LEAST = 22  # of a group: its name stands beside it

Groups = Sequence[tuple[str, Mapping[str, float]]]


def bars(groups: Groups, colours: Mapping[str, int]) -> str:
    """`groups`: (kind, share by policy); shares from 0 to 1. "" where there is nothing to draw."""
    names = list(dict.fromkeys(name for _, shares in groups for name in shares))
    if not names:
        return ""
    high = max(LEAST, GAP + BAR * len(names))
    across = Scale(0, 1, 2 * BESIDE + CHARACTER * max(len(kind) for kind, _ in groups), WIDTH - RIGHT)
    bottom = TOP + high * len(groups)
    parts = [_frame(across, bottom)]
    for number, (kind, shares) in enumerate(groups):
        middle = TOP + high * (number + 0.5)
        start = middle - BAR * len(names) / 2
        for place, name in enumerate(names):
            if name in shares:
                parts.append(_bar(start + place * BAR, across, colours[name], f"{name}, {kind}", shares[name]))
        at = f'x="{across.start - BESIDE:.1f}" y="{middle + 5:.1f}"'
        parts.append(f'<text class="tick" {at} text-anchor="end">{escaped(kind)}</text>')
    title = "Share of the answers that the list holds, by kind of probe and policy"
    box = f'viewBox="0 0 {WIDTH} {bottom + BOTTOM}"'
    head = f'<svg class="plot" {box} role="img" aria-label="{title}" data-kind="bars">'
    return f"{head}{''.join(parts)}</svg>"


def _bar(y: float, across: Scale, colour: int, what: str, share: float) -> str:
    wide = across.at(share) - across.start
    place = f'x="{across.start:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{BAR - 0.6:.1f}"'
    return f'<rect class="bar s{colour}" {place}><title>{escaped(what)}: {share:.3f}</title></rect>'


def _frame(across: Scale, bottom: float) -> str:
    parts = []
    for tick in ticks(0, 1):
        at = f"{across.at(tick):.1f}"
        parts.append(f'<line class="grid" x1="{at}" x2="{at}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{at}" y="{bottom + 20}" text-anchor="middle">{tick:.4g}</text>')
    at = f"{across.start:.1f}"
    parts.append(f'<line class="axis" x1="{at}" x2="{at}" y1="{TOP}" y2="{bottom}"/>')
    return "".join(parts)
