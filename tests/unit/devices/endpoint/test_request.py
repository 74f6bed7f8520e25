"""What an endpoint is sent: the ask, the key, and nothing that the call does not need."""

from pathlib import Path

import pytest

from ctxmgr.devices.endpoint import client as endpoint_client
from ctxmgr.devices.endpoint.apis import AnthropicApi, Api, ChatApi
from ctxmgr.model.compaction import Completion, CompletionRequest
from tests.model_server import ModelServer, Reply
from tests.unit.devices.endpoint.calls import APIS, KEY, SECRET, Calls


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


async def test_a_request_of_anthropics_api_holds_the_ask_the_key_and_the_version() -> None:
    async with ModelServer([Reply()]) as server, Calls(server.url, api="anthropic") as calls:
        await calls.complete()
    (request,) = server.requests
    assert request.path == "/v1/messages"
    assert request.body == {
        "model": "small",
        "max_tokens": 100,
        "system": "Summarise.",
        "messages": [{"role": "user", "content": SECRET}],
        "stream": True,
    }
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in request.headers


@pytest.mark.parametrize("api", APIS)
async def test_nothing_is_sent_that_the_call_does_not_need(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "ANTHROPIC_API_KEY": "sk-ant-of-another",
        "ANTHROPIC_AUTH_TOKEN": "token",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "ANTHROPIC_CUSTOM_HEADERS": "X-Private: yes",
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
    async with ModelServer([Reply()]) as server, Calls(server.url, api=api, api_key_env=None) as calls:
        assert (await calls.complete()).stop == "stop"
    headers = server.requests[0].headers
    of_the_api = {"anthropic-version"} if api == "anthropic" else set()
    assert of_the_api <= headers.keys()
    assert sorted(headers.keys() - of_the_api) == [
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


CHAT, MESSAGES = ChatApi(), AnthropicApi()
ADDRESSES: list[tuple[Api, str, str]] = [
    (CHAT, "http://host/v1/", "http://host/v1/chat/completions"),
    (CHAT, "http://host", "http://host/chat/completions"),
    (CHAT, "https://host/a%2Fb?api-version=1", "https://host/a%2Fb/chat/completions?api-version=1"),
    (MESSAGES, "http://host", "http://host/v1/messages"),
    (MESSAGES, "http://host/v1/", "http://host/v1/messages"),
    (MESSAGES, "https://host/a%2Fb/anthropic?beta=1", "https://host/a%2Fb/anthropic/v1/messages?beta=1"),
]


def test_the_path_goes_below_the_address_and_its_query_stays() -> None:
    for api, base, address in ADDRESSES:
        assert str(endpoint_client._address(endpoint_client._base(base), api)) == address, api


async def test_a_prompt_of_any_characters_can_be_sent() -> None:
    async with ModelServer([Reply()]) as server, Calls(server.url) as calls:
        done = await calls.complete(CompletionRequest("history", "é", "\ud83d\ude00 \ud800 \x00", 10))
    assert done.stop == "stop"
    assert server.requests[0].prompt == "😀 \ufffd \x00"


# API, the header with the key, what stands before the key there
KEY_HEADERS = [("chat", "authorization", "Bearer "), ("anthropic", "x-api-key", "")]


@pytest.mark.parametrize(("api", "header", "before"), KEY_HEADERS)
async def test_the_key_is_read_anew_for_each_call(api: str, header: str, before: str) -> None:
    environment = {"KEY": "first\n"}
    async with ModelServer([Reply(), Reply()]) as server, Calls(server.url, environment, api=api) as calls:
        await calls.complete()
        environment["KEY"] = "second"
        await calls.complete()
    assert [one.headers[header] for one in server.requests] == [f"{before}first", f"{before}second"]


# name, environment, what the fault says
KEYS: list[tuple[str, dict[str, str], str]] = [
    ("missing", {}, "no key: the environment variable KEY is not set"),
    ("empty", {"KEY": " \n"}, "no key: the environment variable KEY is not set"),
    ("two lines", {"KEY": "a\nb"}, "the key in KEY holds characters that no header can hold"),
    ("not ASCII", {"KEY": "schlüssel"}, "the key in KEY holds characters that no header can hold"),
]


async def test_without_a_usable_key_nothing_is_sent() -> None:
    for title, environment, fault in KEYS:
        async with ModelServer([]) as server, Calls(server.url, environment) as calls:
            assert await calls.complete() == Completion(stop="error", fault=fault, settled=True), title
        assert server.requests == [], title
