"""The bench: its arithmetic, its tables and the bytes it prepares; and that its gate sees a fault."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

ROOT = Path(__file__).parents[2]


def part(name: str) -> ModuleType:
    """A module of scripts/benching; the folder of a script is on the path only while it runs."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module(f"benching.{name}")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


floor, prepared, table = part("floor"), part("prepared"), part("table")
gate, limits, pair, steady = part("gate"), part("limits"), part("pair"), part("steady")


def test_a_ratio_is_taken_round_by_round() -> None:
    figure = table.figure("x", "ms", [1.0, 20.0, 3.0], [2.0, 40.0, 3.0])
    assert (figure.ratio.middle, figure.ratio.low, figure.ratio.high) == (0.5, 0.5, 1.0)
    assert (figure.ours.middle, figure.ours.low, figure.ours.high) == (3.0, 1.0, 20.0)
    assert figure.met is None


def test_a_goal_is_met_or_missed() -> None:
    for goal, ours, base, met in [
        (("ratio", "at most", 1.0), [2.0], [2.0], True),
        (("ratio", "at most", 1.0), [2.1], [2.0], False),
        (("ratio", "at least", 0.8), [8.0], [10.0], True),
        (("ratio", "at least", 0.8), [7.9], [10.0], False),
        (("ours", "at most", 35.0), [35.0], [], True),
        (("ours", "at most", 35.0), [36.0], [100.0], False),
        (("ratio", "at most", 1.0), [1.0], [], False),  # nothing to compare with: no goal is met
    ]:
        assert table.figure("x", "ms", ours, base, table.Goal(*goal)).met is met, goal


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


def test_the_floor_echoes_the_list_byte_for_byte() -> None:
    for kind in ["whole", "appended"]:
        grown = prepared.growing(5_000, 1)
        if kind == "whole":
            sent, parts = grown.upto(1), prepared.context(7, "a", grown.upto(1))
        else:
            sent, parts = grown.between(0, 1), prepared.appended(7, "a", 3, b"3.abc", grown.between(0, 1))
        answer = b"".join(floor.answer(b"".join(parts[1:])))
        assert bytes(sent) in answer, kind
        assert msgspec.json.decode(answer)["id"] == 7, kind


def test_a_limit_is_of_the_goal_where_it_was_reached_and_else_of_what_was_measured() -> None:
    for goal, measured, sense, limit, reached in [
        (1.0, 0.8, "at most", 1.5, True),
        (1.0, 2.0, "at most", 3.0, False),
        (None, 2.0, "at most", 3.0, False),
        (0.3, 0.4, "at least", 0.2, True),
        (0.3, 0.2, "at least", 0.2 / 1.5, False),
    ]:
        row = limits.Limit(goal, measured, sense=sense)
        assert row.limit == pytest.approx(limit), (goal, measured, sense)
        assert row.was_reached is reached, (goal, measured, sense)


def test_the_gate_holds_the_best_round_of_each_figure_to_its_limit() -> None:
    held = {
        "ratio": limits.Limit(1.0, 1.0),
        "rate": limits.Limit(0.3, 0.3, sense="at least"),
        "own": limits.Limit(2.0, 2.0, "ours"),
    }
    figures = [
        table.figure("ratio", "ms", [9.0, 1.4, 9.0], [1.0, 1.0, 1.0]),
        table.figure("rate", "/s", [0.1, 0.1, 0.21], [1.0, 1.0, 1.0]),
        table.figure("own", "MB", [2.9]),
    ]
    rows = gate.judged(figures, held)
    assert [row.best for row in rows] == [1.4, 0.21, 2.9]
    slow_floor = table.figure(
        "ratio", "ms", [2.0, 3.0, 4.0], [9.0, 2.0, 4.0]
    )  # a busy round of the floor proves nothing
    assert held["ratio"].best(slow_floor) == 1.0
    assert not gate.failures(rows)
    worse = [
        table.figure("ratio", "ms", [1.6, 1.6, 9.0], [1.0, 1.0, 1.0]),
        table.figure("rate", "/s", [0.1, 0.1, 0.19], [1.0, 1.0, 1.0]),
        table.figure("own", "MB", [3.1]),
    ]
    assert len(gate.failures(gate.judged(worse, held))) == 3


def test_no_figure_is_without_a_limit_and_no_limit_without_a_figure() -> None:
    one = table.figure("one", "ms", [1.0], [1.0])
    for held in ({}, {"one": limits.Limit(1, 1), "two": limits.Limit(1, 1)}):
        with pytest.raises(ValueError, match=r"without a figure or without a limit: (one|two)$"):
            gate.judged([one], held)


@pytest.mark.long
def test_a_walk_over_the_list_in_each_call_is_beyond_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = [sys.executable, str(Path(__file__).with_name("planted.py")), "serve", "--preload", "--state-dir"]
    monkeypatch.setattr(pair, "serve_command", lambda state_dir, *more: [*fault, state_dir])
    options = pair.Options(str(tmp_path), rounds=1)
    for figure in steady.measure(options, steady.SIZES[:1], {"off": steady.WHOLE["off"]}, {}):
        limit = limits.LIMITS[figure.name]
        assert not limit.holds(limit.best(figure)), figure
