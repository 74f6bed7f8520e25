"""What is done is kept, whoever is killed when."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ctxmgr.study.corpus import results as keeping
from ctxmgr.study.corpus import tasks as described
from ctxmgr.study.corpus.results import CALLS, RECORDINGS, Results, parts
from ctxmgr.study.corpus.sources import CorpusFault
from ctxmgr.study.corpus.tasks import SCHEMA_VERSION
from tests.unit.study.corpus.made import asked, corpus, invented


@pytest.fixture
def evaluations(tmp_path: Path) -> list[bytes]:
    return [invented(task) for task in asked(corpus(tmp_path / "some"), ["off"])]


def keys(folder: Path, kind: str) -> list[str]:
    return sorted(key for path in parts(folder, kind) for key in pq.read_table(path)["key"].to_pylist())


def test_what_was_added_is_done_for_the_next_run(tmp_path: Path, evaluations: list[bytes]) -> None:
    with Results(tmp_path / "out") as results:
        assert not results.done()
        for evaluation in evaluations:
            results.add(evaluation)
    with Results(tmp_path / "out") as results:
        assert len(results.done()) == len(evaluations)
    assert keys(tmp_path / "out", CALLS) == keys(tmp_path / "out", RECORDINGS)


def killed(results: Results) -> None:
    """Its files are closed by the system, and nothing else happens."""
    results._opened.close()


def test_a_killed_run_keeps_all_that_had_come(tmp_path: Path, evaluations: list[bytes]) -> None:
    results = Results(tmp_path / "out")
    results.add(evaluations[0])
    results.add(evaluations[1])
    killed(results)
    assert parts(tmp_path / "out", RECORDINGS) == []
    with Results(tmp_path / "out") as results:
        assert len(results.done()) == 2


@pytest.mark.parametrize(
    ("cut", "end"),
    [
        (0, b"{}\n"),
        (0, b'{"recording":{"key":"\xff"}}\n'),
        (1, b""),
    ],
)
def test_what_can_not_be_read_of_a_journal_is_dropped(
    tmp_path: Path, evaluations: list[bytes], cut: int, end: bytes
) -> None:
    results = Results(tmp_path / "out")
    results.add(evaluations[0])
    results.add(evaluations[1])
    killed(results)
    journal = tmp_path / "out" / "journal"
    whole = journal.read_bytes()
    journal.write_bytes(whole[: len(whole) - cut] + end)
    with Results(tmp_path / "out") as results:
        assert len(results.done()) == (1 if cut else 2)
        assert results.dropped_bytes == (len(evaluations[1]) + 1 - cut if cut else len(end))
        results.add(evaluations[2])
    with Results(tmp_path / "out") as results:
        assert len(results.done()) == (2 if cut else 3)
        assert not results.dropped_bytes


@pytest.mark.parametrize("after", [0, 1, 2], ids=["before calls", "before recordings", "before the journal"])
def test_a_kill_while_a_part_is_written_leaves_each_row_once(
    tmp_path: Path, evaluations: list[bytes], after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(Exception):
        pass

    results = Results(tmp_path / "out")
    for evaluation in evaluations:
        results.add(evaluation)
    real, written = keeping._write, []

    def write(path: Path, rows: Any) -> None:
        if len(written) == after:
            raise Killed
        written.append(path)
        real(path, rows)

    def truncated(*given: object) -> None:
        raise Killed

    with monkeypatch.context() as planted:
        planted.setattr(keeping, "_write", write)
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
        for evaluation in evaluations:
            results.add(evaluation)
        assert len(parts(tmp_path / "out", RECORDINGS)) == 1
        assert (tmp_path / "out" / "journal").stat().st_size == len(evaluations[2]) + 1


def test_a_lost_result_is_not_done(tmp_path: Path) -> None:
    (task,) = asked(corpus(tmp_path / "some", 1), ["off"])
    with Results(tmp_path / "out") as results:
        results.add(invented(task, status="lost"))
    with Results(tmp_path / "out") as results:
        assert not results.done()


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with Results(tmp_path / "out"), pytest.raises(CorpusFault, match="in use by another run"):
        Results(tmp_path / "out")


def test_parts_of_another_schema_are_left_alone(
    tmp_path: Path, evaluations: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Results(tmp_path / "out") as results:
        results.add(evaluations[0])
    monkeypatch.setattr(keeping, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with Results(tmp_path / "out") as results:
        assert not results.done()


def test_a_part_that_can_not_be_read_is_named(tmp_path: Path, evaluations: list[bytes]) -> None:
    """Whoever removes it has its results computed anew."""
    for evaluation in evaluations:
        with Results(tmp_path / "out") as results:
            results.add(evaluation)
    first, *_ = parts(tmp_path / "out", RECORDINGS)
    whole = first.read_bytes()
    for broken in (whole[:-9], b"PAR1" + b"\xff" * 200 + whole[204:]):
        first.write_bytes(broken)
        with Results(tmp_path / "out") as results, pytest.raises(CorpusFault, match=f"{first} cannot be read"):
            results.done()
    first.unlink()
    with Results(tmp_path / "out") as results:
        assert len(results.done()) == len(evaluations) - 1


def test_the_schema_has_a_column_a_field_and_its_version() -> None:
    for columns in (described.RECORDINGS, described.OF_CALLS):
        assert keeping.table((), columns).column_names == [column.name for column in columns]
    schema = keeping.table((), described.RECORDINGS).schema
    assert schema.metadata == {b"ctxmgr.schema": str(SCHEMA_VERSION).encode()}
    assert schema.field("recall_share").nullable
    assert not schema.field("key").nullable
    assert str(schema.field("faults").type) == "list<item: string>"
