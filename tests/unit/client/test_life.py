"""The life of a sidecar: started by the first call, replaced when it ends or hangs, given up, and let go."""

import asyncio
from typing import Any

import pytest

from ctxmgr.client import Host, RestartLimits, SidecarFault
from ctxmgr.client.restarts import LATE_CALLS, Restarts, SignsOfLife
from ctxmgr.client.settings import LONG, Timing, bound_ms
from ctxmgr.model.errors import InvalidParams
from tests.unit.client.scripted import DEATH, MODEL, SILENCE, Refusal, Scripted, begun, user

SHORT = {"context": 5.0}
START = ["initialize", "initialized", "session_start"]


async def test_nothing_is_started_before_it_is_needed(script: Scripted) -> None:
    async with script.client() as client:
        assert client.state == "idle"
    assert script.links == []
    assert client.state == "disposed"


async def test_one_that_ended_between_calls_is_replaced_and_told_anew(script: Scripted) -> None:
    async with script.client() as client:
        session, messages = await begun(client), [user(number) for number in range(6)]
        await session.context(messages[:4])
        script.links[0].die()
        assert client.state == "waiting"
        assert await session.context(messages) == messages  # the delay is not over
        assert len(script.links) == 1
        script.clock.now += 250
        assert await session.context(messages) == messages
        assert script.methods(1) == [*START, "context"]
        assert script.last("context")["messages"] == messages
        assert client.trouble is None
        assert client.state == "ready"


