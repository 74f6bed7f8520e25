"""The report's page: whole, closed in itself, and true to its figures."""

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.study.report.front import PolicyRow, RecordingSheet
from ctxmgr.study.report.page import page
from ctxmgr.study.report.plots import (
    COLOURS_OF_BOTH,
    DARK,
    GROUNDS,
    LIGHT,
    SCRIPT,
    STYLE,
    Scale,
    Series,
    dollars,
    over_calls,
    rounded_range,
    thinned,
    ticks,
    tokens,
)

HOSTILE = "\"><script>alert(1)</script>&amp;\x1b[31m\u202e</svg>'x.jsonl"
VOID = {"meta", "line", "circle", "polyline", "path", "rect"}


def line(
    name: str,
    cost: float = 2.0,
    recall: float | None = 0.9,
    calls: int = 5,
    of_off: float | None = None,
    closed: float | None = None,
    fetches: float | None = None,
    kept: tuple[int, int] = (3, 4),
    **more: Any,
) -> PolicyRow:
    shares = {"overall": recall, "inPlace": recall, "far": None}
    figures = {
        "money": cost,
        "ofOff": of_off,
        "recall": {kind: {"share": value} for kind, value in shares.items()},
        "grounding": {"share": 0.5},
        "breaks": 1,
        "kept": {"share": kept[0] / kept[1], "held": kept[0], "of": kept[1]},
        "closedLoop": {"billed": cost, "closed": cost, "closedOfOff": closed, "fetchesIn100": fetches},
    }
    context = tuple(range(1_000, 1_000 * (calls + 1), 1_000))
    return PolicyRow(name, figures, context, (cost / max(1, calls),) * calls, **{"epochs": (2,), **more})


SHEET = RecordingSheet(
    "a.jsonl",
    (
        line("off", 4.0, 1.0, of_off=1.0, epochs=(), closed=1.0, fetches=1.0, kept=(9, 10)),
        line("balanced", of_off=0.5, closed=0.75, fetches=8.0, receipts=("1 < 2 & so on",)),
        line("masking-5", 0.8, of_off=0.2, closed=0.2, fetches=3.5, simulated=True, kept=(1, 2)),
    ),
    "5 calls",
    0.6,
)


