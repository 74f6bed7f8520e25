"""What a provider counted, put together from the events of its answer."""

from typing import Any

import pytest

from ctxmgr.proxy.answers import UsageReader
from ctxmgr.proxy.apis import api_of
from tests.unit.proxy.provider import sse

START: dict[str, Any] = {"type": "message_start", "message": {"usage": {"input_tokens": 9_000, "output_tokens": 1}}}
END: dict[str, Any] = {"type": "message_stop"}


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ({"output_tokens": 7}, {"input_tokens": 9_000, "output_tokens": 7}),
        ({"input_tokens": 0, "output_tokens": 7}, {"input_tokens": 9_000, "output_tokens": 7}),
        ({"input_tokens": 8_000, "output_tokens": 0}, {"input_tokens": 8_000, "output_tokens": 1}),
        ({"cache_read_input_tokens": 0}, {"input_tokens": 9_000, "output_tokens": 1, "cache_read_input_tokens": 0}),
    ],
)
def test_what_comes_later_goes_over_what_came_before_but_for_a_zero(
    later: dict[str, Any], expected: dict[str, Any]
) -> None:
    api = api_of("POST", "/v1/messages")
    assert api is not None
    reader = UsageReader(api, "text/event-stream", "")
    reader.feed(sse(START, {"type": "message_delta", "usage": later}, END))
    reader.end()
    assert reader.usage == expected
