"""The rollout file: turns messages into the lines of a Codex session (timestamp, type, payload).

Ids count up and times are scripted, so the same messages give the same bytes. Reasoning is sealed, as it is in
files of this kind: what stands there is a hash of the text. Weights as in `writer`.
"""

import base64
import hashlib
from datetime import timedelta
from typing import Any

from recording.writer import (
    CACHE_TTL,
    FIRST_TOKEN,
    START,
    SYSTEM_TOKENS,
    TOKENS_PER_SECOND,
    ToolCall,
    dump,
    iso,
    tokens,
    units,
)

HOME = "/home/dev/tally"
WINDOW = 128_000
FREEFORM = ("apply_patch",)  # tools whose input is a text and no JSON


class RolloutFile:
    """The growing session; `lines` is the file."""

    def __init__(self) -> None:
        self.now = START
        self.lines: list[str] = []
        self.count = self.calls = self.characters = self.cached = 0
        self.last_call = START
        self._line(
            "session_meta", {"id": "019cadc6-9a80-7000-8000-00000000000c", "cwd": HOME, "cli_version": "0.142.0"}
        )
        self._line("turn_context", {"cwd": HOME, "model": "scripted-1", "approval_policy": "never"})
        context = f"<environment_context>\n  <cwd>{HOME}</cwd>\n  <shell>bash</shell>\n</environment_context>"
        self._said("user", context)

    def user(self, text: str, after: int) -> None:
        self.now += timedelta(seconds=after)
        self._line("event_msg", {"type": "task_started", "model_context_window": WINDOW})
        self._said("user", text)
        self._line("event_msg", {"type": "user_message", "message": text})

    def shell(self, command: str, output: str, code: int, after: int) -> None:
        raise NotImplementedError("this host has no shell of the user's")

    def assistant(self, text: str, thinking: str, calls: list[ToolCall], stop: str) -> list[str]:
        """One response with its calls (name, arguments); the ids of those calls."""
        ids = [f"call_{self.calls + count:04d}" for count in range(1, len(calls) + 1)]
        self.calls += len(calls)
        asked = self.now + timedelta(milliseconds=120)
        prompt = SYSTEM_TOKENS + tokens(self.characters)
        cached = self.cached if asked - self.last_call <= CACHE_TTL else 0
        written = units(text) + units(thinking) + sum(units(name) + units(dump(given)) for name, given in calls)
        output = max(1, tokens(written))
        self.now = self.last_call = asked + FIRST_TOKEN + timedelta(milliseconds=output * 1000 // TOKENS_PER_SECOND)
        if thinking:
            sealed = base64.b64encode(hashlib.sha512(thinking.encode("utf-8")).digest()).decode("ascii")
            self._item({"type": "reasoning", "id": self._id("rs"), "summary": [], "encrypted_content": sealed})
        if text:
            self._said("assistant", text)
        for call_id, (name, given) in zip(ids, calls, strict=True):
            self._call(call_id, name, given)
        usage = {"input_tokens": prompt, "cached_input_tokens": cached, "output_tokens": output}
        usage["total_tokens"] = prompt + output
        info = {"last_token_usage": usage, "model_context_window": WINDOW}
        self._line("event_msg", {"type": "token_count", "info": info})
        self.cached = prompt
        return ids

    def result(self, call_id: str, tool: str, text: str, is_error: bool, details: dict[str, Any]) -> None:
        self.now += timedelta(milliseconds=620 + len(text) // 100)
        kind = "custom_tool_call_output" if tool in FREEFORM else "function_call_output"
        self._item({"type": kind, "call_id": call_id, "output": text})
        self.characters += units(text)

    def _call(self, call_id: str, name: str, given: dict[str, Any]) -> None:
        if name in FREEFORM:
            item = {"type": "custom_tool_call", "id": self._id("ctc"), "status": "completed", "call_id": call_id}
            item |= {"name": name, "input": given["input"]}
        else:
            item = {"type": "function_call", "id": self._id("fc"), "name": name, "arguments": dump(given)}
            item |= {"call_id": call_id}
        self.characters += units(name) + units(dump(given))
        self._item(item)

    def _said(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        own = {"id": self._id("msg")} if role == "assistant" else {}
        self._item({"type": "message", **own, "role": role, "content": [{"type": kind, "text": text}]})
        self.characters += units(text)

    def _id(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count:05d}"

    def _item(self, payload: dict[str, Any]) -> None:
        self._line("response_item", payload)

    def _line(self, kind: str, payload: dict[str, Any]) -> None:
        self.lines.append(dump({"timestamp": iso(self.now), "type": kind, "payload": payload}))
