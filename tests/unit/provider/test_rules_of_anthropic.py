"""What the scripted provider refuses as the Messages API does, each with its sentence."""

from typing import Any

import pytest

from tests.provider.rules.anthropic import refused
from tests.provider.seals import sealed

Json = dict[str, Any]
BETA = "mid-conversation-tool-changes-2026-07-01"
MARK = {"cache_control": {"type": "ephemeral"}}
THINKING = {"thinking": {"type": "adaptive"}}
THOUGHT = {"type": "thinking", "thinking": "So.", "signature": sealed("p0s0", "So.")}


def u(*blocks: Json | str) -> Json:
    return {"role": "user", "content": [text(one) if isinstance(one, str) else one for one in blocks]}


def a(*blocks: Json | str) -> Json:
    return {"role": "assistant", "content": [text(one) if isinstance(one, str) else one for one in blocks]}


def s(*blocks: Json) -> Json:
    return {"role": "system", "content": list(blocks)}


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def call(id: str) -> Json:
    return {"type": "tool_use", "id": id, "name": "Read", "input": {}}


def result(id: str, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": "found", **more}


def body(*messages: Json, **more: Any) -> Json:
    return {"model": "m", "max_tokens": 10, "messages": list(messages), **more}


LOOP = (u("go"), a(call("1"), call("2")), u(result("1"), result("2"), "and?"))


@pytest.mark.parametrize(
    "taken",
    [
        body(u("go")),
        body({"role": "user", "content": "go"}),
        body(*LOOP),
        body(u("go"), a("so"), a(call("1")), u(result("1")), u("and?")),
        body(u("go"), {**s(text("rules")), "output_config": {}}, a(call("1")), u(result("1")), s()),
        body(u("go"), a(THOUGHT, call("1")), u(result("1")), **THINKING),
        body(u("go"), a("so"), u("and?"), **THINKING),
        body(u("go"), a(call("1")), u(result("1")), a(THOUGHT, "so"), u("and?"), **THINKING),
        body(u({**text("go"), **MARK}), system=[{**text("rules"), **MARK}], tools=[{"name": "Read", **MARK}]),
        body(u("go"), a(call("1")), u(result("1", content=[text("found")]))),
        body(u(*[{**text("go"), **MARK} for _ in range(4)])),
    ],
)
def test_takes(taken: Json) -> None:
    assert refused(taken, BETA) == ""


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"max_tokens": 1, "messages": [u("go")]}, "model: Field required"),
        (body(), "messages: at least one message is required"),
        (body(u("go"), {"role": "tool", "content": "x"}), "messages.1.role: Input should be 'user'"),
        (body(a("so"), u("go")), 'messages: first message must use the "user" role'),
        (body(u("go"), a("so")), "This model does not support assistant message prefill"),
        (body({**u("go"), "output_config": {}}), "messages.0.output_config: Extra inputs are not permitted"),
        (body(u()), "messages.0: all messages must have non-empty content"),
        (body(u("")), "messages.0: text content blocks must be non-empty"),
        (body(u({"type": "note"})), "messages.0.content.0: Input tag 'note'"),
        (body(u({**text("go"), "kept": True})), "messages.0.content.0.text.kept: Extra inputs are not permitted"),
        (
            body(u("go"), a(call("1")), u(result("1", content=[text("")]))),
            "messages.2.content.0.tool_result: text content blocks must be non-empty",
        ),
        (body(u("go"), a(call("1"), call("2")), u(result("1"))), "messages.1: `tool_use` ids were found without"),
        (body(u("go", result("1"))), "messages.0.content.1: unexpected `tool_use_id` found"),
        (body(u("go"), a(call("1")), u(result("1"), result("1"))), "each tool_use must have a single result"),
        (body(*LOOP, a(call("1")), u(result("1"))), "messages.3: `tool_use` ids must be unique"),
        (body(u(*[{**text("go"), **MARK} for _ in range(5)])), "A maximum of 4 blocks with cache_control"),
        (
            body(u(*[{**text("go"), **MARK} for _ in range(4)]), tools=[{"name": "Read", **MARK}]),
            "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        ),
        (
            body(u("go"), a(call("1")), u(result("1", content=[{**text("x"), **MARK} for _ in range(5)]))),
            "A maximum of 4 blocks with cache_control",
        ),
        (body(u("go"), a({**THOUGHT, **MARK}, "so"), u("and?")), "messages.1.content.0.thinking.cache_control"),
        (
            body(u("go"), a({**THOUGHT, "thinking": "No."}, "so"), u("and?")),
            "messages.1.content.0: Invalid `signature`",
        ),
        (
            body(u("go"), a("so", call("1")), u(result("1")), **THINKING),
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`",
        ),
    ],
)
def test_refuses(asked: Json, sentence: str) -> None:
    assert refused(asked, BETA).startswith(sentence)


def test_refuses_system_messages_without_their_beta() -> None:
    assert refused(body(u("go"), s(text("rules"))), "").startswith("messages.1.role: Input should be")
