"""The bench: the bytes that it prepares, its limits, and that its gate sees a fault."""

import json
import sys
from pathlib import Path

import pytest

from scripts.benching import figures, floor, limits, pair, prepared, steady


def test_the_floor_echoes_the_list_byte_for_byte() -> None:
    grown = prepared.growing(5_000, 1)
    header, *body = prepared.context(7, "a", grown.upto(1), "messages")
    request = json.loads(b"".join(body))
    assert header == b"Content-Length: %d\r\n\r\n" % sum(map(len, body))
    assert (request["id"], request["params"]["sessionId"]) == (7, "a")
    answer = b"".join(floor.answer(b"".join(body)))
    assert bytes(grown.upto(1)) in answer
    assert json.loads(answer)["id"] == 7


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
    within = [
        figures.figure("ratio", "ms", [9.0, 1.4, 9.0], [1.0, 1.0, 1.0]),
        figures.figure("rate", "/s", [0.1, 0.1, 0.21], [1.0, 1.0, 1.0]),
        figures.figure("own", "MB", [2.9]),
    ]
    rows = limits.judged(within, held)
    assert [row.best for row in rows] == [1.4, 0.21, 2.9]
    assert not limits.failures(rows)
    busy_floor = figures.figure("ratio", "ms", [2.0, 3.0, 4.0], [9.0, 2.0, 4.0])
    assert held["ratio"].best(busy_floor) == 1.0
    beyond = [
        figures.figure("ratio", "ms", [1.6, 1.6, 9.0], [1.0, 1.0, 1.0]),
        figures.figure("rate", "/s", [0.1, 0.1, 0.19], [1.0, 1.0, 1.0]),
        figures.figure("own", "MB", [3.1]),
    ]
    assert len(limits.failures(limits.judged(beyond, held))) == 3
    with pytest.raises(ValueError, match=r"without a limit: own$"):
        limits.judged(beyond, {"ratio": held["ratio"], "rate": held["rate"]})


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