class Reader(HTMLParser):
    """Raises where a tag is not closed in its place; keeps the text and the members."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.members: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.members += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID or tag in ("polyline", "circle", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.members += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def drawings(text: str) -> list[ElementTree.Element]:
    """Each drawing, parsed as XML."""
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def test_the_page_is_whole_and_closed_in_itself() -> None:
    text = page([SHEET, SHEET])
    reader = read(text)
    assert not [value for _, name, value in reader.members if name in ("src", "srcset")]
    assert all(value.startswith("#") for _, name, value in reader.members if name == "href")
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert re.findall(r"https?://[^\"]*", text) == [
        "http://www.w3.org/2000/svg"
    ]  # a name in the script, not fetched
    assert not re.search(r"fetch|XMLHttpRequest|innerHTML|eval|import", SCRIPT)
    assert STYLE.count("{") == STYLE.count("}")
    assert "prefers-color-scheme:dark" in STYLE
    assert len(drawings(text)) == 7
    assert page([SHEET, SHEET]) == text


def cells(text: str, name: str) -> dict[str, str]:
    """The first row of this policy in the first table, by heading."""
    texts = read(re.findall(r"<table>.*?</table>", text, re.DOTALL)[0]).text
    heads = texts[texts.index("policy") : texts.index("off")]
    start = texts.index(name, texts.index("off"))
    return dict(zip(heads, texts[start : start + len(heads)], strict=True))


def test_what_stands_in_the_tables() -> None:
    row = cells(page([SHEET]), "balanced")
    assert (row["closed"], row["kept"], row["in place"], row["re-fetches"]) == ("0.750", "0.750", "0.900", "8.0")
    assert 'style="--part:75.0%">0.750<' in page([SHEET])
    more = cells(page([SHEET]).partition("More figures")[2], "balanced")
    assert (more["$ input"], more["input"], more["far"], more["breaks"]) == ("2.00", "0.500", "-", "1")
    texts = read(page([SHEET])).text
    for words in ("1 < 2 & so on", "5 calls", "balanced: the arithmetic of 1 epoch"):
        assert words in texts


def test_the_page_begins_with_cost_against_kept_and_says_what_each_policy_is() -> None:
    described = msgspec.structs.replace(SHEET.lines[2], about="Clears all but five.")
    sheet = msgspec.structs.replace(SHEET, lines=(*SHEET.lines[:2], described))
    for sheets in ([sheet], [sheet, sheet]):
        text = page(sheets)
        front, table = text.index("<b>Cost against kept</b>"), text.index("<table>")
        assert text.index("</h1>") < front < text.index("Clears all but five.") < table
        assert "dashed: the floor, which is every message written to the cache once" in text


def test_with_one_recording_no_plot_and_no_table_stands_twice() -> None:
    text = page([SHEET])
    labels = [drawn.attrib["aria-label"] for drawn in drawings(text)]
    assert len(labels) == len(set(labels)) == 3
    heads = re.findall(r"<thead>.*?</thead>", text)
    assert len(heads) == len(set(heads)) == 2


def test_probes_by_kind_are_a_table_with_means_over_recordings() -> None:
    asked = [
        RecordingSheet("a", SHEET.lines, kinds=(("goal", {"off": 1.0, "balanced": 0.5}),)),
        RecordingSheet("b", SHEET.lines, kinds=(("goal", {"off": 0.0}), ("errors", {"off": 0.25}))),
    ]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</span>(\w+)</th>(.*?)</tr>", page(asked))
    found = [(name, re.findall(r"<td[^>]*>(.*?)</td>", cells)) for name, cells in rows]
    assert ("off", ["0.500", "0.250"]) in found
    assert ("balanced", ["0.500", "–"]) in found


def test_hostile_text_is_text() -> None:
    hostile = line(HOSTILE, receipts=(HOSTILE,))
    text = page([RecordingSheet(HOSTILE, (line("off"), hostile), HOSTILE)] * 2, HOSTILE)
    reader = read(text)
    assert text.count("<script>") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    assert drawings(text)
    assert sum("alert(1)</script>&amp;\\u001b[31m\\u202e</svg>" in words for words in reader.text) >= 5


def test_little_to_show() -> None:
    for sheets in (
        [],
        [RecordingSheet("nothing", ())],
        [RecordingSheet("no calls", (line("off", 0.0, None, 0, epochs=()),))],
        [RecordingSheet("one call", (line("off", 1.0, 1.0, 1, epochs=(0,)),))],
        [RecordingSheet("no base", (line("turns", 1.0, 0.5),), floor=0.5)],
        [RecordingSheet("free", (line("off", 0.0), line("turns", 0.0)))],
    ):
        text = page(sheets)
        read(text)
        drawings(text)
        assert "nan" not in text.casefold().replace("finance", ""), sheets


def test_colours_are_read_on_both_grounds() -> None:
    """WCAG asks 3:1 of what is drawn."""
    for colours, ground in ((LIGHT, GROUNDS[0]), (DARK, GROUNDS[1])):
        assert len(set(colours)) == len(LIGHT)
        assert min(contrast(colour, ground) for colour in colours) >= 3


def test_what_is_read_has_the_contrast_of_aa_on_both_grounds() -> None:
    light, _, dark = COLOURS_OF_BOTH.partition("@media (prefers-color-scheme:dark)")
    for style in (light, dark):
        colours = dict(re.findall(r"--(\w+):(#[0-9a-f]{6});", style))
        for ground in ("ground", "raised"):
            assert min(contrast(colours[name], colours[ground]) for name in ("ink", "soft", "s3")) >= 4.5, ground


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# drawings


def test_values_can_be_read_off_a_line() -> None:
    """As the page's script does it."""
    values = (0.0, 250.0, 1_000.0)
    (drawn,) = drawings(over_calls([Series("x", 1, values, (1,))], "tokens", tokens))
    frame = {
        name: float(drawn.attrib[f"data-{name}"]) for name in ("left", "right", "top", "bottom", "high", "calls")
    }
    (points,) = (element.attrib["points"] for element in drawn.iter("polyline"))
    for call, (pair, value) in enumerate(zip(points.split(), values, strict=True)):
        x, y = map(float, pair.split(","))
        assert (frame["bottom"] - y) / (frame["bottom"] - frame["top"]) * frame["high"] == pytest.approx(
            value, abs=1
        )
        assert (x - frame["left"]) / (frame["right"] - frame["left"]) * frame["calls"] == pytest.approx(
            call, abs=0.01
        )
    assert [element.text for element in drawn.iter("title")] == ["x", "x, epoch 1, call 1: 0 to 250"]


