"""Which blocks may be written anew: the rule that a chooser asks and a checker holds a plan against."""

import json
from typing import Any

import pytest

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS, TURNS
from ctxmgr.formats import anthropic, openai, responses
from ctxmgr.model.messages import Message
from ctxmgr.session.reading import Reader
from tests.notation import a, call, indexed, quarters, r, talk, think, u

CALL = {"type": "function_call", "call_id": "c", "name": "write", "arguments": "{}"}
THOUGHT = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "c2Vj"}
SIGNED = {"type": "thinking", "thinking": "", "signature": "s"}
USES = {"type": "tool_use", "id": "c", "name": "w", "input": {}}
CALLS = [{"id": "c", "type": "function", "function": {"name": "w", "arguments": "{}"}}]


def shortenable(messages: tuple[Message, ...]) -> list[int]:
    """The messages with a call whose arguments may be shortened."""
    index = indexed(messages)
    return [
        at
        for at, message in enumerate(messages)
        for number in range(len(message.view.blocks))
        if STEPS.may_edit(index, BlockRef(at, number), "shortened")
    ]


def test_no_signed_message_is_changed() -> None:
    write = call("write", path="x", content="text")
    said = [u("go"), a("ok", write), r("ok"), a(think("hm"), write), r("ok"), a(think("hm", signed=False), write)]
    said += [r("ok"), a("done")]
    assert shortenable(talk(*said)) == [1, 5]


# name, format, an assistant's message with a call, may the call be shortened?
FORMATS: list[tuple[str, Any, dict[str, Any], bool]] = [
    ("a call alone", anthropic, {"content": [USES]}, True),
    (
        "after thinking",
        anthropic,
        {"content": [SIGNED, USES]},
        False,
    ),
    ("after redacted thinking", anthropic, {"content": [{"type": "redacted_thinking", "data": "s"}, USES]}, False),
    ("after plain reasoning", openai, {"content": "ok", "reasoning_content": "hm", "tool_calls": CALLS}, True),
    ("after kept reasoning", openai, {"reasoning_details": [{"text": "hm"}], "tool_calls": CALLS}, False),
]


@pytest.mark.parametrize(("form", "message", "expected"), [pytest.param(*one[1:], id=one[0]) for one in FORMATS])
def test_in_every_format(form: Any, message: dict[str, Any], expected: bool) -> None:
    raw = json.dumps({"role": "assistant", **message}).encode()
    newest = b'{"role": "assistant", "content": "done"}'
    assert bool(shortenable(Reader(form, quarters).read([raw, newest]))) is expected


def test_items_of_one_answer_are_one_message() -> None:
    items = [THOUGHT, CALL, {"type": "function_call_output", "call_id": "c", "output": "ok"}, CALL, CALL]
    items += [{"type": "message", "role": "user", "content": []}, CALL, CALL, THOUGHT]
    messages = Reader(responses, quarters).read([json.dumps(one).encode() for one in items])
    assert shortenable(messages) == [3, 4]


@pytest.mark.parametrize("rules", [TURNS, STEPS])
def test_results_may_be_written_anew_and_nothing_else(rules: Any) -> None:
    index = indexed(talk(u("go"), a(think("hm"), "so", call("read", path="x")), r("text")))
    refs = [BlockRef(at, n) for at, one in enumerate(index.messages) for n in range(len(one.view.blocks))]
    assert [ref for ref in refs if rules.may_edit(index, ref, "pruned")] == [BlockRef(2, 0)]
    assert [ref for ref in refs if rules.may_edit(index, ref, "distilled")] == [BlockRef(2, 0)]
