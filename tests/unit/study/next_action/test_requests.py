"""A list as a request: what a provider takes, whatever the list holds."""

from typing import Any

import msgspec
from hypothesis import given

from ctxmgr.model.messages import Message
from ctxmgr.study.next_action import requests
from tests.conversations import any_list
from tests.notation import a, call, err, r, talk, u
from tests.provider.rules import anthropic, chat

TALK = talk(
    u("fix it"), a("I look.", call("read", path="x.py")), r("x = 1"), a(call("bash", command="make")), err("no")
)


def anthropic_body(messages: tuple[Message, ...]) -> dict[str, Any]:
    return requests.anthropic_body("m", requests.SYSTEM, messages, requests.tools([messages]))


def chat_body(messages: tuple[Message, ...]) -> dict[str, Any]:
    return requests.chat_body("m", requests.SYSTEM, messages, requests.tools([messages]), "max_tokens")


@given(any_list)
def test_no_provider_refuses_a_list(messages: tuple[Message, ...]) -> None:
    if requests.turns(messages):
        assert anthropic.refused(anthropic_body(messages)) == ""
        assert chat.refused(chat_body(messages)) == ""


def test_calls_and_results_are_told_as_such() -> None:
    _, first, answer, _, last = anthropic_body(TALK)["messages"]
    assert first["content"] == [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": first["content"][1]["id"], "name": "read", "input": {"path": "x.py"}},
    ]
    assert answer["content"][0]["content"] == "x = 1"
    assert last["content"][0]["is_error"] is True
    system, user, looked, found, *_ = chat_body(TALK)["messages"]
    assert (system["content"], user["content"], found["content"]) == (requests.SYSTEM, "fix it", "x = 1")
    assert msgspec.json.decode(looked["tool_calls"][0]["function"]["arguments"]) == {"path": "x.py"}


def test_both_lists_get_the_tools_that_the_session_called() -> None:
    (bash, read) = anthropic_body(TALK)["tools"]
    assert (bash["name"], list(bash["input_schema"]["properties"])) == ("bash", ["command"])
    assert (read["name"], list(read["input_schema"]["properties"])) == ("read", ["path"])
    assert [tool["function"]["name"] for tool in chat_body(TALK)["tools"]] == ["bash", "read"]


def test_what_has_lost_its_other_half_is_told_as_text() -> None:
    alone = talk(u("go"), a(call("read", path="x.py")), u("stop"), r("late", "call-of-nobody"))
    told = anthropic_body(alone)["messages"]
    assert [block["type"] for message in told for block in message["content"]] == ["text"] * 4
