"""Events: what one process has not answered is told to the next one, in order and once."""

import asyncio
from typing import Any

import msgspec
import pytest

from ctxmgr.client import RestartLimits, outbox
from tests.unit.client.scripted import DEATH, MODEL, SILENCE, START, Refusal, Scripted, begun, user

AT_ONCE = RestartLimits(limit=99, first_delay_ms=0, longest_delay_ms=0)
SOON = {"turn_end": 5.0, "session_compact": 5.0}


def told(script: Scripted, link: int) -> list[Any]:
    """The events that a process was told: the words of a turn's end, else the method."""
    names = ("turn_end", "model_select", "session_compact", "session_compact_failed", "session_tree")
    heard = [(method, params) for number, method, params in script.asked if number == link and method in names]
    return [params["message"]["content"] if method == "turn_end" else method for method, params in heard]


async def test_what_was_said_to_one_that_hangs_is_told_to_the_next(script: Scripted) -> None:
    waits: dict[str, float] = {}
    async with script.client(timeouts_ms=waits, hang_ms=1_000, restarts=AT_ONCE) as client:
        session = await begun(client)
        assert await session.turn_end(user(1)) is not None
        waits |= SOON
        script.answers |= dict.fromkeys(("turn_end", "context", "session_compact"), SILENCE)
        assert await session.turn_end(user(2)) is None
        assert await session.session_compact("All is well.") is None  # nobody waits for one in doubt
        assert await session.turn_end(user(3)) is None
        script.clock.now += 1_000
        script.answers.clear()
        await session.context([user(1)])
        assert session.outcome.source == "answered"
        assert told(script, 1) == ["Go on. 2", "session_compact", "Go on. 3"]
        assert script.methods(1) == [*START, "turn_end", "session_compact", "turn_end", "context"]
        assert client.trouble is None
        script.links[1].die()
        await session.context([user(1)])
        assert told(script, 2) == []


async def test_what_was_said_while_there_was_none_is_told_when_there_is(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        script.links[0].die()
        for number in (1, 2):
            assert await session.turn_end(user(number)) is None
        script.clock.now += 250
        assert await session.turn_end(user(3)) is not None
        assert told(script, 1) == ["Go on. 1", "Go on. 2", "Go on. 3"]


async def test_a_late_answer_is_an_answer(script: Scripted) -> None:
    """It is not taken back, for then nobody would know whether it was heard."""
    async with script.client(timeouts_ms=SOON) as client:
        session = await begun(client)
        assert session.last_status is not None
        script.answers["turn_end"] = SILENCE
        assert await session.turn_end(user(1)) is None
        assert "$/cancelRequest" not in script.methods()
        assert client.trouble is not None
        status = {**msgspec.to_builtins(session.last_status), "zone": "red"}
        number = script.links[0].newest
        script.links[0].say(
            {"jsonrpc": "2.0", "id": number, "result": {"commands": [], "status": status, "seq": 1}}
        )
        await asyncio.sleep(0)  # for the loop to tell of it
        assert (session.last_status.zone, client.trouble) == ("red", None)
        script.links[0].die()
        script.clock.now += 250
        await session.context([user(1)])
        assert told(script, 1) == []


async def test_what_is_refused_is_not_told_again(script: Scripted) -> None:
    async with script.client(restarts=AT_ONCE) as client:
        session = await begun(client)
        script.answers["turn_end"] = Refusal(-32602)
        assert await session.turn_end(user(1)) is None
        script.links[0].die()
        await session.context([user(1)])
        assert told(script, 1) == []


async def test_what_ends_each_process_is_let_go(script: Scripted) -> None:
    async with script.client(restarts=AT_ONCE) as client:
        session = await begun(client)
        script.answers["turn_end"] = DEATH
        await session.turn_end(user(1))
        lists = [await session.context([user(1)]) for _ in range(3)]
        assert lists == [[user(1)]] * 3
        assert [told(script, link) for link in range(4)] == [["Go on. 1"]] * 3 + [[]]
        assert session.outcome.source == "answered"


async def test_so_much_is_held_and_the_oldest_leave(script: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "HELD_BYTES", 2_500)
    async with script.client(restarts=AT_ONCE) as client:
        session = await begun(client)
        script.links[0].die()
        script.answers["session_start"] = Refusal(-32803)
        for number in range(4):
            await session.turn_end(user(number, "x" * 1_000))
        del script.answers["session_start"]
        await session.context([user(1)])
        assert [words[-1] for words in told(script, 1)] == ["2", "3"]


async def test_a_notification_is_held_until_something_after_it_is_answered(script: Scripted) -> None:
    async with script.client(restarts=AT_ONCE) as client:
        session = await begun(client)
        await session.turn_end(user(1), notify=True)
        await session.context([user(1)])
        await session.turn_end(user(2), notify=True)
        script.links[0].die()
        await session.context([user(1)])
        assert told(script, 1) == ["Go on. 2"]


async def test_what_may_take_long_is_waited_for_while_the_process_lives(script: Scripted) -> None:
    async with script.client(timeouts_ms={"getStatus": 5.0}, probe_ms=5.0) as client:
        session = await begun(client)
        script.answers["session_before_compact"] = SILENCE
        waiting = asyncio.get_running_loop().create_task(session.before_compact({"preparation": {}}))
        await script.until(lambda: script.methods().count("getStatus") >= 3)
        assert not waiting.done()
        script.answers["getStatus"] = SILENCE
        assert await waiting is None
        assert client.trouble.kind == "timeout"
        before = len(script.asked)
        assert await session.before_compact({"preparation": {}}) is None  # at once: it is in doubt
        assert len(script.asked) == before


async def test_a_session_that_ended_tells_nothing_more(script: Scripted) -> None:
    async with script.client(restarts=AT_ONCE) as client:
        session = await begun(client)
        script.answers["turn_end"] = DEATH
        await session.turn_end(user(1))
        await session.end()
        script.answers.clear()
        other = await client.session("t", MODEL)
        await other.context([user(1)])
        assert told(script, 1) == []
