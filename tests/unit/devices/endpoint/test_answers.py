"""What comes of an answer, whole, broken, endless or of another server."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.devices.endpoint import client as endpoint_client
from ctxmgr.model.compaction import Completion, CompletionUsage
from tests.model_server import ModelServer, Reply
from tests.unit.devices.endpoint.calls import APIS, QUOTED, Calls, completed

ANSWERS: list[tuple[str, Reply, Completion]] = [
    ("no end mark", Reply("all", way="no-end-mark", usage=None), Completion("all", "stop")),
    ("no usage", Reply("all", usage=None), Completion("all", "stop")),
    ("in one piece", Reply("all", way="one-piece"), Completion("all", "stop", CompletionUsage(11, 7))),
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(("reply", "done"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
async def test_what_comes_of_an_answer(reply: Reply, done: Completion, api: str) -> None:
    assert await completed(reply, api=api) == done


NO_COMPLETION = "what came is no answer of this API"
BROKE_OFF = "the connection broke off before the answer was whole"
UNFINISHED = "the answer ended without a finish reason"
FAULTS: list[tuple[str, Reply, str]] = [
    ("no finish reason", Reply(way="unfinished"), UNFINISHED),
    ("breaks off", Reply("one two three", way="breaks-off"), BROKE_OFF),
    ("half a piece", Reply("one two three", way="half-json"), UNFINISHED),
    ("a page for people", Reply(way="garbage"), NO_COMPLETION),
    ("pieces that are no JSON", Reply("one two three", way="garbled"), NO_COMPLETION),
    ("a piece of another shape", Reply(deltas=("text",)), NO_COMPLETION),
    (
        "an error in the middle",
        Reply(QUOTED, way="error-event"),
        "the server reported an error in the middle of its answer",
    ),
    ("an unknown end", Reply(stop="abort"), "the answer ended for a reason that is not known"),
    ("400", Reply(QUOTED, status=400), "400: the request was refused"),
    ("401", Reply(QUOTED, status=401), "401: the key in KEY was refused"),
    ("402", Reply(QUOTED, status=402), "402: the account has nothing left to spend"),
    ("404", Reply(QUOTED, status=404), "404: no such address or model"),
    ("413", Reply(QUOTED, status=413, code="request_too_large"), "413: the prompt is too large"),
    ("too large, by words", Reply(f"maximum context length; {QUOTED}", status=400), "400: the prompt is too large"),
    (
        "a redirect",
        Reply(status=307, headers={"Location": "http://127.0.0.1:1/"}),
        "307: a redirect, which is not followed",
    ),
]
FAULTS_OF_ONE_API: list[tuple[str, str, Reply, str]] = [
    ("chat", "no such model", Reply(QUOTED, status=404, code="model_not_found"), "404: no such model"),
    (
        "chat",
        "too large, by code",
        Reply(QUOTED, status=400, code="context_length_exceeded"),
        "400: the prompt is too large",
    ),
    (
        "chat",
        "nothing left",
        Reply(QUOTED, status=429, code="insufficient_quota"),
        "429: the account has nothing left to spend",
    ),
    (
        "anthropic",
        "too large",
        Reply(f"prompt is too long: 210000 tokens > 200000 maximum; {QUOTED}", status=400),
        "400: the prompt is too large",
    ),
    (
        "anthropic",
        "nothing left",
        Reply(f"Your credit balance is too low to access the Anthropic API. {QUOTED}", status=400),
        "400: the account has nothing left to spend",
    ),
    (
        "anthropic",
        "a limit that is too high",
        Reply(f"max_tokens: 9 > 8; {QUOTED}", status=400),
        "400: the request was refused",
    ),
]
EVERY_FAULT = [("chat", *row) for row in FAULTS] + FAULTS_OF_ONE_API


async def test_what_is_said_of_a_fault_and_no_second_try() -> None:
    for api, title, reply, fault in EVERY_FAULT:
        async with ModelServer([reply]) as server, Calls(server.url, api=api) as calls:
            done = await calls.complete()
        assert (done.stop, done.text, done.fault) == ("error", "", fault), title


@pytest.mark.parametrize("reply", [Reply(way="endless-line"), Reply("", way="endless")], ids=["line", "no text"])
async def test_what_is_endless_without_text_is_cut(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_client, "RESPONSE_BYTES", 1 << 20)
    async with ModelServer([reply]) as server, Calls(server.url) as calls:
        assert (await calls.complete()).fault == "the answer is larger than 32 MiB"
        await server.until(lambda it: it.requests[0].cancelled)


@pytest.mark.parametrize("status", [200, 500])
async def test_what_comes_compressed_is_settled_before_it_is_read(status: int) -> None:
    reply = Reply(status=status, headers={"Content-Encoding": "gzip"})
    async with ModelServer([reply]) as server, Calls(server.url) as calls:
        done = await calls.complete()
    assert (done.fault, done.settled) == ("the answer came compressed, which was not asked for", True)


ENDED = b'data: {"choices": [{"delta": {"content": "all"}, "finish_reason": "stop"}]}\n\n'
RAW: list[tuple[str, bytes, str]] = [
    ("garbage after the end mark", ENDED + b"data: [DONE]\n\ndata: {\n\n", ""),
    ("nothing", b"", NO_COMPLETION),
    ("null", b"data: null\n\n", NO_COMPLETION),
    ("no UTF-8", b"data: \xff\xfe\n\n" + ENDED, NO_COMPLETION),
    ("too deep", b"data: " + b"[" * 200_000 + b"\n\n" + ENDED, NO_COMPLETION),
]


async def test_streams_of_other_servers() -> None:
    for title, raw, fault in RAW:
        done = await completed(Reply(raw=raw))
        assert (done.text, done.fault) == ("" if fault else "all", fault), title


@settings(max_examples=8, deadline=None)
@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"data: ", b"\n\n", b"{", b'"', b"[DONE]", ENDED])))
def test_no_bytes_do_harm(parts: list[bytes]) -> None:
    done = asyncio.run(completed(Reply(raw=b"".join(parts))))
    assert done.stop == "error" or ENDED in b"".join(parts)
