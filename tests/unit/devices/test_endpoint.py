"""The chat-completions endpoint against the scripted server: what is sent, what comes of each kind of answer.

`pause` is recorded instead of slept. The words of each fault are checked to hold neither prompt nor key.
"""

import asyncio
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.devices import endpoint as edge
from ctxmgr.devices import endpoint_client
from ctxmgr.devices.endpoint import Chat
from ctxmgr.devices.endpoint_answer import CHARACTERS_A_TOKEN, SPARE_CHARACTERS, Answer
from ctxmgr.model.compaction.completion import Completion, CompletionRequest, CompletionUsage
from ctxmgr.model.policy import Endpoint
from tests.model_server import Gate, ModelServer, Reply, Request, Script, Way

KEY = "sk-do-not-tell"
SECRET = "the conversation"
QUOTED = f"you sent {SECRET} with {KEY}"  # what a careless server writes into its errors
ASK = CompletionRequest("history", "Summarise.", SECRET, 100)


class Calls:
    """A `Chat` at a server, with the pauses it would have made, in seconds."""

    def __init__(self, url: str, environment: Mapping[str, str] | None = None, **settings: Any) -> None:
        settings = {"model": "small", "api_key_env": "KEY", "timeout_ms": 20_000, **settings}
        self.pauses: list[float] = []
        self.chat = Chat(
            Endpoint(url, **settings), {"KEY": KEY} if environment is None else environment, self.pause
        )

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def __aenter__(self) -> "Calls":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.chat.close()

    async def complete(self, ask: CompletionRequest = ASK) -> Completion:
        done = await self.chat.complete(ask)
        assert SECRET not in done.fault
        assert KEY not in done.fault
        assert (done.stop == "error") == bool(done.fault)
        return done


async def completed(*replies: Reply, ask: CompletionRequest = ASK) -> Completion:
    async with ModelServer(replies) as server, Calls(server.url) as calls:
        return await calls.complete(ask)


# what is sent


