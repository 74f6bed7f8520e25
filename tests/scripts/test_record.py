"""The recorder: the committed sessions are what comes out today, and they hold what the demo and the tests need.

The first test runs `scripts/record` as a process, in surroundings that must not matter. The others read the
committed files.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.closed_loop import MessageCache
from ctxmgr.study.metrics import message_cache
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording

ROOT = Path(__file__).parents[2]
SESSIONS = ROOT / "tests" / "sessions"
SESSION = SESSIONS / "greenhouse.jsonl"

# What a replay at these windows has to reach (tokens reported by the scripted provider).
SMALL_WINDOW, LARGE_WINDOW = 64_000, 100_000


@cache
def entries() -> list[dict[str, Any]]:
    """All lines after the header."""
    return [json.loads(line) for line in SESSION.read_text(encoding="utf-8").splitlines()[1:]]


def messages(role: str | None = None) -> list[dict[str, Any]]:
    found = [entry["message"] for entry in entries() if entry["type"] == "message"]
    return [message for message in found if role in (None, message["role"])]


def text(message: dict[str, Any]) -> str:
    if message["role"] == "bashExecution":
        return str(message["command"] + message["output"])
    return "".join(block.get("text", "") for block in message["content"])


def characters(message: dict[str, Any]) -> int:
    """UTF-16 units as pi weighs them."""
    total = len(text(message).encode("utf-16-le")) // 2
    if message["role"] == "assistant":
        for block in message["content"]:
            rest = block.get("thinking", "")
            if block["type"] == "toolCall":
                arguments = json.dumps(block["arguments"], ensure_ascii=False, separators=(",", ":"))
                rest = block["name"] + arguments
            total += len(rest.encode("utf-16-le")) // 2
    return total


@pytest.mark.long
@pytest.mark.parametrize("name", ["greenhouse", "ledger", "allotment"])
def test_recording_again_gives_the_committed_bytes(tmp_path: Path, name: str) -> None:
    made, committed = tmp_path / "made.jsonl", SESSIONS / f"{name}.jsonl"
    surroundings = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "COLUMNS": "40", "TMPDIR": str(tmp_path)}
    subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "record"), name, "--out", str(made)],
        check=True,
        cwd=tmp_path,
        env=os.environ | surroundings,
    )
    for number, (new, old) in enumerate(
        zip(made.read_bytes().splitlines(), committed.read_bytes().splitlines(), strict=False), start=1
    ):
        assert new == old, f"line {number} differs; if that is meant, run scripts/record and commit the file"
    assert made.read_bytes() == committed.read_bytes()


def test_every_result_answers_the_call_before_it() -> None:
    waiting: list[tuple[str, str]] = []
    for message in messages():
        if message["role"] == "toolResult":
            assert (message["toolCallId"], message["toolName"]) == waiting.pop(0)
            continue
        assert waiting == [], "a call was left without a result"
        if message["role"] == "assistant" and message["stopReason"] != "aborted":
            calls = [block for block in message["content"] if block["type"] == "toolCall"]
            waiting = [(call["id"], call["name"]) for call in calls]
            assert message["stopReason"] == ("toolUse" if calls else "stop")
    assert waiting == []


def test_usage_follows_what_was_sent() -> None:
    sent, previous = 0, 0
    for message in messages():
        if message["role"] == "assistant":
            usage = message["usage"]
            prompt = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
            assert prompt == 3000 + sent * 127 // 400
            assert usage["totalTokens"] == prompt + usage["output"]
            assert usage["cacheRead"] in (0, max(0, previous - 4))
            assert min(usage["cacheRead"], usage["cacheWrite"], usage["input"], usage["output"]) >= 0
            previous = prompt
        sent += characters(message)
    assert previous > LARGE_WINDOW > SMALL_WINDOW


def test_nothing_of_the_machine_is_in_it() -> None:
    for name in ["greenhouse", "ledger", "allotment"]:
        whole = (SESSIONS / f"{name}.jsonl").read_text(encoding="utf-8")
        assert [name for name in ("/tmp", "/root", "/var/", "pyenv", "Traceback", "\\r") if name in whole] == [], (
            name
        )


def recording(name: str) -> Recording:
    path = SESSIONS / f"{name}.jsonl"
    read = readers.read(readers.source(path))
    assert isinstance(read, Recording)
    return read


def test_the_other_sessions_are_long_enough_for_epochs() -> None:
    for name in ["ledger", "allotment"]:
        reader = MessageCache(message_cache.reader())
        assert 60_000 <= sum(reader.weight(entry.message) for entry in recording(name).entries) <= 90_000, name
