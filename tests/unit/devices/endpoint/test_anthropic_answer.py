"""An answer of Anthropic's messages by itself: events in any shape, and what is made of them."""

from typing import Any

from ctxmgr.devices.endpoint.apis import AnthropicAnswer
from ctxmgr.model.compaction import Completion, CompletionUsage

END: dict[str, Any] = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
STOP = {"type": "message_stop"}


def start(**usage: Any) -> dict[str, Any]:
    return {"type": "message_start", "message": {"type": "message", "content": [], "usage": usage}}


def block(**of: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": of}


def text(said: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": said}}


def whole(*content: Any, reason: str | None = "end_turn", **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [*content], "stop_reason": reason, **more}


def made_of(*events: Any) -> Completion:
    answer = AnthropicAnswer(100)
    for one in events:
        if not answer.take(one):
            break
    return answer.completion()


def failed(fault: str, usage: CompletionUsage | None = None) -> Completion:
    return Completion(stop="error", fault=fault, usage=usage)


A = {"type": "text", "text": "a"}
TABLE: list[tuple[str, list[Any], Completion]] = [
    ("text and a reason", [block(type="text", text=""), text("a"), text("b"), END, STOP], Completion("ab")),
    ("text and no reason", [start(), text("a"), STOP], failed("the answer ended without a finish reason")),
    (
        "a delta that is new",
        [{"type": "content_block_delta", "delta": {"type": "x", "text": "x"}}, END],
        Completion(),
    ),
    (
        "null for what is not there",
        [
            {**start(), "content_block": None, "delta": None},
            {**block(type="text", text=""), "message": None},
            {"type": "content_block_delta", "delta": {"type": None}, "message": None},
            {**text("a"), "content_block": None},
            {**END, "content_block": None},
        ],
        Completion("a"),
    ),
    ("thinking", [block(type="thinking", thinking="hm"), text("a"), END], Completion("a")),
    ("a call", [text("a"), block(type="tool_use", id="c", name="read"), END], Completion("a", "toolUse")),
    (
        "an error in the middle",
        [text("a"), {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}, END],
        failed("the server reported an error in the middle of its answer"),
    ),
    (
        "what a cache held and took counts as input",
        [
            start(input_tokens=3, cache_read_input_tokens=500, cache_creation_input_tokens=20, output_tokens=1),
            text("a"),
            END | {"usage": {"output_tokens": 40}},
        ],
        Completion("a", usage=CompletionUsage(523, 40)),
    ),
    (
        "the last that is told of a figure holds",
        [
            start(input_tokens=3, cache_read_input_tokens=None, output_tokens=1),
            END | {"usage": {"input_tokens": 9, "cache_read_input_tokens": 100, "output_tokens": 40}},
        ],
        Completion(usage=CompletionUsage(109, 40)),
    ),
    ("usage in another form", [text("a"), END | {"usage": {"output_tokens": "4"}}], Completion("a")),
    (
        "in one piece",
        [whole(A, A, usage={"input_tokens": 3, "output_tokens": 4})],
        Completion("aa", usage=CompletionUsage(3, 4)),
    ),
    (
        "refused",
        [text("a"), {"type": "message_delta", "delta": {"stop_reason": "refusal"}}],
        failed("the model refused to answer"),
    ),
]


def test_what_is_made_of_events() -> None:
    for title, events, done in TABLE:
        assert made_of(*events) == done, title