def test_kept_is_drawn_against_the_bill_with_a_peer_and_floor() -> None:
    """A bill of 4 dollars is the whole: balanced at 0.5, the peer at 0.2, the floor an edge at 0.15."""
    drawn, *_ = drawings(page([SHEET]))
    assert drawn.attrib["aria-label"] == "kept: share of what replies repeat against billed: cost of input, off = 1"
    labels = [element.text for element in drawn.iter("text") if element.attrib["class"] == "label"]
    assert sorted(map(str, labels)) == ["balanced", "floor", "masking-5", "off"]
    places = {
        (element.find("title").text or "").split(":")[0]: (float(element.attrib["cx"]), float(element.attrib["cy"]))  # type: ignore[union-attr]
        for element in drawn.iter("circle")
    }
    (edge,) = (float(element.attrib["points"].split()[0].split(",")[0]) for element in drawn.iter("polyline"))
    assert edge < places["balanced"][0] < places["off"][0]  # more is further right
    assert places["balanced"][1] > places["off"][1]  # and further up
    scale = places["off"][0] - places["balanced"][0]
    assert (places["balanced"][0] - edge) / scale == pytest.approx((0.5 - 0.15) / (1 - 0.5), abs=0.05)


# scales


def test_ticks_are_round() -> None:
    for low, high, expected in (
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (0, 184_000, [0, 50_000, 100_000, 150_000]),
        (0.876, 1, [0.9, 0.925, 0.95, 0.975, 1]),
        (0.87, 1, [0.9, 0.95, 1]),
        (3, 3, [3]),
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ):
        assert ticks(low, high) == expected, low


@given(st.floats(0, 1e6), st.floats(1e-4, 1e9))
def test_ticks_are_few_and_inside(low: float, width: float) -> None:
    marks = ticks(low, low + width)
    assert len(marks) <= 7
    assert all(low - 1e-6 * width <= tick <= (low + width) * (1 + 1e-9) for tick in marks)


@given(st.floats(0, 1e9))
def test_an_axis_has_room(high: float) -> None:
    low, most = rounded_range(0, high)
    assert low == 0
    assert most >= high * (1 - 1e-9)
    assert Scale(0, most, 0, 1).position(high) <= 1


@given(st.lists(st.integers(0, 9), max_size=400), st.integers(8, 50))
def test_a_thinned_series_keeps_its_ends_and_its_extremes(values: list[int], most: int) -> None:
    kept = thinned(values, most)
    assert kept == sorted(set(kept))
    assert len(kept) <= most + 3
    if values:
        assert (kept[0], kept[-1]) == (0, len(values) - 1)
        assert {min(values), max(values)} <= {values[index] for index in kept}


def test_numbers_as_people_read_them() -> None:
    assert [tokens(value) for value in (0, 999, 1_500, 120_000, 1_500_000)] == ["0", "999", "1.5k", "120k", "1.5M"]
    assert [dollars(value) for value in (0, 0.0123, 0.5, 11.754)] == ["$0.00", "$0.0123", "$0.50", "$11.75"]
