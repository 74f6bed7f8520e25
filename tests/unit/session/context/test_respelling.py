"""A host that moves its cache marks, and spells messages anew on each call: they are the messages they were."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.talk import Fields, Talk
from tests.unit.session.context.epochs import talk_of

MARK = {"cache_control": {"type": "ephemeral"}}
WINDOW = 20_000  # tokens: epochs come about each tenth step
FORMATS = ("anthropic", "responses")


def begun(format: str, preset: str, saved: Any = ()) -> Talk:
    return talk_of(saved, WINDOW, preset=preset, format=format)


def step(format: str, number: int, user: bool = False) -> list[Fields]:
    """A call of a model and its result, after a user's message now and then, as no host marks them."""
    id, path = f"t{number}", f"src/mod_{number}.py"
    text = "\n".join(f"def func_{number}_{line}(): pass" for line in range(70))
    asked = [said_by_user(format, f"Now {number}.")] if user else []
    arguments = {"path": path, "offset": number, "ratio": 1.0}
    if format == "anthropic":
        call = {"type": "tool_use", "id": id, "name": "read", "input": arguments}
        result = {"type": "tool_result", "tool_use_id": id, "content": text}
        return [*asked, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    if format == "openai":
        function = {"name": "read", "arguments": json.dumps(arguments)}
        calls = [{"id": id, "type": "function", "function": function}]
        said = {"role": "assistant", "content": "Look.", "tool_calls": calls}
        return [*asked, said, {"role": "tool", "tool_call_id": id, "content": text}]
    if format == "responses":
        call = {"type": "function_call", "call_id": id, "name": "read", "arguments": json.dumps(arguments)}
        return [*asked, call, {"type": "function_call_output", "call_id": id, "output": text}]
    if format == "gemini":
        parts = [{"functionCall": {"id": id, "name": "read", "args": arguments}}]
        response = {"id": id, "name": "read", "response": {"output": text}}
        return [
            *asked,
            {"role": "model", "parts": parts},
            {"role": "user", "parts": [{"functionResponse": response}]},
        ]
    call = {"type": "toolCall", "id": id, "name": "read", "arguments": arguments}
    said = {"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": number + 1}
    result = {"role": "toolResult", "toolCallId": id, "toolName": "read", "isError": False, "timestamp": number + 1}
    return [*asked, said, {**result, "content": [{"type": "text", "text": text}]}]


def said_by_user(format: str, text: str) -> Fields:
    return {"role": "user", **({"parts": [{"text": text}]} if format == "gemini" else {"content": text})}


def session(format: str, count: int = 24) -> list[list[Fields]]:
    """The lists of so many calls, none of them marked."""
    lists: list[list[Fields]] = [[said_by_user(format, "Go on with src/mod_1.py.")]]
    for number in range(count):
        lists.append([*lists[-1], *step(format, number, user=number % 5 == 4)])
    return lists


def marked(messages: list[Fields]) -> list[Fields]:
    """The last block of the last message bears the mark, and what it was before is a bare string again."""
    *before, last = messages
    name = "output" if "output" in last else "content"
    if name not in last:
        return messages
    kind = "input_text" if "type" in last else "text"
    content = last[name]
    blocks = [{"type": kind, "text": content}] if isinstance(content, str) else content
    return [*before, {**last, name: [*blocks[:-1], blocks[-1] | MARK]}]


def turned(value: Any) -> Any:
    """Members in another order, and whole numbers as such."""
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in sorted(value, reverse=True)}
    if isinstance(value, list):
        return [turned(one) for one in value]
    return int(value) if isinstance(value, float) else value


def alternating(messages: list[Fields]) -> list[Fields]:
    """On each other call all is spelled another way but what is new."""
    return [*turned(messages[:-3]), *messages[-3:]] if len(messages) % 4 > 1 else messages


def reordered(messages: list[Fields]) -> list[Fields]:
    """On each other call all members stand in another order, as a store gives them back."""
    return json.loads(json.dumps(messages, sort_keys=True)) if len(messages) % 4 > 1 else messages  # type: ignore[no-any-return]


SPELLED = {"moving marks": marked, "both": lambda each: alternating(marked(each))}


def told(answer: Fields) -> tuple[Any, ...]:
    """What must not depend on how a message is spelled."""
    report = answer["report"]
    return tuple(report.get(name) for name in ("epoch", "firstChangedIndex", "messagesDropped", "reason"))


def bare(messages: list[Fields]) -> list[Fields]:
    """Without marks, a text in one block as the string it is, whole numbers as such."""
    found = json.loads(
        json.dumps(messages), object_hook=lambda each: {k: v for k, v in each.items() if k != "cache_control"}
    )
    for message in found:
        for name in ("content", "output"):
            held = message.get(name)
            if isinstance(held, list) and len(held) == 1 and held[0].keys() == {"type", "text"}:
                message[name] = held[0]["text"]
    return turned(found)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("format", "spelling", "preset"),
    [("anthropic", "both", "balanced"), ("responses", "both", "turns"), ("responses", "moving marks", "balanced")],
)
def test_how_a_message_is_spelled_changes_no_answer(format: str, spelling: str, preset: str) -> None:
    plain, other, spell = begun(format, preset), begun(format, preset), SPELLED[spelling]
    epochs = set()
    for messages in session(format):
        expected, sent = plain.context(messages, answer="messages"), spell(messages)
        answer = other.context(sent, answer="messages")
        assert told(answer) == told(expected)
        assert bare(answer["list"]) == bare(expected["list"])
        newest = [json.dumps(one) for one in sent]
        kept = [json.dumps(one) for one in answer["list"] if one in sent]
        assert all(one in newest for one in kept)
        assert json.dumps(answer["list"]).count("cache_control") <= json.dumps(sent).count("cache_control")
        epochs.add(answer["report"]["epoch"])
    assert preset != "balanced" or len(epochs) > 1


@pytest.mark.parametrize("format", FORMATS)
def test_marks_of_before_come_off_where_an_appended_message_bears_one(format: str) -> None:
    plain, other = begun(format, "balanced"), begun(format, "balanced")
    base, known = "", 0
    for messages in session(format):
        expected = plain.context(messages, answer="messages")
        new = marked(messages)[known:]
        params = {"append": {"base": base, "after": known, "messages": new}} if base else {"messages": new}
        answer = other.call("context", sessionId="s", answer="messages", **params)
        answer["list"] = answer["messages"]
        assert told(answer) == told(expected)
        assert json.dumps(answer["list"]).count("cache_control") <= 1
        base, known = answer["base"], len(messages)


@pytest.mark.parametrize(
    ("format", "spell", "preset"), [("anthropic", marked, "balanced"), ("responses", reordered, "turns")]
)
def test_a_restart_tells_no_other_change(format: str, spell: Callable[[Any], Any], preset: str) -> None:
    plain, saved = begun(format, preset), list[bytes]()
    for messages in session(format):
        expected = plain.context(messages, answer="messages")
        talk = begun(format, preset, saved)
        answer = talk.context(spell(messages), answer="messages")
        assert told(answer) == told(expected)
        if len(messages) > 1:
            assert answer["report"]["prefixTokens"] == expected["report"]["prefixTokens"]
        saved = talk.saved
