"""Where recordings come from: whatever names them, the same content has the same digest."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus.sources import SourceFault

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


def test_a_parquet_file_without_that_column_is_said(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "other.parquet")
    with pytest.raises(SourceFault, match="no column content"):
        list(sources.listed([str(tmp_path / "other.parquet")]))


def test_an_object_store_is_named_by_a_url(folder: Path) -> None:
    assert contents(folder.as_uri()) == sorted([*WHOLE, (".hidden", b"no recording")])


@pytest.mark.parametrize("named", ["no/such/folder", "no-such-*.jsonl"])
def test_what_is_not_there_is_said(named: str) -> None:
    with pytest.raises(SourceFault, match="no recordings"):
        list(sources.listed([named]))
