"""A host that compacts a list with messages that are alike: no decision about one of them falls on another."""

import json
from typing import Any

import pytest

from ctxmgr import Policy, Session

WINDOW = 3_000  # tokens: an epoch every few steps


def step(number: int) -> list[dict[str, Any]]:
    call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": "a"}}
    result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
    return [
        {"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": number},
        {**result, "content": [{"type": "text", "text": "l\n" * 250}], "timestamp": number},
    ]


@pytest.mark.parametrize("compacted_at", [10, 14, 22])
def test_the_newest_user_message_stays_though_one_like_it_left(compacted_at: int) -> None:
    session = Session(Policy(preset="balanced"), format="pi", window=WINDOW)
    messages: list[dict[str, Any]] = []
    for number in range(24):
        if number in (0, 8, 12, 20):
            messages.append({"role": "user", "content": "please " * 70, "timestamp": number})
        else:
            messages += step(number)
        shown = session.project(messages)
        assert session.report.checks == ()
        newest = max(at for at, message in enumerate(messages) if message["role"] == "user")
        assert json.dumps(messages[newest]) in map(json.dumps, shown)
        if number == compacted_at:
            session.compacted("## Goal\nx")
            messages = messages[-5:]


@pytest.mark.parametrize("preset", ["tools", "turns", "balanced"])
def test_a_packet_between_a_prompt_and_what_is_new_is_written(preset: str) -> None:
    """The list before was the prompt alone, so that the new plan begins with all of the old one."""
    session = Session(Policy(preset=preset), format="openai", window=WINDOW)
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    session.project(messages)
    session.compacted("Ship the parser. " * 20)
    sent = session.project([*messages, {"role": "assistant", "content": "Hello."}])
    assert len(sent) == 3
    assert "Ship the parser." in str(sent)
