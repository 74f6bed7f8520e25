"""Recordings in a bucket: what a URL names, and what is said where that can not be had."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import obstore
import pytest

from ctxmgr.study.corpus import objects, sources
from ctxmgr.study.corpus.evaluating import decode, evaluated
from ctxmgr.study.corpus.sources import SourceFault
from ctxmgr.study.corpus.tasks import CorpusSettings, CorpusTask, policies
from tests.store.servers import fresh, moto, pointed_at

OBJECTS = {"one.jsonl": b"first", "two.jsonl": b"second", "inner/three.jsonl": b"third", "a[1].jsonl": b"fourth"}


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(objects, "RETRIES", 0)
    objects.store.cache_clear()
    yield
    objects.store.cache_clear()


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a prefix with some objects, over plain HTTP."""
    with moto() as url:
        named = pointed_at(url, monkeypatch, fresh())
        monkeypatch.delenv("AWS_ALLOW_HTTP")
        for name, content in OBJECTS.items():
            obstore.put(objects.store(f"{named}/"), name, content)
        yield named


def names(url: str) -> dict[str, bytes]:
    return {one.name: sources.content(one.address) for one in sources.listed([url])}


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("", {"one.jsonl", "two.jsonl", "three.jsonl", "a[1].jsonl"}),
        ("/", {"one.jsonl", "two.jsonl", "three.jsonl", "a[1].jsonl"}),
        ("/inner", {"three.jsonl"}),
        ("/one.jsonl", {"one.jsonl"}),
        ("/a[1].jsonl", {"a[1].jsonl"}),
        ("/*.jsonl", {"one.jsonl", "two.jsonl", "a[1].jsonl"}),
        ("/t*", {"two.jsonl"}),
    ],
)
def test_a_url_is_an_object_a_glob_or_all_below_it(bucket: str, named: str, found: set[str]) -> None:
    contents = {name.rpartition("/")[2]: content for name, content in OBJECTS.items()}
    assert names(bucket + named) == {name: contents[name] for name in found}


@pytest.mark.parametrize("named", ["/none", "/none*", "/*/three.jsonl"])
def test_what_names_nothing_is_said(bucket: str, named: str) -> None:
    with pytest.raises(SourceFault, match="no recordings: "):
        list(sources.listed([bucket + named]))


def row(address: str) -> tuple[str, str]:
    recording = sources.RecordingAddress(address, "r", 1, "d")
    found = decode(evaluated(CorpusTask("k", recording, policies(["off"])[0], CorpusSettings()))).recording
    return found.status, found.reason


def test_an_object_that_is_gone_is_said_in_words(bucket: str) -> None:
    assert row(f"{bucket}/gone.jsonl") == ("lost", "can not be fetched: there is no such object")


def test_a_bucket_that_is_not_there_is_said(bucket: str) -> None:
    for named in ("s3://nobody/recs", "s3://nobody", "s3://nobody/*.jsonl"):
        with pytest.raises(SourceFault) as caught:
            list(sources.listed([named]))
        assert str(caught.value) == f"{named}: the store has no such bucket"


class _Refusing(BaseHTTPRequestHandler):
    protocol_version: ClassVar[str] = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, format: str, *given: object) -> None:
        pass


def test_credentials_that_are_refused_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        named = pointed_at(f"http://127.0.0.1:{server.server_port}", monkeypatch, "recs")
        with pytest.raises(SourceFault, match="recs: the store refuses these credentials, or that they read there"):
            list(sources.listed([named]))
        server.shutdown()


def test_a_server_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    named = pointed_at("http://127.0.0.1:1", monkeypatch, "recs")
    with pytest.raises(SourceFault, match="recs: no server answers where the store should be"):
        list(sources.listed([named]))


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("strange://here/recs", "the address names no store that is known"),
        ("file:///no/such/folder", "there is no such folder"),
    ],
)
def test_a_url_that_names_no_store_is_said(named: str, said: str) -> None:
    with pytest.raises(SourceFault) as caught:
        list(sources.listed([named]))
    assert str(caught.value) == f"{named}: {said}"
