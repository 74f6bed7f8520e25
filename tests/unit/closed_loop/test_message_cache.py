"""What measures ask of messages."""

import json
from typing import Any

from ctxmgr.closed_loop import EstimatingReader
from ctxmgr.formats import FORMATS
from ctxmgr.session import Reader

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
THOUGHT = {"type": "thinking", "thinking": "hm " * 40, "signature": "s"}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "x = 1\n" * 50}
CALL = {"id": "c1", "name": "read", "input": {"path": "a.py"}, "type": "tool_use"}
MESSAGES: list[tuple[str, dict[str, Any]]] = [
    ("anthropic", {"role": "user", "content": "Look at /p/a.py and tell what max_tokens is."}),
    ("anthropic", {"role": "user", "content": [{"type": "text", "text": "this"}, PICTURE]}),
    (
        "anthropic",
        {"role": "assistant", "content": [THOUGHT, CALL]},
    ),
    (
        "anthropic",
        {"role": "user", "content": [RESULT]},
    ),
    ("openai", {"role": "tool", "tool_call_id": "c1", "content": "x = 1\n" * 50}),
    ("responses", {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": '{"command":"ls"}'}),
    ("pi", {"role": "bashExecution", "command": "ls", "output": "a b c", "exitCode": 0, "timestamp": 1}),
]


def test_a_message_weighs_what_it_weighs_in_a_session() -> None:
    for format, message in MESSAGES:
        raw = json.dumps(message).encode()
        (here,) = EstimatingReader(FORMATS[format]).read((raw,))
        (there,) = Reader(FORMATS[format]).read((raw,))
        assert (here.view, here.weights, here.weight) == (there.view, there.weights, there.weight), format
        assert here.weight > 0, format
