"""Pictures and documents: the oldest become a text where the request would be too large, or hold too many."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from ctxmgr import Session
from ctxmgr.formats import FORMATS
from tests.translation import RULES, Json
from tests.unit.formats.media.test_media_size import encoded, png

BYTES = 10_000  # of a picture in base64
PICTURE = re.compile(r"iVBORw0KGgo[\w+/]*")  # in base64
PARTS = {"gemini": "parts"}  # the member that holds a message's blocks, where it is not `content`


def data(number: int, size: int = BYTES) -> str:
    return encoded(png(1_200, 800 + number)).ljust(size, "A")


def part(name: str, number: int, size: int = BYTES) -> Json:
    told = data(number, size)
    if name == "pi":
        return {"type": "image", "data": told, "mimeType": "image/png"}
    if name == "anthropic":
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": told}}
    url = f"data:image/png;base64,{told}"
    if name == "openai":
        return {"type": "image_url", "image_url": {"url": url}}
    if name == "gemini":
        return {"inlineData": {"mimeType": "image/png", "data": told}}
    return {"type": "input_image", "image_url": url}


def text(name: str, said: str) -> Json:
    if name == "gemini":
        return {"text": said}
    return {"type": "input_text" if name == "responses" else "text", "text": said}


def seen(name: str, number: int, size: int = BYTES) -> list[Json]:
    """A user shows a picture, and a tool another."""
    pictures = [text(name, f"shot {number}"), part(name, 2 * number, size)]
    result = [text(name, f"screen {number}"), part(name, 2 * number + 1, size)]
    user, id = {"role": "user", "content": pictures}, f"c{number}"
    if name == "pi":
        call = {"type": "toolCall", "id": id, "name": "shot", "arguments": {}}
        done = {"role": "toolResult", "toolCallId": id, "toolName": "shot", "content": result, "isError": False}
        return [user, {"role": "assistant", "content": [call]}, done]
    if name == "anthropic":
        call = {"type": "tool_use", "id": id, "name": "shot", "input": {}}
        done = {"type": "tool_result", "tool_use_id": id, "content": result}
        return [user, {"role": "assistant", "content": [call]}, {"role": "user", "content": [done]}]
    if name == "openai":
        call = {"id": id, "type": "function", "function": {"name": "shot", "arguments": "{}"}}
        return [
            user,
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": id, "content": result},
        ]
    if name == "gemini":
        call = {"functionCall": {"id": id, "name": "shot", "args": {}}}
        told, picture = result
        done = {"functionResponse": {"id": id, "name": "shot", "response": {"output": told["text"]}}}
        return [
            {"role": "user", "parts": pictures},
            {"role": "model", "parts": [call]},
            {"role": "user", "parts": [done, picture]},
        ]
    call = {"type": "function_call", "call_id": id, "name": "shot", "arguments": "{}"}
    return [{"type": "message", **user}, call, {"type": "function_call_output", "call_id": id, "output": result}]


def talk(name: str, count: int, size: int = BYTES) -> list[Json]:
    return [one for number in range(count) for one in seen(name, number, size)]


def held(listed: Sequence[Json]) -> list[int]:
    """The pictures that are there, by number."""
    there = set(PICTURE.findall(json.dumps(listed)))
    return [number for number in range(120) if data(number) in there]


def size(listed: Sequence[Json]) -> int:
    return sum(len(json.dumps(one, separators=(",", ":"))) for one in listed)


def session(preset: str, name: str, model: str = "m", state: bytes | None = None, **policy: Any) -> Session:
    keys = {"preset": preset, "recentUserTurns": {"green": 99, "yellow": 99}, **policy}
    return Session(keys, format=name, window=900_000, model=model, state=state)


@pytest.mark.parametrize(("preset", "name"), [("balanced", name) for name in FORMATS] + [("turns", "anthropic")])
@pytest.mark.parametrize("policy", [{"maxRequestBytes": 300_000}, {"maxImages": 25}], ids=["bytes", "number"])
def test_the_oldest_become_a_text_and_stay_one(preset: str, name: str, policy: Json) -> None:
    sent, one = talk(name, 20), session(preset, name, **policy)
    before = one.project(sent)
    numbers = held(before)
    assert numbers == list(range(40 - len(numbers), 40))
    assert 22 <= len(numbers) <= 29
    assert size(before) <= policy.get("maxRequestBytes", 1e9)
    assert "[image left out — 10.0 kB, 1200 x 800 pixels]" in json.dumps(before, ensure_ascii=False)
    assert all(f"screen {number}" in json.dumps(before) for number in range(20))
    assert one.report is not None
    assert (one.report.checks, one.report.blocks_cut) == ((), 40 - len(numbers))
    if name != "pi":
        assert RULES[name].illegal(before) == RULES[name].illegal(sent) == []
    for restarts in (False, True):
        one = session(preset, name, state=one.state, **policy) if restarts else one
        sent = [*sent, {**sent[0], PARTS.get(name, "content"): [text(name, f"and {restarts}")]}]
        after = one.project(sent)
        assert after[: len(before)] == before
        before = after


def request_size(listed: Sequence[Json]) -> int:
    """As it is sent: JSON in UTF-8, without spaces."""
    return len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("said", ["a", "\u00e9\u4e16", '\n"\\'], ids=["ascii", "other scripts", "escapes"])
def test_what_is_counted_is_what_the_request_takes(name: str, said: str) -> None:
    sent = talk(name, 12)
    for message in sent:
        if message.get("role") == "user" and "text" in (first := message[PARTS.get(name, "content")][0]):
            first["text"] += said * 400
    for most in range(180_000, 190_000, 1_300):
        out = session("balanced", name, maxRequestBytes=most).project(sent)
        assert 0.84 * most < request_size(out) <= most
