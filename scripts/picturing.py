"""Turns the results of `ctxmgr replay --front` on this project's sessions into the picture of the docs: a
self-contained drawing, and its figures as a table.

1. The figures are those of the command's `--json`, stored in tests/outcome/front.json: drawing measures nothing
   itself.
2. The drawing contains its colours, for light and dark screens, a background, a title, a description, and below it
   the legend in words, one item a line, so that it is readable on any page.
"""

import contextlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from ctxmgr.cli import main as command
from ctxmgr.study import observations
from ctxmgr.study.driving import PEERS
from ctxmgr.study.report import PolicyPoint, escaped, front, knob_name, plots

ROOT = Path(__file__).parents[1]
SESSIONS = ("greenhouse", "ledger", "allotment")
WINDOW = 64_000  # tokens: small enough that sessions of 60,000 to 120,000 exceed it
FIGURES, DRAWING, PAGE = "tests/outcome/front.json", "docs/diagrams/front.svg", "docs/explanation/front.md"
BEGIN, END = "<!-- figures: scripts/picture -->\n", "<!-- end of figures -->"
BALANCED = "balanced"
TITLE = "Cost against kept"
SHOWN_PX = 720  # the drawing's default width
LINE = 18  # units between two lines of the legend
OWN = f"svg{{font-family:{plots.FONTS}}}.ground{{fill:var(--ground)}}"


def measured() -> dict[str, Any]:
    """Drives the sessions. `recordings`: closed-loop cost of `balanced` in each, as a share of the host alone's."""
    files = [str(ROOT / "tests" / "sessions" / f"{name}.jsonl") for name in SESSIONS]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = command(["replay", *files, "--front", "--window", str(WINDOW), "--json"])
    if code:
        raise SystemExit("a replay failed: ctxmgr replay tests/sessions/*.jsonl --front tells how")
    *rows, over = json.loads(out.getvalue())
    knobs = {row["preset"]: row["knob"] for row in rows if "knob" in row}
    closed = [row["measures"]["closedLoop"]["closedOfOff"] for row in rows if row["preset"] == BALANCED]
    *policies, floor = over["totals"]
    return {
        "window": WINDOW,
        "recordings": dict(zip(SESSIONS, closed, strict=True)),
        "policies": [
            {
                "name": policy["preset"],
                "knob": knobs.get(policy["preset"]),
                "billed": round(policy["together"]["billed"], 3),
                "kept": round(policy["kept"], 3),
                "mean": round(policy["mean"]["kept"], 3),
                "worst": round(policy["worstKept"], 3),
                "inPlace": round(policy["inPlace"], 3),
                "closed": round(policy["together"]["closed"], 3),
                "fetchesIn100": round(policy["fetchesIn100"], 1),
            }
            for policy in policies
        ],
        "floor": round(floor["together"]["billed"], 3),
    }


def points(figures: dict[str, Any]) -> list[PolicyPoint]:
    """In the order of drawing and table: the front last, by its knob."""
    made = [
        PolicyPoint(
            policy["name"],
            len(figures["recordings"]),
            policy["billed"],
            observations.Ratio(round(1_000 * policy["kept"]), 1_000),
            knob=policy["knob"],
            simulated=policy["name"] in PEERS,
        )
        for policy in figures["policies"]
    ]
    return sorted(made, key=lambda point: -1.0 if point.knob is None else point.knob)


def drawing(figures: dict[str, Any]) -> str:
    """The SVG file."""
    about = [
        f"{point.name}: kept {point.repeats.share}, billed {point.billed_share} of the host alone"
        for point in points(figures)
    ]
    says = f"One point a policy. {'; '.join(about)}. No policy is billed less than {figures['floor']}."
    return document(points(figures), figures["floor"], TITLE, says)


def document(points: Sequence[PolicyPoint], floor: float | None, title: str, about: str) -> str:
    """Rule 2. `about`: describes the picture for those who cannot see it. Draws only policies with a colour of
    their own.
    """
    drawn = front.drawing(points, floor)
    inside = drawn[drawn.index(">") + 1 : -len("</svg>")]
    across = int((plots.WIDTH - 2 * plots.BESIDE) / plots.CHARACTER)
    lines = [line for text in front.legend(points, floor) for line in wrap(text, across)]
    high = front.HIGH + LINE * len(lines) + plots.BESIDE
    texts = [
        f'<text class="tick" x="{plots.BESIDE}" y="{front.HIGH + LINE * number}">{escaped(line)}</text>'
        for number, line in enumerate(lines, 1)
    ]
    size = f'viewBox="0 0 {plots.WIDTH} {high}" width="{SHOWN_PX}" height="{SHOWN_PX * high / plots.WIDTH:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="t d">',
        f'<title id="t">{escaped(title)}</title>',
        f'<desc id="d">{escaped(about)}</desc>',
        f"<style>{plots.COLOURS_OF_BOTH}{plots.DRAWINGS}{OWN}</style>",
        f'<rect class="ground" width="{plots.WIDTH}" height="{high}" rx="8"/>',
        inside.replace("/><", "/>\n<").replace("><circle", ">\n<circle").replace("><text", ">\n<text"),
        *texts,
        "</svg>\n",
    ]
    return "\n".join(parts)


def table(figures: dict[str, Any]) -> str:
    """Markdown, for between the page's two marks."""
    lines = [
        "| policy | `keep` | billed | kept | mean | worst | in place | closed | re-fetches in 100 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    by_name = {policy["name"]: policy for policy in figures["policies"]}
    for point in points(figures):
        policy = by_name[point.name]
        knob = "" if policy["knob"] is None else knob_name(policy["knob"])
        shares = (f"{policy[name]:.3f}" for name in ("billed", "kept", "mean", "worst", "inPlace", "closed"))
        row = (point.name.partition(" ")[0], knob, *shares, f"{policy['fetchesIn100']:.1f}")
        lines.append(f"| {' | '.join(row)} |")
    lines.append(f"| floor | | {figures['floor']:.3f} | | | | | | |")
    return "\n".join(lines) + "\n"


def with_table(text: str, figures: dict[str, Any]) -> str:
    """The page with these figures. Raises ValueError if it has no marks."""
    before, _, rest = text.partition(BEGIN)
    _, sign, after = rest.partition(END)
    if not sign:
        raise ValueError(f"{PAGE} has no place for figures")
    return f"{before}{BEGIN}\n{table(figures)}\n{END}{after}"


def main(arguments: Sequence[str] = ()) -> None:
    figures = measured()
    (ROOT / FIGURES).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    written(figures)


def written(figures: dict[str, Any]) -> None:
    """Drawing and table of these figures."""
    (ROOT / DRAWING).write_text(drawing(figures), encoding="utf-8")
    path = ROOT / PAGE
    path.write_text(with_table(path.read_text(encoding="utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    main()
