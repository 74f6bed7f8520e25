"""The session file: turns messages into the lines of a pi session (tree format, version 3).

1. Ids count up and times are scripted, so the same messages give the same bytes.
2. An assistant message reports the usage a provider would have: a prompt of SYSTEM_TOKENS and what was sent
   so far, of which a warm cache holds all that the previous call sent.

Weights are pi's own estimate (characters in UTF-16 units, four a token) times WEIGHT_PERCENT. Knows no tool.
"""

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from recording.tools import HOME

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SESSION_ID = "019cadc6-9a80-7000-8000-000000000001"
MODEL = {"api": "scripted", "provider": "scripted", "model": "scripted-1"}

SYSTEM_TOKENS = 3000  # system prompt and tool definitions
WEIGHT_PERCENT = 127  # real tokens for 100 estimated ones: what code costs more than prose
UNCACHED_TOKENS = 4  # what follows the last cache mark
CACHE_TTL = timedelta(minutes=5)

# Dollars per million tokens.
PRICES = {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}

TOKENS_PER_SECOND = 60  # how fast the scripted model writes
FIRST_TOKEN = timedelta(milliseconds=1400)

ToolCall = tuple[str, dict[str, Any]]


class SessionFile:
    """The growing session; `lines` is the file."""

    def __init__(self) -> None:
        self.now = START
        self.lines: list[str] = []
        self.entries = 0
        self.calls = 0
        self.characters = 0
        self.cached = 0
        self.last_call = START
        header = {"type": "session", "version": 3, "id": SESSION_ID, "timestamp": iso(START), "cwd": HOME}
        self.lines.append(dump(header))
        self._entry({"type": "model_change", "provider": MODEL["provider"], "modelId": MODEL["model"]})
        self._entry({"type": "thinking_level_change", "thinkingLevel": "low"})

    def user(self, text: str, after: int) -> None:
        self.now += timedelta(seconds=after)
        self._message({"role": "user", "content": [text_block(text)], "timestamp": millis(self.now)})

    def shell(self, command: str, output: str, code: int, after: int) -> None:
        self.now += timedelta(seconds=after)
        message: dict[str, Any] = {"role": "bashExecution", "command": command, "output": output}
        message |= {"exitCode": code, "cancelled": False, "truncated": False, "timestamp": millis(self.now)}
        self._message(message)

    def assistant(self, text: str, thinking: str, calls: list[ToolCall], stop: str) -> list[str]:
        """One reply of the agent with its calls (name, arguments); the ids of those calls."""
        ids = [f"call_{self.calls + count:04d}" for count in range(1, len(calls) + 1)]
        self.calls += len(calls)
        blocks: list[dict[str, Any]] = []
        if thinking:
            blocks.append({"type": "thinking", "thinking": thinking} | (signature(thinking) if calls else {}))
        if text:
            blocks.append(text_block(text))
        for call_id, (name, arguments) in zip(ids, calls, strict=True):
            blocks.append({"type": "toolCall", "id": call_id, "name": name, "arguments": arguments})
        asked = self.now + timedelta(milliseconds=120)
        usage = self._usage(blocks, asked)
        message: dict[str, Any] = {"role": "assistant", "content": blocks, **MODEL, "usage": usage}
        message |= {"stopReason": stop, "timestamp": millis(asked)}
        if stop == "aborted":
            message["errorMessage"] = "Request was aborted."
        writing = usage["output"] * 1000 // TOKENS_PER_SECOND
        self.now = self.last_call = asked + FIRST_TOKEN + timedelta(milliseconds=writing)
        self._message(message)
        return ids

    def result(self, call_id: str, tool: str, text: str, is_error: bool, details: dict[str, Any]) -> None:
        self.now += timedelta(milliseconds=620 if tool == "bash" else 35 + len(text) // 200)
        message: dict[str, Any] = {"role": "toolResult", "toolCallId": call_id, "toolName": tool}
        message |= {"content": [text_block(text)]} | ({"details": details} if details else {})
        self._message(message | {"isError": is_error, "timestamp": millis(self.now)})

    def _usage(self, blocks: list[dict[str, Any]], asked: datetime) -> dict[str, Any]:
        prompt = SYSTEM_TOKENS + tokens(self.characters)
        cached = self.cached if asked - self.last_call <= CACHE_TTL else 0
        counts = {
            "input": UNCACHED_TOKENS,
            "output": max(1, tokens(sum(weigh(block) for block in blocks))),
            "cacheRead": cached,
            "cacheWrite": prompt - cached - UNCACHED_TOKENS,
        }
        self.cached = prompt - UNCACHED_TOKENS
        cost = {name: round(count * PRICES[name] / 1_000_000, 6) for name, count in counts.items()}
        return counts | {
            "totalTokens": sum(counts.values()),
            "cost": cost | {"total": round(sum(cost.values()), 6)},
        }

    def _message(self, message: dict[str, Any]) -> None:
        self._entry({"type": "message", "message": message})
        if message["role"] == "bashExecution":
            self.characters += units(message["command"]) + units(message["output"])
        else:
            self.characters += sum(weigh(block) for block in message["content"])

    def _entry(self, entry: dict[str, Any]) -> None:
        parent = f"{self.entries:08x}" if self.entries else None
        self.entries += 1
        head = {"type": entry.pop("type"), "id": f"{self.entries:08x}", "parentId": parent}
        self.lines.append(dump(head | {"timestamp": iso(self.now)} | entry))


WEIGHED: dict[str, Callable[[dict[str, Any]], str]] = {
    "text": lambda block: block["text"],
    "thinking": lambda block: block["thinking"],
    "toolCall": lambda block: block["name"] + dump(block["arguments"]),
}


def weigh(block: dict[str, Any]) -> int:
    """Characters of one block as pi counts them: signatures and ids do not count."""
    return units(WEIGHED[block["type"]](block))


def units(text: str) -> int:
    """UTF-16 code units, the length of the text in JavaScript."""
    return len(text.encode("utf-16-le")) // 2


def tokens(characters: int) -> int:
    return characters * WEIGHT_PERCENT // 400


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def signature(thinking: str) -> dict[str, str]:
    """Stands for a provider's signature: opaque, and tied to the text."""
    digest = hashlib.sha512(thinking.encode("utf-8")).digest()
    return {"thinkingSignature": base64.b64encode(digest).decode("ascii")}


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def iso(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z"


def millis(time: datetime) -> int:
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
