"""Where recordings come from: whatever names them, the same content has the same digest."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus.sources import NoRecording, SourceFault

TEXTS = {"a.jsonl": b"first", "b.json": b"second, and longer"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "some"
    (made / "inner").mkdir(parents=True)
    (made / "a.jsonl").write_bytes(TEXTS["a.jsonl"])
    (made / "inner" / "b.json").write_bytes(TEXTS["b.json"])
    (made / ".hidden").write_bytes(b"no recording")
    return made


def contents(*named: str) -> list[tuple[str, bytes]]:
    return sorted((one.name, sources.content(one.address)) for one in sources.listed(named))


WHOLE = sorted(TEXTS.items())


def test_a_folder_is_all_files_in_it_but_hidden_ones(folder: Path) -> None:
    assert contents(str(folder)) == WHOLE


def test_a_glob_and_a_file_name_what_they_name(folder: Path) -> None:
    assert contents(str(folder / "*.jsonl")) == WHOLE[:1]
    assert contents(str(folder / "**" / "*.json"), str(folder / "a.jsonl")) == WHOLE


@pytest.mark.parametrize("kind", [pa.binary(), pa.string()])
def test_a_parquet_file_has_a_recording_a_row_whatever_its_name(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "no-extension"
    texts = [text if kind == pa.binary() else text.decode() for text in TEXTS.values()]
    table = pa.table({"name": list(TEXTS), "content": pa.array(texts, kind)})
    pq.write_table(table, path, row_group_size=1)
    assert contents(str(path)) == WHOLE
    assert [one.digest for one in sources.listed([str(path)])] == [sources.digest(text) for text in TEXTS.values()]


def test_a_parquet_file_in_a_folder_is_told_by_its_content(folder: Path) -> None:
    pq.write_table(pa.table({"content": [b"third"]}), folder / "rows.jsonl")
    assert ("rows.jsonl#0", b"third") in contents(str(folder))


def test_names_and_texts_of_a_parquet_file_need_not_be_texts(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, numbers, categories, nothing."""
    path = tmp_path / "rows.parquet"
    broken = pa.array([b"\xff", None], pa.binary())
    odd = pa.StringArray.from_buffers(2, broken.buffers()[1], broken.buffers()[2], broken.buffers()[0])
    pq.write_table(pa.table({"content": odd, "name": [1, None]}), path)
    assert contents(str(path)) == [("1", b"\xff"), ("rows.parquet#1", b"")]
    pq.write_table(pa.table({"content": pa.array(["a"]).dictionary_encode(), "name": odd[:1]}), path)
    assert contents(str(path)) == [("rows.parquet#0", b"a")]


def parquet(**columns: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, row_group_size=1, compression="none")
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "found",
    [b"PAR1 and no more", b"PAR1", parquet(text=["x"]), parquet(content=[1, 2]), parquet(content=["x"])[:-9]],
    ids=["corrupt", "cut", "no column", "numbers", "torn"],
)
def test_a_parquet_file_that_holds_no_recordings_is_one_that_can_not_be_read(folder: Path, found: bytes) -> None:
    """It stops nothing, and its task says why."""
    (folder / "bad.parquet").write_bytes(found)
    some = list(sources.listed([str(folder)]))
    assert sorted(one.name for one in some) == ["a.jsonl", "b.json", "bad.parquet"]
    (bad,) = (one.address for one in some if one.name == "bad.parquet")
    assert sources.digest_of(bad) == sources.digest(found)
    with pytest.raises(NoRecording, match="is broken, or has no column content"):
        sources.content(bad)


def test_what_lies_before_the_fault_of_a_parquet_file_is_listed(tmp_path: Path) -> None:
    whole = parquet(content=["first" * 9, "second" * 9])
    at = whole.index(b"second")  # before it is its length, in four bytes
    (tmp_path / "rows").write_bytes(whole[: at - 4] + b"\xff" * 4 + whole[at:])
    assert [one.name for one in sources.listed([str(tmp_path)])] == ["rows#0", "rows"]


@pytest.mark.parametrize("named", ["{}", "{}/**/*", "file://{}"])
def test_a_folder_of_results_is_no_source(folder: Path, named: str) -> None:
    out = folder / "results"
    out.mkdir()
    (out / "journal").write_bytes(b"x")
    found = {one.name for one in sources.listed([named.format(folder)], without=out)}
    assert found - {".hidden"} == {"a.jsonl", "b.json"}


def test_an_object_store_is_named_by_a_url(folder: Path) -> None:
    assert contents(folder.as_uri()) == sorted([*WHOLE, (".hidden", b"no recording")])


@pytest.mark.parametrize("named", ["no/such/folder", "no-such-*.jsonl"])
def test_what_is_not_there_is_said(named: str) -> None:
    with pytest.raises(SourceFault, match="no recordings"):
        list(sources.listed([named]))
