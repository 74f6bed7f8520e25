"""Bodies, both ways: compressed ones, those in pieces, and large ones; what was read of them, and what was not."""

import io
import json
import zlib
from typing import Any

import brotli
import pytest
from backports import zstd

from ctxmgr.proxy import listener
from ctxmgr.proxy.body import MOST_OBJECTS
from tests.unit.proxy.lists import SESSION, conversation, request
from tests.unit.proxy.provider import answers, turn


def packed(encoding: str, body: bytes) -> bytes:
    if encoding == "gzip":
        packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
        return packer.compress(body) + packer.flush()
    return {"br": brotli.compress, "zstd": zstd.compress, "deflate": zlib.compress}[encoding](body)


async def test_a_compressed_request_is_read_and_goes_on_compressed_where_its_list_stays(rig: Any) -> None:
    made = await rig()
    for count, encoding in enumerate(("gzip", "br", "zstd", "deflate"), 1):
        body = packed(encoding, request(conversation(1)))
        await made.post(body, headers=SESSION | {"Content-Encoding": encoding})
        asked = made.upstream.asked[-1]
        assert asked.body == body
        assert dict(asked.headers)["Content-Encoding"] == encoding
        assert made.proxy.rewriter.account.calls == count


async def test_a_list_that_is_not_read_for_its_objects_passes_and_that_is_said(rig: Any) -> None:
    made = await rig()
    crowd = [{"type": "text", "text": "x"}] * MOST_OBJECTS
    body = request([*conversation(1), {"role": "user", "content": crowd}])
    async with made.session.post(
        made.proxy.url + "/v1/messages", data=io.BytesIO(body), headers=SESSION
    ) as response:
        await response.read()
    assert [asked.body for asked in made.upstream.asked] == [body]
    assert any("50,000 JSON objects" in line for line in made.said)


async def test_a_compressed_request_whose_list_changes_goes_on_decoded(rig: Any) -> None:
    made = await rig()
    whole = request(conversation(12, lines=200))
    await made.post(packed("gzip", whole), headers=SESSION | {"Content-Encoding": "gzip"})
    (asked,) = made.upstream.asked
    assert json.loads(asked.body)["model"] == json.loads(whole)["model"]
    assert len(asked.body) < len(whole)
    fields = {name.lower(): value for name, value in asked.headers}
    assert "content-encoding" not in fields
    assert fields["content-length"] == str(len(asked.body))


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
async def test_a_compressed_answer_passes_untouched_and_its_usage_is_read(rig: Any, encoding: str) -> None:
    made = await rig()
    body = packed(encoding, turn(500, 100, 20))
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": encoding}
    made.upstream.answer = answers(body, headers=headers)
    response, came = await made.post(request(conversation(0)), headers=SESSION)
    assert came == body
    assert response.headers["Content-Encoding"] == encoding
    sent = made.proxy.rewriter.account.sent
    assert (sent.fresh_tokens, sent.read_tokens, sent.written_tokens, sent.output_tokens) == (1, 100, 399, 20)


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
async def test_a_request_in_chunks_arrives_whole(rig: Any, path: str) -> None:
    made = await rig()
    body = request(conversation(1))

    async def pieces() -> Any:
        for start in range(0, len(body), 100):
            yield body[start : start + 100]

    await made.session.post(made.proxy.url + path, data=pieces(), headers=SESSION)
    assert made.upstream.asked[0].body == body


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
async def test_bodies_of_30_megabytes_pass_both_ways(rig: Any, path: str) -> None:
    made = await rig()
    text = "x" * (30 << 20)
    body = request([{"role": "user", "content": "Look."}], metadata={"user_id": text})
    made.upstream.answer = answers(body, headers={"Content-Type": "application/json"})
    async with made.session.post(made.proxy.url + path, data=io.BytesIO(body), headers=SESSION) as response:
        came = await response.read()
    assert came == body
    assert made.upstream.asked[0].body == body


@pytest.mark.parametrize(
    ("path", "shape"),
    [("/v1/messages", {"type", "error"}), ("/v1/chat/completions", {"error"}), ("/v1/responses", {"error"})],
)
async def test_a_body_over_the_limit_is_refused_in_the_programs_words(
    rig: Any, monkeypatch: pytest.MonkeyPatch, path: str, shape: set[str]
) -> None:
    monkeypatch.setattr(listener, "LARGEST_BYTES", 1 << 20)
    made = await rig()
    async with made.session.post(made.proxy.url + path, data=io.BytesIO(b" " * ((1 << 20) + 1))) as response:
        told = await response.json()
    assert (response.status, told.keys(), made.upstream.asked) == (413, shape, [])
    assert told["error"]["type"] == "request_too_large"
    assert told["error"]["message"] == "ctxmgr: the request is larger than 1 MB, so it was not forwarded"
