"""Rows over recordings: dollars together beside the mean, the floor, and what a person sees of them."""

import io
from typing import Any

from rich.console import Console

from ctxmgr.study.figures import difference, of_totals, totals


def share(held: int, of: int) -> dict[str, Any]:
    return {"share": held / of if of else None, "held": held, "of": of}


def row(preset: str, closed: float, of_off: float, fetches: int, held: int) -> dict[str, Any]:
    loop = {"billed": closed / 2, "closed": closed, "all": closed, "calls": 50, "fetches": fetches}
    loop |= {f"{kind}OfOff": of_off for kind in ("billed", "closed", "all")}
    recall = {"overall": share(held, 10), "far": share(0, 0), "inPlace": share(held, 20)}
    kept = share(held, 10)
    measures = {"closedLoop": loop, "kept": kept, "recall": recall, "grounding": share(1, 4)}
    return {"preset": preset, "measures": measures}


PARTS = [
    [row("off", 8.0, 1.0, 0, 10) | {"floor": {"money": 1.0}}, row("balanced", 4.0, 0.5, 1, 9)],
    [row("off", 2.0, 1.0, 1, 10) | {"floor": {"money": 0.5}}, row("balanced", 2.0, 1.0, 4, 6)],
]


def test_dollars_together_and_the_mean_of_recordings() -> None:
    off, balanced, floor = totals(PARTS, "off")
    assert (off["together"]["closed"], off["mean"]["closed"]) == (1, 1)
    assert balanced["together"]["closed"] == 0.6  # 6 of 10 dollars
    assert balanced["mean"]["closed"] == 0.75  # a half and the whole
    assert balanced["fetchesIn100"] == 5  # 5 of 100 calls
    assert (balanced["recall"], balanced["inPlace"], balanced["far"]) == (0.75, 0.375, None)
    assert floor["together"] == {"billed": 0.3, "closed": 0.15, "all": None}  # 1.5 of 5 and of 10 dollars


def test_kept_is_pooled_and_has_a_mean_and_a_worst_recording() -> None:
    parts = [
        [row("off", 1.0, 1.0, 0, 10) | {"floor": {"money": 1.0}}, row("balanced", 1.0, 1.0, 0, 9)] for _ in "ab"
    ]
    for part, kept in zip(parts, (share(9, 10), share(10, 90)), strict=True):
        part[1]["measures"]["kept"] = kept
    _, balanced, floor = totals(parts, "off")
    assert balanced["kept"] == 0.19  # 19 of 100 bytes
    assert (balanced["mean"]["kept"], balanced["worstKept"]) == (0.50556, 1 / 9)
    assert "kept" not in floor


def test_a_policy_is_held_against_off_where_it_was_measured() -> None:
    parts = [PARTS[0], [PARTS[1][0]]]
    balanced = totals(parts, "off")[1]
    assert (balanced["recordings"], balanced["together"]["closed"]) == (1, 0.5)


def test_a_table_of_totals_has_a_row_a_policy() -> None:
    table = drawn(of_totals(totals(PARTS, "off")).rendered(""))
    lines = [line for line in table.splitlines() if line.startswith("│")]
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    balanced = next(row for row in rows if row[0] == "balanced")
    assert balanced[:6] == ["balanced", "2", "0.600", "0.600", "5.0", "0.750"]
    assert balanced[6:8] == ["0.750", "0.600"]  # the mean and the worst of kept
    assert "floor" not in {row[0] for row in rows}


def drawn(table: object) -> str:
    out = io.StringIO()
    Console(file=out, width=200, no_color=True).print(table)
    return out.getvalue()


def test_an_interval_holds_the_mean_and_narrows_with_more_recordings() -> None:
    few, many = (difference([(number % 5, 1.0) for number in range(count)]) for count in (10, 1_000))
    assert few["low"] < few["mean"] < few["high"]
    assert many["high"] - many["low"] < (few["high"] - few["low"]) / 3
    assert few == difference([(number % 5, 1.0) for number in range(10)])
