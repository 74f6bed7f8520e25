"""Where recordings come from: whatever names them, the same content has the same digest."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus.sources import CorpusFault, RecordingAddress, SourceFile, digest
from ctxmgr.study.corpus.tasks import CorpusSettings, CorpusTask, policies
from tests.store.servers import fresh, moto, pointed_at
from tests.unit.study.corpus.made import row

TEXTS = {"a.jsonl": b"first", "b.json": b"second, and longer", "c.jsonl": b"third"}


@pytest.fixture(autouse=True)
def without_retries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sources, "RETRIES", 0)
    sources.store.cache_clear()
    yield
    sources.store.cache_clear()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with moto() as url:
        yield url


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    named = pointed_at(server, monkeypatch, fresh())
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    return named


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where files are put: a folder here, a prefix of a bucket."""
    if request.param == "bucket":
        return str(request.getfixturevalue("bucket"))
    (tmp_path / "some").mkdir()
    return str(tmp_path / "some")


def put(place: str, name: str, content: bytes) -> str:
    if sources.SCHEME in place:
        obstore.put(sources.store(f"{place}/"), name, content)
    else:
        Path(place, name).parent.mkdir(exist_ok=True)
        Path(place, name).write_bytes(content)
    return f"{place}/{name}"


def recordings(*named: str) -> list[RecordingAddress]:
    return [recording for file in sources.listed(named) for recording in sources.recordings_in(file)[0]]


def contents(*named: str) -> dict[str, bytes]:
    found = {recording.name: sources.content(recording.address) for recording in recordings(*named)}
    assert all(recording.digest == digest(found[recording.name]) for recording in recordings(*named))
    return found


def parquet(**columns: Any) -> bytes:
    sink = pa.BufferOutputStream()
    columns = columns or {"name": list(TEXTS), "content": list(TEXTS.values())}
    pq.write_table(pa.table(columns), sink, row_group_size=1, compression="none")
    return sink.getvalue().to_pybytes()


def reason(address: str) -> tuple[str, str]:
    recording = RecordingAddress(address, "r", 1, "d")
    found = row(CorpusTask("k", recording, policies(["off"])[0], CorpusSettings()))
    return found["status"], found["reason"]


def test_a_folder_a_glob_and_a_file_name_what_they_name(tmp_path: Path) -> None:
    for name in (*TEXTS, "inner/d.json", ".hidden", ".git/e.json"):
        put(str(tmp_path), name, TEXTS.get(name, b"more"))
    assert contents(str(tmp_path)) == {**TEXTS, "d.json": b"more"}
    assert contents(f"{tmp_path}/*.jsonl").keys() == {"a.jsonl", "c.jsonl"}
    assert contents(f"{tmp_path}/**/*.json", f"{tmp_path}/a.jsonl").keys() == {"b.json", "d.json", "a.jsonl"}
    for named in (f"{tmp_path}/none", f"{tmp_path}/none-*"):
        with pytest.raises(CorpusFault, match="no recordings"):
            list(sources.listed([named]))


def test_a_url_is_an_object_a_glob_or_all_below_it(bucket: str) -> None:
    some = {"one.jsonl": b"first", "two.jsonl": b"second", "inner/three.jsonl": b"third", "a[1].jsonl": b"fourth"}
    for name, content in some.items():
        put(bucket, name, content)
    every = {"one.jsonl", "two.jsonl", "three.jsonl", "a[1].jsonl"}
    for named, expected in (
        ("", every),
        ("/", every),
        ("/inner", {"three.jsonl"}),
        ("/one.jsonl", {"one.jsonl"}),
        ("/a[1].jsonl", {"a[1].jsonl"}),
        ("/*.jsonl", every - {"three.jsonl"}),
    ):
        assert contents(bucket + named).keys() == expected, named
    for named in ("/none", "/none*", "/*/three.jsonl"):
        with pytest.raises(CorpusFault, match="no recordings: "):
            list(sources.listed([bucket + named]))
    assert reason(f"{bucket}/gone.jsonl") == ("lost", "cannot be fetched: there is no such object")


def test_a_folder_of_results_is_no_source(tmp_path: Path) -> None:
    put(str(tmp_path), "results/journal", b"x")
    put(str(tmp_path), "a.jsonl", b"first")
    for named in (str(tmp_path), f"{tmp_path}/**/*", f"file://{tmp_path}"):
        found = sources.listed([named], without=tmp_path / "results")
        assert [file.name for file in found] == ["a.jsonl"], named


class _Refusing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, format: str, *given: object) -> None:
        pass


