"""A session is handed over by force: kills on either side, two owners at once, clocks an hour apart."""

from pathlib import Path

import pytest

from scripts.handing.over import Judge, hand_over

TIMES = 25  # `python -m scripts.handing.over` does a thousand


@pytest.mark.kill
def test_nothing_that_was_durable_is_lost_and_no_stale_head_wins(tmp_path: Path) -> None:
    judge = hand_over(tmp_path, TIMES, seed=7)
    assert judge.epoch >= TIMES
    assert judge.durable > 0


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ('{"owner":"b","epoch":4,"count":9}', "older epoch"),
        ('{"owner":"b","epoch":5,"count":8}', "older head"),
        ('{"owner":"b","epoch":5,"count":9,"contents":{"seq":7}}', "two owners"),
        ('{"owner":"a","epoch":5,"count":9,"contents":{"seq":6}}', "durable is lost"),
    ],
)
def test_the_judge_sees_each_fault(tmp_path: Path, head: str, said: str) -> None:
    (tmp_path / "heads").mkdir()
    judge = Judge(tmp_path)
    judge.epoch, judge.count, judge.durable, judge.owners = 5, 9, 7, {5: "a"}
    (tmp_path / "heads" / "x").write_text(head)
    with pytest.raises(AssertionError, match=said):
        judge.look()
