"""Turns numbers into the bytes that a host would write: messages as pi writes them, and frames around them.

The same bytes on every machine: a seeded generator chooses words, and sizes follow recorded pi sessions (an
assistant message about 1 kB, a result about 2.5 kB, a step every 3.5 kB).
"""

import random
from collections.abc import Sequence
from typing import Any

import msgspec

Part = bytes | memoryview

RESULT_CHARACTERS = 2_500  # mean of a tool result in the recorded sessions
NEW_RESULT_CHARACTERS = 1_000  # of the step that a steady call adds
STEPS_A_TURN = 9  # 5 to 9 in recorded sessions
LINE = (
    "def return self index value None for in if not message table count text part line of the plan bytes "
    "start end raise total path name size list parse build check write read open close left right frame"
)
WORDS = tuple(LINE.split(" "))

_encode = msgspec.json.Encoder().encode


class Growing(msgspec.Struct, frozen=True):
    """A message list in one buffer: the first `ends[k]` bytes are the list after step k."""

    joined: bytes
    ends: tuple[int, ...]

    def upto(self, number: int) -> memoryview:
        return memoryview(self.joined)[: self.ends[number]]

    def first_of(self, size: int) -> int:
        """The number of the first step at which the list has at least `size` bytes."""
        return next(number for number, end in enumerate(self.ends) if end >= size)


def prose(chance: random.Random, characters: int) -> str:
    """Lines of code-like words, with a typical number of tokens and lines."""
    out, size = [], 0
    while size < characters:
        line = "    " * chance.randrange(4) + " ".join(chance.choices(WORDS, k=chance.randrange(4, 12)))
        out.append(f"{line} {chance.randrange(10_000)}")
        size += len(out[-1]) + 1
    return "\n".join(out)[:characters]


def user(number: int, text: str) -> bytes:
    content = [{"type": "text", "text": text}]
    return _encode({"role": "user", "content": content, "timestamp": 1_700_000_000_000 + number})


def assistant(chance: random.Random, number: int) -> bytes:
    arguments = {"path": f"src/part_{chance.randrange(40)}.py", "offset": number}
    content = [
        {"type": "thinking", "thinking": prose(chance, 250), "thinkingSignature": "c2ln" * 40},
        {"type": "text", "text": prose(chance, 120)},
        {"type": "toolCall", "id": f"call_{number}", "name": "read", "arguments": arguments},
    ]
    usage = {"input": 10, "output": 90, "cacheRead": 9_000, "cacheWrite": 500, "totalTokens": 9_600}
    message = {
        "role": "assistant",
        "content": content,
        "api": "messages",
        "provider": "bench",
        "model": "bench-1",
        "usage": usage,
        "stopReason": "toolUse",
        "timestamp": 1_700_000_000_000 + number,
    }
    return _encode(message)


def result(chance: random.Random, number: int, characters: int) -> bytes:
    message = {
        "role": "toolResult",
        "toolCallId": f"call_{number}",
        "toolName": "read",
        "content": [{"type": "text", "text": prose(chance, characters)}],
        "isError": False,
        "timestamp": 1_700_000_000_000 + number,
    }
    return _encode(message)


def growing(messages_bytes: int, more_steps: int, result_characters: int = RESULT_CHARACTERS) -> Growing:
    """A session whose list reaches `messages_bytes`, and then grows by `more_steps` small steps. No step ends a
    turn: a user message precedes every `STEPS_A_TURN` steps.
    """
    chance = random.Random(7)
    parts: list[bytes] = []
    ends: list[int] = []
    size, number, more = 0, 0, more_steps
    while size < messages_bytes or more:
        new = []
        if number % STEPS_A_TURN == 0:
            new.append(user(number, f"Please look at part {number}. {prose(chance, 200)}"))
        more -= size >= messages_bytes
        characters = NEW_RESULT_CHARACTERS if size >= messages_bytes else result_characters
        new += [assistant(chance, number), result(chance, number, characters)]
        parts += new
        size += sum(map(len, new)) + len(new)
        ends.append(size - 1)
        number += 1
    return Growing(b",".join(parts), tuple(ends))


def frame(parts: Sequence[Part]) -> list[Part]:
    return [b"Content-Length: %d\r\n\r\n" % sum(map(len, parts)), *parts]


def request(id: int, method: str, params: Any) -> list[Part]:
    return frame([_encode({"jsonrpc": "2.0", "id": id, "method": method, "params": params})])


def context(id: int, session: str, messages: Part, answer: str | None = None) -> list[Part]:
    """A `context` request. `messages` are joined by commas."""
    wants = b',"answer":"%b"' % answer.encode() if answer else b""
    head = b'{"jsonrpc":"2.0","id":%d,"method":"context","params":{"sessionId":"%b"%b,"messages":['
    return frame([head % (id, session.encode(), wants), messages, b"]}}"])
