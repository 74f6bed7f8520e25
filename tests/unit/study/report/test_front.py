"""The picture of all policies: what they keep of what replies repeat, and what they are billed."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.study.observations import Ratio
from ctxmgr.study.report import front
from ctxmgr.study.report.front import (
    FRONT,
    PolicyPoint,
    PolicyRow,
    RecordingSheet,
    drawing,
    floor_share,
    policy_points,
)
from ctxmgr.study.report.page import page
from ctxmgr.study.report.plots import ASCENT, BOLD, DESCENT, WIDTH, Box, NamedPoint, labels

KNOBS = (0.0, 0.6, 0.7, 0.8, 0.9, 1.0)


def row(
    name: str,
    billed: float | None,
    kept: float | None = 0.5,
    asked: int = 1_000,
    **more: Any,
) -> PolicyRow:
    """`asked`: bytes that replies repeat."""
    loop = {"billed": billed, "closed": billed}
    repeats = {"held": round((kept or 0) * asked), "of": 0 if kept is None else asked}
    return PolicyRow(
        name, {"closedLoop": loop, "kept": {"share": kept, **repeats}}, (100,) * 10, (0.1,) * 10, **more
    )


def standard(billed: float = 1.0) -> RecordingSheet:
    """All that is compared by `--front`, close together as recordings have it."""
    peers = {
        "masking-10": (0.726, 0.96),
        "masking-5": (0.654, 0.911),
        "clear-tool-uses": (0.819, 0.927),
        "opencode": (1.0, 0.97),
    }
    lines = [
        row("off", billed, 0.965),
        row("tools", 0.92 * billed, 0.95),
        row("turns", 0.95 * billed, 0.6),
        row("balanced", 0.444 * billed, 0.66, knob=0.5),
        *(row(f"balanced {knob:g}", (0.41 + knob / 12) * billed, 0.63 + 0.05 * knob, knob=knob) for knob in KNOBS),
        *(row(name, of * billed, kept, simulated=True) for name, (of, kept) in peers.items()),
    ]
    return RecordingSheet("a.jsonl", tuple(lines), floor=0.275 * billed)


def drawn(sheets: Sequence[RecordingSheet]) -> ElementTree.Element:
    return ElementTree.fromstring(drawing(policy_points(sheets), floor_share(sheets)))


def points_of(picture: ElementTree.Element) -> dict[str, tuple[float, float]]:
    """By policy, where its mark's middle is."""
    coordinates = {}
    for element in [*picture.iter("circle"), *picture.iter("rect")]:
        name = (element.findtext("title") or "").partition(":")[0]
        of = element.attrib
        if element.tag == "circle":
            coordinates[name] = (float(of["cx"]), float(of["cy"]))
        else:
            half = float(of["width"]) / 2
            coordinates[name] = (float(of["x"]) + half, float(of["y"]) + half)
    return coordinates


def read_off(picture: ElementTree.Element) -> dict[str, tuple[float, float]]:
    """By policy its figures, as one reads them at the axes: its bill, and what it kept."""
    ticks = [element for element in picture.iter("text") if element.attrib["class"] == "tick"]
    ups = [
        (float(element.attrib["y"]) - 4, float(element.text or ""))
        for element in ticks
        if element.get("text-anchor") == "end"
    ]
    across = [
        (float(element.attrib["x"]), float(element.text or ""))
        for element in ticks
        if element.get("text-anchor") == "middle"
    ]

    def value(at: float, marks: list[tuple[float, float]]) -> float:
        (first, low), (last, high) = marks[0], marks[-1]
        return low + (at - first) / (last - first) * (high - low)

    return {name: (value(x, across), value(y, ups)) for name, (x, y) in points_of(picture).items()}


def test_each_policy_is_a_point_at_its_own_figures() -> None:
    lines = (*standard().lines, row("newest", 0.2, -0.25))  # it keeps less than the newest text alone
    found = read_off(drawn([RecordingSheet("a.jsonl", lines)]))
    assert found.keys() == {line.name for line in lines}
    for line in lines:
        assert found[line.name] == pytest.approx((line.number("closedLoop.billed"), line.repeats.share), abs=0.005)


def test_several_recordings_weigh_by_dollars_and_by_bytes() -> None:
    sheets = [
        RecordingSheet("a", (row("off", 9.0), row("tools", 3.0, 0.9, 3_000)), floor=1.8),
        RecordingSheet("b", (row("off", 1.0), row("tools", 1.0, 0.1, 1_000)), floor=0.2),
    ]
    tools = policy_points(sheets)[1]
    assert (tools.billed_share, tools.repeats.share, tools.recording_count) == (0.4, 0.7, 2)
    assert floor_share(sheets) == pytest.approx(0.2)


