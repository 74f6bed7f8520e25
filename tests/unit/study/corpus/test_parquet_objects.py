"""Parquet files in an object store: their rows are recordings, and are read in pieces."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ctxmgr.study.corpus import objects, parquet, sources
from ctxmgr.study.corpus.evaluating import decode, evaluated
from ctxmgr.study.corpus.listing import Listing
from ctxmgr.study.corpus.rows import RecordingRow
from ctxmgr.study.corpus.tasks import CorpusSettings, CorpusTask, policies
from tests.store.servers import fresh, moto, pointed_at
from tests.unit.study.corpus.made import corpus

TEXTS = {"a.jsonl": b"first", "b.json": b"second, and longer", "c.jsonl": b"third"}


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(objects, "RETRIES", 0)
    objects.store.cache_clear()
    yield
    objects.store.cache_clear()


@pytest.fixture(params=["s3", "file"])
def prefix(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a place for objects, without any: in a bucket, in a folder."""
    if request.param == "file":
        (tmp_path / "objects").mkdir()
        yield (tmp_path / "objects").as_uri()
        return
    with moto() as url:
        yield pointed_at(url, monkeypatch, fresh())


def made(names: list[str] | None = None, texts: list[bytes] | None = None, **how: Any) -> bytes:
    """A Parquet file; a group a row unless told otherwise."""
    sink = pa.BufferOutputStream()
    columns = {"name": names or list(TEXTS), "content": texts or list(TEXTS.values())}
    pq.write_table(pa.table(columns), sink, **{"row_group_size": 1, "compression": "none", **how})
    return sink.getvalue().to_pybytes()


def put(prefix: str, name: str, content: bytes) -> str:
    obstore.put(objects.store(f"{prefix}/"), name, content)
    return f"{prefix}/{name}"


def todo(tmp_path: Path, *named: str) -> list[CorpusTask]:
    with Listing(tmp_path / "listing") as listing:
        listing.add(sources.listed(named))
        listing.ask(policies(["off"]), CorpusSettings(), (), None)
        return list(listing.tasks())


def names(tasks: list[CorpusTask]) -> set[str]:
    return {task.recording.name for task in tasks}


def row(task: CorpusTask) -> RecordingRow:
    return decode(evaluated(task)).recording


