"""The measure of a corpus's memory: what it runs is what a run sees."""

from pathlib import Path

import pytest

from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus.evaluating import decode
from ctxmgr.study.corpus.listing import Listing
from ctxmgr.study.corpus.tasks import CorpusSettings, policies
from scripts import gathering


def test_each_recording_is_another_and_each_task_has_rows_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "FIRST", [])
    monkeypatch.setattr(gathering, "GROUP_ROWS", 2)
    gathering.written(tmp_path / "five.parquet", 5)
    with Listing(tmp_path / "listing") as listing:
        listing.add(sources.listed([str(tmp_path / "five.parquet")]))
        assert listing.ask(policies(["off"]), CorpusSettings(with_probes=False), (), None) == 5
        tasks = list(listing.tasks())
    found = [decode(gathering.gathered(task)) for task in tasks]
    assert [one.recording.key for one in found] == [task.key for task in tasks]
    assert [one.recording.digest for one in found] == [task.recording.digest for task in tasks]
    assert {one.recording.status for one in found} == {"ok"}
    assert all({call.key for call in one.calls} == {one.recording.key} for one in found)


def test_what_a_process_holds_is_read() -> None:
    assert 0 < gathering.memory()["VmRSS"] <= gathering.memory()["VmHWM"]
