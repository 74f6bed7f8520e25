"""The scripted provider over HTTP: each API plays a script, refuses and fails by plan; its caches read and bill."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.provider import Cut, Fault, Provider, Read, Reset, Run, failing, script, step
from tests.provider.caching import Block, Clock, MarkedCache, PrefixCache, Usage
from tests.unit.provider.asking import GEMINI, body, go_on, texts

Json = dict[str, Any]
SCRIPT = script("Look", step(Read("a"), Run("b"), say="Two at once."), final="Done.")
HEADERS = {
    "x-api-key": "k",
    "x-goog-api-key": "k",
    "anthropic-version": "2023-06-01",
    "X-Claude-Code-Session-Id": "s1",
}
MARK = {"cache_control": {"type": "ephemeral"}}
MESSAGES, CHAT, RESPONSES = "/v1/messages", "/v1/chat/completions", "/v1/responses"
OLD_GEMINI = GEMINI.replace("gemini-3", "gemini-2.5")  # without ids of calls
U = {"role": "user", "content": "Look around"}


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        yield session


async def post(http: aiohttp.ClientSession, provider: Provider, path: str, asked: Json) -> Json:
    async with http.post(provider.url + path, json=asked) as answer:
        return {**await answer.json(), "http": answer.status}


@pytest.mark.parametrize("path", [MESSAGES, CHAT, RESPONSES, GEMINI, OLD_GEMINI])
async def test_a_script_is_played(http: aiohttp.ClientSession, path: str) -> None:
    async with Provider(SCRIPT, root="/tree") as provider:
        asked = body(path, U)
        answer = await post(http, provider, path, asked)
        assert "Two at once." in texts(answer)
        last = await post(http, provider, path, go_on(path, asked, answer))
    assert "Done." in texts(last)
    assert [one.place for one in provider.record.answered] == ["p0s0", "p0s1"]
    assert provider.record.distinct_results == 2
    assert provider.record.refused == []


TOO_LONG = {
    MESSAGES: "prompt is too long: 12",
    CHAT: "Your input exceeds the context window of this model.",
    RESPONSES: "Your input exceeds the context window of this model.",
    GEMINI: "The input token count (",
}


@pytest.mark.parametrize("path", TOO_LONG)
async def test_refusals_have_the_providers_shape(http: aiohttp.ClientSession, path: str) -> None:
    long = {"role": "user", "content": "Look " * 1000}
    async with Provider(SCRIPT, window_tokens=1000) as provider:
        empty, over = [await post(http, provider, path, asked) for asked in (body(path), body(path, long))]
    member = ("status", "INVALID_ARGUMENT") if path == GEMINI else ("type", "invalid_request_error")
    for answer in (empty, over):
        assert (answer["http"], answer["error"][member[0]]) == (400, member[1])
    assert over["error"]["message"].startswith(TOO_LONG[path])
    assert provider.record.refused == [empty["error"]["message"], over["error"]["message"]]
    assert provider.record.answered == []


async def test_marks_make_the_next_call_read(http: aiohttp.ClientSession) -> None:
    long = {"role": "user", "content": [{"type": "text", "text": "Look " * 1000, **MARK}]}
    async with Provider(SCRIPT) as provider:
        first = await post(http, provider, MESSAGES, body(MESSAGES, long))
        usage = first["usage"]
        assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (0, 0)
        again = await post(http, provider, MESSAGES, body(MESSAGES, long))
        assert again["usage"]["cache_read_input_tokens"] == usage["cache_creation_input_tokens"] > 1000
        other = body(MESSAGES, long, thinking={"type": "adaptive"})
        assert (await post(http, provider, MESSAGES, other))["usage"]["cache_read_input_tokens"] == 0
    assert provider.record.usage.read == usage["cache_creation_input_tokens"]


async def test_faults_come_by_plan(http: aiohttp.ClientSession) -> None:
    asked = body(MESSAGES, U, stream=True)
    plan: dict[int, Fault] = {0: failing(429, retry_after_s=1), 1: failing(529), 2: Cut(2), 3: Reset()}
    async with Provider(SCRIPT, faults=plan) as provider:
        url = provider.url + MESSAGES
        for status, kind in ((429, "rate_limit_error"), (529, "overloaded_error")):
            async with http.post(url, json=asked) as answer:
                assert (answer.status, (await answer.json())["error"]["type"]) == (status, kind)
                assert answer.headers.get("retry-after") == ("1" if status == 429 else None)
        async with http.post(url, json=asked) as answer:
            assert [await answer.content.readuntil(b"\n\n") for _ in range(2)]
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.content.readuntil(b"\n\n")
        with pytest.raises(aiohttp.ClientConnectionError):
            await http.post(url, json=asked)
        async with http.post(url, json=asked) as answer:
            assert b"message_stop" in await answer.read()
    assert [one.ended for one in provider.record.calls] == ["answered"] * 2 + ["cut", "reset", "answered"]


MINUTE_MS = 60_000
CACHED: list[tuple[str, int, str, Usage]] = [  # blocks of one call, minutes, blocks of the next, its usage
    ("ab*", 0, "abc*", Usage(read=200, written_5m=100)),
    ("ab*", 0, "abc", Usage(fresh=300)),  # no mark, nothing read
    ("ab*c*", 0, "xb*c*", Usage(written_5m=300)),
    ("", 0, "ab+c*", Usage(written_5m=100, written_1h=200)),
    ("ab*", 0, "ab" + "c" * 19 + "*", Usage(read=200, written_5m=1_900)),
    ("ab*", 4, "ab*", Usage(read=200)),
    ("ab+", 59, "ab*", Usage(read=200)),
    ("ab+", 60, "ab*", Usage(written_5m=200)),
]


def blocks(letters: str) -> list[Block]:
    """A block of 100 tokens a letter; `*` marks the one before it for five minutes, `+` for an hour."""
    found: list[Block] = []
    for letter in letters:
        if letter in "*+":
            found[-1] = Block(found[-1].text, "5m" if letter == "*" else "1h")
        else:
            found.append(Block(letter * 400))
    return found


def test_caches_read_what_a_provider_would_have_kept() -> None:
    for before, minutes, now, expected in CACHED:
        clock = Clock()
        cache = MarkedCache(clock, least_tokens=200)
        cache.use("m", blocks(before))
        clock.advance(minutes * MINUTE_MS)
        assert cache.use("m", blocks(now)) == expected, (before, minutes, now)
        assert cache.use("another model", blocks(now)).read == 0
    clock = Clock()
    cache = MarkedCache(clock, least_tokens=200)
    cache.use("m", blocks("ab*"))
    for more in ("abc*", "abd*"):  # to read an entry keeps it alive
        clock.advance(4 * MINUTE_MS)
        assert cache.use("m", blocks(more)).read == 200
    prefix = PrefixCache(Clock())
    assert prefix.use("m", [b"a" * 4 * 1100, b"b" * 400]) == Usage(fresh=1200)
    assert prefix.use("m", [b"a" * 4 * 1100, b"c" * 400]) == Usage(fresh=176, read=1024)
