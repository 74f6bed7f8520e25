"""Made sessions, in the files and folders in which agents keep theirs, below a home folder of the test."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

Json = dict[str, Any]

AT_MS = 1_796_000_000_000
CLAUDE_MODEL, GPT_MODEL, GEMINI_MODEL = "claude-sonnet-4-5", "gpt-5.5", "gemini-2.5-pro"
OVERHEAD, TOKENS_A_STEP = 9_000, 600


def file_of(step: int) -> str:
    """What a step reads: one of a few files, so that old results are out of date."""
    return f"f{step % 5}.py"


def text_of(step: int) -> str:
    """What the tool of a step prints: as long each time, and never the same."""
    return "\n".join(f"def function_{step}_{line}(value): return value + {step * line}" for line in range(30))


def lines(*objects: Json) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in objects)


def sent(step: int) -> int:
    """What a provider counts of the call of a step: the prompt and all that came before."""
    return OVERHEAD + step * TOKENS_A_STEP


def claude(steps: int, model: str = CLAUDE_MODEL, has_usage: bool = True) -> bytes:
    """A Claude Code transcript, all of whose calls read what the one before sent."""
    tree: list[Json] = [{"type": "user", "message": {"role": "user", "content": "Mend all functions."}}]
    for step in range(steps):
        call = {"type": "tool_use", "id": f"t{step}", "name": "Read", "input": {"file_path": f"/w/{file_of(step)}"}}
        old = sent(step - 1) if step else 0
        counts = {"cache_read_input_tokens": old, "cache_creation_input_tokens": sent(step) - old}
        usage = {"usage": {"input_tokens": 0, "output_tokens": 30, **counts}} if has_usage else {}
        message = {"id": f"m{step}", "role": "assistant", "model": model, "content": [call], **usage}
        result = {"type": "tool_result", "tool_use_id": f"t{step}", "content": text_of(step)}
        tree += [
            {"type": "assistant", "message": message},
            {"type": "user", "message": {"role": "user", "content": [result]}},
        ]
    return lines(
        *(
            {"uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s", "cwd": "/w", **line}
            for at, line in enumerate(tree)
        )
    )


def codex(steps: int) -> bytes:
    rollout: list[Json] = [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
        {"type": "turn_context", "payload": {"model": GPT_MODEL}},
        _item(type="message", role="user", content=[{"type": "input_text", "text": "Mend all functions."}]),
    ]
    for step in range(steps):
        arguments = json.dumps({"cmd": f"cat {file_of(step)}"})
        counts = {
            "input_tokens": sent(step),
            "cached_input_tokens": sent(step - 1) if step else 0,
            "output_tokens": 30,
        }
        info = {"last_token_usage": counts, "model_context_window": 258_400}
        rollout += [
            _item(type="function_call", call_id=f"c{step}", name="exec_command", arguments=arguments),
            {"type": "event_msg", "payload": {"type": "token_count", "info": info}},
            _item(type="function_call_output", call_id=f"c{step}", output=text_of(step)),
        ]
    return lines(*rollout)


def _item(**payload: Any) -> Json:
    return {"type": "response_item", "payload": payload}


def gemini(steps: int) -> bytes:
    session: list[Json] = [
        {"sessionId": "s", "projectHash": "p", "kind": "main"},
        {"id": "m", "type": "user", "content": [{"text": "Mend all functions."}]},
    ]
    for step in range(steps):
        answer = {"functionResponse": {"id": f"c{step}", "response": {"output": text_of(step)}}}
        call = {"id": f"c{step}", "name": "read_file", "args": {"path": file_of(step)}, "result": [answer]}
        tokens = {"input": sent(step), "cached": sent(step - 1) if step else 0, "output": 30}
        reply = {"id": f"m{step}", "type": "gemini", "content": "", "model": GEMINI_MODEL}
        session.append({**reply, "toolCalls": [call], "tokens": tokens})
    return lines(*session)


def pi(steps: int, model: str = CLAUDE_MODEL) -> bytes:
    entries: list[Json] = [_pi(0, role="user", content="Mend all functions.")]
    for step in range(steps):
        call = {"type": "toolCall", "id": f"c{step}", "name": "read", "arguments": {"path": file_of(step)}}
        old = sent(step - 1) if step else 0
        usage = {"input": 0, "output": 30, "cacheRead": old, "cacheWrite": sent(step) - old}
        reply = {"role": "assistant", "content": [call], "model": model, "usage": usage, "stopReason": "toolUse"}
        text = [{"type": "text", "text": text_of(step)}]
        result = {"role": "toolResult", "toolCallId": f"c{step}", "toolName": "read", "content": text}
        entries += [_pi(2 * step + 1, **reply), _pi(2 * step + 2, **result, isError=False)]
    return lines({"type": "session", "version": 3, "id": "s", "cwd": "/w"}, *entries)


def _pi(at: int, **message: Any) -> Json:
    parent = str(at - 1) if at else None
    return {"type": "message", "id": str(at), "parentId": parent, "message": {**message, "timestamp": AT_MS + at}}


def cline(steps: int) -> bytes:
    said: list[Json] = [
        {"role": "user", "content": [{"type": "text", "text": "<task>Mend all.</task>"}], "ts": AT_MS}
    ]
    for step in range(steps):
        call = {"type": "tool_use", "id": f"t{step}", "name": "read_file", "input": {"path": file_of(step)}}
        tokens = {"prompt": TOKENS_A_STEP, "completion": 30, "cached": sent(step)}
        info = {"modelId": CLAUDE_MODEL}
        result = {"type": "tool_result", "tool_use_id": f"t{step}", "content": text_of(step)}
        said += [
            {"role": "assistant", "content": [call], "ts": AT_MS, "metrics": {"tokens": tokens}, "modelInfo": info},
            {"role": "user", "content": [result], "ts": AT_MS},
        ]
    return json.dumps(said).encode()


def opencode(steps: int) -> list[tuple[Json, list[Json]]]:
    """Messages with their parts, without the ids that their places have."""
    said: list[tuple[Json, list[Json]]] = [({"role": "user"}, [{"type": "text", "text": "Mend all functions."}])]
    for step in range(steps):
        old = sent(step - 1) if step else 0
        tokens = {"input": sent(step) - old, "output": 30, "reasoning": 0, "cache": {"read": old, "write": 0}}
        state = {"status": "completed", "input": {"filePath": file_of(step)}, "output": text_of(step)}
        call = {"type": "tool", "callID": f"c{step}", "tool": "read", "state": state}
        said.append(({"role": "assistant", "modelID": GPT_MODEL, "tokens": tokens}, [call]))
    return said


def opencode_database(file: Path, sessions: dict[str, int], changed_ms: int | None = None) -> Path:
    """One with these sessions, by id with their steps, changed when its folder was: as OpenCode 1.18.33 makes it,
    in what is read of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    changed_ms = file.parent.stat().st_mtime_ns // 1_000_000 if changed_ms is None else changed_ms
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE session (id, project_id, directory, revert, time_updated)")
        database.execute("CREATE TABLE message (id, session_id, time_created, data)")
        database.execute("CREATE TABLE part (id, message_id, session_id, data)")
        for id, steps in sessions.items():
            database.execute("INSERT INTO session VALUES (?, 'p', '/w', NULL, ?)", (id, changed_ms))
            for at, (message, parts) in enumerate(opencode(steps)):
                key = f"msg_{id}_{at:04d}"
                database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (key, id, at, json.dumps(message)))
                for number, part in enumerate(parts):
                    row = (f"prt_{id}_{at:04d}_{number}", key, id, json.dumps(part))
                    database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    return file


