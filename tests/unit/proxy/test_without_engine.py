"""The engine hangs, dies, is not there or talks nonsense: every call goes out, with the last projection and what
came since where there is one."""

import asyncio
import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.client import AsyncClient, SpawnedSidecar, Timing
from ctxmgr.proxy import conversation as program
from ctxmgr.proxy import listener
from tests.unit.proxy.lists import SESSION, conversation, request
from tests.unit.proxy.provider import answers

AN_HOUR_MS = 3_600_000.0
BOUND_MS = 200.0
METHODS = ("initialize", "session_start", "turn_end", "setPolicy", "session_tree", "model_select", "getStatus")
# only the bound of `context` may ever be waited for: who waits for another waits an hour
BOUNDED = Timing(
    timeouts_ms={"context": BOUND_MS, **dict.fromkeys(METHODS, AN_HOUR_MS)}, session_ms=AN_HOUR_MS, end_ms=BOUND_MS
)
TOO_LONG = json.dumps(
    {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "prompt is too long: 29000 tokens > 20000 maximum"},
    }
).encode()


def messages_of(made: Any) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(made.upstream.asked[-1].body)["messages"]
    return told


async def posted(made: Any, steps: int) -> list[dict[str, Any]]:
    """What went to the provider of a list with so many steps."""
    async with asyncio.timeout(60):
        response, _ = await made.post(request(conversation(steps, lines=200)), headers=SESSION)
    assert response.status == 200
    return messages_of(made)


async def rewritten(made: Any) -> list[dict[str, Any]]:
    """Of a conversation of 12 steps, what went last."""
    for number in range(12):
        await posted(made, number)
    return await posted(made, 12)


def engine(made: Any) -> int:
    number: int = made.proxy._client._link.process_id
    return number


def source(made: Any) -> str:
    (one,) = made.proxy.conversations.all()
    found: str = one.session.outcome.source
    return found


async def until_it_is_back(made: Any, steps: int) -> None:
    for number in range(steps, steps + 400):
        await posted(made, number)
        if source(made) == "answered":
            return
    raise AssertionError("it did not come back")


def bounded(made: Any) -> None:
    made.proxy._client.timing = BOUNDED


async def test_an_engine_that_hangs_is_not_waited_for_and_the_last_projection_goes_out(rig: Any) -> None:
    made = await rig(spawned=True)
    before = await rewritten(made)
    bounded(made)
    os.kill(engine(made), signal.SIGSTOP)
    try:
        for number in (13, 14):
            whole = conversation(number, lines=200)
            assert await posted(made, number) == [*before, *whole[25:]]
    finally:
        os.kill(engine(made), signal.SIGCONT)
    await until_it_is_back(made, 15)
    assert made.said[-1] == "ctxmgr prunes again"


async def test_an_engine_that_is_killed_amid_a_call_lets_it_go_out(rig: Any) -> None:
    made = await rig(spawned=True)
    before = await rewritten(made)
    os.kill(engine(made), signal.SIGSTOP)  # so that the call is in the pipe when the end comes
    call = asyncio.ensure_future(posted(made, 13))
    while not made.proxy._client._channel._open:  # noqa: ASYNC110
        await asyncio.sleep(0)
    os.kill(engine(made), signal.SIGKILL)
    assert await call == [*before, *conversation(13, lines=200)[25:]]


async def test_the_projection_goes_out_though_it_may_not_fit_for_the_whole_list_fits_less(rig: Any) -> None:
    made = await rig(spawned=True)
    before = await rewritten(made)
    os.kill(engine(made), signal.SIGKILL)
    made.proxy._client._retry_ms = None  # and no other comes
    far = 40
    assert await posted(made, far) == [*before, *conversation(far, lines=200)[25:]]


NONSENSE = "import sys; sys.stdin.readline(); print('Content-Length: x'); sys.stdout.flush(); sys.stdin.read()"


@pytest.mark.parametrize(
    "command",
    [
        ("/nowhere/ctxmgr",),
        (sys.executable, "-c", NONSENSE),
        (sys.executable, "-c", "import sys; sys.stdin.read()"),
        (sys.executable, "-c", ""),
    ],
    ids=["it is missing", "it talks nonsense", "it says nothing", "it ends at once"],
)
async def test_without_an_engine_every_call_passes_byte_for_byte(
    rig: Any, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(listener, "SpawnedSidecar", partial(SpawnedSidecar, command=command))
    made = await rig(timing=BOUNDED, preset="tools", spawned=True)
    for number in (0, 1, 12):
        await posted(made, number)
        assert made.upstream.asked[-1].body == request(conversation(number, lines=200))
    assert made.said


async def test_a_fault_of_the_proxys_own_lets_the_call_pass(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await rig()
    monkeypatch.setattr(made.proxy.rewriter, "_prepared", lambda *given: 1 // 0)
    await posted(made, 12)
    assert made.upstream.asked[-1].body == request(conversation(12, lines=200))
    assert made.said == ["a call was forwarded unchanged: ctxmgr failed (ZeroDivisionError)"]


# what the provider refuses


async def test_a_fourth_refusal_is_the_programs_to_hear(rig: Any) -> None:
    made = await rig(window=200_000)
    made.upstream.answer = answers(TOO_LONG, 400, {"Content-Type": "application/json", "request-id": "r"})
    response, came = await made.post(request(conversation(12, lines=200)), headers=SESSION)
    assert (response.status, came, response.headers["request-id"]) == (400, TOO_LONG, "r")
    assert len(made.upstream.asked) == 4


async def test_an_engine_that_hangs_before_it_hears_of_a_refusal_is_not_waited_for(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await rig(spawned=True)
    await rewritten(made)
    bounded(made)
    monkeypatch.setattr(program, "REFUSAL_SECONDS", BOUND_MS / 1000)

    async def refuses(asked: Any, body: bytes) -> Any:
        os.kill(engine(made), signal.SIGSTOP)
        return await answers(TOO_LONG, 400, {"Content-Type": "application/json"})(asked, body)

    made.upstream.answer = refuses
    try:
        async with asyncio.timeout(60):
            response, came = await made.post(request(conversation(13, lines=200)), headers=SESSION)
    finally:
        os.kill(engine(made), signal.SIGCONT)
    assert (response.status, came) == (400, TOO_LONG)


async def test_the_engine_has_loaded_what_a_list_needs_before_the_first_call(
    rig: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = asyncio.Event()
    original = AsyncClient.request

    async def request(self: Any, method: str, params: Any = None, **more: Any) -> Any:
        try:
            return await original(self, method, params, **more)
        finally:
            if method == "context":
                asked.set()

    monkeypatch.setattr(AsyncClient, "request", request)
    made = await rig(state="state")
    await asked.wait()
    assert made.said == []
    assert [*(tmp_path / "state").rglob("*.jsonl")] == []
