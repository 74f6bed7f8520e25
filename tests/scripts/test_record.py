"""The recorder: the committed sessions are what comes out today, and they hold what the demo and the tests need.

The first test runs `scripts/record` as a process, in surroundings that must not matter. The others read the
committed files.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
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


def blocks(role: str, kind: str) -> Iterator[dict[str, Any]]:
    for message in messages(role):
        yield from (block for block in message["content"] if block["type"] == kind)


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


def test_header_and_entries_are_a_chain() -> None:
    header = json.loads(SESSION.read_text(encoding="utf-8").splitlines()[0])
    assert (header["type"], header["version"], header["cwd"]) == ("session", 3, "/home/dev/greenhouse")
    parent = None
    for number, entry in enumerate(entries(), start=1):
        assert (entry["id"], entry["parentId"]) == (f"{number:08x}", parent)
        parent = entry["id"]
    assert [entry["type"] for entry in entries()[:2]] == ["model_change", "thinking_level_change"]
    assert {entry["type"] for entry in entries()[2:]} == {"message"}


def test_size() -> None:
    assert 200 <= len(messages()) <= 300
    assert 12 <= len(messages("user")) <= 18
    assert 90_000 <= sum(-(-characters(message) // 4) for message in messages()) <= 130_000
    assert SESSION.stat().st_size < 700_000


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


def test_call_ids_are_unique() -> None:
    ids = [call["id"] for call in blocks("assistant", "toolCall")]
    assert len(set(ids)) == len(ids)


def test_one_reply_was_aborted_and_its_call_never_ran() -> None:
    (reply,) = [message for message in messages("assistant") if message["stopReason"] == "aborted"]
    (call,) = [block for block in reply["content"] if block["type"] == "toolCall"]
    assert call["id"] not in {message["toolCallId"] for message in messages("toolResult")}
    following = messages()[messages().index(reply) + 1]
    assert following["role"] == "user"
    assert "Never touch the CSV files" in text(following)


@pytest.mark.parametrize(
    "part",
    [
        "Text not found in greenhouse/readings.py",
        "occurs 3 times in greenhouse/alerts.py",
        "/usr/bin/python3: No module named pytest",
        "error: readings/2026-02.csv:247: could not convert string to float: ''",
        "FAIL  tests.test_week.Weeks.test_turn_of_the_year",
    ],
)
def test_errors_of_each_kind(part: str) -> None:
    assert any(part in text(message) for message in messages("toolResult") if message["isError"])


def test_large_and_repeated_reads() -> None:
    largest = sorted((characters(message) for message in messages("toolResult")), reverse=True)
    assert largest[0] > 48_000
    assert largest[1] > 40_000
    calls = [call for call in blocks("assistant", "toolCall") if call["name"] == "read"]
    reads = Counter(call["arguments"]["path"] for call in calls)
    assert reads["greenhouse/readings.py"] >= 4
    assert reads["readings/2026-02.csv"] >= 4
    assert reads["log/valve.log"] == 2


def test_turns() -> None:
    """Turns with many steps, with none, and one of more than thirty; several calls in one reply."""
    steps: list[int] = []
    for message in messages():
        if message["role"] == "user":
            steps.append(0)
        elif message["role"] == "assistant":
            steps[-1] += 1
    assert max(steps) > 30
    assert min(steps) == 1
    calls = [sum(block["type"] == "toolCall" for block in message["content"]) for message in messages("assistant")]
    assert max(calls) >= 4
    assert len(messages("bashExecution")) == 2


@pytest.mark.parametrize("part", ["## Constraints\n", "- [ ] descale valve 2"])
def test_a_tool_result_looks_like_a_summary(part: str) -> None:
    assert any(part in text(message) for message in messages("toolResult"))


@pytest.mark.parametrize(
    "part",
    [
        "never touch the CSV files",
        "keep the public function names",
        "use Celsius everywhere, not Fahrenheit",
        "keep the old CLI flag as an alias",
        "Make it 8 hours",
        "call it `weekly`, not `week`",
    ],
)
def test_user_sets_goals_and_corrects(part: str) -> None:
    assert sum(part in text(message) for message in messages("user")) == 1


def test_task_lists_and_checklists() -> None:
    lists = [call for call in blocks("assistant", "toolCall") if call["name"] == "todo_write"]
    assert len(lists) >= 5
    assert {todo["status"] for call in lists for todo in call["arguments"]["todos"]} == {
        "completed",
        "in_progress",
        "pending",
    }
    assert any("- [x] " in text(message) for message in messages("assistant"))


def test_thinking_is_signed_where_calls_follow() -> None:
    counts: Counter[bool] = Counter()
    for message in messages("assistant"):
        kinds = [block["type"] for block in message["content"]]
        for block in message["content"]:
            if block["type"] == "thinking":
                assert ("thinkingSignature" in block) == ("toolCall" in kinds)
                counts["toolCall" in kinds] += 1
    assert counts[True] >= 10
    assert counts[False] >= 2


@pytest.mark.parametrize("part", ["6cf7cf522bc4e7c7", "69cd75f224781228"])
def test_checksums_the_agent_names_are_real(part: str) -> None:
    assert sum(part in text(message) for message in messages("toolResult")) == 2
    assert sum(part in text(message) for message in messages("assistant")) == 1


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


def test_times_never_go_back_and_one_pause_is_over_an_hour() -> None:
    times = [datetime.fromisoformat(entry["timestamp"]) for entry in entries()]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert times[0] == datetime.fromisoformat("2026-03-02T09:00:00.000Z")
    assert min(gaps) >= timedelta(0)
    assert sum(gap > timedelta(hours=1) for gap in gaps) == 1


@pytest.mark.parametrize("name", ["greenhouse", "ledger", "allotment"])
def test_nothing_of_the_machine_is_in_it(name: str) -> None:
    whole = (SESSIONS / f"{name}.jsonl").read_text(encoding="utf-8")
    assert [name for name in ("/tmp", "/root", "/var/", "pyenv", "Traceback", "\\r") if name in whole] == []


def test_text_beyond_ascii_is_written_as_it_is() -> None:
    whole = SESSION.read_text(encoding="utf-8")
    assert [sign for sign in "°ä👍🌱" if sign not in whole] == []


def recording(name: str) -> Recording:
    path = SESSIONS / f"{name}.jsonl"
    read = readers.read(readers.source(path))
    assert isinstance(read, Recording)
    return read


@pytest.mark.parametrize(
    ("name", "host", "users", "calls"),
    [("ledger", "Codex", range(3, 8), range(60, 120)), ("allotment", "Claude Code", range(40, 70), range(80, 120))],
)
def test_the_other_sessions_are_of_other_kinds(name: str, host: str, users: range, calls: range) -> None:
    read = recording(name)
    roles = Counter(entry.role for entry in read.entries)
    assert read.host == host
    assert roles["user"] in users
    assert roles["assistant"] in calls
    assert not any("another branch" in note for note in read.notes)


@pytest.mark.parametrize("name", ["ledger", "allotment"])
def test_the_other_sessions_are_long_enough_for_epochs(name: str) -> None:
    reader = MessageCache(message_cache.reader())
    assert 60_000 <= sum(reader.weight(entry.message) for entry in recording(name).entries) <= 90_000
