"""The bench: its arithmetic, its table and the bytes it prepares. Nothing here measures anything."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from rich.console import Console

ROOT = Path(__file__).parents[2]


def part(name: str) -> ModuleType:
    """A module of scripts/benching; the folder of a script is on the path only while it runs."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module(f"benching.{name}")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


floor, prepared, table = part("floor"), part("prepared"), part("table")


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.5, 5), (0.99, 10), (0.9, 9), (0.1, 1), (0.0, 1), (1.0, 10)],
)
def test_a_percentile_is_the_smallest_value_that_covers_its_share(share: float, expected: int) -> None:
    assert table.percentile([3, 1, 2, 10, 9, 8, 7, 6, 5, 4], share) == expected


def test_a_ratio_is_taken_round_by_round() -> None:
    figure = table.figure("x", "ms", [1.0, 20.0, 3.0], [2.0, 40.0, 3.0])
    assert (figure.ratio.middle, figure.ratio.low, figure.ratio.high) == (0.5, 0.5, 1.0)
    assert (figure.ours.middle, figure.ours.low, figure.ours.high) == (3.0, 1.0, 20.0)
    assert figure.met is None


def test_rounds_that_do_not_pair_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        table.figure("x", "ms", [1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("goal", "ours", "base", "met"),
    [
        (("ratio", "at most", 1.0), [2.0], [2.0], True),
        (("ratio", "at most", 1.0), [2.1], [2.0], False),
        (("ratio", "at least", 0.8), [8.0], [10.0], True),
        (("ratio", "at least", 0.8), [7.9], [10.0], False),
        (("ours", "at most", 35.0), [35.0], [], True),
        (("ours", "at most", 35.0), [36.0], [100.0], False),
        (("ratio", "at most", 1.0), [1.0], [], False),  # nothing to compare with: no goal is met
    ],
)
def test_a_goal_is_met_or_missed(goal: Any, ours: list[float], base: list[float], met: bool) -> None:
    assert table.figure("x", "ms", ours, base, table.Goal(*goal)).met is met


@pytest.mark.parametrize(
    ("value", "text"), [(0.1234, "0.12"), (9.999, "10.00"), (12.34, "12.3"), (123.4, "123"), (12345.6, "12,346")]
)
def test_numbers_show_three_digits(value: float, text: str) -> None:
    assert table.number(value) == text


def test_the_table_tells_figure_ratio_goal_and_verdict() -> None:
    goal = table.Goal("ratio", "at least", 0.8)
    figures = [table.figure("small events", "/s", [900.0, 950.0, 800.0], [1000.0, 1000.0, 1000.0], goal)]
    console = Console(width=140, no_color=True)
    with console.capture() as captured:
        console.print(table.table(figures))
    row = next(line for line in captured.get().splitlines() if "small events" in line)
    for text in ("900 /s (800..950)", "1,000 /s", "0.90 (0.80..0.95)", ">= 0.80 x floor", "met"):
        assert text in row
    assert "missed" not in row


def test_the_figures_are_json_too() -> None:
    figures = [table.figure("idle", "MB", [36.0], [], table.Goal("ours", "at most", 35.0))]
    (row,) = json.loads(table.as_json(figures))
    assert (row["name"], row["ours"]["middle"], row["floor"], row["met"]) == ("idle", 36.0, None, False)


def test_a_growing_list_is_a_list_at_every_step() -> None:
    grown = prepared.growing(30_000, 4, steps_a_turn=3)
    for number, count in enumerate(grown.counts):
        messages = json.loads(b"[" + bytes(grown.upto(number)) + b"]")
        assert len(messages) == count
        assert [one["role"] for one in messages[-2:]] == ["assistant", "toolResult"]
    new = json.loads(b"[" + bytes(grown.between(0, 1)) + b"]")
    assert len(new) == grown.counts[1] - grown.counts[0]
    first = grown.first_of(30_000)
    assert grown.ends[first - 1] < 30_000 <= grown.ends[first]
    assert len(grown.counts) - first > 3  # what was asked for beyond it


def test_the_same_bytes_are_prepared_each_time() -> None:
    assert prepared.growing(20_000, 2) == prepared.growing(20_000, 2)


def test_frames_say_their_length_and_hold_the_request() -> None:
    grown = prepared.growing(5_000, 1)
    for parts in (
        prepared.context(7, "a", grown.upto(0), "messages"),
        prepared.appended(7, "a", 3, b"3.abc", grown.between(0, 1)),
        prepared.request(7, "getStatus", {"sessionId": "a"}),
    ):
        header, _, body = b"".join(parts).partition(b"\r\n\r\n")
        assert header == b"Content-Length: %d" % len(body)
        request = json.loads(body)
        assert (request["id"], request["params"]["sessionId"]) == (7, "a")


@pytest.mark.parametrize("kind", ["whole", "appended"])
def test_the_floor_echoes_the_list_byte_for_byte(kind: str) -> None:
    grown = prepared.growing(5_000, 1)
    if kind == "whole":
        sent, parts = grown.upto(1), prepared.context(7, "a", grown.upto(1))
    else:
        sent, parts = grown.between(0, 1), prepared.appended(7, "a", 3, b"3.abc", grown.between(0, 1))
    answer = b"".join(floor.answer(b"".join(parts[1:])))
    assert bytes(sent) in answer
    assert msgspec.json.decode(answer)["id"] == 7


def test_the_floor_answers_what_holds_no_list() -> None:
    answer = floor.answer(b"".join(prepared.request(7, "turn_end", {"sessionId": "a"})[1:]))
    assert json.loads(b"".join(answer)) == {"jsonrpc": "2.0", "id": 7, "result": {"ok": True}}


@pytest.mark.parametrize(
    ("report", "opens"), [(b'"epoch":1,"arithmetic":"price"', True), (b'"epoch":1,"checks":[]', False)]
)
def test_a_call_that_opens_no_epoch_is_not_timed_as_one(report: bytes, opens: bool) -> None:
    class Host:
        def ask(self, parts: Any) -> memoryview:
            return memoryview(b'{"jsonrpc":"2.0","id":7,"result":{"edits":[],"report":{' + report + b"}}}")

    if opens:
        assert part("epochs")._timed(Host(), []) >= 0
    else:
        with pytest.raises(RuntimeError, match="no epoch"):
            part("epochs")._timed(Host(), [])
