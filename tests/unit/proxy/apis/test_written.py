"""An answer that the proxy writes itself is one of its API, whole and as a stream."""

from typing import Any

import msgspec
import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.proxy.answers import UsageReader
from ctxmgr.proxy.apis import ListCall, WrittenAnswer
from ctxmgr.proxy.apis import api_of as api_at
from ctxmgr.proxy.body import RecentLists
from tests.unit.proxy.lists import compact
from tests.unit.proxy.summaries import events

PATHS = {"anthropic": "/v1/messages", "responses": "/v1/responses", "openai": "/v1/chat/completions"}
TEXT = 'All "is" read.\n## Goal\n- go on'
BY_NAME = pytest.mark.parametrize("name", PATHS)


def call(name: str, **more: Any) -> ListCall:
    api = api_at("POST", PATHS[name])
    assert api is not None
    body = compact({"model": "m", api.list_member: [{"role": "user", "content": "Sum up."}]} | more)
    lists = RecentLists()
    read = lists.read(body, api.list_member, lists.beginning(body, api.list_member))
    assert read is not None
    return api.call_of(PATHS[name], {}, read)


def written(name: str, **more: Any) -> WrittenAnswer:
    asked = call(name, **more)
    answer = asked.api.written(asked, TEXT)
    assert answer is not None
    return answer


@BY_NAME
def test_a_whole_answer_says_the_text_and_has_ended(name: str) -> None:
    answer = written(name)
    view = FORMATS[name].view(answer.body)
    assert answer.content_type == "application/json"
    assert [(block.kind, block.text) for block in view.blocks] == [("text", TEXT)]
    assert view.role == "assistant"
    assert view.stop in ("stop", "", "end_turn", "completed")


@BY_NAME
@pytest.mark.parametrize("streams", [True, False])
def test_its_usage_is_there_and_nothing(name: str, streams: bool) -> None:
    more = {"stream": streams, "stream_options": {"include_usage": True}}
    asked, answer = call(name, **more), written(name, **more)
    reader = UsageReader(asked.api, answer.content_type, "")
    reader.feed(answer.body)
    reader.end()
    assert reader.usage
    counts = [value for value in reader.usage.values() if not isinstance(value, dict)]
    assert len(counts) >= 3
    assert set(counts) == {0}
    assert reader.failure is None


def test_a_stream_of_messages() -> None:
    answer = written("anthropic", stream=True)
    told = events(answer.body)
    assert answer.content_type == "text/event-stream"
    assert [one["type"] for one in told] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert [f"event: {one['type']}".encode() in answer.body for one in told] == [True] * 6
    assert told[0]["message"]["content"] == []
    assert told[2]["delta"] == {"type": "text_delta", "text": TEXT}
    assert told[4]["delta"]["stop_reason"] == "end_turn"


def test_a_stream_of_responses() -> None:
    told = events(written("responses", stream=True).body)
    assert [one["sequence_number"] for one in told] == list(range(9))
    done = [one["item"] for one in told if one["type"] == "response.output_item.done"]
    assert told[0]["type"] == "response.created"
    assert told[-1]["type"] == "response.completed"
    assert told[-1]["response"]["output"] == done
    assert done[0]["content"][0]["text"] == TEXT
    assert "".join(one["delta"] for one in told if one["type"] == "response.output_text.delta") == TEXT


@pytest.mark.parametrize("counted", [True, False])
def test_a_stream_of_chat_completions(counted: bool) -> None:
    options = {"stream_options": {"include_usage": counted}}
    answer = written("openai", stream=True, **options)
    *told, last = events(answer.body) if counted else [*events(answer.body), {"choices": []}]
    deltas = [one["choices"][0] for one in told]
    assert "".join(one["delta"].get("content", "") for one in deltas) == TEXT
    assert [one["finish_reason"] for one in deltas] == [None, None, "stop"]
    assert last["choices"] == []
    assert answer.body.endswith(b"data: [DONE]\n\n")
    assert len({one["id"] for one in told}) == 1


def test_no_answer_is_written_of_an_api_that_has_none() -> None:
    api = api_at("POST", "/v1beta/models/m:generateContent")
    assert api is not None
    assert api.written(msgspec.structs.replace(call("openai"), api=api), TEXT) is None
