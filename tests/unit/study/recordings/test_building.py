"""What every reader builds on: results behind their calls, unique ids, changes of the model, counts."""

import json

from ctxmgr.study.recordings import json_values
from ctxmgr.study.recordings.building import RecordingBuilder
from ctxmgr.study.recordings.json_values import call, content, text_block
from tests.unit.study.recorded import messages, seen, usage


def building() -> RecordingBuilder:
    return RecordingBuilder("f", "a host")


def test_a_late_result_stands_behind_its_call() -> None:
    some = building()
    some.reply([call("c1", "run", {}), call("c2", "run", {})], 1)
    some.result("c2", [text_block("two")], 2)
    some.said([text_block("wait")], 3)
    some.result("c1", [text_block("one")], 4)
    assert seen(some.recording("s")) == ["a: run {} | run {}", "r c2: two", "r c1: one", "u: wait"]


def test_the_newest_call_of_an_id_counts() -> None:
    some = building()
    for number in (1, 2):
        some.reply([call("c", f"tool-{number}", {})], number)
        some.result("c", [text_block(str(number))], number)
    recording = some.recording("s")
    assert seen(recording) == ["a: tool-1 {}", "r c: 1", "a: tool-2 {}", "r c: 2"]
    assert [message["toolName"] for message in messages(recording)[1::2]] == ["tool-1", "tool-2"]
    assert [entry.id for entry in recording.entries][1::2] == ["c-result", "c-result#2"]
    assert recording.notes == ("tool-call ids that come again, kept as they are: 1",)


def test_ids_stay_unique_whatever_comes() -> None:
    some = building()
    for id in ("a", "a#2", "a", "a", ""):
        some.said([text_block("x")], 1, id)
    ids = [entry.id for entry in some.recording("s").entries]
    assert len(set(ids)) == len(ids) == 5


def test_a_change_of_the_model_is_an_entry() -> None:
    some = building()
    for model in ("", "m-1", "", "m-1", "m-2"):
        some.reply([text_block("x")], 1, model=model)
    recording = some.recording("s")
    assert recording.model == "m-1"
    assert seen(recording) == ["a: x", "a: x", "a: x", "a: x", "model m-2", "a: x"]


def test_oddities_are_counted() -> None:
    some = building()
    some.said([], 9)
    some.reply([call("c", "run", {})], 5)
    some.result("gone", [text_block("x")], 4)
    some.skip("lines of another kind", 1_234)
    assert some.recording("s").notes == (
        "user messages without text or image: 1",
        "results without a call in the file: 1",
        "lines of another kind: 1,234",
        "calls without a result: 1",
        "times that go backwards: 1",
    )


def test_arguments_are_an_object() -> None:
    for arguments, expected in (
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ("*** Begin", {"input": "*** Begin"}),
        ("[1]", {"input": "[1]"}),
        ("", {}),
        (None, {}),
        ([1], {}),
    ):
        assert json_values.given(arguments) == expected, arguments


def test_openai_counts_cached_tokens_twice() -> None:
    for counted, expected in (
        ({"prompt_tokens": 84, "completion_tokens": 5}, usage(84, 5)),
        ({"prompt_tokens": 84, "prompt_tokens_details": {"cached_tokens": 70}}, usage(14, 0, read=70)),
        (
            {"prompt_tokens": 84, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 11},
            usage(3, 0, read=70, written=11),
        ),
        ({"input_tokens": 84, "input_tokens_details": {"cached_tokens": 70}, "output_tokens": 1}, usage(14, 1, 70)),
        ({"input_tokens": 84, "cached_input_tokens": 70, "output_tokens": 1}, usage(14, 1, read=70)),
        ({"prompt_tokens": None}, None),
        ({}, None),
    ):
        assert json_values.counted_usage(counted) == expected, counted


def test_content_of_any_provider() -> None:
    odd: list[str] = []
    given = [
        {"type": "input_text", "text": "a"},
        {"type": "text", "text": ""},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,BB=="}},
        {"type": "input_image", "image_url": "data:image/gif;base64,CC=="},
        {"type": "image", "image_urls": ["data:image/webp;base64,DD=="]},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"no": "type"},
        "not a block",
    ]
    made = content(given, odd.append)
    assert [json.dumps(block) for block in made[:1]] == ['{"type": "text", "text": "a"}']
    assert [block["mimeType"] for block in made[1:]] == ["image/png", "image/jpeg", "image/gif", "image/webp"]
    assert odd == ["image_url", "unnamed"]
