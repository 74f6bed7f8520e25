"""Turns shares by kind and policy into a bar chart: a group a kind, a bar a policy; SVG text, as in
`plots`.

Colours are the page's classes; text from outside is escaped; the same values give the same bytes.
"""

from collections.abc import Mapping, Sequence

from ctxmgr.study.report.plots import escaped
from ctxmgr.study.report.scales import Scale, ticks

WIDTH, HEIGHT = 960, 330
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 14, 84  # room around the frame; kinds are written slanted below it
GAP = 0.22  # of a group's width, between two

Groups = Sequence[tuple[str, Mapping[str, float]]]


def bars(groups: Groups, colours: Mapping[str, int]) -> str:
    """`groups`: (kind, share by policy); shares from 0 to 1. "" where there is nothing to draw."""
    names = list(dict.fromkeys(name for _, shares in groups for name in shares))
    if not names:
        return ""
    up = Scale(0, 1, HEIGHT - BOTTOM, TOP)
    step = (WIDTH - RIGHT - LEFT) / len(groups)
    wide = step * (1 - GAP) / len(names)
    parts = [_frame(up)]
    for number, (kind, shares) in enumerate(groups):
        start = LEFT + step * (number + GAP / 2)
        for place, name in enumerate(names):
            if name in shares:
                parts.append(_bar(start + place * wide, wide, up, colours[name], f"{name}, {kind}", shares[name]))
        middle, below = LEFT + step * (number + 0.5), HEIGHT - BOTTOM + 14
        turned = f'transform="translate({middle:.1f} {below}) rotate(-35)"'
        parts.append(f'<text class="tick" {turned} text-anchor="end">{escaped(kind)}</text>')
    title = "Share of the answers that the list holds, by kind of probe and policy"
    head = f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}" data-kind="bars">'
    return f"{head}{''.join(parts)}</svg>"


def _bar(x: float, wide: float, up: Scale, colour: int, what: str, share: float) -> str:
    top = up.at(share)
    place = f'x="{x:.1f}" y="{top:.1f}" width="{max(0.5, wide - 0.6):.1f}" height="{up.start - top:.1f}"'
    return f'<rect class="bar s{colour}" {place}><title>{escaped(what)}: {share:.3f}</title></rect>'


def _frame(up: Scale) -> str:
    parts = []
    for tick in ticks(0, 1):
        at = up.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{tick:.4g}</text>')
    base = f'x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up.start}" y2="{up.start}"'
    parts.append(f'<line class="axis" {base}/>')
    return "".join(parts)
