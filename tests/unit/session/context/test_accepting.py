"""The last look at a list before it leaves."""

import json
from unittest import mock

import pytest

from ctxmgr.formats import BEGINNING, FORMATS, refused
from tests.contract.talk import Fields
from tests.unit.session.context.epochs import talk_of
from tests.unit.session.context.test_respelling import session

WINDOW = 20_000  # tokens


def takes(format: str, listed: list[Fields]) -> frozenset[str]:
    form = FORMATS[format]
    raws = [json.dumps(one).encode() for one in listed]
    return refused(form.accept(BEGINNING, [(raw, form.view(raw)) for raw in raws]))


# what a format would put out, and what its provider refuses of it
PLANTED = [
    ("anthropic", {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "y", "input": {}}]}),
    ("anthropic", {"role": "user", "content": " "}),
    ("openai", {"role": "tool", "tool_call_id": "x", "content": "y"}),
    ("responses", {"type": "function_call", "call_id": "x", "name": "y", "arguments": "{}"}),
    ("pi", {"role": "toolResult", "toolCallId": "x", "toolName": "y", "content": [], "isError": False}),
]


@pytest.mark.parametrize(("format", "packet"), PLANTED)
def test_what_a_provider_would_refuse_does_not_leave(format: str, packet: Fields) -> None:
    talk, lists = talk_of(window=WINDOW, format=format), session(format)
    with mock.patch.object(FORMATS[format], "packet", return_value=json.dumps(packet).encode()):
        for messages in lists:
            answer = talk.context(messages, answer="messages")
            assert takes(format, answer["list"]) == frozenset()
            if answer["report"]["checks"]:
                break
    assert all(check.startswith("provider: ") for check in answer["report"]["checks"])
    assert answer["list"] == messages
    assert talk.status()["epoch"] == 0
