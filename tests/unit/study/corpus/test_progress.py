"""How far a run is, where stderr is no terminal: a line now and then, by a clock that is planted."""

from itertools import count

import pytest

from ctxmgr.study.corpus import progress


def lines(tasks: int, seconds: float, capsys: pytest.CaptureFixture[str], bad: tuple[int, ...] = ()) -> list[str]:
    """What is said of a run whose tasks come `seconds` after one another; those numbered `bad` have no figures."""
    times = count(1000.0, seconds)
    with progress.reported(tasks, lambda: next(times)) as took:
        for number in range(tasks):
            took(number not in bad)
    return capsys.readouterr().err.splitlines()


def test_a_line_a_minute_says_what_is_done_and_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(9_000, 20.0, capsys, bad=(0, 4))[:2] == [
        "3 of 9,000 tasks, 1 without figures, about 50.0 h left",
        "6 of 9,000 tasks, 2 without figures, about 50.0 h left",
    ]
    assert lines(10, 25.0, capsys)[-1] == "9 of 10 tasks, 0 without figures, about 1 min left"


def test_tasks_that_take_longer_are_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(3, 600.0, capsys) == [
        "1 of 3 tasks, 0 without figures, about 20 min left",
        "2 of 3 tasks, 0 without figures, about 10 min left",
    ]


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(50, 1.0, capsys) == []
