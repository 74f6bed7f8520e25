"""The texts of users and of results are put anew in each format: what is no text stays, and a cache mark too."""

import json
from collections.abc import Callable
from typing import Any

from ctxmgr.formats import FORMATS
from tests.translation import BACK, NAMES, TO

MARK = {"cache_control": {"type": "ephemeral"}}
IMAGES: dict[str, dict[str, Any]] = {
    "pi": {"type": "image", "data": "xxxx", "mimeType": "image/png"},
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "xxxx"}},
    "openai": {"type": "image_url", "image_url": {"url": "data:image/png;base64,xxxx"}},
    "responses": {"type": "input_image", "image_url": "data:image/png;base64,xxxx"},
}
KINDS = {"responses": "input_text"}


def part(name: str, said: str, **more: Any) -> dict[str, Any]:
    return {"type": KINDS.get(name, "text"), "text": said, **more}


def put(name: str, message: dict[str, Any], texts: dict[int, str]) -> Any:
    raw = json.dumps(message, separators=(",", ":")).encode()
    made = FORMATS[name].set_text(raw, texts)
    view = FORMATS[name].view(made)
    assert {number: view.blocks[number].text for number in texts} == texts
    assert all(FORMATS[name].view(raw).blocks[number].can_edit for number in texts)
    return json.loads(made)


def test_a_bare_text_stays_one() -> None:
    for name in sorted(set(FORMATS) - {"gemini"}):
        message = {"role": "user", "content": "old", "n": 1}
        assert put(name, message, {0: "new"}) == {**message, "content": "new"}, name


def test_several_texts_become_one_and_images_stay() -> None:
    for name in ("pi", "openai", "responses"):
        content = [part(name, "a"), IMAGES[name], part(name, "b", **MARK)]
        found = put(name, {"role": "user", "content": content}, {0: "new"})
        assert found["content"] == [part(name, "new", **MARK), IMAGES[name]], name


def test_of_several_blocks_one_is_put_anew() -> None:
    content = [part("", "a", **MARK), IMAGES["anthropic"], part("", "b")]
    found = put("anthropic", {"role": "user", "content": content}, {0: "new"})
    assert found["content"] == [part("", "new", **MARK), *content[1:]]


NO_TEXT: dict[str, tuple[dict[str, Any], ...]] = {
    "anthropic": (
        IMAGES["anthropic"],
        {"type": "tool_reference", "tool_name": "mcp__tracker__create"},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "long"}},
        {
            "type": "search_result",
            "source": "https://a.test",
            "title": "A",
            "content": [{"type": "text", "text": "b"}],
        },
        {"type": "resource_link", "uri": "file:///a.py", "name": "a.py"},
    ),
    "openai": (IMAGES["openai"], {"type": "file", "file": {"file_id": "f1"}}),
    "responses": (IMAGES["responses"], {"type": "input_file", "file_id": "f1"}),
    "pi": (IMAGES["pi"], {"type": "resource", "resource": {"uri": "file:///a.py", "text": "b"}}),
}
RESULTS: dict[str, Callable[[list[Any]], dict[str, Any]]] = {
    "anthropic": lambda content: {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": content}],
    },
    "openai": lambda content: {"role": "tool", "tool_call_id": "t", "content": content},
    "responses": lambda content: {"type": "function_call_output", "call_id": "t", "output": content},
    "pi": lambda content: {"role": "toolResult", "toolCallId": "t", "content": content},
}


def test_what_is_no_text_in_a_result_stays_in_its_place() -> None:
    for name, blocks in NO_TEXT.items():
        for block in blocks:
            for content in ([part(name, "a"), block, part(name, "b")], [block, part(name, "a")]):
                raw = json.dumps(RESULTS[name](content)).encode()
                left = [each for each in content if each["type"] != KINDS.get(name, "text")]
                left.insert(content.index(part(name, "a")), part(name, "new"))
                assert put(name, RESULTS[name](content), {0: "new"}) == RESULTS[name](left), (name, block)
                assert len(FORMATS[name].view(raw).blocks[0].media) == 1, (name, block)


def test_what_holds_text_is_text_where_no_other_stands_beside_it() -> None:
    rows = [("anthropic", block) for block in NO_TEXT["anthropic"][2:4]] + [("pi", NO_TEXT["pi"][1])]
    for name, block in rows:
        content = [block, IMAGES[name], {**block, **MARK}]
        (seen,) = FORMATS[name].view(json.dumps(RESULTS[name](content)).encode()).blocks
        assert len(seen.media) == 1, (name, block)
        assert seen.text.splitlines()[-1] in ("long", "b"), (name, block)
        left = [part(name, "new", **MARK), IMAGES[name]]
        assert put(name, RESULTS[name](content), {0: "new"}) == RESULTS[name](left), (name, block)
    blob = {"type": "resource", "resource": {"uri": "file:///a.png", "blob": "xx"}}
    assert put("pi", RESULTS["pi"]([blob]), {0: "new"}) == RESULTS["pi"]([part("pi", "new"), blob])


def test_images_alone_get_a_text_before_them() -> None:
    found = put("pi", {"role": "user", "content": [IMAGES["pi"]]}, {0: "new"})
    assert found["content"] == [part("pi", "new"), IMAGES["pi"]]


def test_a_geminis_responses_pictures_and_the_words_beside_stay() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "xxxx"}}
    response = {"id": "c", "name": "read", "response": {"output": "a"}, "parts": [picture]}
    parts = [{"functionResponse": response}, picture, {"text": "b"}]
    found = put("gemini", {"role": "user", "parts": parts}, {0: "new", 2: "words"})
    assert found["parts"] == [
        {"functionResponse": {**response, "response": {"output": "new"}}},
        picture,
        {"text": "words"},
    ]


def test_it_is_the_same_conversation_in_each() -> None:
    for name in NAMES:
        (message,) = TO[name]([{"role": "user", "content": "old"}])
        found = put(name, message, {0: "new"})
        assert BACK[name]([found]) == [{"role": "user", "content": "new"}], name


def test_of_a_shell_run_the_output_is_put_anew() -> None:
    for command in ("ls", "two\nlines"):
        run = {"role": "bashExecution", "command": command, "output": "old", "exitCode": 0}
        assert put("pi", run, {0: f"{command}\nnew"}) == {**run, "output": "new"}, command


def test_what_the_model_does_not_see_can_not_be_edited() -> None:
    hidden = {"role": "bashExecution", "command": "ls", "output": "x", "excludeFromContext": True}
    assert not FORMATS["pi"].view(json.dumps(hidden).encode()).blocks[0].can_edit
