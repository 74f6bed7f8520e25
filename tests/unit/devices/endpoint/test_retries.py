"""What may pass is tried again, after a pause, and by the other name of a limit."""

import asyncio
import socket
from collections.abc import Callable

from ctxmgr.model.compaction import Completion
from tests.model_server import Gate, ModelServer, Reply, Request
from tests.unit.devices.endpoint.calls import QUOTED, Calls


async def test_what_may_pass_is_tried_again() -> None:
    for status in [408, 409, 429, 500, 529]:
        replies = [Reply(QUOTED, status=status), Reply(QUOTED, status=status), Reply("at last")]
        async with ModelServer(replies) as server, Calls(server.url) as calls:
            assert (await calls.complete()).text == "at last", status
        assert calls.pauses == [0.5, 1.0], status


# status, what is said of it
LASTING = [(500, "500: the server failed"), (529, "529: the server is overloaded or down")]


async def test_after_two_further_tries_it_is_a_fault() -> None:
    for status, fault in LASTING:
        async with ModelServer([Reply(QUOTED, status=status)] * 3) as server, Calls(server.url) as calls:
            assert (await calls.complete()).fault == fault, status
        assert len(server.requests) == 3, status


# Retry-After, the pause it makes (None: no further try)
WAITS: list[tuple[str, float | None]] = [
    ("0", 0.0),
    ("0.25", 0.25),
    ("20", 20.0),
    ("21", None),
    ("1e400", 0.5),
    ("nan", 0.5),
    ("-1", 0.5),
    ("Fri, 31 Dec 1999 23:59:59 GMT", 0.5),
]


async def test_the_server_may_say_how_long_to_wait() -> None:
    for after, pause in WAITS:
        replies = [Reply(status=429, headers={"Retry-After": after})] + [Reply()] * (pause is not None)
        async with ModelServer(replies) as server, Calls(server.url) as calls:
            done = await calls.complete()
        assert calls.pauses == ([] if pause is None else [pause]), after
        assert done.fault == ("429: too many requests" if pause is None else ""), after


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


async def test_an_address_that_is_none_is_said() -> None:
    for address in ("", "127.0.0.1:80", "ftp://x/v1", "http://", "http://[::1"):
        async with Calls(address) as calls:
            assert (await calls.complete()).fault == "the endpoint's baseUrl is no http or https address", address


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
