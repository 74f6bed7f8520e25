"""Lists in which an id comes again, a result twice or without its call, or an outcome late keep every promise."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr import Session
from tests import translation
from tests.conversations import text_of
from tests.unit.session.context.test_what_stays_together import made, ran, run, said, told

Json = dict[str, Any]
FORMATS = ("pi", "openai", "anthropic", "responses", "gemini")
IDS = ("x1", "x2", "x3")
LONG = {"path": "p", "content": text_of(200)}


def user(number: int) -> Json:
    return {"role": "user", "content": f"text {number}"}


def calls(*ids: str, long: bool = False) -> Json:
    arguments = LONG if long else {"path": "p"}
    blocks = [{"type": "toolCall", "id": id, "name": "write", "arguments": arguments} for id in ids]
    return {"role": "assistant", "content": blocks or [{"type": "text", "text": "so it is"}]}


def result(id: str, lines: int = 5) -> Json:
    content = [{"type": "text", "text": text_of(lines)}]
    return {"role": "toolResult", "toolCallId": id, "toolName": "write", "content": content, "isError": False}


ids, sizes = st.sampled_from(IDS), st.sampled_from((1, 5, 150, 500))
parts = st.one_of(
    st.builds(lambda number: [user(number)], st.integers(0, 5)),
    st.builds(lambda ids, long: [calls(*ids, long=long)], st.lists(ids, max_size=3), st.booleans()),
    st.builds(lambda id, lines: [result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id), result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id, id), result(id, lines), result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id), calls(id), result(id), result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id), user(9), result(id, lines)], ids, sizes),
)


def holds(format: str, lists: list[list[Json]], model: Json, **policy: Any) -> None:
    """No list is sent whole because a plan for it broke a promise."""
    session = Session(policy, format=format, model={"id": "m", "contextWindow": 2_000, **model})
    for messages in lists:
        session.project(messages)
        assert session.report is not None
        assert set(session.report.checks) <= {"fit"}


@settings(max_examples=60)
@given(
    st.lists(parts, min_size=4, max_size=24),
    st.sampled_from(FORMATS),
    st.sampled_from(("balanced", "turns", "tools")),
    st.booleans(),
)
def test_no_promise_is_broken(said: list[list[Json]], format: str, preset: str, strict: bool) -> None:
    messages = [user(0), *(one for part in said for one in part)]
    names = {id: result(id) for id in IDS}
    there: Callable[[list[Json]], list[Json]] = translation.TO[format]
    if format == "gemini":  # a result has the name of its tool
        messages = [*messages, *(names[id] for id in IDS)]
    ends = range(2, len(messages) + 1, 3)
    lists = [there(messages[:end]) for end in ends]
    holds(format, lists, {"strictRoles": strict}, preset=preset)


WORDS = [said({"type": "text", "text": text_of(300)}), told({"type": "text", "text": "go on"})]
REQUEST = {"type": "mcp_approval_request", "id": "x1", "name": "go", "server_label": "s", "arguments": "{}"}
APPROVED = {"type": "mcp_approval_response", "approval_request_id": "x1", "approve": True}
MCP = {"type": "mcp_call", "id": "x9", "name": "go", "server_label": "s", "arguments": "{}", "output": text_of(99)}
MCP["approval_request_id"] = "x1"


def item(id: str) -> Json:
    return {"type": "function_call", "name": "read", "arguments": "{}", "call_id": id}


def output(id: str, lines: int) -> Json:
    return {"type": "function_call_output", "call_id": id, "output": text_of(lines)}


def say(text: str) -> Json:
    return {"type": "message", "role": "user", "content": text}


ROWS: dict[str, tuple[str, list[Json]]] = {
    "an outcome comes again once its code has left": (
        "anthropic",
        [
            told({"type": "text", "text": "go"}),
            said(run(1)),
            told({"type": "text", "text": "?"}),
            *4 * WORDS,
            said(ran(1)),
        ],
    ),
    "code, and a call by it of the same id": (
        "anthropic",
        [told({"type": "text", "text": "go"}), said(run(1), made(1, 1)), *4 * WORDS, said(ran(1)), *WORDS],
    ),
    "an approval whose request is not in the list": (
        "responses",
        [say("go"), APPROVED, MCP, *(one for n in range(9) for one in (item(f"c{n}"), output(f"c{n}", 200)))],
    ),
    "calls of one answer, one of which goes on from another": (
        "responses",
        [
            say("go"),
            item("x9"),
            output("x8", 200),
            REQUEST,
            APPROVED,
            MCP,
            item("x9"),
            say("wait"),
            *(one for n in range(9) for one in (item(f"c{n}"), output(f"c{n}", 200))),
        ],
    ),
    "a call of an id that still waits": (
        "responses",
        [
            say("go"),
            item("x1"),
            item("x2"),
            output("x2", 5),
            *(one for n in range(6) for one in (item(f"c{n}"), output(f"c{n}", 200))),
            item("x1"),
            output("x1", 300),
            item("x3"),
            say("wait"),
            output("x3", 300),
        ],
    ),
    "results without a call before the first answer": (
        "openai",
        [
            {"role": "user", "content": "go"},
            {"role": "tool", "tool_call_id": "x1", "content": text_of(300)},
            {"role": "tool", "tool_call_id": "x2", "content": text_of(500)},
            {"role": "user", "content": "and?"},
            {"role": "assistant", "content": "so"},
        ],
    ),
    "a result without a call in front of a packet": (
        "anthropic",
        [
            told({"type": "tool_result", "tool_use_id": "x1", "content": text_of(300)}),
            *(
                one
                for n in range(9)
                for one in (said({"type": "text", "text": "so"}), told({"type": "text", "text": f"{n}"}))
            ),
            told(
                {"type": "tool_result", "tool_use_id": "x1", "content": text_of(300)},
                {"type": "text", "text": "so"},
            ),
            *4 * WORDS,
        ],
    ),
}


@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
@pytest.mark.parametrize("row", ROWS)
def test_what_is_torn_or_comes_again_leaves_whole_or_stays(row: str, preset: str) -> None:
    format, messages = ROWS[row]
    lists = [messages[:end] for end in range(1, len(messages) + 1)]
    for strict in (False, True):
        holds(format, lists, {"strictRoles": strict}, preset=preset)
