"""The picture of the docs is that of its figures, and these are of today's program."""

import json
import re
import xml.etree.ElementTree as Xml

import pytest

from ctxmgr.study.report.plots import DARK, GROUNDS, LIGHT
from scripts import picturing

FIGURES = json.loads((picturing.ROOT / picturing.FIGURES).read_text(encoding="utf-8"))
OUTCOMES = json.loads((picturing.ROOT / "tests" / "outcome" / "figures.json").read_text(encoding="utf-8"))
SVG = "{http://www.w3.org/2000/svg}"


def text(name: str) -> str:
    return (picturing.ROOT / name).read_text(encoding="utf-8")


def test_drawing_and_table_are_those_of_the_figures() -> None:
    assert text(picturing.DRAWING) == picturing.drawing(FIGURES)
    assert text(picturing.PAGE) == picturing.with_table(text(picturing.PAGE), FIGURES)


def test_the_figures_are_those_of_today() -> None:
    """Else: scripts/picture."""
    for name in picturing.SESSIONS:
        today = OUTCOMES[f"{name} {picturing.WINDOW} balanced modelled"]["closed"]
        assert FIGURES["recordings"][name] == pytest.approx(today, abs=0.005), name


def test_the_drawing_is_read_on_both_grounds_and_told_in_words() -> None:
    drawn = Xml.fromstring(picturing.drawing(FIGURES))
    style = drawn.findtext(f"{SVG}style") or ""
    assert all(colour in style for colour in (*LIGHT, *DARK, *GROUNDS))
    assert "prefers-color-scheme:dark" in style
    assert drawn.find(f"{SVG}rect[@class='ground']") is not None
    says = drawn.findtext(f"{SVG}desc") or ""
    assert all(one["name"] in says for one in FIGURES["policies"])
    texts = " ".join(one.text or "" for one in drawn.iter(f"{SVG}text"))
    for words in ("driven through ctxmgr", "simulated", "balanced by keep", "the floor"):
        assert words in texts


def test_nothing_of_this_machine_stands_in_the_drawing() -> None:
    assert not re.search(r"/(home|work|tmp|root)/", picturing.drawing(FIGURES))
