"""What a program gives that is none is told at once, and no later call suffers from it."""

from typing import Any

import pytest

from ctxmgr.client import AsyncClient
from ctxmgr.model.api.lifecycle import Model
from ctxmgr.model.errors import InvalidParams
from tests.unit.client.scripted import SILENCE, Scripted, begun, user


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
