"""A snapshot after any prefix of a session, and the rest, come to the same as the whole."""

import functools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.model.saved.state import State
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session import ledger_updates
from tests.contract.talk import Fields, Messages, Talk

SESSION = Path(__file__).parents[2] / "sessions" / "greenhouse.jsonl"
QUIET: Fields = {}  # nothing is asked: a request under way becomes a cooldown by a restart, which is meant
POLICY = {"preset": "turns"}
WINDOW = 32_000  # tokens: every zone is met
CALLS = 40  # of the session's 99


@functools.cache
def messages() -> tuple[Fields, ...]:
    entries = [json.loads(line) for line in SESSION.read_text(encoding="utf-8").splitlines()]
    return tuple(entry["message"] for entry in entries if entry["type"] == "message")


def calls() -> list[int]:
    """The places of assistant messages: each is one call of the model."""
    return [at for at, message in enumerate(messages()) if message["role"] == "assistant"][:CALLS]


def live(talk: Talk, start: int, end: int) -> list[Fields]:
    """The host's calls from number `start` to `end`; the answers."""
    answers = []
    for at in calls()[start:end]:
        answer = talk.context(messages()[:at], answer="messages")
        answers.append({name: answer[name] for name in ("messages", "seq", "base")})
        results = []
        for message in messages()[at + 1 :]:
            if message["role"] != "toolResult":
                break
            results.append(message)
        used = 3_000 + answer["report"]["tokens"] * 4 // 3
        talk.turn_end(messages()[at], *results, tokens=used if used < WINDOW else None)
    return answers


def state(talk: Talk) -> State:
    session = talk.connection.sessions.queues.by_session["s"].session
    assert session is not None
    return session.state


@functools.cache
def whole() -> tuple[list[Fields], State]:
    talk = Talk(POLICY, WINDOW, QUIET)
    answers = live(talk, 0, len(calls()))
    return answers, state(talk)


@settings(max_examples=2)
@given(st.data())
def test_a_restart_anywhere_changes_nothing(data: st.DataObject) -> None:
    answers, final = whole()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(calls())), min_size=1, max_size=3)))
    saved: list[bytes] = []
    got: list[Fields] = []
    start = 0
    for end in [*cuts, len(calls())]:
        talk = Talk(POLICY, WINDOW, QUIET, found=SnapshotLoaded(tuple(saved)))
        got += live(talk, start, end)
        saved = talk.saved
        start = end
    assert got == answers
    assert state(talk) == final


def test_what_the_user_said_is_never_trimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_updates, "FACTS_AT_MOST", 400)
    monkeypatch.setattr(ledger_updates, "FACTS_KEPT", 300)
    talk, make = Talk(), Messages()
    rule = "Goal: ship the parser. Never touch the schema. Always use tabs."
    talk.context([make.user(rule)])
    for number in range(120):
        calls = [make.call("read", path=f"src/part{number}/file{at}.py") for at in range(4)]
        talk.turn_end(make.reply("", *calls), *(make.result("text") for _ in calls), tokens=5_000)
    before = talk.call("getLedger", sessionId="s")["facts"]
    assert [fact["text"] for fact in before if fact["slot"] in ("goal", "request")] == [rule, rule]
    assert "src/part0/file0.py" not in [fact["text"] for fact in before]
    again = Talk(found=SnapshotLoaded(tuple(talk.saved)))
    assert again.call("getLedger", sessionId="s")["facts"] == before
    assert len(state(talk).facts) <= 400
