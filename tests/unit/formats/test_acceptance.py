"""What a provider refuses of a list, by the rules of each format: first role, pairs, empty texts, cache marks."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import BEGINNING, FORMATS, STRICT_MODELS, MessageFormat, refused
from tests.conversations import legal
from tests.legality import openai
from tests.notation import Said
from tests.translation import RULES, raws
from tests.unit.formats.engine.engine_runs import conversation

MARK = {"cache_control": {"type": "ephemeral"}}
SYSTEM = {"role": "system", "content": "Be kind."}
USER = {"role": "user", "content": "go"}
SAID = {"role": "assistant", "content": "ok"}

USE = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "x"}
RUN = {"type": "server_tool_use", "id": "s1", "name": "code_execution", "input": {}}
MADE = USE | {"caller": {"type": "code_execution_20250825", "tool_id": "s1"}}
RAN = {"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {}}
TEXT = {"type": "text", "text": "go"}


def said(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def told(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


FUNCTION = {"name": "read", "arguments": "{}"}
ASKED = {"role": "assistant", "content": None, "tool_calls": [{"id": "t1", "function": FUNCTION}]}
TOOL = {"role": "tool", "tool_call_id": "t1", "content": "x"}
CALL = {"type": "function_call", "call_id": "t1", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "t1", "output": "x"}
REQUEST = {"type": "mcp_approval_request", "id": "r1", "name": "post", "arguments": "{}"}
APPROVAL = {"type": "mcp_approval_response", "approval_request_id": "r1", "approve": True}
ALLOWED = {
    "type": "mcp_call",
    "id": "m1",
    "approval_request_id": "r1",
    "name": "post",
    "arguments": "{}",
    "output": "x",
}
SEARCH = {"type": "tool_search_call", "id": "s1", "call_id": None, "execution": "server", "arguments": {}}
FOUND = {
    "type": "tool_search_output",
    "id": "o1",
    "call_id": None,
    "execution": "server",
    "tools": [{"name": "post"}],
}
THOUGHT = {"type": "reasoning", "summary": [], "encrypted_content": "x"}
PI_CALL = {"role": "assistant", "content": [{"type": "toolCall", "id": "t1", "name": "read", "arguments": {}}]}
PI_RESULT = {"role": "toolResult", "toolCallId": "t1", "toolName": "read", "content": [TEXT], "isError": False}

ASKS = {"functionCall": {"id": "t1", "name": "read", "args": {}}}
GIVES = {"functionResponse": {"id": "t1", "name": "read", "response": {"output": "x"}}}
NAMED = {"functionCall": {"name": "read", "args": {}}}
ANSWERED = {"functionResponse": {"name": "read", "response": {"output": "x"}}}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def users(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


WORDS = {"text": "go"}

# format, list, what is refused
LISTS: list[tuple[str, list[Any], set[str]]] = [
    ("anthropic", [USER, said(USE), told(RESULT)], set()),
    ("anthropic", [USER, said(USE), SYSTEM, told(RESULT), SAID], {"placement"}),
    ("anthropic", [USER, SYSTEM, said(USE), told(RESULT), SYSTEM], set()),
    ("anthropic", [USER, SYSTEM, SYSTEM, SAID], {"placement"}),
    ("anthropic", [USER, SYSTEM, USER, SAID], {"placement"}),
    ("anthropic", [USER, said(RUN), SYSTEM, said(RAN)], set()),
    ("anthropic", [USER, said(RUN, MADE), told(RESULT), said(RAN)], set()),
    ("anthropic", [USER, said(MADE), told(RESULT)], {"pairs"}),
    ("anthropic", [USER, said(RAN)], {"pairs"}),
    ("anthropic", [USER, said(USE), told(RESULT), told(TEXT), SAID], set()),
    ("anthropic", [SAID], {"first role"}),
    ("anthropic", [SYSTEM, USER], {"first role", "placement"}),
    ("anthropic", [], {"empty list"}),
    ("anthropic", [USER, said(USE), USER, SAID], {"pairs"}),
    ("anthropic", [USER, said(USE), told(TEXT), told(RESULT)], {"pairs", "results after something else"}),
    ("anthropic", [USER, said(USE), told(TEXT, RESULT)], {"results after something else"}),
    ("anthropic", [USER, said(USE), told(RESULT, RESULT)], {"pairs"}),
    ("anthropic", [told(TEXT | {"text": " \n"})], {"empty text"}),
    ("anthropic", [told(), SAID], {"empty message"}),
    ("anthropic", [told(*[TEXT | MARK] * 4)], set()),
    ("anthropic", [told(*[TEXT | MARK] * 4), said(USE), told(RESULT | MARK)], {"cache marks"}),
    ("openai", [SYSTEM, USER, ASKED, TOOL, SAID], set()),
    ("openai", [SYSTEM], {"empty list"}),
    ("openai", [SYSTEM, SAID, USER], {"first role"}),
    ("openai", [USER, ASKED, SYSTEM, TOOL], {"pairs"}),
    ("openai", [USER, TOOL], {"pairs"}),
    ("openai", [USER, *[{"role": "user", "content": [TEXT | MARK]}] * 5], {"cache marks"}),
    ("responses", [SYSTEM, USER, THOUGHT, CALL, OUTPUT], set()),
    ("responses", [USER, CALL, THOUGHT, SAID, OUTPUT], set()),
    ("responses", [CALL, OUTPUT], {"first role"}),
    ("responses", [USER, OUTPUT], {"pairs"}),
    ("responses", [USER, CALL, OUTPUT, OUTPUT], {"pairs"}),
    ("responses", [USER, THOUGHT, USER], {"reasoning"}),
    ("responses", [USER, REQUEST, APPROVAL, ALLOWED, SEARCH, FOUND], set()),
    ("responses", [USER, APPROVAL], {"pairs"}),
    ("responses", [USER, ALLOWED], {"pairs"}),
    ("responses", [USER, {**FOUND, "call_id": "t1"}], {"pairs"}),
    ("gemini", [users(WORDS), model(ASKS), users(GIVES), model(WORDS)], set()),
    (
        "gemini",
        [users(WORDS), model(ASKS), users(GIVES), users(WORDS), model(WORDS), model(ASKS), users(GIVES)],
        set(),
    ),
    ("gemini", [users(WORDS), model(NAMED, NAMED), users(ANSWERED, ANSWERED, WORDS)], set()),
    ("gemini", [users(WORDS), model(NAMED), users(ANSWERED), model(NAMED), users(ANSWERED)], set()),
    ("gemini", [model(WORDS)], {"first role"}),
    ("gemini", [users(WORDS), model(ASKS), users(WORDS), model(WORDS)], {"pairs"}),
    ("gemini", [users(WORDS), model(NAMED), users(GIVES)], {"pairs"}),
    ("gemini", [users(WORDS), model(ASKS), users(GIVES), model(WORDS), users(GIVES)], {"pairs"}),
    ("gemini", [users(), model(WORDS)], {"empty message"}),
    ("pi", [USER, PI_CALL, PI_RESULT], set()),
    ("pi", [PI_CALL, PI_RESULT], {"first role"}),
    ("pi", [USER, PI_RESULT], {"pairs"}),
]


# list, whether the template of a model that wants users and the assistant to take turns refuses it
TAKING_TURNS: list[tuple[list[Any], bool]] = [
    ([SYSTEM, USER, ASKED, TOOL, SAID, USER], False),
    ([USER, ASKED, TOOL, ASKED, TOOL, SAID], False),
    ([USER, USER], True),
    ([USER, SAID, SAID], True),
    ([USER, ASKED, TOOL, USER], True),
    ([USER, SAID, ASKED, TOOL, SAID], True),
]
STRICT = {
    "voxtral-small-24b",
    "devstral-small-2-24b",
    "mistralai/Mistral-Small-3.2",
    "google/gemma-3-27b-it",
    "llama-2-7b-chat",
    "sonar-pro",
}
LAX = {"gpt-5", "claude-sonnet-4-5", "qwen3-coder", "llama-3.3-70b", "deepseek-chat", "glm-4.6", "gemini-2.5-pro"}


def test_who_must_take_turns() -> None:
    assert {model for model in STRICT | LAX if STRICT_MODELS.search(model)} == STRICT
    for listed, is_refused in TAKING_TURNS:
        raws = [json.dumps(one).encode() for one in listed]
        progress = FORMATS["openai"].accept(BEGINNING, [(raw, FORMATS["openai"].view(raw)) for raw in raws])
        assert refused(progress) == frozenset(), listed
        assert refused(progress, strict=True) == (frozenset(("roles",)) if is_refused else frozenset()), listed
        assert bool(openai.untaken(listed)) == is_refused, listed


def looked_at(form: MessageFormat, listed: list[bytes], parts: int = 1) -> frozenset[str]:
    """What is refused, the list gone through in so many parts."""
    views = [(raw, form.view(raw)) for raw in listed]
    progress = BEGINNING
    cuts = [len(views) * part // parts for part in range(parts + 1)]
    for start, end in pairwise(cuts):
        progress = form.accept(progress, views[start:end])
    return refused(progress)


def test_what_is_refused() -> None:
    for format, listed, expected in LISTS:
        bodies = [json.dumps(one).encode() for one in listed]
        assert looked_at(FORMATS[format], bodies) == expected, (format, listed)


@given(st.sampled_from(tuple(RULES)), legal, st.integers(1, 5), st.data())
def test_what_a_judge_refuses_is_refused_though_the_list_comes_in_parts(
    name: str, messages: list[Said], parts: int, data: st.DataObject
) -> None:
    """The tests' judge shares no code with this; both know the rules of a provider."""
    listed = raws(name, conversation(messages))
    at = data.draw(st.integers(0, len(listed)))
    part = listed[at:]
    illegal = RULES[name].illegal([json.loads(raw) for raw in part])
    assert bool(looked_at(FORMATS[name], part, parts)) == bool(illegal)
