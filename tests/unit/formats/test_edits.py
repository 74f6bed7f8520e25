"""What is put anew or left out of a message, in each format: all else stays as its host spelled it."""

import json
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from ctxmgr.formats import FORMATS
from tests.translation import BACK, NAMES, TO
from tests.unit.proxy.lists import compact

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


# a message with a result, as it came and as it leaves
SPELLED = {
    "anthropic": (
        '{ "role":"user","n":1.50,"content":[{"type":"tool_result","tool_use_id":"t1","x":1e3,%s},'
        '{"type":"text","text":"a \\u00e9","cache_control":{ "type":"ephemeral" }}]}',
        '{"role":"user","n":1.50,"content":[{"type":"tool_result","tool_use_id":"t1","x":1e3,%s},'
        '{"type":"text","text":"a \\u00e9","cache_control":{ "type":"ephemeral" }}]}',
    ),
    "openai": (
        '{ "tool_call_id":"c1","x":1.50, "role":"tool","content":%s, "y":[1e3] }',
        '{"tool_call_id":"c1","x":1.50,"role":"tool","content":%s,"y":[1e3]}',
    ),
    "responses": (
        '{"id":"o","type":"function_call_output","n":1.50,"call_id":"c1"%s ,"status":"completed"}',
        '{"id":"o","type":"function_call_output","n":1.50,"call_id":"c1"%s,"status":"completed"}',
    ),
    "gemini": (
        '{ "x":1.50, "parts":[ {"functionResponse": { "id":"c1","name":"read","response":%s}},'
        '{"text":"a", "n":1e3}], "role":"user"}',
        '{"x":1.50,"parts":[{"functionResponse":{"id":"c1","name":"read","response":%s}},'
        '{"text":"a", "n":1e3}],"role":"user"}',
    ),
    "pi": (
        '{"details":{"b":1.50,"n":123456789012345678901234567890,"x":1e999},"s":"\\u00e9\\/\\ud83d\\ude00", '
        '"u":[ 1 ],"role":"toolResult"%s}',
        '{"details":{"b":1.50,"n":123456789012345678901234567890,"x":1e999},"s":"\\u00e9\\/\\ud83d\\ude00",'
        '"u":[ 1 ],"role":"toolResult"%s}',
    ),
}
# what stands in it, as it came and as it leaves
PUT = [
    ("anthropic", '"content":"text"', '"content":"new"'),
    ("anthropic", '"is_error":true', '"is_error":true,"content":"new"'),
    (
        "anthropic",
        '"content":"text","cache_control":{"type":"ephemeral"}',
        '"content":"new","cache_control":{"type":"ephemeral"}',
    ),
    (
        "anthropic",
        '"content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}]',
        '"content":[{"type":"text","text":"new","cache_control":{"type":"ephemeral","ttl":"1h"}}]',
    ),
    ("openai", '"text"', '"new"'),
    ("openai", "null", '"new"'),
    ("openai", '[{"type":"text","text":"a"}]', '[{"type":"text","text":"new"}]'),
    (
        "openai",
        '[{"type":"text","text":"a","cache_control":{ "type":"ephemeral"}},{"type":"text","text":"b"}]',
        '[{"type":"text","text":"new","cache_control":{ "type":"ephemeral"}}]',
    ),
    ("responses", ',"output":"text"', ',"output":"new"'),
    (
        "responses",
        ',"output":[{"type":"input_text","text":"a"}]',
        ',"output":[{"type":"input_text","text":"new"}]',
    ),
    ("gemini", '{"output":"text"}', '{"output":"new"}'),
    ("gemini", '{ "listing":"text"}', '{"listing":"new"}'),
    ("gemini", '{"error":"no"}', '{"error":"new"}'),
    ("gemini", '{"error":"no","code":3}', '{"error":"new"}'),
    ("gemini", '{"lines":3,"more":[1]}', '{"output":"new"}'),
    (
        "gemini",
        '{"output":"text"},"parts":[{"inlineData":{"mimeType":"image/png","data":"xxxx"}}]',
        '{"output":"new"},"parts":[{"inlineData":{"mimeType":"image/png","data":"xxxx"}}]',
    ),
    ("pi", ',"content":"old"', ',"content":[{"type":"text","text":"new"}]'),
    ("pi", ',"content":null', ',"content":[{"type":"text","text":"new"}]'),
    ("pi", "", ',"content":[{"type":"text","text":"new"}]'),
]