def opencode_folders(storage: Path, id: str, steps: int) -> None:
    """As OpenCode kept it before 1.2."""
    put(
        storage / "session" / "p" / f"{id}.json",
        json.dumps({"id": id, "projectID": "p", "directory": "/w"}).encode(),
    )
    for at, (message, parts) in enumerate(opencode(steps)):
        key = f"msg_{id}_{at:04d}"
        put(storage / "message" / id / f"{key}.json", json.dumps({**message, "id": key}).encode())
        for number, part in enumerate(parts):
            put(
                storage / "part" / key / f"prt_{number}.json",
                json.dumps({**part, "id": f"{key}_{number}"}).encode(),
            )


def put(file: Path, content: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


FILES: Sequence[tuple[str, str, str, Callable[[int], bytes]]] = (  # who keeps what where, below home
    ("claude", "Claude Code", ".claude/projects/-w/5-e-5-5-1.jsonl", claude),
    ("codex", "Codex", ".codex/sessions/2026/11/30/rollout-1.jsonl", codex),
    ("gemini", "Gemini CLI", ".gemini/tmp/p/chats/session-1.jsonl", gemini),
    ("pi", "pi", ".pi/agent/sessions/--w--/s.jsonl", pi),
    (
        "cline",
        "Cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
        cline,
    ),
)


def a_home(home: Path, steps: int = 3) -> None:
    """A session of each agent."""
    for _, _, path, content in FILES:
        put(home / path, content(steps))
    opencode_database(home / ".local/share/opencode/opencode.db", {"ses_1": steps})
