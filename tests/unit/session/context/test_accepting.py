"""The last look at a list before it leaves."""

import json
from unittest import mock

import pytest

from ctxmgr.formats import BEGINNING, FORMATS, refused
from tests.contract.talk import Fields
from tests.unit.session.context.epochs import talk_of
from tests.unit.session.context.test_respelling import marked, session

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
    """The last good list and what came since goes out, and the report says why; nothing else is remembered."""
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


@pytest.mark.parametrize("format", FORMATS)
def test_a_list_that_its_host_sent_so_is_no_fault_of_ours(format: str) -> None:
    """A call that nobody answered, an answer in front: the host's own, and it goes out as it came."""
    talk, lists = talk_of(window=WINDOW, format=format), session(format)
    for messages in lists:
        odd = messages[1:-1] if len(messages) > 2 else messages
        answer = talk.context(marked(odd) if odd else odd, answer="messages")
        assert answer["report"]["checks"] == []


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_a_prompt_inside_a_list_does_not_come_to_be_first(preset: str) -> None:
    """As Claude Code has one behind the first user message."""
    talk, prompt = talk_of(window=WINDOW, format="anthropic", preset=preset), {"role": "system", "content": "x"}
    dropped = 0
    for first, *rest in session("anthropic"):
        answer = talk.context(marked([first, prompt, *rest]), answer="messages")
        assert answer["report"]["checks"] == []
        assert takes("anthropic", answer["list"]) == frozenset()
        dropped += len(answer["list"]) <= len(rest)
    assert dropped
