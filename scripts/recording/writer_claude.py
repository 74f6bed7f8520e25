"""The transcript: turns messages into the lines of a Claude Code session (a tree by `uuid` and `parentUuid`).

One line a block of a reply, usage repeated on each. Ids count up and times are scripted, so the same messages give
the same bytes. Weights as in `writer`.
"""

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
    signature,
    text_block,
    tokens,
    units,
)

HOME = "/home/dev/almanac"
SESSION_ID = "019cadc6-9a80-7000-8000-00000000000a"
MODEL = "scripted-1"


class TranscriptFile:
    """The growing session; `lines` is the file."""

    def __init__(self) -> None:
        self.now = START
        self.lines: list[str] = []
        self.replies = self.calls = self.characters = self.cached = 0
        self.last_call = START
        self.parent: str | None = None

    def user(self, text: str, after: int) -> None:
        self.now += timedelta(seconds=after)
        self.characters += units(text)
        self._line("user", {"message": {"role": "user", "content": text}})

    def shell(self, command: str, output: str, code: int, after: int) -> None:
        """A command that the user typed after `!`, and what came of it."""
        self.user(f"<bash-input>{command}</bash-input>", after)
        self.user(f"<bash-stdout>{output}</bash-stdout><bash-stderr></bash-stderr>", 0)

    def assistant(self, text: str, thinking: str, calls: list[ToolCall], stop: str) -> list[str]:
        """One reply with its calls (name, arguments); the ids of those calls."""
        self.replies += 1
        ids = [f"toolu_{self.calls + count:04d}" for count in range(1, len(calls) + 1)]
        self.calls += len(calls)
        blocks: list[dict[str, Any]] = []
        if thinking:
            blocks.append(
                {"type": "thinking", "thinking": thinking, "signature": signature(thinking)["thinkingSignature"]}
            )
        blocks += [text_block(text)] if text else []
        for call_id, (name, given) in zip(ids, calls, strict=True):
            blocks.append({"type": "tool_use", "id": call_id, "name": name, "input": given})
        size = units(text) + units(thinking) + sum(units(name) + units(dump(given)) for name, given in calls)
        asked = self.now + timedelta(milliseconds=120)
        usage = self._usage(size, asked)
        writing = usage["output_tokens"] * 1000 // TOKENS_PER_SECOND
        self.now = self.last_call = asked + FIRST_TOKEN + timedelta(milliseconds=writing)
        self.characters += size
        head = {"model": MODEL, "id": f"msg_{self.replies:04d}", "type": "message", "role": "assistant"}
        for block in blocks:
            tail = {"stop_reason": "tool_use" if calls else "end_turn", "usage": usage}
            self._line("assistant", {"message": {**head, "content": [block], **tail}})
        return ids

    def result(self, call_id: str, tool: str, text: str, is_error: bool, details: dict[str, Any]) -> None:
        self.now += timedelta(milliseconds=620 if tool == "Bash" else 35 + len(text) // 200)
        self.characters += units(text)
        block = {"tool_use_id": call_id, "type": "tool_result", "content": text}
        block |= {"is_error": True} if is_error else {}
        self._line("user", {"message": {"role": "user", "content": [block]}})

    def _usage(self, size: int, asked: Any) -> dict[str, int]:
        prompt = SYSTEM_TOKENS + tokens(self.characters)
        cached = self.cached if asked - self.last_call <= CACHE_TTL else 0
        self.cached = prompt
        usage = {"input_tokens": 4, "cache_creation_input_tokens": max(0, prompt - cached - 4)}
        return usage | {"cache_read_input_tokens": cached, "output_tokens": max(1, tokens(size))}

    def _line(self, kind: str, fields: dict[str, Any]) -> None:
        uuid = f"{len(self.lines) + 1:08x}-0000-4000-8000-000000000000"
        head = {"parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": HOME}
        head |= {"sessionId": SESSION_ID, "version": "2.1.17", "type": kind}
        self.lines.append(dump(head | fields | {"uuid": uuid, "timestamp": iso(self.now)}))
        self.parent = uuid
