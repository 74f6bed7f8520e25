"""The scripted provider over HTTP: the three APIs, streamed and whole, its faults, and what it remembers."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import aiohttp
import pytest

from tests.model_server import Gate
from tests.provider import Cut, Fault, Hold, Provider, Read, Reset, Run, failing, script, step
from tests.unit.provider.asking import body, go_on, texts

Json = dict[str, Any]
SCRIPT = script("Look", step(Read("a"), Run("b"), say="Two at once."), final="Done.")
HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01", "X-Claude-Code-Session-Id": "s1", "thread-id": "t1"}
MARK = {"cache_control": {"type": "ephemeral"}}
PATHS = ("/v1/messages", "/v1/chat/completions", "/v1/responses")
ROOT = Path(__file__).parents[3]
U = {"role": "user", "content": "Look around"}


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        yield session


async def post(http: aiohttp.ClientSession, provider: Provider, path: str, asked: Json) -> Json:
    async with http.post(provider.url + path, json=asked) as answer:
        return {**await answer.json(), "http": answer.status}


@pytest.mark.parametrize("path", PATHS)
async def test_a_script_is_played(http: aiohttp.ClientSession, path: str) -> None:
    async with Provider(SCRIPT, root="/tree") as provider:
        asked = body(path, U)
        answer = await post(http, provider, path, asked)
        assert "Two at once." in texts(answer)
        last = await post(http, provider, path, go_on(path, asked, answer))
    assert last["http"] == 200
    assert "Done." in texts(last)
    assert [one.place for one in provider.record.answered] == ["p0s0", "p0s1"]
    assert provider.record.distinct_results == 2
    assert provider.record.refused == []


@pytest.mark.parametrize("path", PATHS)
async def test_refusals_have_the_providers_shape(http: aiohttp.ClientSession, path: str) -> None:
    async with Provider(SCRIPT) as provider:
        answer = await post(http, provider, path, body(path))
    assert answer["http"] == 400
    assert answer["error"]["type"] == "invalid_request_error"
    assert provider.record.refused == [answer["error"]["message"]]
    assert [one.kind for one in provider.record.calls] == ["refused"]
    assert provider.record.answered == []


@pytest.mark.parametrize("path", PATHS)
async def test_a_list_over_the_window_is_too_long(http: aiohttp.ClientSession, path: str) -> None:
    long = {"role": "user", "content": "Look " * 1000}
    async with Provider(SCRIPT, window_tokens=1000) as provider:
        answer = await post(http, provider, path, body(path, long))
    assert answer["http"] == 400
    said = {"/v1/messages": "prompt is too long: 12"}.get(
        path, "Your input exceeds the context window of this model."
    )
    assert answer["error"]["message"].startswith(said)
    assert answer["error"].get("code") == (None if path == "/v1/messages" else "context_length_exceeded")


async def test_marks_make_the_next_call_read(http: aiohttp.ClientSession) -> None:
    long = {"role": "user", "content": [{"type": "text", "text": "Look " * 1000, **MARK}]}
    async with Provider(SCRIPT) as provider:
        first = await post(http, provider, "/v1/messages", body("/v1/messages", long))
        usage = first["usage"]
        assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (0, 0)
        again = await post(http, provider, "/v1/messages", body("/v1/messages", long))
        assert again["usage"]["cache_read_input_tokens"] == usage["cache_creation_input_tokens"] > 1000
        other = body("/v1/messages", long, thinking={"type": "adaptive"})  # thinking reaches the messages, no more
        assert (await post(http, provider, "/v1/messages", other))["usage"]["cache_read_input_tokens"] == 0
        bare = {"role": "user", "content": "Look " * 1000}
        told = await post(http, provider, "/v1/messages", body("/v1/messages", bare))
        assert told["usage"]["input_tokens"] == usage["cache_creation_input_tokens"]  # a mark is no part of a text
    assert provider.record.usage.read == usage["cache_creation_input_tokens"]


async def test_faults_come_by_plan(http: aiohttp.ClientSession) -> None:
    asked = body("/v1/messages", U, stream=True)
    plan: dict[int, Fault] = {
        0: failing(429, retry_after_s=1),
        1: failing(529),
        2: failing(500),
        3: Cut(2),
        4: Reset(),
    }
    async with Provider(SCRIPT, faults=plan) as provider:
        url = f"{provider.url}/v1/messages"
        for status, kind in ((429, "rate_limit_error"), (529, "overloaded_error"), (500, "api_error")):
            async with http.post(url, json=asked) as answer:
                assert answer.status == status
                assert (await answer.json())["error"]["type"] == kind
                assert answer.headers.get("retry-after") == ("1" if status == 429 else None)
        async with http.post(url, json=asked) as answer:
            assert answer.status == 200
            assert [await answer.content.readuntil(b"\n\n") for _ in range(2)]
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.content.readuntil(b"\n\n")
        with pytest.raises(aiohttp.ClientConnectionError):
            await http.post(url, json=asked)
        async with http.post(url, json=asked) as answer:
            assert b"message_stop" in await answer.read()
    assert [one.ended for one in provider.record.calls] == ["answered"] * 3 + ["cut", "reset", "answered"]
    assert [one.place for one in provider.record.answered] == ["p0s0", "p1s0"]


async def test_an_answer_is_held_until_its_gate_opens_and_a_client_may_leave(http: aiohttp.ClientSession) -> None:
    gates = (Gate(), Gate())
    async with Provider(SCRIPT, faults={0: Hold(gates[0]), 1: Hold(gates[1])}) as provider:
        url = f"{provider.url}/v1/messages"
        asked = body("/v1/messages", U)
        leaving = asyncio.create_task(http.post(url, json=asked))
        await provider.record.when(lambda record: len(record.calls) == 1)
        leaving.cancel()
        await provider.record.when(lambda record: [one.ended for one in record.calls] == ["dropped"])
        gates[1].open()
        async with http.post(url, json=asked) as answer:
            assert answer.status == 200
    assert [one.ended for one in provider.record.calls] == ["dropped", "answered"]


async def test_what_came_is_remembered_as_it_came(http: aiohttp.ClientSession) -> None:
    raw = json.dumps(body("/v1/messages", U), indent=1).encode()
    async with Provider(SCRIPT) as provider:
        for _ in range(2):
            async with http.post(f"{provider.url}/v1/messages?beta=true", data=raw, headers={"X-Own": "Y"}):
                pass
    one, other = provider.record.exchanges
    assert (one.method, one.path, one.body, one.conversation) == ("POST", "/v1/messages?beta=true", raw, "s1")
    assert ("X-Own", "Y") in one.headers
    assert one.named["x-own"] == "Y"
    assert (one.connection, other.connection) == (0, 0)


def test_the_command_line_says_where_it_is_and_what_came(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.provider", "--steps", "2", "--tree", str(tmp_path / "tree")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, encoding="utf-8") as process:
        assert process.stdout is not None
        url, tree = process.stdout.readline().strip(), process.stdout.readline().strip()
        asked = json.dumps(body("/v1/chat/completions", U)).encode()
        headers = {"authorization": "Bearer k", "content-type": "application/json"}
        with urlopen(Request(f"{url}/v1/chat/completions", asked, headers)) as answer:
            said = json.load(answer)
        process.terminate()
        _, told = process.communicate()
    assert said["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "bash"
    assert tree == f"work tree: {tmp_path / 'tree'}"
    assert (tmp_path / "tree" / "src" / "mod_000.py").exists()
    assert told.splitlines()[:2] == ["1 calls answered, 0 refused", "0 distinct tool results"]