async def test_a_request_holds_the_ask_and_the_key() -> None:
    async with ModelServer([Reply()]) as server, Calls(server.url) as calls:
        await calls.complete()
    (request,) = server.requests
    assert request.body == {
        "model": "small",
        "messages": [{"role": "system", "content": "Summarise."}, {"role": "user", "content": SECRET}],
        "max_tokens": 100,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_nothing_is_sent_that_the_call_does_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-of-another",
        "OPENAI_ADMIN_KEY": "sk-of-an-admin",
        "OPENAI_ORG_ID": "org",
        "OPENAI_PROJECT_ID": "project",
        "OPENAI_CUSTOM_HEADERS": "X-Private: yes\nAuthorization: Bearer sk-of-headers",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
        monkeypatch.setenv(name.lower(), value)
    async with ModelServer([Reply()]) as server, Calls(server.url, api_key_env=None) as calls:
        assert (await calls.complete()).stop == "stop"
    headers = server.requests[0].headers
    assert sorted(headers) == [
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    ]
    assert headers["accept-encoding"] == "identity"


async def test_a_cookie_is_not_given_back() -> None:
    replies = [Reply(headers={"Set-Cookie": "who=you; Path=/"}), Reply()]
    async with ModelServer(replies) as server, Calls(server.url) as calls:
        for _ in replies:
            await calls.complete()
    assert ["cookie" in request.headers for request in server.requests] == [False, False]


async def test_nothing_of_a_netrc_is_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    async with ModelServer([Reply()]) as server, Calls(server.url, api_key_env=None) as calls:
        await calls.complete()
    assert "authorization" not in server.requests[0].headers


ADDRESSES = [
    ("http://host/v1", "http://host/v1/chat/completions"),
    ("http://host/v1/", "http://host/v1/chat/completions"),
    ("http://host", "http://host/chat/completions"),
    ("https://host/a%2Fb?api-version=1", "https://host/a%2Fb/chat/completions?api-version=1"),
]


@pytest.mark.parametrize(("base", "address"), ADDRESSES)
def test_the_path_goes_below_the_address_and_its_query_stays(base: str, address: str) -> None:
    assert str(endpoint_client._address(base)) == address


async def test_an_empty_system_prompt_is_left_out() -> None:
    async with ModelServer([Reply()]) as server, Calls(server.url) as calls:
        await calls.complete(CompletionRequest("history", "", SECRET, 10))
    assert [one["role"] for one in server.requests[0].body["messages"]] == ["user"]


async def test_a_prompt_of_any_characters_can_be_sent() -> None:
    async with ModelServer([Reply()]) as server, Calls(server.url) as calls:
        done = await calls.complete(CompletionRequest("history", "é", "\ud83d\ude00 \ud800 \x00", 10))
    assert done.stop == "stop"
    assert server.requests[0].prompt == "😀 \ufffd \x00"


async def test_the_key_is_read_anew_for_each_call() -> None:
    environment = {"KEY": "first\n"}
    async with ModelServer([Reply(), Reply()]) as server, Calls(server.url, environment) as calls:
        await calls.complete()
        environment["KEY"] = "second"
        await calls.complete()
    assert [one.headers["authorization"] for one in server.requests] == ["Bearer first", "Bearer second"]


# name, environment, what the fault says
KEYS: list[tuple[str, dict[str, str], str]] = [
    ("missing", {}, "no key: the environment variable KEY is not set"),
    ("empty", {"KEY": " \n"}, "no key: the environment variable KEY is not set"),
    ("two lines", {"KEY": "a\nb"}, "the key in KEY holds characters that no header can hold"),
    ("not ASCII", {"KEY": "schlüssel"}, "the key in KEY holds characters that no header can hold"),
]


@pytest.mark.parametrize(("environment", "fault"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
async def test_without_a_usable_key_nothing_is_sent(environment: dict[str, str], fault: str) -> None:
    async with ModelServer([]) as server, Calls(server.url, environment) as calls:
        assert await calls.complete() == Completion(stop="error", fault=fault, settled=True)
    assert server.requests == []


# what comes of an answer


async def test_an_answer_comes_whole_with_what_it_cost() -> None:
    assert await completed(Reply("a summary é 😀", chunks=12, usage=(900, 40))) == Completion(
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
    ("no end mark", Reply("all", way="no-end-mark"), Completion("all", "stop")),
    (
        "reasoning",
        Reply("all", deltas=({"reasoning_content": "hm"},)),
        Completion("all", "stop", CompletionUsage(11, 7)),
    ),
    (
        "parts of content",
        Reply("!", deltas=({"content": [{"type": "thinking"}, {"type": "text", "text": "yes"}]},)),
        Completion("yes!", "stop", CompletionUsage(11, 7)),
    ),
    (
        "a pair in two pieces",
        Reply("", deltas=({"content": "\ud83d"}, {"content": "\ude00"})),
        Completion("😀", "stop", CompletionUsage(11, 7)),
    ),
    (
        "half a pair",
        Reply("a", deltas=({"content": "\ud800"},)),
        Completion("\ufffda", "stop", CompletionUsage(11, 7)),
    ),
]


@pytest.mark.parametrize(("reply", "done"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
async def test_what_comes_of_an_answer(reply: Reply, done: Completion) -> None:
    assert await completed(reply) == done


NO_COMPLETION = "what came is no chat completion"
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
    ("filtered", Reply(stop="content_filter"), "a content filter withheld the answer"),
    ("refused by the model", Reply("", deltas=({"refusal": "I can not."},)), "the model refused to answer"),
    ("an unknown end", Reply(stop="abort"), "the answer ended for a reason that is not known"),
    ("400", Reply(QUOTED, status=400), "400: the request was refused"),
    ("401", Reply(QUOTED, status=401), "401: the key in KEY was refused"),
    ("402", Reply(QUOTED, status=402), "402: the account has nothing left to spend"),
    ("403", Reply(QUOTED, status=403), "403: the key is not allowed to do this"),
    ("404", Reply(QUOTED, status=404), "404: no such address or model"),
    ("no such model", Reply(QUOTED, status=404, code="model_not_found"), "404: no such model"),
    ("418", Reply(QUOTED, status=418), "418: the request was refused"),
    (
        "too large, by code",
        Reply(QUOTED, status=400, code="context_length_exceeded"),
        "400: the prompt is too large",
    ),
    ("too large, by words", Reply(f"maximum context length; {QUOTED}", status=400), "400: the prompt is too large"),
    (
        "a redirect",
        Reply(status=307, headers={"Location": "http://127.0.0.1:1/"}),
        "307: a redirect, which is not followed",
    ),
    (
        "nothing left",
        Reply(QUOTED, status=429, code="insufficient_quota"),
        "429: the account has nothing left to spend",
    ),
]


@pytest.mark.parametrize(("reply", "fault"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
async def test_what_is_said_of_a_fault_and_no_second_try(reply: Reply, fault: str) -> None:
    async with ModelServer([reply]) as server, Calls(server.url) as calls:
        done = await calls.complete()
    assert (done.stop, done.text, done.fault) == ("error", "", fault)


async def test_a_key_is_wanted_and_none_is_named() -> None:
    async with ModelServer([Reply(status=401)]) as server, Calls(server.url, api_key_env=None) as calls:
        assert (await calls.complete()).fault == "401: a key is wanted, and apiKeyEnv names none"


# what is cut


async def test_an_endless_answer_is_cut_and_its_connection_closed() -> None:
    async with ModelServer([Reply("on and on ", way="endless")]) as server, Calls(server.url) as calls:
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


# further tries


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    replies = [Reply(QUOTED, status=status), Reply(QUOTED, status=status), Reply("at last")]
    async with ModelServer(replies) as server, Calls(server.url) as calls:
        assert (await calls.complete()).text == "at last"
    assert calls.pauses == [0.5, 1.0]


async def test_after_two_further_tries_it_is_a_fault() -> None:
    async with ModelServer([Reply(QUOTED, status=500)] * 3) as server, Calls(server.url) as calls:
        assert (await calls.complete()).fault == "500: the server failed"
    assert len(server.requests) == 3


# Retry-After, the pause it makes (None: no further try)
WAITS: list[tuple[str, float | None]] = [
    ("0", 0.0),
    ("3", 3.0),
    ("0.25", 0.25),
    ("20", 20.0),
    ("21", None),
    ("1e400", 0.5),
    ("nan", 0.5),
    ("-1", 0.5),
    ("soon", 0.5),
    ("Fri, 31 Dec 1999 23:59:59 GMT", 0.5),
]


@pytest.mark.parametrize(("after", "pause"), WAITS)
async def test_the_server_may_say_how_long_to_wait(after: str, pause: float | None) -> None:
    replies = [Reply(status=429, headers={"Retry-After": after})] + [Reply()] * (pause is not None)
    async with ModelServer(replies) as server, Calls(server.url) as calls:
        done = await calls.complete()
    assert calls.pauses == ([] if pause is None else [pause])
    assert done.fault == ("429: too many requests" if pause is None else "")


async def test_a_server_that_hangs_up_is_tried_again() -> None:
    async with ModelServer([Reply(way="hangs-up"), Reply("at last")]) as server, Calls(server.url) as calls:
        assert (await calls.complete()).text == "at last"
    assert calls.pauses == [0.5]


async def test_a_refused_connection_is_tried_again_and_said() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody answers there
        taken.bind(("127.0.0.1", 0))
        async with Calls(f"http://127.0.0.1:{taken.getsockname()[1]}/v1") as calls:
            assert (await calls.complete()).fault == "the connection was refused"
    assert calls.pauses == [0.5, 1.0]


async def test_a_server_that_speaks_no_tls_is_said() -> None:
    async with ModelServer([]) as server, Calls(server.url.replace("http:", "https:")) as calls:
        assert (await calls.complete()).fault == "no secure connection could be made"


@pytest.mark.parametrize("address", ["", "127.0.0.1:80", "ftp://x/v1", "http://", "http://[::1", "http://x:y/"])
async def test_an_address_that_is_none_is_said(address: str) -> None:
    async with Calls(address) as calls:
        assert (await calls.complete()).fault == "the endpoint's baseUrl is no http or https address"


# parameters that servers differ in


def only(taken: str, refused: str, words: str = "Unsupported parameter: '{}'.") -> Callable[[Request], Reply]:
    def reply(request: Request) -> Reply:
        if refused in request.body:
            return Reply(words.format(refused) + QUOTED, status=400, param=refused)
        assert not taken or taken in request.body
        return Reply()

    return reply


async def test_the_newer_name_of_the_limit_is_tried_and_remembered() -> None:
    script = only("max_completion_tokens", "max_tokens", "Use 'max_completion_tokens' instead of '{}'.")
    async with ModelServer(script) as server, Calls(server.url) as calls:
        assert (await calls.complete()).stop == "stop"
        assert (await calls.complete()).stop == "stop"
    assert [one.body.get("max_completion_tokens") for one in server.requests] == [None, 100, 100]
    assert calls.pauses == []


async def test_a_server_without_usage_is_asked_without() -> None:
    async with ModelServer(only("max_tokens", "stream_options")) as server, Calls(server.url) as calls:
        assert await calls.complete() == Completion("ok", "stop")
        assert await calls.complete() == Completion("ok", "stop")
    assert len(server.requests) == 3


async def test_both_may_be_refused() -> None:
    def reply(request: Request) -> Reply:
        for name in ("stream_options", "max_tokens"):
            if name in request.body:
                return Reply(f"{name}: extra inputs are not permitted", status=422)
        return Reply()

    async with ModelServer(reply) as server, Calls(server.url) as calls:
        assert (await calls.complete()).stop == "stop"
    assert len(server.requests) == 3


async def test_a_limit_refused_by_both_names_is_a_fault_and_not_remembered() -> None:
    words = "max_tokens or max_completion_tokens is too large"
    async with ModelServer([Reply(words, status=400)] * 2 + [Reply()]) as server, Calls(server.url) as calls:
        assert (await calls.complete()).fault == "400: the request was refused"
        assert (await calls.complete()).stop == "stop"
    assert ["max_tokens" in one.body for one in server.requests] == [True, False, True]


async def test_calls_side_by_side_each_find_the_other_name() -> None:
    gate = Gate()

    def reply(request: Request) -> Reply:
        if "max_tokens" in request.body:
            return Reply("max_tokens is not supported", status=400, hold=gate)
        return Reply()

    async with ModelServer(reply) as server, Calls(server.url) as calls:
        under_way = [asyncio.ensure_future(calls.complete()) for _ in range(3)]
        await server.until(lambda it: it.in_flight == 3)
        gate.open()
        assert [one.stop for one in await asyncio.gather(*under_way)] == ["stop"] * 3
    assert len(server.requests) == 6


# deadline, cancellation, end


def pass_by(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """The loop's clock, and no other, goes forward."""
    loop = asyncio.get_running_loop()
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + seconds)


def heard(monkeypatch: pytest.MonkeyPatch, what: Callable[[Answer], bool]) -> asyncio.Event:
    """Set when this has come of an answer."""
    event, take = asyncio.Event(), Answer.take

    def taking(answer: Answer, piece: object) -> bool:
        more = take(answer, piece)
        if what(answer):
            event.set()
        return more

    monkeypatch.setattr(Answer, "take", taking)
    return event


HELD = [pytest.param(None, id="before the answer"), pytest.param(1, id="in the middle")]


async def held(server: ModelServer, begun: asyncio.Event, hold_after: int | None) -> None:
    """Until the answer is held back, and what went before has been heard."""
    await server.until(lambda it: it.in_flight == 1)
    if hold_after is not None:
        await begun.wait()


@pytest.mark.parametrize("hold_after", HELD)
async def test_a_deadline_ends_the_call_and_closes_the_connection(
    hold_after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = heard(monkeypatch, lambda answer: answer._length > 0)
    reply = Reply("one two", hold=Gate(), hold_after=hold_after)
    async with ModelServer([reply]) as server, Calls(server.url, timeout_ms=9_000) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await held(server, begun, hold_after)
        pass_by(monkeypatch, 9)
        assert (await under_way).fault == "timed out after 9000 ms"
        await server.until(lambda it: it.requests[0].cancelled)


async def test_the_deadline_holds_for_pauses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def pause(_: float) -> None:
        pass_by(monkeypatch, 9)
        await asyncio.Event().wait()

    async with ModelServer([Reply(status=500)]) as server:
        chat = Chat(Endpoint(base_url=server.url, model="m", timeout_ms=9_000), {}, pause)
        assert (await chat.complete(ASK)).fault == "timed out after 9000 ms"
        await chat.close()


async def test_an_answer_with_its_reason_is_whole_though_its_end_never_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = heard(monkeypatch, lambda answer: answer.ended)
    reply = Reply("all", way="stays-open", hold=Gate())
    async with ModelServer([reply]) as server, Calls(server.url, timeout_ms=9_000) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await ended.wait()
        pass_by(monkeypatch, 9)
        assert await under_way == Completion("all", "stop")


@pytest.mark.parametrize("hold_after", HELD)
async def test_cancelling_closes_the_connection_at_once(
    hold_after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = heard(monkeypatch, lambda answer: answer._length > 0)
    reply = Reply("one two", hold=Gate(), hold_after=hold_after)
    async with ModelServer([reply, Reply("next")]) as server, Calls(server.url) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await held(server, begun, hold_after)
        under_way.cancel()
        with pytest.raises(asyncio.CancelledError):
            await under_way
        await server.until(lambda it: it.requests[0].cancelled)
        assert (await calls.complete()).text == "next"


async def test_cancelling_while_it_opens_leaves_it_usable() -> None:
    async with ModelServer([Reply()]) as server, Calls(server.url) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await asyncio.sleep(0)
        under_way.cancel()
        with pytest.raises(asyncio.CancelledError):
            await under_way
        assert (await calls.complete()).stop == "stop"


@pytest.mark.parametrize("hold_after", HELD)
async def test_closing_ends_the_call_under_way_and_refuses_later_ones(
    hold_after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = heard(monkeypatch, lambda answer: answer._length > 0)
    reply = Reply("one two", hold=Gate(), hold_after=hold_after)
    async with ModelServer([reply]) as server, Calls(server.url) as calls:
        under_way = asyncio.ensure_future(calls.complete())
        await held(server, begun, hold_after)
        await calls.chat.close()
        assert (await under_way).fault == "the endpoint is closed"
        assert (await calls.complete()).fault == "the endpoint is closed"
        await server.until(lambda it: it.in_flight == 0)
        assert len(server.requests) == 1


async def test_a_call_that_pauses_ends_with_the_endpoint() -> None:
    async with ModelServer([Reply(status=500)]) as server:
        chat = Chat(Endpoint(base_url=server.url, model="m"), {}, lambda _: chat.close())
        assert (await chat.complete(ASK)).fault == "the endpoint is closed"


async def test_calls_side_by_side_do_not_mix() -> None:
    def reply(request: Request) -> Reply:
        return Reply(f"answer to {request.prompt}", chunks=9)

    async with ModelServer(reply) as server, Calls(server.url) as calls:
        asks = [CompletionRequest("slice", "", f"slice {number}", 100) for number in range(8)]
        done = await asyncio.gather(*(calls.complete(ask) for ask in asks))
    assert [one.text for one in done] == [f"answer to slice {number}" for number in range(8)]


async def test_a_connection_is_used_again() -> None:
    async with ModelServer([Reply(), Reply(), Reply()]) as server, Calls(server.url) as calls:
        for _ in range(3):
            await calls.complete()
    assert {request.connection for request in server.requests} == {0}


async def test_a_connection_that_stays_open_after_the_end_mark_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_client, "DRAIN_SECONDS", 0)
    reply = Reply("all", way="lingers", hold=Gate())
    async with ModelServer([reply]) as server, Calls(server.url) as calls:
        assert (await calls.complete()).text == "all"
        await server.until(lambda it: it.requests[0].cancelled)


def test_what_several_addresses_gave_is_looked_at() -> None:
    several = OSError("All connection attempts failed")
    several.__cause__ = ExceptionGroup("", [ConnectionRefusedError(), ConnectionRefusedError()])
    fault = httpx.ConnectError("")
    fault.__cause__ = several
    assert str(endpoint_client._connection(fault)) == "the connection was refused"


# the package


async def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.delitem(sys.modules, "ctxmgr.devices.endpoint_client")
    async with Calls("http://127.0.0.1:1/v1") as calls:
        fault = "the endpoint extra is not installed: pip install 'ctxmgr[endpoint]'"
        assert await calls.complete() == Completion(stop="error", fault=fault, settled=True)


async def test_the_package_is_not_imported_before_the_first_call() -> None:
    code = (
        "import sys; from ctxmgr.devices.endpoint import Chat; from ctxmgr.model.policy import Endpoint; "
        "Chat(Endpoint(base_url='http://127.0.0.1:1/v1', model='m'), {}); "
        "print({'httpx', 'httpcore', 'anyio'} & set(sys.modules))"
    )
    done = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    assert (await done.communicate())[0].strip() == b"set()"


async def test_nothing_is_logged() -> None:
    """In a process of its own, which would show it."""
    code = (
        "import asyncio, logging; from tests.unit.devices.test_endpoint import completed, Reply; "
        "logging.basicConfig(level=logging.INFO); "
        "print(asyncio.run(completed(Reply('fine'), Reply(status=500))).text)"
    )
    pipe = asyncio.subprocess.PIPE
    done = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=pipe, stderr=pipe)
    out, err = await done.communicate()
    assert (out.strip(), err) == (b"fine", b"")


WAYS: list[Way] = ["hangs-up", "breaks-off", "half-json", "unfinished", "error-event", "garbage", "garbled"]


async def test_no_bad_answer_spoils_the_next_one() -> None:
    replies = [reply for way in WAYS for reply in (Reply("a b c", way=way), Reply("fine"))]
    script: Script = replies
    async with ModelServer(script) as server, Calls(server.url) as calls:
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


def test_the_pauses_fit_into_the_default_deadline() -> None:
    longest_ms = edge.RETRIES * edge.RETRY_AFTER_SECONDS * 1_000
    assert longest_ms < Endpoint(base_url="", model="").timeout_ms
