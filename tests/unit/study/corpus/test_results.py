"""What is done is kept, whoever is killed when."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ctxmgr.study.corpus import results as keeping
from ctxmgr.study.corpus import schema
from ctxmgr.study.corpus.evaluating import decode
from ctxmgr.study.corpus.results import CALLS, RECORDINGS, Results, ResultsFault, parts
from ctxmgr.study.corpus.rows import SCHEMA_VERSION, CorpusCallRow, RecordingRow
from tests.unit.study.corpus.made import asked, corpus, invented


@pytest.fixture
def evaluations(tmp_path: Path) -> list[bytes]:
    return [invented(task) for task in asked(corpus(tmp_path / "some"), ["off"])]


def keys(folder: Path, kind: str) -> list[str]:
    return sorted(key for path in parts(folder, kind) for key in pq.read_table(path)["key"].to_pylist())


def test_what_was_added_is_done_for_the_next_run(tmp_path: Path, evaluations: list[bytes]) -> None:
    with Results(tmp_path / "out") as results:
        assert not set(results.done())
        for one in evaluations:
            results.add(one)
    with Results(tmp_path / "out") as results:
        assert len(set(results.done())) == len(evaluations)
    assert keys(tmp_path / "out", CALLS) == keys(tmp_path / "out", RECORDINGS)


def killed(results: Results) -> None:
    """Its files are closed by the system, and nothing else happens."""
    import os

    os.close(results._journal)
    os.close(results._lock)


def test_a_killed_run_keeps_all_that_had_come(tmp_path: Path, evaluations: list[bytes]) -> None:
    results = Results(tmp_path / "out")
    results.add(evaluations[0])
    results.add(evaluations[1])
    killed(results)
    assert parts(tmp_path / "out", RECORDINGS) == []
    with Results(tmp_path / "out") as results:
        assert len(set(results.done())) == 2


@pytest.mark.parametrize("lost", [1, 3, 40])
def test_a_journal_that_is_torn_loses_its_last_alone(tmp_path: Path, evaluations: list[bytes], lost: int) -> None:
    results = Results(tmp_path / "out")
    results.add(evaluations[0])
    results.add(evaluations[1])
    killed(results)
    journal = tmp_path / "out" / "journal"
    journal.write_bytes(journal.read_bytes()[:-lost])
    with Results(tmp_path / "out") as results:
        assert len(set(results.done())) == 1


@pytest.mark.parametrize(
    "end",
    [b"\x00" * 64, b"garbage, as it happens", b"\x00\x00\x00\x03abc", b"\x00\x00\x00\x01\x80", b"\x00\x00"],
    ids=["zeros", "text", "a record of text", "an empty one", "a length cut short"],
)
def test_what_can_not_be_read_of_a_journal_is_dropped_and_said(
    tmp_path: Path, evaluations: list[bytes], end: bytes
) -> None:
    results = Results(tmp_path / "out")
    results.add(evaluations[0])
    killed(results)
    with (tmp_path / "out" / "journal").open("ab") as journal:
        journal.write(end)
    with Results(tmp_path / "out") as results:
        assert len(set(results.done())) == 1
        (note,) = results.notes
        assert f"its last {len(end)} bytes can not be read" in note
        results.add(evaluations[1])
    with Results(tmp_path / "out") as results:
        assert len(set(results.done())) == 2
        assert not results.notes


@pytest.mark.parametrize("after", [0, 1, 2], ids=["before calls", "before recordings", "before the journal"])
def test_a_kill_while_a_part_is_written_leaves_each_row_once(
    tmp_path: Path, evaluations: list[bytes], after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(Exception):
        pass

    results = Results(tmp_path / "out")
    for one in evaluations:
        results.add(one)
    real, written = keeping._replaced, []

    def replaced(path: Path, content: bytes) -> None:
        if len(written) == after:
            raise Killed
        written.append(path)
        real(path, content)

    def truncated(*given: object) -> None:
        raise Killed

    with monkeypatch.context() as planted:
        planted.setattr(keeping, "_replaced", replaced)
        planted.setattr(keeping.os, "truncate", truncated)
        with pytest.raises(Killed):
            results.settle()
    killed(results)
    with Results(tmp_path / "out"):
        pass
    assert len(set(keys(tmp_path / "out", RECORDINGS))) == len(evaluations)
    assert keys(tmp_path / "out", RECORDINGS) == keys(tmp_path / "out", CALLS)


def test_many_results_become_a_part_before_the_end(
    tmp_path: Path, evaluations: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "PART_TASKS", 2)
    with Results(tmp_path / "out") as results:
        for one in evaluations:
            results.add(one)
        assert len(parts(tmp_path / "out", RECORDINGS)) == 1
        assert (tmp_path / "out" / "journal").stat().st_size == len(evaluations[2]) + 4


def test_a_lost_result_is_not_done(tmp_path: Path) -> None:
    (task,) = asked(corpus(tmp_path / "some", 1), ["off"])
    with Results(tmp_path / "out") as results:
        results.add(invented(task, status="lost"))
    with Results(tmp_path / "out") as results:
        assert not set(results.done())


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with Results(tmp_path / "out"), pytest.raises(ResultsFault, match="in use by another run"):
        Results(tmp_path / "out")


def test_parts_of_another_schema_are_left_alone(
    tmp_path: Path, evaluations: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Results(tmp_path / "out") as results:
        results.add(evaluations[0])
    monkeypatch.setattr(keeping, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with Results(tmp_path / "out") as results:
        assert not set(results.done())


@pytest.mark.parametrize("kind", [RECORDINGS, CALLS])
def test_a_broken_part_is_set_aside_and_computed_anew(tmp_path: Path, evaluations: list[bytes], kind: str) -> None:
    """With its file of the other kind, so that no call is there twice."""
    for one in evaluations:
        with Results(tmp_path / "out") as results:
            results.add(one)
    first, *rest = parts(tmp_path / "out", kind)
    first.write_bytes(first.read_bytes()[:-9])
    assert parts(tmp_path / "out", kind) == rest
    with Results(tmp_path / "out") as results:
        assert results.notes == [f"{first} can not be read: set aside, computed anew"]
        done = set(results.done())
        assert len(done) == len(evaluations) - 1
        for one in evaluations:
            if decode(one).recording.key not in done:
                results.add(one)
    assert len(keys(tmp_path / "out", CALLS)) == len(keys(tmp_path / "out", RECORDINGS)) == len(evaluations)
    for folder in (RECORDINGS, CALLS):
        assert (tmp_path / "out" / folder / f"{first.name}.broken").exists()
    with Results(tmp_path / "out") as results:
        assert not results.notes


def test_a_part_whose_footer_alone_is_whole_is_broken(tmp_path: Path, evaluations: list[bytes]) -> None:
    with Results(tmp_path / "out") as results:
        results.add(evaluations[0])
    (part,) = parts(tmp_path / "out", RECORDINGS)
    whole = part.read_bytes()
    part.write_bytes(b"PAR1" + b"\xff" * 200 + whole[204:])
    with Results(tmp_path / "out") as results:
        assert not set(results.done())
        assert results.notes == [f"{part} can not be read: set aside, computed anew"]


def test_a_part_that_may_not_be_read_is_left_where_it_is(
    tmp_path: Path, evaluations: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Results(tmp_path / "out") as results:
        results.add(evaluations[0])

    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(keeping.pq, "read_schema", refused)
    with pytest.raises(ResultsFault, match="Permission denied"):
        parts(tmp_path / "out", RECORDINGS)
    with pytest.raises(ResultsFault, match="Permission denied"):
        Results(tmp_path / "out")
    monkeypatch.undo()
    assert len(parts(tmp_path / "out", RECORDINGS)) == 1


def test_the_schema_has_a_column_a_field_and_its_version() -> None:
    for of in (RecordingRow, CorpusCallRow):
        made = schema.schema(of)
        assert made.names == list(of.__struct_fields__)
        assert schema.version(made) == SCHEMA_VERSION
    fields = schema.schema(RecordingRow)
    assert fields.field("recall_share").nullable
    assert not fields.field("key").nullable
    assert str(fields.field("faults").type) == "list<item: string>"
