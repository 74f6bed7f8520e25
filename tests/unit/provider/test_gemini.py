"""The scripted provider as the Gemini API: what it refuses, each with its sentence, and what it answers."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.provider import Provider, Read, Run, failing, script, step
from tests.provider.rules import gemini
from tests.provider.seals import sealed
from tests.unit.provider.asking import GEMINI, body, go_on, texts

Json = dict[str, Any]
SCRIPT = script("Look", step(Read("a"), Run("b"), say="Two at once."), final="Done.")
OLD, STREAM = GEMINI.replace("gemini-3", "gemini-2.5"), GEMINI.replace(":g", ":streamG")
U = {"role": "user", "content": "Look around"}
GO, SO = {"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": [{"text": "so"}]}


def asks(*ids: str, **signature: str) -> Json:
    calls: list[Json] = [{"functionCall": {"name": "ls", "args": {}, **({"id": id} if id else {})}} for id in ids]
    return {"role": "model", "parts": [calls[0] | signature, *calls[1:]]}


def gives(*ids: str) -> Json:
    given = ({"name": "ls", "response": {"output": "x"}, **({"id": id} if id else {})} for id in ids)
    return {"role": "user", "parts": [{"functionResponse": one} for one in given]}


def signed(*ids: str) -> Json:
    part = asks("")["parts"][0]
    return asks(*ids, thoughtSignature=sealed("p0s0", gemini.vouched(part)))


def told(*contents: Json, model: str = "gemini-2.5-pro") -> Json:
    return {"model": model, "contents": list(contents)}


@pytest.mark.parametrize(
    "taken",
    [
        told(GO),
        told({"parts": [{"text": "go"}]}),
        told(GO, SO, SO, GO, GO),
        told(GO, asks("1", "2"), gives("2", "1")),
        told(GO, asks("", ""), gives("", ""), GO),
        told(GO, signed("1"), gives("1"), model="gemini-3-pro"),
        told(GO, asks("1", thoughtSignature="skip_thought_signature_validator"), gives("1"), model="gemini-3-pro"),
        told(GO, asks("1"), gives("1"), SO, GO, signed("2", "3"), gives("2", "3"), model="gemini-3-pro"),
    ],
)
def test_taken(taken: Json) -> None:
    assert gemini.refused(taken) == ""


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"model": "m"}, "* GenerateContentRequest.contents: contents is not specified"),
        (told({"role": "assistant", "parts": [{"text": "x"}]}), "Please use a valid role: user, model."),
        (
            told(GO, {"role": "user", "parts": []}),
            "* GenerateContentRequest.contents[1].parts: contents.parts must",
        ),
        (
            told({"role": "user", "parts": [{"text": "x", "inlineData": {}}]}),
            "* GenerateContentRequest.contents[0]",
        ),
        (told(SO, GO), "Please ensure that function call turn comes immediately after a user turn"),
        (told(GO, SO), "Please ensure that multiturn requests end with a user turn"),
        (told(gives("1")), "Please ensure that function response turn comes immediately after a function call"),
        (told(GO, asks("1"), GO), "Please ensure that the number of function response parts is equal"),
        (told(GO, asks("1"), gives("2")), "Please ensure that each function response answers a function call"),
        (told(GO, asks("1"), gives("1"), model="gemini-3-pro"), "Function call is missing a thought_signature"),
        (told(GO, asks("1", thoughtSignature="AAAA"), gives("1")), "Corrupted thought signature."),
    ],
)
def test_refused(asked: Json, sentence: str) -> None:
    assert gemini.refused(asked).startswith(sentence)


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers={"x-goog-api-key": "k"}) as session:
        yield session


async def post(http: aiohttp.ClientSession, provider: Provider, path: str, asked: Json) -> Json:
    async with http.post(provider.url + path, json=asked) as answer:
        return {**await answer.json(), "http": answer.status}


@pytest.mark.parametrize("path", [GEMINI, OLD])
async def test_a_script_is_played(http: aiohttp.ClientSession, path: str) -> None:
    async with Provider(SCRIPT, root="/tree") as provider:
        asked = body(path, U)
        answer = await post(http, provider, path, asked)
        assert "Two at once." in texts(answer)
        assert ('"id"' in json.dumps(answer)) == (path == GEMINI)
        last = await post(http, provider, path, go_on(path, asked, answer))
    assert "Done." in texts(last)
    assert [one.place for one in provider.record.answered] == ["p0s0", "p0s1"]
    assert provider.record.distinct_results == 2
    assert provider.record.refused == []


@pytest.mark.parametrize(
    ("plan", "window", "status", "word"),
    [
        ({0: failing(429)}, 9_999, 429, "RESOURCE_EXHAUSTED"),
        ({0: failing(503)}, 9_999, 503, "UNAVAILABLE"),
        ({}, 10, 400, "INVALID_ARGUMENT"),
    ],
)
async def test_errors_have_googles_shape(
    http: aiohttp.ClientSession, plan: Any, window: int, status: int, word: str
) -> None:
    async with Provider(SCRIPT, faults=plan, window_tokens=window) as provider:
        answer = await post(http, provider, GEMINI, body(GEMINI, U))
    assert (answer["http"], answer["error"]["code"], answer["error"]["status"]) == (status, status, word)
    if window == 10:
        assert answer["error"]["message"].startswith("The input token count (")
