"""What tests of readers share: files written down in a few words, and a recording shown in a few words.

seen(recording) == ["u: fix it", "a: looking | read {'path': 'x'}", "r c1: text of x", "a: done"]
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import RecordedEntry, Recording, UnreadableRecording

Json = dict[str, Any]

SHARED = Path(__file__).parents[4] / "shared" / "recordings"
AT = "2026-03-02T09:00:00.000Z"
AT_MS = 1_772_442_000_000
ODD: st.SearchStrategy[Any] = st.sampled_from([None, True, 0, -1, 1e300, "", "x", [], {}, [[]], [None], {"a": 1}])


def jsonl(*objects: Json) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in objects)


def load(tmp_path: Path, content: bytes, name: str = "no-extension") -> Recording:
    """By the way that files take, the choice of the reader included."""
    path = tmp_path / name
    path.write_bytes(content)
    found = readers.read(readers.source(path))
    assert isinstance(found, Recording)
    return found


def messages(recording: Recording) -> list[Json]:
    return [json.loads(entry.message) for entry in recording.entries if entry.kind == "message"]


def seen(recording: Recording) -> list[str]:
    return [_shown(entry) for entry in recording.entries]


def _shown(entry: RecordedEntry) -> str:
    if entry.kind == "model":
        return f"model {entry.model}"
    message: Json = json.loads(entry.message)
    if entry.kind == "compaction":
        return f"c {entry.first_kept or 'all gone'}: {message['summary']}"
    text = " | ".join(_block(block) for block in message["content"])
    if message["role"] == "toolResult":
        return f"r{'!' if message['isError'] else ''} {message['toolCallId']}: {text}"
    if message["role"] == "custom":
        return f"n {message['customType']}: {text}"
    return f"{message['role'][0]}: {text}"


def _block(block: Json) -> str:
    if block["type"] == "toolCall":
        return f"{block['name']} {block['arguments']}"
    if block["type"] == "thinking":
        return f"({block['thinking']})"
    return str(block["text"]) if block["type"] == "text" else f"<{block['type']}>"


def usage(input: int, output: int, read: int = 0, written: int = 0) -> Json:
    total = input + output + read + written
    return {"input": input, "output": output, "cacheRead": read, "cacheWrite": written, "totalTokens": total}


def pairs_are_right(recording: Recording) -> None:
    """Each result stands behind the reply that calls it, with results alone between; ids are unique."""
    ids = [entry.id for entry in recording.entries]
    assert len(ids) == len(set(ids))
    calls: set[str] = set()
    for message in messages(recording):
        if message["role"] == "toolResult":
            assert message["toolCallId"] in calls
            assert message["toolName"]
        else:
            calls = {block["id"] for block in message["content"] if block["type"] == "toolCall"}


def odd_values(content: Json | list[Any]) -> st.SearchStrategy[Any]:
    """The same document with one value in it replaced by an odd one."""
    places = list(_places(content, ()))
    return st.tuples(st.sampled_from(places), ODD).map(lambda drawn: _replaced(content, *drawn))


def _places(value: Any, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(*path, name) for name, _ in inner] + [
        inner_path for name, part in inner for inner_path in _places(part, (*path, name))
    ]


def _replaced(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _replaced(value[path[0]], path[1:], odd)
    return copy


def never_fails(read: Callable[[str, bytes], Recording], content: bytes) -> None:
    """A reader gives a recording whose messages can be shown, or says what is unreadable."""
    try:
        recording = read("f", content)
    except UnreadableRecording:
        return
    seen(recording)
    assert all(isinstance(entry.time_ms, int | None) for entry in recording.entries)