def test_a_store_that_can_not_be_listed_is_said(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as refusing:
        Thread(target=refusing.serve_forever, daemon=True).start()
        for named, expected in (
            ("s3://nobody/*.jsonl", "the store has no such bucket"),
            ("strange://here/recs", "the address names no store that is known"),
            ("file:///no/such/folder", "there is no such folder"),
            (refusing.server_port, "the store refuses these credentials, or that they read there"),
            (1, "no server answers where the store should be"),
        ):
            if isinstance(named, int):
                named = pointed_at(f"http://127.0.0.1:{named}", monkeypatch, "recs")
                sources.store.cache_clear()
            with pytest.raises(CorpusFault) as caught:
                list(sources.listed([named]))
            assert str(caught.value).startswith(f"{named}: {expected}")
        refusing.shutdown()


def test_a_parquet_file_has_a_recording_a_row_whatever_its_name(place: str) -> None:
    put(place, "rows", parquet())
    put(place, "plain.jsonl", b"plain")
    assert contents(place) == {**TEXTS, "plain.jsonl": b"plain"}
    assert {recording.address.rpartition("/")[2] for recording in recordings(place)} == {
        *("rows#0", "rows#1", "rows#2", "plain.jsonl")
    }
    with pytest.raises(OSError, match="has fewer rows"):
        sources.content(f"{place}/rows#3")


def test_names_and_texts_of_a_parquet_file_need_not_be_texts(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, numbers, categories, nothing."""
    broken = pa.array([b"\xff", None], pa.binary())
    odd = pa.StringArray.from_buffers(2, broken.buffers()[1], broken.buffers()[2], broken.buffers()[0])
    path = put(str(tmp_path), "rows", parquet(content=odd, name=[1, None]))
    assert contents(path) == {"1": b"\xff", "rows#1": b""}
    put(str(tmp_path), "rows", parquet(content=pa.array(["a"]).dictionary_encode(), name=odd[:1]))
    assert contents(path) == {"rows#0": b"a"}


def test_a_parquet_file_is_read_in_pieces(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listed, and a row of it: never a column of a group as one."""
    monkeypatch.setattr(sources, "FETCHED_BYTES", 50_000)
    fetched: list[int] = []
    get_range = obstore.get_range

    def counted(store: Any, name: str, *, start: int, end: int) -> Any:
        fetched.append(end - start)
        return get_range(store, name, start=start, end=end)

    monkeypatch.setattr(obstore, "get_range", counted)
    texts = [bytes([65 + number % 26]) * 4_000 + b"%d" % number for number in range(300)]
    sink = pa.BufferOutputStream()
    pages = {"use_dictionary": False, "data_page_size": 9_000, "write_batch_size": 2, "compression": "none"}
    pq.write_table(pa.table({"content": texts}), sink, row_group_size=150, **pages)
    url = put(bucket, "large", sink.getvalue().to_pybytes())
    assert len(recordings(url)) == 300
    assert sources.content(f"{url}#299") == texts[299]
    assert max(fetched) < 100_000, "twice a piece and no more; a group has 600,000"


def test_a_parquet_file_that_holds_no_recordings_is_a_row_that_says_so(tmp_path: Path) -> None:
    place = str(tmp_path)
    whole = parquet()
    fault = whole.index(b"second")  # before it is its length, in four bytes
    put(place, "ok", parquet(content=["x"]))
    for found, before in (
        (b"PAR1 and no more", []),
        (b"PAR1", []),
        (whole[:-9], []),
        (parquet(text=["x"]), []),
        (parquet(content=[1, 2]), []),
        (whole[: fault - 4] + b"\xff" * 4 + whole[fault:], ["a.jsonl"]),
    ):
        put(place, "bad", found)
        names = [recording.name for recording in recordings(place)]
        assert sorted(names) == sorted(["ok#0", "bad", *before])
        assert reason(f"{place}/bad") == (
            "bad",
            "r is a Parquet file that is broken, or has no column content of bytes or text",
        )


def test_what_can_not_be_read_stands_under_its_address(tmp_path: Path) -> None:
    missing = SourceFile(f"{tmp_path}/late", "late", 1, "")
    assert sources.recordings_in(missing) == (
        [RecordingAddress(missing.address, "late", 1, digest(missing.address.encode()))],
        False,
    )


def test_a_file_that_is_called_as_a_row_is_itself(tmp_path: Path) -> None:
    place = str(tmp_path)
    for name in ("plain", "plain#1", "gone#1"):
        put(place, name, name.encode())
    assert contents(place) == {"plain": b"plain", "plain#1": b"plain#1", "gone#1": b"gone#1"}