async def test_one_that_ended_in_a_call_is_replaced(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        script.answers["turn_end"] = DEATH
        assert await session.turn_end(user(1)) is None
        script.clock.now += 250
        assert (await session.context([user(1)])) == [user(1)]
        assert script.methods(1) == [*START, "context"]


async def test_a_base_holds_for_the_process_that_gave_it_alone(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        await session.context([user(1)])
        script.links[0].die()
        script.clock.now += 250
        await session.context([user(1), user(2)])
        assert script.methods(1) == [*START, "context"]


async def test_entries_go_once_but_a_function_is_asked_again(script: Scripted) -> None:
    entry = {"type": "message", "id": "e1", "parentId": None, "message": user(1)}
    for entries, again in (([entry], None), (lambda: [entry], [entry])):
        script.asked.clear()
        client = script.client()
        session = await begun(client, entries=entries)
        assert script.last("session_start")["entries"] == [entry]
        script.links[-1].die()
        script.clock.now += 250
        await session.context([user(1)])
        assert script.last("session_start").get("entries") == again
        await client.close()


async def test_a_late_call_is_cancelled_and_the_next_does_not_wait(script: Scripted) -> None:
    async with script.client(timeouts_ms=SHORT) as client:
        session = await begun(client)
        script.answers["context"] = SILENCE
        await session.context([user(1)])
        assert script.methods()[-2:] == ["context", "$/cancelRequest"]
        await session.context([user(1)])
        assert script.methods().count("context") == 1  # it was not even asked
        del script.answers["context"]
        assert await session.status() is not None  # a sign of life
        await session.context([user(1)])
        assert session.outcome is not None
        assert session.outcome.source == "answered"


async def test_one_that_is_silent_for_too_long_is_replaced(script: Scripted) -> None:
    async with script.client(timeouts_ms=SHORT, hang_ms=15_000) as client:
        session = await begun(client)
        script.answers["context"] = SILENCE
        await session.context([user(1)])
        script.clock.now += 14_999
        await session.context([user(1)])
        assert script.links[0].alive
        script.clock.now += 1
        await session.context([user(1)])
        assert not script.links[0].alive
        del script.answers["context"]
        script.clock.now += 250
        await session.context([user(1)])
        assert script.methods(1) == [*START, "context"]


async def test_another_is_started_when_the_one_that_was_killed_is_gone(script: Scripted) -> None:
    """It holds the files of its sessions until then."""
    limits = RestartLimits(first_delay_ms=0, longest_delay_ms=0)
    async with script.client(timeouts_ms=SHORT, hang_ms=0, restarts=limits) as client:
        session = await begun(client)
        link = script.links[0]
        link.kill = lambda: None  # type: ignore[method-assign]
        script.answers["context"] = SILENCE
        await session.context([user(1)])
        del script.answers["context"]
        await session.context([user(1)])
        assert len(script.links) == 1
        link.die()
        assert await session.status() is not None
        assert len(script.links) == 2


async def test_one_that_is_late_too_often_is_replaced(script: Scripted) -> None:
    async with script.client(timeouts_ms={"getStatus": 5.0}) as client:
        session = await begun(client)
        script.answers["getStatus"] = SILENCE
        for _ in range(LATE_CALLS):
            assert script.links[0].alive
            await session.status()
        await session.status()
        assert not script.links[0].alive


async def test_it_is_given_up_after_too_many_restarts_and_tried_again_when_told(script: Scripted) -> None:
    told: list[SidecarFault] = []
    limits = RestartLimits(limit=2, first_delay_ms=10, longest_delay_ms=15)
    async with script.client(Host(on_trouble=told.append), restarts=limits) as client:
        session = await begun(client)
        for delay in (10, 15):
            script.links[-1].die()
            script.clock.now += delay
            await session.context([user(1)])
        script.links[-1].die()
        assert client.state == "failed"
        script.clock.now += 60_000
        assert await session.context([user(1)]) == [user(1)]
        assert len(script.links) == 3
        assert [fault.kind for fault in told][-1] == "gaveUp"
        client.restart()
        await session.context([user(1)])
        assert len(script.links) == 4
        assert client.trouble is None


@pytest.mark.parametrize(
    "fault", [FileNotFoundError(), PermissionError(), ValueError("embedded null byte"), IndexError()]
)
async def test_no_such_program_is_not_looked_for_again(script: Scripted, fault: Exception) -> None:
    script.refuses_to_run = fault
    async with script.client() as client:
        session = await begun(client)
        assert session.restored is None
        assert client.trouble is not None
        assert client.trouble.kind == "missing"
        script.refuses_to_run = None
        script.clock.now += 60_000
        assert await session.context([user(1)]) == [user(1)]
        assert (client.state, script.links) == ("failed", [])
        with pytest.raises(SidecarFault, match="can not be run"):
            await client.request("rpc.discover")


@pytest.mark.parametrize(
    ("answer", "kind", "state"),
    [(Refusal(-32602), "error", "failed"), (7, "garbage", "waiting"), (DEATH, "exited", "waiting")],
)
async def test_one_that_can_not_be_greeted_is_ended(script: Scripted, answer: Any, kind: str, state: str) -> None:
    script.answers["initialize"] = answer
    async with script.client() as client:
        session = await begun(client)
        assert await session.context([user(1)]) == [user(1)]
        assert client.trouble is not None
        assert (client.trouble.kind, client.state, script.links[0].alive) == (kind, state, False)


async def test_who_waits_for_a_start_waits_no_longer_than_his_bound(script: Scripted) -> None:
    script.answers["initialize"] = SILENCE
    async with script.client(timeouts_ms={"context": 5.0}, session_ms=5.0, end_ms=5.0) as client:
        session = await begun(client)
        assert client.state == "starting"
        assert await session.context([user(1)]) == [user(1)]
        assert client.trouble is not None
        assert client.trouble.kind == "starting"
        assert script.links[0].alive  # what is begun goes on


async def test_a_session_that_is_refused_is_told_again(script: Scripted) -> None:
    async with script.client() as client:
        script.answers["session_start"] = Refusal(-32803, "held by another process")
        session = await begun(client)
        assert await session.context([user(1)]) == [user(1)]
        assert session.restored is None
        del script.answers["session_start"]
        await session.context([user(1)])
        assert session.restored is False
        assert client.trouble is None


async def test_a_session_that_was_forgotten_is_told_again(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        script.answers["turn_end"] = Refusal(-32001)
        await session.turn_end(user(1))
        del script.answers["turn_end"]
        await session.context([user(1)])
        assert script.methods(0) == [*START, "turn_end", "session_start", "context"]


async def test_the_same_session_is_started_once(script: Scripted) -> None:
    async with script.client() as client:
        assert await begun(client) is await begun(client)
        await asyncio.gather(*(client.session("t", MODEL) for _ in range(3)))
        assert script.methods().count("session_start") == 2


async def test_it_is_let_go_politely(script: Scripted) -> None:
    client = script.client()
    session = await begun(client)
    await client.close()
    assert script.methods()[-3:] == ["session_shutdown", "shutdown", "exit"]
    assert not script.links[0].alive
    assert await session.context([user(1)]) == [user(1)]
    assert await session.status() is None
    with pytest.raises(SidecarFault, match="closed"):
        await session.request("explain")
    await client.close()
    assert len(script.links) == 1


async def test_one_that_does_not_let_go_is_killed(script: Scripted) -> None:
    client = script.client(end_ms=5.0)
    await begun(client)
    script.answers |= {"session_shutdown": SILENCE, "shutdown": SILENCE}
    script.links[0].end_input = lambda: None  # type: ignore[method-assign]
    await client.close()
    assert not script.links[0].alive


async def test_a_session_that_has_ended_is_not_started_again(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        await session.end()
        assert script.methods()[-1] == "session_shutdown"
        assert await begun(client) is not session


async def test_who_asks_by_name_hears_the_cause(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        with pytest.raises(SidecarFault) as refused:
            await session.request("retrieve", {"handle": "none"})
        assert refused.value.kind == "error"
        assert refused.value.code is not None
        assert (await session.request("getStatus"))["preset"] == "turns"
        assert (await client.request("rpc.discover"))["openrpc"]
        with pytest.raises(SidecarFault, match="can not be sent"):
            await session.request("setPolicy", {"policy": object()})


async def test_a_model_that_is_none_is_refused(script: Scripted) -> None:
    async with script.client() as client:
        with pytest.raises(InvalidParams):
            await client.session("s", {"id": "m"})


async def test_the_model_that_was_chosen_is_told_to_the_next_process(script: Scripted) -> None:
    from ctxmgr import Model

    async with script.client() as client:
        session = await begun(client)
        status = await session.model_select(Model("n", 50_000))
        assert status is not None
        assert status.status.context_window == 50_000
        script.links[0].die()
        script.clock.now += 250
        await session.context([user(1)])
        assert script.last("session_start")["model"] == {"id": "n", "contextWindow": 50_000}


def test_restarts_come_later_each_time_and_not_for_ever() -> None:
    restarts = Restarts(RestartLimits())
    assert [restarts.delay_ms(at) for at in range(6)] == [250, 500, 1_000, 2_000, 4_000, None]
    assert restarts.delay_ms(300_000.5) == 4_000  # the first is forgotten
    assert Restarts(RestartLimits(longest_delay_ms=100)).delay_ms(0) == 100


def test_one_late_call_is_a_doubt_and_silence_is_a_hang() -> None:
    life = SignsOfLife(1_000)
    life.late(0)
    assert (life.doubted, life.hangs(999), life.hangs(1_000)) == (True, False, True)
    life.wrote()
    assert (life.doubted, life.hangs(5_000)) == (False, False)
    for at in range(LATE_CALLS - 1):
        life.late(at)
        life.wrote()
    assert life.hangs(9)
    life.answered()
    assert not life.hangs(9)


@pytest.mark.parametrize(
    ("method", "deadline", "bound"),
    [
        ("context", None, 2_000),
        ("initialize", None, 10_000),
        ("session_start", None, 10_000),
        ("turn_end", None, 5_000),
        ("turn_end", 9_000, 5_000),
        *((method, None, 300_000) for method in sorted(LONG)),
        *((method, 9_000, 14_000) for method in sorted(LONG)),
        ("getStatus", None, 7),
    ],
)
def test_how_long_an_answer_may_take(method: str, deadline: float | None, bound: float) -> None:
    assert bound_ms(Timing(timeouts_ms={"getStatus": 7}), method, deadline) == bound
