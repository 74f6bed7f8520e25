"""The archives of a process: answers as futures, in order, and tidying that no call waits for."""

from pathlib import Path

import pytest

from ctxmgr.devices.archive import database
from ctxmgr.devices.archive.database import ArchiveDatabase, ArchiveDatabases
from ctxmgr.devices.archive.file import NAME
from ctxmgr.model.epochs import ArchiveAnswer, ArchiveRow
from ctxmgr.model.policy import Archive as Limits

WAIT_SECONDS = 60  # only a failure waits so long


def row(name: str) -> ArchiveRow:
    return ArchiveRow(f"h{name}", f"k{name}", "read", name)


def test_rows_and_answers_by_directory_and_session(tmp_path: Path) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    running = ArchiveDatabases()
    put = running.put(one, "s", [row("a")], Limits())
    assert put.result(WAIT_SECONDS) == ArchiveAnswer()
    found = [running.get(*place, "ha", Limits()) for place in ((one, "s"), (one, "t"), (other, "s"))]
    assert [future.result(WAIT_SECONDS) for future in found] == [
        ArchiveAnswer(row("a")),
        ArchiveAnswer(),
        ArchiveAnswer(),
    ]
    running.close()
    again = ArchiveDatabases()
    assert again.get(one, "s", "ha", Limits()).result(WAIT_SECONDS) == ArchiveAnswer(row("a"))
    again.close()


def test_a_search_gives_what_was_put_and_what_could_not_be(tmp_path: Path) -> None:
    running = ArchiveDatabases()
    running.put(str(tmp_path), "s", [row("a"), row("b")], Limits())
    future = running.search(str(tmp_path), "s", ("a", 5), [row("a"), row("held a")], Limits())
    assert sorted(hit.handle for hit in future.result(WAIT_SECONDS).hits) == ["ha", "hheld a"]
    running.close()


def test_a_fault_is_in_the_answer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    running = ArchiveDatabases()
    for future in (
        running.put(str(tmp_path / "file"), "s", [row("a")], Limits()),
        running.get(str(tmp_path / "file"), "s", "ha", Limits()),
    ):
        answer = future.result(WAIT_SECONDS)
        assert answer.row is None
        assert answer.fault is not None
        assert NAME in answer.fault
    running.close()


def test_it_is_tidied_after_the_call_and_spares_open_sessions(tmp_path: Path) -> None:
    with_old = ArchiveDatabase(tmp_path, lambda: 0.0)
    for session_id in "st":
        with_old.put(session_id, [row("old")])
    with_old.close()
    running = ArchiveDatabases(frozenset("s"))
    # the second is answered after the step that the first has left behind
    assert running.get(str(tmp_path), "t", "hold", Limits()).result(WAIT_SECONDS) == ArchiveAnswer(row("old"))
    assert running.get(str(tmp_path), "t", "hold", Limits()).result(WAIT_SECONDS) == ArchiveAnswer()
    assert running.get(str(tmp_path), "s", "hold", Limits()).result(WAIT_SECONDS) == ArchiveAnswer(row("old"))
    running.close()


def test_a_fault_of_tidying_is_noted_and_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def tidy(self: ArchiveDatabase, limits: Limits, live: object) -> int:
        calls.append("tidy")
        if len(calls) == 1:
            raise database.ArchiveFault("the disk is full")
        return 0

    monkeypatch.setattr(ArchiveDatabase, "tidy", tidy)
    monkeypatch.setattr(ArchiveDatabase, "due", property(lambda self: len(calls) < 1))
    running = ArchiveDatabases()
    assert running.put(str(tmp_path), "s", [row("a")], Limits()).result(WAIT_SECONDS) == ArchiveAnswer()
    noted = running.put(str(tmp_path), "s", [row("b")], Limits()).result(WAIT_SECONDS)
    assert noted == ArchiveAnswer(note="the archive could not be tidied: the disk is full")
    assert calls == ["tidy"]
    running.close()
