"""Gemini's contents: what is read of each, what is put anew."""

import json
from typing import Any

import msgspec

from ctxmgr.formats import gemini
from ctxmgr.model.media import Media
from ctxmgr.model.messages import Block, Usage, View

CALL = {"functionCall": {"id": "c1", "name": "read", "args": {"path": "x"}}}
ASKED = Block("call", 0, 'read {"path":"x"}', "c1", "read", {"path": "x"}, can_edit=True)
RESPONSE = {"functionResponse": {"id": "c1", "name": "read", "response": {"output": "text"}}}
GIVEN = Block("result", 0, "text", "c1", "read", can_edit=True, untold=True)
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "xxxx"}}
PICTURE = Media("image", 4)
TEXT = Block("text", 0, "go", can_edit=True)
REPORT = {"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 20}
Part = dict[str, Any]


def view(message: Any) -> View:
    return gemini.view(json.dumps(message).encode())


def changed(block: Block, **fields: Any) -> Block:
    return msgspec.structs.replace(block, **fields)


def user(*blocks: Block) -> View:
    return View("user", blocks, opens_turn=True)


def model(*blocks: Block) -> View:
    return View("assistant", blocks, joins=True)


def responding(response: Any, **more: Any) -> Part:
    return {"functionResponse": {"id": "c1", "name": "read", "response": response, **more}}


TABLE: list[tuple[str, list[Part], View]] = [
    ("text", [{"text": "go"}], user(TEXT)),
    ("a picture", [{"text": "go"}, IMAGE], user(TEXT, Block("image", 1, media=(PICTURE,)))),
    (
        "a file",
        [{"inlineData": {"mimeType": "application/pdf", "data": "x" * 250_000}}],
        user(Block("other", 0, media=(Media("document", 250_000, pages=3),))),
    ),
    ("a response", [RESPONSE], View("result", (GIVEN,))),
    (
        "one in snake_case",
        [
            {"function_response": RESPONSE["functionResponse"]},
            {"inline_data": {"mime_type": "image/png", "data": "xxxx"}},
        ],
        View("result", (GIVEN, Block("image", 1, media=(PICTURE,)))),
    ),
    (
        "a response with a picture in it, and one beside it",
        [responding({"output": "text"}, parts=[IMAGE]), IMAGE],
        View("result", (changed(GIVEN, media=(PICTURE,)), Block("image", 1, media=(PICTURE,)))),
    ),
    ("a response and words", [RESPONSE, {"text": "stop"}], user(GIVEN, Block("text", 1, "stop", can_edit=True))),
    (
        "one that failed",
        [responding({"error": "no such file"})],
        View("result", (changed(GIVEN, text="no such file", untold=False, is_error=True),)),
    ),
    (
        "one that may have failed",
        [responding({"output": "x: not found"})],
        View("result", (changed(GIVEN, text="x: not found", untold=False, doubtful=True),)),
    ),
    (
        "one under a name of its own, and one of several members",
        [responding({"listing": "text"}), responding({"lines": 3, "more": [1]})],
        View("result", (GIVEN, changed(GIVEN, content_index=1, text='{"lines":3,"more":[1]}'))),
    ),
    (
        "responses without ids",
        [{"functionResponse": {"name": name, "response": {"output": "text"}}} for name in ("read", "ls", "read")],
        View(
            "result",
            tuple(
                changed(GIVEN, content_index=at, call_id=id, tool=id.split()[1])
                for at, id in enumerate(("function read 0", "function ls 0", "function read 1"))
            ),
        ),
    ),
    (
        "a packet that came back",
        [{"text": "[ctxmgr packet]\nfacts"}],
        View("packet", (Block("text", 0, "[ctxmgr packet]\nfacts"),)),
    ),
]
MODELS: list[tuple[str, list[Part], View]] = [
    ("text", [{"text": "ok"}], model(Block("text", 0, "ok"))),
    ("a call", [CALL], model(ASKED)),
    (
        "a signed call, and one beside it",
        [{**CALL, "thoughtSignature": "s"}, CALL],
        model(changed(ASKED, signed=True), changed(ASKED, content_index=1)),
    ),
    (
        "in snake_case",
        [{"function_call": CALL["functionCall"], "thought_signature": "s"}],
        model(changed(ASKED, signed=True)),
    ),
    (
        "calls without ids",
        [{"functionCall": {"name": "read", "args": {"path": "x"}}}] * 2,
        model(*(changed(ASKED, content_index=at, call_id=f"function read {at}") for at in range(2))),
    ),
    (
        "a thought and a signed text",
        [{"text": "hm", "thought": True}, {"text": "", "thoughtSignature": "s"}],
        model(Block("thinking", 0, "hm"), Block("text", 1, "", signed=True)),
    ),
]


def test_what_is_read_of_a_user() -> None:
    for name, parts, expected in TABLE:
        assert view({"role": "user", "parts": parts}) == expected, name
        assert view({"parts": parts}) == expected, name


def test_what_is_read_of_a_model() -> None:
    for name, parts, expected in MODELS:
        assert view({"role": "model", "parts": parts}) == expected, name


def whole(*parts: Part, reason: str = "STOP", **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}], **more}


def test_a_whole_answer() -> None:
    for answer, stop in (
        (whole({"text": "ok"}), "stop"),
        (whole(CALL), "toolUse"),
        (whole(CALL, reason="MAX_TOKENS"), "length"),
    ):
        found = view({**answer, "usageMetadata": REPORT})
        assert (found.role, found.stop, found.usage) == ("assistant", stop, Usage(40, 20, 60, 0, 120, True)), answer
        assert found.blocks, answer


def test_the_answers_of_a_stream() -> None:
    pieces = [
        {**whole({"text": "o"}, reason=""), "usageMetadata": {"promptTokenCount": 1}},
        whole({"text": "k"}, usageMetadata=REPORT),
    ]
    found = view(pieces)
    assert ([block.text for block in found.blocks], found.stop) == (["o", "k"], "stop")
    assert found.usage == Usage(40, 20, 60, 0, 120, True)


def test_an_error() -> None:
    for wrap in (lambda error: error, lambda error: [error]):
        error = {"error": {"code": 400, "message": "too long", "status": "INVALID_ARGUMENT"}}
        found = view(wrap(error))
        assert (found.role, found.stop) == ("assistant", "error")
        assert found.error == '{"error":{"code":400,"message":"too long","status":"INVALID_ARGUMENT"}}', wrap


# a response as it came, as it leaves


def test_pictures_become_texts() -> None:
    parts = [responding({"output": "text"}, parts=[IMAGE, IMAGE]), IMAGE]
    raw = json.dumps({"role": "user", "parts": parts}).encode()
    found = json.loads(gemini.set_media(raw, {0: {1: "[a picture]"}, 1: {0: "[another]"}}))
    assert found["parts"] == [responding({"output": "text\n[a picture]"}, parts=[IMAGE]), {"text": "[another]"}]
    found = json.loads(gemini.set_media(raw, {0: {0: "[one]", 1: "[two]"}}))
    assert found["parts"] == [responding({"output": "text\n[one]\n[two]"}), IMAGE]
