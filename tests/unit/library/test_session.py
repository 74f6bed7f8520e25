"""`ctxmgr.Session`: a session in this process, its lists, its requests, its state."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr import Policy, Session
from ctxmgr.model.policy import WorkingSet
from tests.inprocess import InProcess

ROOT = Path(__file__).parents[3]
TURNS = Policy(preset="turns", working_set=WorkingSet(results=0, tokens=0))


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def step(number: int, size: int = 400) -> list[dict[str, Any]]:
    """A call and its result, as chat completions have them."""
    function = {"name": "read", "arguments": f'{{"path":"src/file{number}.py"}}'}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]}
    return [call, {"role": "tool", "tool_call_id": f"c{number}", "content": f"x{number} = 1\n" * size}]


def conversation(turns: int, size: int = 400) -> list[dict[str, Any]]:
    return [message for number in range(turns) for message in (user(f"Read file {number}."), *step(number, size))]


def test_it_loads_nothing_of_a_server() -> None:
    code = (
        "import sys; from ctxmgr import Session, Policy; "
        "session = Session(Policy(preset='turns'), format='openai'); "
        "session.project([{'role': 'user', 'content': 'x'}]); "
        "session.turn_end({'role': 'assistant', 'content': 'y'}, usage={'total_tokens': 9}); session.state; "
        "print(sorted(name for name in sys.modules if name.partition('.')[0] in ('asyncio', 'rich', 'tiktoken') "
        "or name.startswith(('ctxmgr.wire', 'ctxmgr.server', 'ctxmgr.devices', 'ctxmgr.client', 'ctxmgr.study'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_what_is_kept_are_the_objects_that_were_given_and_the_list_is_left_as_it_is() -> None:
    session, messages = Session(TURNS, format="openai"), conversation(9)
    before = list(messages)
    sent = session.project(messages)
    assert all(one is other for one, other in zip(messages, before, strict=True))
    assert len(messages) == len(before)
    given = {id(message) for message in messages}
    new = [message for message in sent if id(message) not in given]
    assert [message["role"] for message in new] == ["user", *["tool"] * 5]  # the packet, and results distilled
    assert sent[-3] is messages[-3]
    assert len(sent) == 1 + 6 * 3  # the newest turns


def test_it_answers_as_a_sidecar_does() -> None:
    messages = conversation(12)
    host = InProcess(
        policy={"preset": "turns", "workingSet": {"results": 0, "tokens": 0}}, message_format="openai", model="m"
    )
    session = Session(TURNS, format="openai", model="m")
    for end in range(3, len(messages) + 1, 3):
        answer = host.request(
            "context", sessionId="s", messages=messages[:end], overheadTokens=500, answer="messages"
        )
        assert session.project(messages[:end], overhead_tokens=500) == answer["messages"]
        told = msgspec.to_builtins(session.report)
        assert (told["tokens"], told["zone"]) == (answer["report"]["tokens"], answer["report"]["zone"])
        host.request("turn_end", sessionId="s", message=messages[end - 2], usage={"total_tokens": 1_000 * end})
        session.turn_end(messages[end - 2], usage={"total_tokens": 1_000 * end})
    status = host.request("getStatus", sessionId="s")
    assert (session.status.zone, session.status.tokens) == (status["zone"], status["tokens"])


def test_a_session_goes_on_from_its_state() -> None:
    messages = conversation(40, 2_000)
    first = Session(format="openai", window=100_000)
    for end in range(3, 100, 3):
        before = first.project(messages[:end], time_ms=end * 1_000)
        tokens = first.report.tokens if first.report else 0
        first.turn_end(messages[end - 2], usage={"total_tokens": tokens})
    assert first.status.epoch > 0
    second = Session(format="openai", state=first.state)
    assert second.status.context_window == 100_000
    assert second.status.seq == first.status.seq
    assert second.project(messages[:99], time_ms=99_000) == before
    assert first.project(messages[:99], time_ms=99_000) == before
    assert second.project(messages[:102], time_ms=100_000) == first.project(messages[:102], time_ms=100_000)


def test_a_fault_inside_ends_in_a_list_to_send(monkeypatch: pytest.MonkeyPatch) -> None:
    session, messages = Session(TURNS, format="openai"), conversation(9)
    first = session.project(messages)
    monkeypatch.setattr("ctxmgr.session.context.listing.projected", lambda *rest: 1 // 0)
    sent = session.project([*messages, user("and now?")])
    assert sent == [*first, user("and now?")]
    assert sent[-2] is messages[-1]
    assert session.report.reason == "internal fault: ZeroDivisionError"


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2_000)), max_size=30), st.integers(1, 20_000))
def test_of_any_list_what_is_kept_stays_in_order_each_once(turns: list[tuple[bool, int]], window: int) -> None:
    session = Session(TURNS, format="openai", window=window)
    messages: list[dict[str, Any]] = []
    for number, (asks, size) in enumerate(turns):
        messages += [user(f"Go on {number}.")] if asks or not messages else step(number, size // 10)
        sent = session.project(messages)
        places = {id(message): place for place, message in enumerate(messages)}
        kept = [places[id(message)] for message in sent if id(message) in places]
        assert kept == sorted(set(kept))
        assert sent[-1]["role"] == messages[-1]["role"]
