"""What a host is told of its sessions, where it asked for it: numbers, and nothing that somebody wrote."""

import itertools
import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from ctxmgr.cli import main
from ctxmgr.server.config import ConnectionConfig
from ctxmgr.server.connection import Connection
from ctxmgr.server.effects import Send
from ctxmgr.session import telemetry
from ctxmgr.session.context import listing
from tests.contract.talk import Fields, Messages, Talk

ASKED = {"requestCompaction": "whenIdle", "telemetry": True, "retrieve": True}
BIG = "word " * 3_000
MARK = "xqzMarker"  # no word of ours
USAGE = {"input": 900, "output": 40, "cacheRead": 5_000, "cacheWrite": 100, "totalTokens": 6_040}


def talking(**more: Any) -> Talk:
    return Talk(**{"policy": {"preset": "balanced"}, "capabilities": ASKED, "version": "1.1", **more})


def told(talk: Talk, name: str = "") -> list[Fields]:
    """Attributes of the events of this name, oldest first; of all without one."""
    events = [one["params"] for one in talk.asked("telemetry/event")]
    return [one["attributes"] for one in events if not name or one["name"] == name]


def long_session(make: Messages, turns: int = 12) -> list[Fields]:
    """So long that `balanced` begins an epoch in a window of 60,000 tokens."""
    return [one for number in range(turns) for one in make.turn(f"Question {number}?", BIG, path=f"f{number}.py")]


def test_tokens_by_kind_sum_up_to_those_of_the_list() -> None:
    talk, make = talking(window=10_000), Messages()
    messages = long_session(make)
    for end in range(4, len(messages) + 1, 4):
        talk.context(messages[:end])
    for one in told(talk, "ctxmgr.list"):
        for side in ("in", "out"):
            parts = [value for name, value in one.items() if name.startswith(f"ctxmgr.list.tokens_{side}.")]
            assert sum(parts) == one[f"ctxmgr.list.tokens_{side}"]
    assert "ctxmgr.list.tokens_out.packet" in one


def test_an_epoch_is_told_with_why_it_began_and_what_left_and_lists_between_with_why_not() -> None:
    talk, make = talking(window=60_000), Messages()
    messages = long_session(make)
    for end in range(4, len(messages) + 1, 4):
        talk.context(messages[:end])
    epochs, lists = told(talk, "ctxmgr.epoch"), told(talk, "ctxmgr.list")
    receipts = talk.call("explain", sessionId="s")["epochs"]
    assert [one["ctxmgr.epoch.number"] for one in epochs] == [one["epoch"] for one in receipts]
    assert epochs
    for one, receipt in zip(epochs, receipts, strict=True):
        assert one["ctxmgr.epoch.reason"] == receipt["opening"]
        assert one["ctxmgr.epoch.tokens_before"] == receipt["before"]
        assert one["ctxmgr.epoch.tokens_after"] == receipt["after"]
        assert one["ctxmgr.left.count"] == receipt["count"]
        by_kind = [value for name, value in one.items() if name.startswith("ctxmgr.left.tokens.")]
        assert sum(by_kind) == one["ctxmgr.left.tokens"] > 0
    started = [one["ctxmgr.epoch.started"] for one in lists]
    assert started.count(True) == len(epochs)
    assert {one["ctxmgr.epoch.reason"] for one in lists if not one["ctxmgr.epoch.started"]} == {"price"}


def test_compactions_are_told_from_request_to_end() -> None:
    talk, make = talking(policy={"preset": "turns"}, window=8_000), Messages()
    messages = make.turn("Hello?", "word " * 4_000)
    talk.play(messages, tokens=7_900)
    talk.call("session_compact_failed", sessionId="s", reason="threshold", errorMessage="no")
    talk.call("compact", sessionId="s", entries=_entries(make))
    entry = {"id": "c1", "summary": "## Goal\nGo on", "firstKeptEntryId": "e1", "tokensBefore": 5}
    talk.call("session_compact", sessionId="s", compactionEntry=entry, fromExtension=True)
    phases = [one["ctxmgr.compaction.phase"] for one in told(talk, "ctxmgr.compaction")]
    assert phases == ["requested", "failed", "written", "applied"]
    written, applied = told(talk, "ctxmgr.compaction")[2:]
    assert written["ctxmgr.compaction.method"] == "compact"
    assert written["gen_ai.conversation.id"] == "s"
    assert applied["ctxmgr.compaction.by_host"] is False


def test_a_compaction_that_could_not_be_written_tells_the_class_of_its_fault() -> None:
    talk = talking(policy={"preset": "turns"})
    talk.failed(talk.ask("compact", sessionId="s", entries=[]))
    (one,) = told(talk, "ctxmgr.compaction")
    assert one["ctxmgr.compaction.phase"] == "failed"
    assert one["error.type"] == "CallFailed"


def test_a_fallback_tells_the_class_of_its_fault_and_no_more() -> None:
    talk, make = talking(), Messages()
    with mock.patch.object(listing, "projected", side_effect=ZeroDivisionError(MARK)):
        talk.context([make.user("Hello?")])
    (one,) = told(talk, "ctxmgr.fallback")
    assert (one["error.type"], one["ctxmgr.fallback.in_a_row"]) == ("ZeroDivisionError", 1)
    assert told(talk, "ctxmgr.list")[-1]["ctxmgr.list.fallback"] is True


def test_a_fault_in_telling_costs_no_call_and_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    talk, make = talking(), Messages()
    monkeypatch.setattr(telemetry, "_listed", mock.Mock(side_effect=KeyError(MARK)))
    for _ in range(3):
        assert talk.context([make.user("Hello?")])["list"]
    said = [line for line in talk.driver.logged if line.startswith("telemetry")]
    assert len(said) == 1
    assert MARK not in said[0]


