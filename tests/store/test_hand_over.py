"""A session is handed over by force: kills on either side, two owners at once, clocks an hour apart."""

from pathlib import Path

import pytest

from scripts.handing.over import Judge, hand_over

TIMES = 12  # `python -m scripts.handing.over` does a thousand


@pytest.mark.kill
def test_nothing_that_was_durable_is_lost_and_no_stale_head_wins(tmp_path: Path) -> None:
    judge = hand_over(tmp_path, TIMES, seed=7)
    assert judge.epoch >= TIMES
    assert judge.durable > 0


HEADS = (
    ('{"owner":"b","epoch":4,"count":10,"contents":{"seq":7}}', "older epoch"),
    ('{"owner":"a","epoch":5,"count":9,"contents":{"seq":7}}', "older head"),
    ('{"owner":"b","epoch":5,"count":10,"contents":{"seq":7}}', "two owners"),
    ('{"owner":"a","epoch":5,"count":10,"contents":{"seq":6}}', "took back"),
)


@pytest.mark.parametrize(("head", "said"), HEADS)
def test_the_judge_sees_each_fault(tmp_path: Path, head: str, said: str) -> None:
    log = tmp_path / "heads.log"
    judge = Judge(log)
    log.write_text('{"owner":"a","epoch":5,"count":9,"contents":{"seq":7}}\n')
    judge.look()
    with log.open("a") as more:
        more.write(f"{head}\n")
    with pytest.raises(AssertionError, match=said):
        judge.look()


def test_the_judge_sees_that_what_was_durable_is_not_there(tmp_path: Path) -> None:
    log = tmp_path / "heads.log"
    judge = Judge(log)
    log.write_text('{"owner":"a","epoch":5,"count":9,"contents":{"seq":7}}\n')
    judge.note_status({"durable": 8})
    with pytest.raises(AssertionError, match="durable is lost"):
        judge.look()
