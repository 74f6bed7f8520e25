"""What the scripted provider refuses as OpenAI's two APIs do, each with its sentence."""

from typing import Any

import pytest

from tests.provider.rules import chat, responses
from tests.provider.seals import sealed

Json = dict[str, Any]
U = {"role": "user", "content": "go"}
A = {"role": "assistant", "content": "so"}


def asks(*ids: str) -> Json:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id} for id in ids]}


def tool(id: str) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": "found"}


def told(*messages: Json) -> Json:
    return {"model": "m", "messages": list(messages)}


@pytest.mark.parametrize("taken", [told(U), told(U, asks("1", "2"), tool("2"), tool("1"), U), told(U, A)])
def test_chat_takes(taken: Json) -> None:
    assert chat.refused(taken) == ""


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"model": "m"}, "Missing required parameter: 'messages'."),
        (told(), "Invalid 'messages': empty array."),
        (told({"role": "human", "content": "go"}), "Invalid value: 'human'."),
        (told({"role": "assistant", "content": None}, U), "Invalid value for 'content'"),
        (told(U, {**A, "tool_calls": []}), "Invalid 'messages[1]': empty array."),
        (told(U, asks("1", "2"), tool("1")), "An assistant message with 'tool_calls' must be followed by"),
        (told(U, asks("1"), U, tool("1")), "An assistant message with 'tool_calls' must be followed by"),
        (told(U, tool("1")), "Invalid parameter: messages with role 'tool' must be a response to"),
    ],
)
def test_chat_refuses(asked: Json, sentence: str) -> None:
    assert chat.refused(asked).startswith(sentence)


def call(id: str, came: str = "fc_7") -> Json:
    return {"type": "function_call", "id": f"{came}{id}", "call_id": id, "name": "shell", "arguments": "{}"}


def output(id: str) -> Json:
    return {"type": "function_call_output", "call_id": id, "output": "found"}


def thought(id: str = "rs_1") -> Json:
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": sealed("So.")}


def given(*items: Json) -> Json:
    return {"model": "m", "input": list(items)}


@pytest.mark.parametrize(
    "taken",
    [
        {"model": "m", "input": "go"},
        given(U, call("1"), call("2"), output("2"), output("1"), U),
        given(U, thought(), call("1"), output("1")),
        given(U, thought(), A, U),
        given(U, thought()),
        given(U, thought("rs_p0s3"), call("1", "fc_p0s3n"), output("1")),
        given(U, {"type": "compaction", "encrypted_content": sealed("All.")}, U),
    ],
)
def test_responses_take(taken: Json) -> None:
    assert responses.refused(taken) == ""


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (given(), 'One of "input" or'),
        ({**given(U), "previous_response_id": "resp_1"}, "Previous response with id 'resp_1' not found."),
        (given({"type": "note"}), "Invalid value: 'note'."),
        (given({**U, "id": "m1"}, {**U, "id": "m1"}), "Duplicate item found with id m1."),
        (given(U, {**thought(), "encrypted_content": "AAAA"}, A), "The encrypted content could not be verified."),
        (given(U, call("1")), "No tool output found for function call 1."),
        (given(U, output("1")), "No tool call found for function call output with call_id 1."),
        (given(U, call("1"), call("1", "fc_8"), output("1")), "Duplicate call_id found: 1."),
        (given(U, thought(), U), "Item 'rs_1' of type 'reasoning' was provided without its required following"),
        (
            given(U, call("0", "fc_p0s3n"), output("0")),
            "Item 'fc_p0s3n0' of type 'function_call' was provided without its required",
        ),
    ],
)
def test_responses_refuse(asked: Json, sentence: str) -> None:
    assert responses.refused(asked).startswith(sentence)
