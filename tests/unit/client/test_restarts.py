"""When a sidecar is started again, how late, and when no more."""

import pytest

from ctxmgr.client import Host, RestartLimits, SidecarFault
from ctxmgr.client.channel import LATE_CALLS
from ctxmgr.client.client import Restarts
from ctxmgr.client.host import LONG, Timing, bound_ms
from tests.unit.client.scripted import SILENCE, START, Scripted, begun, user


def impatient() -> dict[str, float]:
    """Bounds in milliseconds for what is never answered; emptied where an answer is to come."""
    return {"context": 5.0}


async def test_a_late_call_is_cancelled_and_the_next_does_not_wait(script: Scripted) -> None:
    bounds = impatient()
    async with script.client(timeouts_ms=bounds) as client:
        session = await begun(client)
        script.answers["context"] = SILENCE
        await session.context([user(1)])
        assert script.methods()[-2:] == ["context", "$/cancelRequest"]
        await session.context([user(1)])
        assert script.methods().count("context") == 1  # it was not even asked
        del script.answers["context"]
        bounds.clear()
        assert await session.status() is not None  # a sign of life
        await session.context([user(1)])
        assert session.outcome.source == "answered"


async def test_one_that_is_silent_for_too_long_is_replaced(script: Scripted) -> None:
    bounds = impatient()
    async with script.client(timeouts_ms=bounds, hang_ms=15_000) as client:
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
        bounds.clear()
        script.clock.now += 250
        await session.context([user(1)])
        assert script.methods(1) == [*START, "context"]


async def test_another_is_started_when_the_one_that_was_killed_is_gone(script: Scripted) -> None:
    """It holds the files of its sessions until then."""
    bounds = impatient()
    limits = RestartLimits(first_delay_ms=0, longest_delay_ms=0)
    async with script.client(timeouts_ms=bounds, hang_ms=0, restarts=limits) as client:
        session = await begun(client)
        link = script.links[0]
        link.kill = lambda: None  # type: ignore[method-assign]
        script.answers["context"] = SILENCE
        await session.context([user(1)])
        del script.answers["context"]
        bounds["context"] = 50.0
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
        assert client.trouble.kind == "gaveUp"
        client.restart()
        await session.context([user(1)])
        assert len(script.links) == 4
        assert client.trouble is None


@pytest.mark.parametrize("fault", [FileNotFoundError(), ValueError("embedded null byte"), IndexError()])
async def test_no_such_program_is_not_looked_for_again(script: Scripted, fault: Exception) -> None:
    script.refuses_to_run = fault
    async with script.client() as client:
        session = await begun(client)
        assert session.restored is None
        assert client.trouble.kind == "missing"
        script.refuses_to_run = None
        script.clock.now += 60_000
        assert await session.context([user(1)]) == [user(1)]
        assert (client.state, script.links) == ("failed", [])
        with pytest.raises(SidecarFault, match="cannot be started"):
            await client.request("rpc.discover")


def test_restarts_come_later_each_time_and_not_for_ever() -> None:
    restarts = Restarts(RestartLimits())
    assert [restarts.delay_ms(at) for at in range(6)] == [250, 500, 1_000, 2_000, 4_000, None]
    assert restarts.delay_ms(300_000.5) == 4_000  # the first is forgotten
    assert Restarts(RestartLimits(longest_delay_ms=100)).delay_ms(0) == 100


def test_how_long_an_answer_may_take() -> None:
    for method, deadline, bound in [
        ("context", None, 2_000),
        ("initialize", None, 10_000),
        ("session_start", None, 10_000),
        ("turn_end", None, 5_000),
        ("turn_end", 9_000, 5_000),
        *((method, None, 300_000) for method in sorted(LONG)),
        *((method, 9_000, 14_000) for method in sorted(LONG)),
        ("getStatus", None, 7),
    ]:
        assert bound_ms(Timing(timeouts_ms={"getStatus": 7}), method, deadline) == bound, method
