"""Requests for a summary as programs send them, with the fixed words of their prompts."""

import json
from collections.abc import Sequence
from typing import Any

from tests.unit.proxy.lists import SESSION, compact, marked, request

CLAUDE = SESSION | {"anthropic-beta": "claude-code-20250219,fallback-credit-2026-06-01"}
CLAUDE_PROMPT = (
    "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n"
    "Your task is to create a detailed summary of the conversation so far, paying close attention to all of it.\n\n"
    "REMINDER: Do NOT call any tools. Tool calls will be rejected and you will fail the task."
)
CODEX = {"thread-id": "th-1", "User-Agent": "codex_exec/0.169.0", "x-codex-window-id": "th-1:0"}
CODEX_KIND = {"x-codex-turn-metadata": json.dumps({"request_kind": "compaction"})}
CODEX_PROMPT = (
    "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.\n\n"
    "Be concise, structured, and focused on helping the next LLM seamlessly continue the work."
)
OPENCODE = {"User-Agent": "opencode/1.18.33", "x-session-id": "ses-1"}


def claude_asks(messages: list[dict[str, Any]], prompt: str = CLAUDE_PROMPT, **more: Any) -> bytes:
    """The prompt is a text behind the last results, or a message by itself."""
    *before, last = messages
    text = {"type": "text", "text": prompt}
    if last["role"] == "user" and isinstance(last["content"], list):
        return request(marked([*before, {**last, "content": [*last["content"], text]}]), **more)
    return request(marked([*messages, {"role": "user", "content": [text]}]), **more)


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def codex_asks(items: Sequence[dict[str, Any]], prompt: str = CODEX_PROMPT) -> bytes:
    return compact({"model": "gpt-5.5", "stream": True, "input": [*items, said(prompt)], "tools": []})


def opencode_prompt(transcript: str, earlier: str = "") -> str:
    before = f"\n\n<prior-summary>\n{earlier}\n</prior-summary>" if earlier else ""
    return (
        f"Here is the conversation so far:\n\n<conversation>\n{transcript}\n</conversation>{before}\nRules:\n"
        "- Do not mention the summary process or that context was compacted."
    )


def events(stream: bytes) -> list[dict[str, Any]]:
    lines = [line.removeprefix(b"data: ") for line in stream.splitlines() if line.startswith(b"data: ")]
    return [json.loads(line) for line in lines if line != b"[DONE]"]