def test_a_result_is_put_anew_and_all_else_stays_byte_for_byte() -> None:
    for name, came, leaves in PUT:
        raw, expected = (spelled % inner for spelled, inner in zip(SPELLED[name], (came, leaves), strict=True))
        made = FORMATS[name].set_text(raw.encode(), {0: "new"})
        assert made.decode() == expected, (name, came)
    bare = FORMATS["responses"].set_text(b'{"type":"function_call_output","call_id":"c1"}', {0: "new"})
    assert json.loads(bare) == {"type": "function_call_output", "call_id": "c1", "output": "new"}


def test_one_of_several_results_is_put_anew() -> None:
    first, second = ({"type": "tool_result", "tool_use_id": id, "content": "text", **MARK} for id in ("t1", "t2"))
    said = part("", "stop")
    found = put("anthropic", {"role": "user", "content": [first, second, said]}, {1: "new"})
    assert found["content"] == [first, {**second, "content": "new"}, said]


def function(id: str, path: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "read", "arguments": f'{{"path":"{path}"}}'}}


# answers of which the last block is a call with the path "old", and one without a call
ANSWERS: list[tuple[str, dict[str, Any]]] = [
    (
        "pi",
        {
            "x": 1.0,
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
                {"k": 1, "type": "toolCall", "id": "c1", "name": "read", "arguments": {"b": 1, "a": 2}, "z": []},
                {"type": "toolCall", "id": "c2", "name": "read", "arguments": {"path": "old"}, "z": []},
            ],
            "usage": {"input": 1.0},
        },
    ),
    (
        "anthropic",
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "old"}},
            ],
        },
    ),
    (
        "openai",
        {
            "role": "assistant",
            "content": [part("", "a"), part("", "b")],
            "tool_calls": [function("c1", "kept"), function("c2", "old")],
        },
    ),
    (
        "responses",
        {"type": "function_call", "id": "f", "call_id": "c1", "name": "read", "arguments": '{"path":"old"}'},
    ),
    (
        "gemini",
        {
            "role": "model",
            "parts": [
                {"text": "ok"},
                {"functionCall": {"id": "c1", "name": "read", "args": {"path": "kept"}}},
                {"function_call": {"id": "c2", "name": "read", "args": {"path": "old"}}},
            ],
        },
    ),
]
OF_TEXTS = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "ok", "annotations": []}, {"type": "refusal", "refusal": "no"}],
}


def test_arguments_are_put_anew_and_all_else_stays_byte_for_byte() -> None:
    for name, answer in ANSWERS:
        raw = compact(answer)
        last = len(FORMATS[name].view(raw).blocks) - 1
        assert FORMATS[name].set_arguments(raw, {last: {"path": "new"}}) == raw.replace(b"old", b"new"), name


def test_blocks_leave_and_all_others_stay() -> None:
    for name, answer in [*ANSWERS, ("responses", OF_TEXTS)]:
        raw = compact(answer)
        blocks = FORMATS[name].view(raw).blocks
        for count in range(1, len(blocks)):
            for gone in combinations(range(len(blocks)), count):
                left = FORMATS[name].drop(raw, frozenset(gone))
                assert left is not None, (name, gone)
                stay = [block.text for number, block in enumerate(blocks) if number not in gone]
                assert [block.text for block in FORMATS[name].view(left).blocks] == stay, (name, gone)
                assert all(json.loads(left)[member] == answer[member] for member in answer.keys() - MEMBERS), name
        assert FORMATS[name].drop(raw, frozenset(range(len(blocks)))) is None, name
    with pytest.raises(ValueError, match="alone"):
        FORMATS["openai"].drop(compact({**ANSWERS[2][1], "content": "a"}), frozenset({0}))


MEMBERS = {"content", "parts", "tool_calls"}  # those with blocks


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