@pytest.fixture
def ranges(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each request got that asked for a part of an object; 0 of one that asked for all of it."""
    asked: list[int] = []
    get = obstore.get

    def counted(store: Any, name: str, **how: Any) -> Any:
        first, last = how.get("options", {}).get("range", (0, 0))
        asked.append(last - first)
        return get(store, name, **how)

    monkeypatch.setattr(obstore, "get", counted)
    return asked


def test_each_row_is_a_recording_in_the_place_of_the_object(tmp_path: Path, prefix: str) -> None:
    """Whatever its name is; among other objects."""
    url = put(prefix, "rows", made())
    put(prefix, "plain.jsonl", b"plain")
    tasks = todo(tmp_path, prefix)
    found = {task.recording.name: sources.content(task.recording.address) for task in tasks}
    assert found == {**TEXTS, "plain.jsonl": b"plain"}
    assert all(task.recording.digest == sources.digest(found[task.recording.name]) for task in tasks)
    assert {task.recording.address for task in tasks} == {
        f"{prefix}/plain.jsonl",
        *(f"{url}#{n}" for n in range(3)),
    }


def test_a_row_has_the_figures_of_the_recording(tmp_path: Path, prefix: str) -> None:
    (path,) = (one for one in corpus(tmp_path / "made", 1).rglob("*") if one.is_file())
    url = put(prefix, "rows.parquet", made(["one"], [path.read_bytes()]))
    (task,) = todo(tmp_path, url)
    found = row(task)
    assert (found.status, found.name) == ("ok", "one")
    assert found.call_count > 0


def test_a_file_that_has_not_changed_is_not_read_again(tmp_path: Path, prefix: str, ranges: list[int]) -> None:
    url = put(prefix, "rows.parquet", made())
    first = todo(tmp_path, url)
    assert ranges
    ranges.clear()
    assert todo(tmp_path, url) == first
    assert ranges == []
    put(prefix, "rows.parquet", made(["a.jsonl"], [b"changed"]))
    (changed,) = todo(tmp_path, url)
    assert changed.recording.digest == sources.digest(b"changed")


def test_a_file_is_read_in_pieces(
    tmp_path: Path, prefix: str, ranges: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listed, and a row: never a column of a group as one, however large the group is."""
    monkeypatch.setattr(parquet, "FETCHED_BYTES", 50_000)
    monkeypatch.setattr(parquet, "GROUP_BYTES", 100_000)
    texts = [bytes([65 + number % 26]) * 4_000 + b"%d" % number for number in range(300)]
    pages = {"use_dictionary": False, "data_page_size": 9_000, "write_batch_size": 2}
    url = put(prefix, "rows.parquet", made(list(map(str, range(300))), texts, row_group_size=150, **pages))
    tasks = todo(tmp_path, url)
    assert len(tasks) == 300
    last = f"{url}#299"
    assert sources.content(last) == texts[299]
    assert ranges.pop(0) == 0  # the first look, which ends at its first bytes
    assert max(ranges) < 100_000, "twice a piece and no more; a group has 600,000"


def test_rows_of_one_group_are_fetched_once(prefix: str, ranges: list[int]) -> None:
    url = put(prefix, "rows.parquet", made(row_group_size=3))
    assert [sources.content(f"{url}#{number}") for number in range(3)] == list(TEXTS.values())
    first = len(ranges)
    assert sources.content(f"{url}#0") == b"first"
    assert ranges[first:] == [objects.BEGINNING]
    put(prefix, "rows.parquet", made(["a"], [b"anew"]))
    assert sources.content(f"{url}#0") == b"anew"


@pytest.mark.parametrize(
    "found",
    [b"PAR1 and no more", b"PAR1", made()[:-9], made().replace(b"content", b"contend")],
    ids=["corrupt", "cut", "torn", "no column"],
)
def test_one_that_holds_no_recordings_is_a_row_that_says_so(tmp_path: Path, prefix: str, found: bytes) -> None:
    put(prefix, "bad.parquet", found)
    put(prefix, "ok.parquet", made())
    tasks = todo(tmp_path, prefix)
    assert names(tasks) == {*TEXTS, "bad.parquet"}
    (bad,) = (row(task) for task in tasks if task.recording.name == "bad.parquet")
    assert (bad.status, bad.reason) == (
        "bad",
        "bad.parquet is a Parquet file that is broken, or has no column content of bytes or text",
    )
    put(prefix, "bad.parquet", made(["mended"], [b"mended"]))
    assert names(todo(tmp_path, prefix)) == {*TEXTS, "mended"}


def test_what_lies_before_its_fault_is_listed(tmp_path: Path, prefix: str) -> None:
    whole = made()
    at = whole.index(b"second")  # before it is its length, in four bytes
    put(prefix, "rows", whole[: at - 4] + b"\xff" * 4 + whole[at:])
    assert names(todo(tmp_path, prefix)) == {"a.jsonl", "rows"}


def test_a_store_that_fails_meanwhile_is_no_fault_of_the_file(
    tmp_path: Path, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run tries again."""
    url = put(prefix, "rows.parquet", made())
    with monkeypatch.context() as failing:
        readinto = objects.ObjectFile.readinto

        def cut(self: objects.ObjectFile, into: Any) -> int:
            if self.tell() < 100:
                raise objects.Unfetched("the store's server has a fault (503)")
            return readinto(self, into)

        failing.setattr(objects.ObjectFile, "readinto", cut)
        (task,) = todo(tmp_path, url)
        assert (row(task).status, row(task).reason) == (
            "lost",
            "can not be fetched: the store's server has a fault (503)",
        )
    assert row(task).reason == "can not be fetched: its rows can be read now: run again"
    assert names(todo(tmp_path, url)) == set(TEXTS)


@pytest.mark.parametrize("prefix", ["s3"], indirect=True)  # obstore makes no such files
def test_an_object_that_is_called_as_a_row_is_itself(tmp_path: Path, prefix: str) -> None:
    put(prefix, "plain", b"plain")
    put(prefix, "plain#1", b"one")
    put(prefix, "gone#1", b"alone")
    found = {task.recording.name: sources.content(task.recording.address) for task in todo(tmp_path, prefix)}
    assert found == {"plain": b"plain", "plain#1": b"one", "gone#1": b"alone"}


def test_a_row_that_is_gone_is_said(prefix: str) -> None:
    url = put(prefix, "rows.parquet", made())
    with pytest.raises(OSError, match="has fewer rows"):
        sources.content(f"{url}#3")
