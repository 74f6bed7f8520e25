"""How a client lets go of its sidecar and its sessions, and what a program is told that gives what is none."""

from typing import Any

import pytest

from ctxmgr.client import AsyncClient, SidecarFault
from ctxmgr.model.api.lifecycle import Model
from ctxmgr.model.errors import InvalidParams
from tests.unit.client.scripted import SILENCE, Scripted, begun, user


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
        with pytest.raises(SidecarFault, match="cannot be sent"):
            await session.request("setPolicy", {"policy": object()})


async def test_the_model_that_was_chosen_is_told_to_the_next_process(script: Scripted) -> None:
    from ctxmgr import Model

    async with script.client() as client:
        session = await begun(client)
        status = await session.model_select(Model("n", 50_000))
        assert status.status.context_window == 50_000
        script.links[0].die()
        script.clock.now += 250
        await session.context([user(1)])
        assert script.last("session_start")["model"] == {"id": "n", "contextWindow": 50_000}


def test_a_client_of_no_policy_or_tools_is_refused() -> None:
    for given, path in [
        ({"policy": "turns"}, "$.policy"),
        ({"policy": {"preset": "q"}}, "$.policy.preset"),
        ({"policy": {"prest": "turns"}}, "$.policy"),
        ({"tools": [{"name": "dig"}]}, "$.tools[0]"),
    ]:
        with pytest.raises(InvalidParams) as raised:
            AsyncClient(**given)
        assert path in str(raised.value.message), given


async def test_a_model_that_is_none_is_refused_and_the_one_before_stays(script: Scripted) -> None:
    async with script.client() as client:
        session = await begun(client)
        model: Any
        for model in (Model("x", -1), {"id": "x"}, None, "gpt"):
            with pytest.raises(InvalidParams, match=r"\$\.model"):
                await session.model_select(model)
        assert "model_select" not in script.methods()
        await session.context([user(1)])
        assert session.outcome.source == "answered"


async def test_a_model_given_as_a_dict_is_known_where_there_is_no_answer(script: Scripted) -> None:
    async with script.client(timeouts_ms={"context": 5.0}) as client:
        session = await begun(client)
        await session.model_select({"id": "n", "contextWindow": 60_000})
        script.answers["context"] = SILENCE
        assert await session.context([user(1)]) == [user(1)]
        assert (session.outcome.source, session.outcome.fits) == ("own", True)