def test_a_policy_is_held_against_the_host_alone_on_the_recordings_it_was_measured_on() -> None:
    sheets = [
        RecordingSheet("a", (row("off", 8.0), row("opencode", 2.0, simulated=True))),
        RecordingSheet("b", (row("off", 100.0),)),
    ]
    assert policy_points(sheets)[1].billed_share == 0.25
    assert ", 1 recordings" not in str(policy_points(sheets)[1])
    assert policy_points(sheets)[1].recording_count == 1


def test_the_front_is_joined_in_the_order_of_its_knob() -> None:
    lines = standard().lines
    for order in (lines, lines[::-1]):
        picture = drawn([RecordingSheet("a", order)])
        (path,) = [element for element in picture.iter("polyline") if "dashed" not in element.attrib["class"]]
        assert path.findtext("title") == FRONT
        pairs = [tuple(map(float, pair.split(","))) for pair in path.attrib["points"].split()]
        places = points_of(picture)
        names = ["balanced 0", "balanced", *(f"balanced {knob:g}" for knob in KNOBS[1:])]
        assert pairs == [places[name] for name in names]
        assert (
            len(
                {
                    element.attrib["class"]
                    for element in picture.iter("circle")
                    if "balanced" in str(element[0].text)
                }
            )
            == 1
        )


def test_points_of_the_front_are_named_by_the_knob_and_equal_ones_once() -> None:
    same = [row("off", 1.0)] + [row(f"balanced {knob:g}", 0.5, 0.3, knob=knob) for knob in (0.0, 0.25)]
    found = [*same, row("balanced 1", 0.8, 0.9, knob=1.0), row("balanced", 0.6, 0.7, knob=0.5)]
    texts = [
        element.text
        for element in drawn([RecordingSheet("a", tuple(found))]).iter("text")
        if element.get("class") == "label"
    ]
    assert sorted(map(str, texts)) == ["0, 0.25", "0.5", "1", "off"]


def test_a_policy_without_figures_is_said_and_not_drawn() -> None:
    sheet = RecordingSheet("a", (row("off", 1.0), row("tools", None), row("turns", 0.5, None)))
    assert points_of(drawn([sheet])).keys() == {"off"}
    assert "Not drawn, because nothing was measured: tools, turns." in page([sheet])


def test_what_was_simulated_is_told_by_its_shape() -> None:
    picture = drawn([standard()])
    assert {(element.findtext("title") or "").partition(":")[0] for element in picture.iter("rect")} == {
        *("masking-10", "masking-5", "clear-tool-uses", "opencode")
    }
    says = str(front.legend(policy_points([standard()]), 0.2))
    for words in ("circle: driven", "square: a peer, simulated", f"line: {FRONT}", "dashed: the floor"):
        assert words in says
    assert "floor" not in str(front.legend(policy_points([standard()]), None))


@settings(max_examples=10)
@given(st.lists(st.tuples(st.floats(0, 2), st.floats(-1, 1)), max_size=10))
def test_all_points_are_in_the_frame(places: list[tuple[float, float]]) -> None:
    some = [PolicyPoint(f"p{at}", 1, x, Ratio(round(1000 * y), 1000)) for at, (x, y) in enumerate(places)]
    text = drawing(some, None)
    assert bool(text) == bool(some)
    for x, y in points_of(ElementTree.fromstring(text)).values() if text else ():
        assert 0 <= x <= WIDTH
        assert 0 <= y <= front.HIGH


@settings(max_examples=10)
@given(st.lists(st.tuples(st.floats(40, 480), st.floats(14, 300)), max_size=9))
def test_labels_never_lie_over_each_other_wherever_points_are(places: list[tuple[float, float]]) -> None:
    room = Box(40, 480, 0, 300)
    made = labels([NamedPoint(x, y, f"name {at}") for at, (x, y) in enumerate(places)], room)
    assert sorted(label.name for label in made) == sorted(f"name {at}" for at in range(len(places)))
    assert not [pair for pair in combinations(made, 2) if pair[0].box.meets(pair[1].box)]
    assert all(label.box.within(room) for label in made)


def test_no_label_of_the_standard_picture_lies_on_a_mark_a_line_or_another_label() -> None:
    picture = drawn([standard()])
    marks = points_of(picture).values()
    texts = [element for element in picture.iter("text") if element.get("class") == "label"]
    assert len(texts) > 8
    boxes = [_box(element) for element in texts]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]
    for box in boxes:
        assert not any(box.west < x < box.east and box.north < y < box.south for x, y in marks)


def _box(element: ElementTree.Element) -> Box:
    wide, x, base = BOLD * len(element.text or ""), float(element.attrib["x"]), float(element.attrib["y"])
    west = x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[element.attrib["text-anchor"]]
    return Box(west, west + wide, base - ASCENT, base + DESCENT)
