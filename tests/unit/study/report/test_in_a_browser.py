"""The report's page as a browser lays it out: on a phone (390 px wide) and on a desk (1280 px)."""

from itertools import combinations
from typing import Any

import pytest

from ctxmgr.study.probes.figures import KINDS
from ctxmgr.study.report import PolicyRow, RecordingSheet, page
from tests.unit.study.report.chromium import Chromium

pytestmark = pytest.mark.real

WIDTHS = (390, 1280)
HEIGHT = 844
READABLE_PX = 10.0  # least size of letters in a drawing
HALF_PX = 0.5  # places are rounded to tenths of the drawing's units

# each drawing with its box and its texts; each box that scrolls; all that lies outside of both
MEASURED = """
(function () {
  function box(one) {
    var found = one.getBoundingClientRect();
    return { left: found.left, right: found.right, top: found.top, bottom: found.bottom };
  }
  function text(one) {
    var scale = one.ownerSVGElement.getScreenCTM().a;
    var size = parseFloat(getComputedStyle(one).fontSize) * scale;
    return { says: one.textContent, kind: one.getAttribute("class"), size: size, box: box(one) };
  }
  function all(selector, of) { return Array.from(document.querySelectorAll(selector)).map(of); }
  return {
    page: document.scrollingElement.scrollWidth,
    window: window.innerWidth,
    drawings: all("svg.plot", function (one) {
      return { box: box(one), texts: Array.from(one.querySelectorAll("text")).map(text) };
    }),
    tables: all("table", function (one) {
      var around = one.parentElement;
      return {
        box: box(around), wide: around.scrollWidth, seen: around.clientWidth,
        scrolls: getComputedStyle(around).overflowX
      };
    }),
    prose: all("h1, h2, p, figcaption, summary, nav li, .legend, .receipts li", box)
  };
})()
"""
POLICIES = ("off", "turns", "tools", "balanced", "balanced 0.125", "balanced 0.75", "masking-5", "masking-10")
UNBROKEN = "a_recording_whose_name_is_one_long_word_" * 3 + ".jsonl"


def sheet(name: str, calls: int, dollars: float, apart: float, step_tokens: int) -> RecordingSheet:
    """`apart`: how far costs and recalls are from each other."""
    lines = []
    for number, policy in enumerate(POLICIES):
        cost = dollars * (1 - apart * number)
        share = 1 - apart * number
        recall = {"overall": {"share": share}, "inPlace": {"share": 0.9}}
        loop = {"billed": cost, "closed": cost * 1.1, "fetchesIn100": number * apart * 20}
        kept = {"share": share, "held": round(1_000 * share), "of": 1_000}
        figures = {"money": cost, "ofOff": share, "recall": recall, "breaks": 12, "closedLoop": loop, "kept": kept}
        lines.append(
            PolicyRow(
                name=policy,
                figures=figures,
                context=tuple(step_tokens * (1 + call % 40) for call in range(calls)),
                call_costs=(cost / calls,) * calls,
                epochs=tuple(range(0, calls, 40)),
                receipts=(f"epoch 1: 41,000 -> 18,000 tokens, {'x' * 200}",),
                simulated=policy in ("masking-5", "masking-10"),
            )
        )
    kinds = tuple((kind, dict.fromkeys(POLICIES, 0.1 + 0.04 * at)) for at, kind in enumerate(KINDS))
    return RecordingSheet(name, tuple(lines), "about " * 60, dollars * 0.3, kinds, "A verdict in words. " * 4)


SHEETS = {
    "usual": [sheet("usual.jsonl", 188, 4.2, 0.08, 4_000)],
    "all policies on one point": [sheet(UNBROKEN, 1, 0.0, 0.0, 10)],
    "long and dear": [sheet("long.jsonl", 12_345, 1_234.5, 0.1, 33_333)],
    "short and cheap": [sheet("short.jsonl", 3, 0.000_37, 0.002, 1)],
    "several": [sheet(UNBROKEN, 188, 4.2, 0.08, 4_000), sheet("b.jsonl", 40, 0.02, 0.01, 900)],
}


Measured = list[tuple[str, int, dict[str, Any]]]  # which sheets, in a window of which width, what was measured


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    pages: Measured = []
    file = tmp_path_factory.mktemp("page") / "page.html"
    with Chromium(tmp_path_factory.mktemp("profile")) as browser:
        for name, sheets in SHEETS.items():
            file.write_text(page.page(sheets), encoding="utf-8")
            for width in WIDTHS:
                browser.open(file.as_uri(), width, HEIGHT, phone=width < HEIGHT)
                pages.append((name, width, browser.value(MEASURED)))
                assert pages[-1][2]["window"] == width
    return pages


def test_page_is_no_wider_than_its_window(measured: Measured) -> None:
    for name, width, shown in measured:
        assert shown["page"] <= width, (name, width)
        assert shown["prose"]
        for box in shown["prose"]:
            assert 0 <= box["left"] <= box["right"] <= width, (name, width)


def test_tables_scroll_inside_their_own_box(measured: Measured) -> None:
    for name, width, shown in measured:
        assert shown["tables"]
        for table in shown["tables"]:
            assert 0 <= table["box"]["left"] <= table["box"]["right"] <= width, (name, width)
            assert table["wide"] <= table["seen"] or table["scrolls"] == "auto", (name, width)
        if width == min(WIDTHS):
            assert any(table["wide"] > table["seen"] for table in shown["tables"])  # else nothing was tested


def test_drawings_scale_with_the_window_and_stay_readable(measured: Measured) -> None:
    for name, width, shown in measured:
        assert shown["drawings"]
        for drawing in shown["drawings"]:
            frame = drawing["box"]
            assert 0 <= frame["left"] < frame["right"] <= width, (name, width)
            for text in drawing["texts"]:
                assert text["size"] >= READABLE_PX, (name, width, text["says"])
                assert inside(text["box"], frame), (name, width, text["says"])


def test_no_two_labels_of_a_drawing_overlap(measured: Measured) -> None:
    """Numbers and names of both axes, and what stands beside points."""
    for name, width, drawing in (
        (name, width, drawing) for name, width, shown in measured for drawing in shown["drawings"]
    ):
        for kinds in (("tick", "name"), ("label",)):
            texts = [text for text in drawing["texts"] if text["kind"] in kinds]
            for one, other in combinations(texts, 2):
                assert not meet(one["box"], other["box"]), (name, width, one["says"], other["says"])
        assert {text["kind"] for text in drawing["texts"]} <= {"tick", "name", "label"}


def inside(inner: dict[str, float], outer: dict[str, float]) -> bool:
    return all(inner[side] >= outer[side] - HALF_PX for side in ("left", "top")) and all(
        inner[side] <= outer[side] + HALF_PX for side in ("right", "bottom")
    )


def meet(one: dict[str, float], other: dict[str, float]) -> bool:
    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return across > HALF_PX and down > HALF_PX
