"""What comes of an answer, whole, broken, endless or of another server."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices.endpoint import client as endpoint_client
from ctxmgr.devices.endpoint.answer import CHARACTERS_A_TOKEN, SPARE_CHARACTERS
from ctxmgr.model.compaction.plans import Completion, CompletionUsage
from tests.model_server import ModelServer, Reply, Script, Way
from tests.unit.devices.endpoint.calls import APIS, QUOTED, Calls, completed


@pytest.mark.parametrize("api", APIS)
async def test_an_answer_comes_whole_with_what_it_cost(api: str) -> None:
    assert await completed(Reply("a summary é 😀", chunks=12, usage=(900, 40)), api=api) == Completion(
        "a summary é 😀", "stop", CompletionUsage(900, 40)
    )


ANSWERS: list[tuple[str, Reply, Completion]] = [
    ("one chunk", Reply("all", chunks=1), Completion("all", "stop", CompletionUsage(11, 7))),
    ("no usage", Reply("all", usage=None), Completion("all", "stop")),
    ("empty", Reply(""), Completion("", "stop", CompletionUsage(11, 7))),
    ("cut off by its limit", Reply("half", stop="length"), Completion("half", "length", CompletionUsage(11, 7))),
    ("a tool call", Reply("", stop="tool"), Completion("", "toolUse", CompletionUsage(11, 7))),
    ("in one piece", Reply("all", way="one-piece"), Completion("all", "stop", CompletionUsage(11, 7))),
    (
        "in one piece, cut off",
        Reply("all", way="one-piece", stop="length"),
        Completion("all", "length", CompletionUsage(11, 7)),
    ),
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(("reply", "done"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
async def test_what_comes_of_an_answer(reply: Reply, done: Completion, api: str) -> None:
    assert await completed(reply, api=api) == done


def said(text: str) -> dict[str, str]:
    return {"type": "text_delta", "text": text}


OF_ONE_API: list[tuple[str, str, Reply, Completion]] = [
    ("chat", "no end mark", Reply("all", way="no-end-mark"), Completion("all", "stop")),
    (
        "anthropic",
        "no end mark",
        Reply("all", way="no-end-mark"),
        Completion("all", "stop", CompletionUsage(11, 7)),
    ),
    (
        "anthropic",
        "thinking",
        Reply("all", deltas=({"type": "thinking_delta", "thinking": "hm"}, {"type": "signature_delta"})),
        Completion("all", "stop", CompletionUsage(11, 7)),
    ),
    (
        "anthropic",
        "a pair in two pieces",
        Reply("", deltas=(said("\ud83d"), said("\ude00"))),
        Completion("😀", "stop", CompletionUsage(11, 7)),
    ),
    (
        "anthropic",
        "half a pair",
        Reply("a", deltas=(said("\ud800"),)),
        Completion("\ufffda", "stop", CompletionUsage(11, 7)),
    ),
    (
        "anthropic",
        "the window is full",
        Reply("half", stop="model_context_window_exceeded"),
        Completion("half", "length", CompletionUsage(11, 7)),
    ),
    (
        "chat",
        "reasoning",
        Reply("all", deltas=({"reasoning_content": "hm"},)),
        Completion("all", "stop", CompletionUsage(11, 7)),
    ),
    (
        "chat",
        "parts of content",
        Reply("!", deltas=({"content": [{"type": "thinking"}, {"type": "text", "text": "yes"}]},)),
        Completion("yes!", "stop", CompletionUsage(11, 7)),
    ),
    (
        "chat",
        "a pair in two pieces",
        Reply("", deltas=({"content": "\ud83d"}, {"content": "\ude00"})),
        Completion("😀", "stop", CompletionUsage(11, 7)),
    ),
    (
        "chat",
        "half a pair",
        Reply("a", deltas=({"content": "\ud800"},)),
        Completion("\ufffda", "stop", CompletionUsage(11, 7)),
    ),
]


@pytest.mark.parametrize(
    ("api", "reply", "done"),
    [(row[0], *row[2:]) for row in OF_ONE_API],
    ids=["-".join(row[:2]) for row in OF_ONE_API],
)
async def test_what_comes_of_an_answer_of_one_api(api: str, reply: Reply, done: Completion) -> None:
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
    ("JSON of another shape", Reply(way="other-json"), NO_COMPLETION),
    ("a piece of another shape", Reply(deltas=("text",)), NO_COMPLETION),
    (
        "an error in the middle",
        Reply(QUOTED, way="error-event"),
        "the server reported an error in the middle of its answer",
    ),
    ("compressed", Reply(way="compressed"), "the answer came compressed, which was not asked for"),
    ("an unknown end", Reply(stop="abort"), "the answer ended for a reason that is not known"),
    ("400", Reply(QUOTED, status=400), "400: the request was refused"),
    ("401", Reply(QUOTED, status=401), "401: the key in KEY was refused"),
    ("402", Reply(QUOTED, status=402), "402: the account has nothing left to spend"),
    ("403", Reply(QUOTED, status=403), "403: the key is not allowed to do this"),
    ("404", Reply(QUOTED, status=404), "404: no such address or model"),
    ("418", Reply(QUOTED, status=418), "418: the request was refused"),
    ("413", Reply(QUOTED, status=413, code="request_too_large"), "413: the prompt is too large"),
    ("too large, by words", Reply(f"maximum context length; {QUOTED}", status=400), "400: the prompt is too large"),
    (
        "a redirect",
        Reply(status=307, headers={"Location": "http://127.0.0.1:1/"}),
        "307: a redirect, which is not followed",
    ),
]
FAULTS_OF_ONE_API: list[tuple[str, str, Reply, str]] = [
    ("chat", "filtered", Reply(stop="content_filter"), "a content filter withheld the answer"),
    ("chat", "refused", Reply("", deltas=({"refusal": "I can not."},)), "the model refused to answer"),
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
    ("anthropic", "refused", Reply(stop="refusal"), "the model refused to answer"),
    ("anthropic", "a pause", Reply(stop="pause_turn"), "the answer ended for a reason that is not known"),
    (
        "anthropic",
        "too large",
        Reply(f"prompt is too long: 210000 tokens > 200000 maximum; {QUOTED}", status=400),
        "400: the prompt is too large",
    ),
    (
        "anthropic",
        "too large with its answer",
        Reply(f"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000; {QUOTED}", status=400),
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
EVERY_FAULT = [(api, *row) for api in APIS for row in FAULTS] + FAULTS_OF_ONE_API


@pytest.mark.parametrize(
    ("api", "reply", "fault"),
    [(row[0], *row[2:]) for row in EVERY_FAULT],
    ids=["-".join(row[:2]) for row in EVERY_FAULT],
)
async def test_what_is_said_of_a_fault_and_no_second_try(api: str, reply: Reply, fault: str) -> None:
    async with ModelServer([reply]) as server, Calls(server.url, api=api) as calls:
        done = await calls.complete()
    assert (done.stop, done.text, done.fault) == ("error", "", fault)


@pytest.mark.parametrize("api", APIS)
async def test_an_endless_answer_is_cut_and_its_connection_closed(api: str) -> None:
    async with ModelServer([Reply("on and on ", way="endless")]) as server, Calls(server.url, api=api) as calls:
        done = await calls.complete()
        await server.until(lambda it: it.requests[0].cancelled)
    assert done.stop == "length"
    assert len(done.text) == 100 * CHARACTERS_A_TOKEN + SPARE_CHARACTERS


async def test_a_huge_answer_is_cut_though_it_says_that_it_is_whole() -> None:
    done = await completed(Reply("x" * 1_000_000, chunks=1))
    assert (done.stop, len(done.text)) == ("length", 100 * CHARACTERS_A_TOKEN + SPARE_CHARACTERS)


async def test_an_answer_within_its_bounds_is_not_cut() -> None:
    text = "x" * (100 * CHARACTERS_A_TOKEN + SPARE_CHARACTERS)
    assert await completed(Reply(text)) == Completion(text, "stop", CompletionUsage(11, 7))


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


async def test_a_huge_error_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_client, "RESPONSE_BYTES", 1 << 10)
    assert (await completed(Reply(QUOTED * 100, status=400))).fault == "the answer is larger than 32 MiB"


WAYS: list[Way] = ["hangs-up", "breaks-off", "half-json", "unfinished", "error-event", "garbage", "garbled"]


@pytest.mark.parametrize("api", APIS)
async def test_no_bad_answer_spoils_the_next_one(api: str) -> None:
    replies = [reply for way in WAYS for reply in (Reply("a b c", way=way), Reply("fine"))]
    script: Script = replies
    async with ModelServer(script) as server, Calls(server.url, api=api) as calls:
        for way in WAYS:
            first = await calls.complete()
            assert first.text == ("fine" if way == "hangs-up" else ""), way
            if way != "hangs-up":
                assert (await calls.complete()).text == "fine", way


ENDED = b'data: {"choices": [{"delta": {"content": "all"}, "finish_reason": "stop"}]}\n\n'
RAW: list[tuple[str, bytes, str]] = [
    ("comments", b": PROCESSING\n\n" + ENDED, ""),
    ("carriage returns", ENDED.replace(b"\n", b"\r\n"), ""),
    ("carriage returns alone", ENDED.replace(b"\n", b"\r"), ""),
    ("a byte order mark", b"\xef\xbb\xbf" + ENDED, ""),
    ("a piece over two lines", ENDED.replace(b", ", b",\ndata: "), ""),
    ("garbage after the end mark", ENDED + b"data: [DONE]\n\ndata: {\n\n", ""),
    ("no blanks", ENDED.replace(b": ", b":"), ""),
    ("a named ping", b"event: ping\ndata: {}\n\n" + ENDED, ""),
    ("nothing", b"", NO_COMPLETION),
    ("an end mark alone", b"data: [DONE]\n\n", NO_COMPLETION),
    ("null", b"data: null\n\n", NO_COMPLETION),
    ("no UTF-8", b"data: \xff\xfe\n\n" + ENDED, NO_COMPLETION),
    ("too deep", b"data: " + b"[" * 200_000 + b"\n\n" + ENDED, NO_COMPLETION),
    ("a huge number", b"data: " + b"9" * 10_000 + b"\n\n" + ENDED, NO_COMPLETION),
    ("the last line is not ended", ENDED.strip(), NO_COMPLETION),
]


@pytest.mark.parametrize(("raw", "fault"), [row[1:] for row in RAW], ids=[row[0] for row in RAW])
async def test_streams_of_other_servers(raw: bytes, fault: str) -> None:
    done = await completed(Reply(raw=raw))
    assert (done.text, done.fault) == ("" if fault else "all", fault)


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"data: ", b"\n\n", b"{", b'"', b"[DONE]", ENDED])))
def test_no_bytes_do_harm(parts: list[bytes]) -> None:
    done = asyncio.run(completed(Reply(raw=b"".join(parts))))
    assert done.stop == "error" or ENDED in b"".join(parts)
