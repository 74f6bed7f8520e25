"""Turns the picture of policies into a file that stands alone: an SVG document with its own colours, for a light
and a dark screen, a ground of its own, a title and a description, and the legend in words below.
"""

from collections.abc import Sequence
from textwrap import wrap

from ctxmgr.study.report import front
from ctxmgr.study.report.front import PolicyPoint
from ctxmgr.study.report.labels import CHARACTER
from ctxmgr.study.report.plots import BESIDE, WIDTH
from ctxmgr.study.report.style import COLOURS_OF_BOTH, DRAWINGS, FONTS
from ctxmgr.study.report.svg import escaped

SHOWN_PX = 720  # how wide it is where nothing says otherwise
LINE = 18  # units between two lines of the legend
OWN = f"svg{{font-family:{FONTS}}}.ground{{fill:var(--ground)}}"


def document(points: Sequence[PolicyPoint], floor: float | None, title: str, about: str) -> str:
    """`about`: what the picture shows, for who can not see it. Policies: those that have a colour of their own."""
    drawn = front.drawing(points, floor)
    inside = drawn[drawn.index(">") + 1 : -len("</svg>")]
    lines = wrap(" · ".join(front.legend(points, floor)), int((WIDTH - 2 * BESIDE) / CHARACTER))
    high = front.HIGH + LINE * len(lines) + BESIDE
    texts = [
        f'<text class="tick" x="{BESIDE}" y="{front.HIGH + LINE * number}">{escaped(line)}</text>'
        for number, line in enumerate(lines, 1)
    ]
    size = f'viewBox="0 0 {WIDTH} {high}" width="{SHOWN_PX}" height="{SHOWN_PX * high / WIDTH:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="t d">',
        f'<title id="t">{escaped(title)}</title>',
        f'<desc id="d">{escaped(about)}</desc>',
        f"<style>{COLOURS_OF_BOTH}{DRAWINGS}{OWN}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{high}" rx="8"/>',
        inside.replace("/><", "/>\n<").replace("><circle", ">\n<circle").replace("><text", ">\n<text"),
        *texts,
        "</svg>\n",
    ]
    return "\n".join(parts)
