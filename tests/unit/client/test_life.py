"""The life of a sidecar: started by the first call, replaced when it ends or hangs, given up, and let go."""

import asyncio
from typing import Any

import pytest

from tests.unit.client.scripted import DEATH, MODEL, SILENCE, START, Refusal, Scripted, begun, user


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


@pytest.mark.parametrize(
    ("answer", "kind", "state"),
    [(Refusal(-32602), "error", "failed"), (7, "garbage", "waiting"), (DEATH, "exited", "waiting")],
)
async def test_one_that_can_not_be_greeted_is_ended(script: Scripted, answer: Any, kind: str, state: str) -> None:
    script.answers["initialize"] = answer
    async with script.client() as client:
        session = await begun(client)
        assert await session.context([user(1)]) == [user(1)]
        assert (client.trouble.kind, client.state, script.links[0].alive) == (kind, state, False)


async def test_who_waits_for_a_start_waits_no_longer_than_his_bound(script: Scripted) -> None:
    script.answers["initialize"] = SILENCE
    async with script.client(timeouts_ms={"context": 5.0}, session_ms=5.0, end_ms=5.0) as client:
        session = await begun(client)
        assert client.state == "starting"
        assert await session.context([user(1)]) == [user(1)]
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
        assert script.methods(0) == [*START, "turn_end", "session_start", "turn_end", "context"]


async def test_the_same_session_is_started_once(script: Scripted) -> None:
    async with script.client() as client:
        assert await begun(client) is await begun(client)
        await asyncio.gather(*(client.session("t", MODEL) for _ in range(3)))
        assert script.methods().count("session_start") == 2


async def test_tools_are_declared_to_every_process(script: Scripted) -> None:
    own = [{"name": "peruse", "reads": "what"}]
    async with script.client(tools=own) as client:
        session = await begun(client)
        script.links[0].die()
        script.clock.now += 250
        await session.context([user(1)])
        told = [params["tools"] for _, method, params in script.asked if method == "initialize"]
        assert told == [own, own]