# no conversation


def _entries(make: Messages, word: str = "") -> list[Fields]:
    entries: list[Fields] = []
    messages = [one for number in range(12) for one in make.turn(f"{word} question {number}?", BIG + word)]
    for number, message in enumerate(messages):
        parent = f"{word}e{number - 1}" if number else None
        entries.append({"type": "message", "id": f"{word}e{number}", "parentId": parent, "message": message})
    return entries


def marked(make: Messages, number: int) -> list[Fields]:
    """A turn with the mark in all that somebody writes."""
    call = make.call(f"tool{MARK}", path=f"/home/{MARK}/a{number}.py", note=MARK)
    read = make.call("read", path=f"src/{MARK}{number}.py")
    failed = make.call("bash", command=f"run {MARK}")
    for one in (call, read, failed):
        one["id"] += MARK
    thinking = {"type": "thinking", "thinking": MARK, "thinkingSignature": MARK}
    reply = make.reply(f"I do {MARK}. We decided to use {MARK}.", call, read, failed)
    reply["content"].insert(0, thinking)
    reply |= {"usage": USAGE, "provider": MARK, "model": MARK, "api": MARK, "responseId": MARK}
    return [
        make.user(f"Goal: mend {MARK}. Never touch {MARK}.py."),
        reply,
        make.result(BIG + MARK),
        make.result(f"class {MARK}: ...\n" + BIG),
        make.result(f"Traceback\nValueError: {MARK}", is_error=True),
        make.reply(f"Done with {MARK}.", stopReason="error", errorMessage=f"400 {MARK}"),
    ]


def lived_through(talk: Talk) -> None:
    """Everything that a host can say, with the mark in it."""
    make = Messages()
    messages: list[Fields] = []
    for number in range(10):
        messages += marked(make, number)
        talk.play(messages, tokens=5_000)
    for method, params in (
        ("editScratchpad", {"operations": [{"op": "overwrite", "text": MARK}]}),
        ("pin", {"path": f"src/{MARK}*"}),
        ("setPolicy", {"policy": {"protectedTools": [MARK]}}),
        ("prune", {}),
        ("session_compact_failed", {"reason": MARK, "errorMessage": MARK}),
        ("compact", {"entries": _entries(make, MARK), "customInstructions": MARK}),
        ("session_before_compact", {"preparation": {}, "branchEntries": _entries(make, MARK), "reason": MARK}),
        (
            "session_compact",
            {"compactionEntry": {"id": MARK, "summary": MARK, "firstKeptEntryId": MARK, "tokensBefore": 9}},
        ),
        ("session_tree", {"newLeafId": MARK, "oldLeafId": MARK}),
        ("retrieve", {"handle": MARK}),
        (MARK, {}),
    ):
        talk.ask(method, sessionId="s", **params)
    talk.context(messages)
    with mock.patch.object(listing, "projected", side_effect=RuntimeError(MARK)):
        talk.context(messages)
    talk.context(messages)
    talk.tell("session_shutdown", sessionId="s")


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_no_text_of_a_session_is_in_any_frame_of_telemetry(preset: str) -> None:
    policy = {"preset": preset, "compaction": {"by": "ctxmgr", "model": "none"}}
    talk = talking(policy=policy, window=20_000, start=True)
    talk.driver.logged.clear()
    lived_through(talk)
    frames = [json.dumps(one) for one in talk.asked("telemetry/event")]
    names = {one["params"]["name"] for one in talk.asked("telemetry/event")}
    assert {"ctxmgr.list", "ctxmgr.fallback", "ctxmgr.compaction"} <= names
    assert "gen_ai.client.inference.operation.details" in names
    assert ("ctxmgr.epoch" in names) == (preset == "balanced")
    assert MARK.lower() in json.dumps(talk.sent).lower()  # it was there
    assert not [frame for frame in frames if MARK.lower() in frame.lower()]


# clock and transcripts


def test_how_long_a_call_took_is_told_by_the_clock_that_was_given() -> None:
    ticks = itertools.count(100, 7)
    connection = Connection(ConnectionConfig(clock_ms=lambda: float(next(ticks))))
    sent = []
    for number, (method, params) in enumerate(_calls()):
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        effects = connection.receive(body + b"\n")
        while effects:
            effect = effects.pop(0)
            if isinstance(effect, Send):
                sent.append(json.loads(b"".join(effect.parts)))
            elif hasattr(effect, "ticket"):
                value = effect.work() if hasattr(effect, "work") else None
                effects += connection.resume(effect.ticket, value)
    (event,) = [one["params"] for one in sent if one.get("method") == "telemetry/event"]
    assert event["attributes"]["ctxmgr.latency_ms"] == 7


def _calls() -> list[tuple[str, Fields]]:
    user = {"role": "user", "content": "Hello?", "timestamp": 1}
    policy = {"tokenizer": "estimate"}
    return [
        ("initialize", {"protocolVersion": "1.1", "capabilities": {"telemetry": True}, "policy": policy}),
        ("session_start", {"sessionId": "s", "model": {"id": "model-1", "contextWindow": 9_000}}),
        ("context", {"sessionId": "s", "messages": [user]}),
    ]


def test_a_transcript_with_telemetry_replays_the_same_bytes(tmp_path: Path) -> None:
    talk, make = talking(window=20_000), Messages()
    messages = long_session(make, 8)
    talk.play(messages)
    assert told(talk)
    assert not [one for one in told(talk) if "ctxmgr.latency_ms" in one]
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in talk.driver.recorded))
    assert main(["replay", str(path)]) == 0
