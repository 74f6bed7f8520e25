"""Which thoughts a turn has to begin with: only Anthropic refuses one that began with a thought and no longer does.
What other providers sign may be left out with its step.
"""

from typing import Any

import msgspec
import pytest

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import STEPS
from ctxmgr.formats import FORMATS
from ctxmgr.model import Message

Json = dict[str, Any]
SIGNED = {"type": "thinking", "thinking": "So.", "signature": "c2ln"}
CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}


def anthropic(thought: Json | None) -> list[Json]:
    use = {"type": "tool_use", "id": "c", "name": "read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x"}
    return [
        {"role": "assistant", "content": [*([thought] if thought else []), use]},
        {"role": "user", "content": [result]},
    ]


def chat(**thought: Any) -> list[Json]:
    return [
        {"role": "assistant", "content": None, "tool_calls": [CALL], **thought},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ]


def detail(**members: Any) -> Json:
    return {"reasoning_details": [{"type": "reasoning.text", "text": "So.", **members}]}


def gemini(**signature: str) -> list[Json]:
    parts = [{"thought": True, "text": "So.", **signature}] if signature else []
    return [
        {"role": "model", "parts": [*parts, {"functionCall": {"name": "read", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "x"}}}]},
    ]


def pi(api: str, thinks: bool = True) -> list[Json]:
    thought = [{"type": "thinking", "thinking": "So.", "thinkingSignature": "c2ln"}] if thinks else []
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {}}
    return [
        {"role": "assistant", "content": [*thought, call], **({"api": api} if api else {})},
        {"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [{"type": "text", "text": "x"}]},
    ]


# name, format, a step with a thought in front, the same without, whether the turn has to begin with the thought
ROWS: list[tuple[str, str, list[Json], list[Json], bool]] = [
    ("Anthropic", "anthropic", anthropic(SIGNED), anthropic(None), True),
    ("OpenRouter, Claude", "openai", chat(**detail(format="anthropic-claude-v1", signature="s")), chat(), True),
    ("OpenRouter, Gemini", "openai", chat(**detail(format="google-gemini-v1", data="x")), chat(), False),
    ("DeepSeek", "openai", chat(reasoning_content="So."), chat(), False),
    ("Gemini", "gemini", gemini(thoughtSignature="s"), gemini(), False),
    ("pi before Claude", "pi", pi("anthropic-messages"), pi("anthropic-messages", False), True),
    ("pi before nobody knows whom", "pi", pi(""), pi("", False), True),
]
ASKED: dict[str, Json] = {"gemini": {"role": "user", "parts": [{"text": "go"}]}}


def indexed(form: str, messages: list[Json]) -> ConversationIndex:
    views = ((msgspec.json.encode(one), FORMATS[form].view(msgspec.json.encode(one))) for one in messages)
    return extend(
        ConversationIndex(),
        tuple(
            Message(raw, f"{number:016}", view, (1,) * len(view.blocks), len(view.blocks))
            for number, (raw, view) in enumerate(views)
        ),
    )


@pytest.mark.parametrize(
    ("form", "thoughtful", "plain", "holds"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_only_anthropics_turns_have_to_begin_with_their_thought(
    form: str, thoughtful: list[Json], plain: list[Json], holds: bool
) -> None:
    asked = ASKED.get(form, {"role": "user", "content": "go"})
    conversation = indexed(form, [asked, *thoughtful, *plain, *plain])
    assert (1 in STEPS.must_stay(conversation)) is holds
