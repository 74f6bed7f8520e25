"""What the tools of a program's model are answered: with the token of the run, of the session it is in, alone."""

import json
from typing import Any

import aiohttp
import pytest

from ctxmgr.mcp_server import asking
from ctxmgr.proxy.page import tools
from tests.unit.proxy.lists import SESSION, TOOLS, conversation, marked, request

TOKEN = "one-time"


async def asked(made: Any, method: str, token: str = TOKEN, **params: Any) -> tuple[int, Any]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    body = json.dumps({"method": method, "params": params}).encode()
    response: aiohttp.ClientResponse = await made.session.post(
        made.proxy.url + tools.PATH, data=body, headers=headers
    )
    return response.status, json.loads(await response.read())


async def lived(rig: Any) -> Any:
    made = await rig(tools_token=TOKEN)
    for number in range(12):
        await made.post(request(marked(conversation(number, lines=200))), headers=SESSION)
    return made


async def test_what_left_is_found_and_comes_back(rig: Any) -> None:
    made = await lived(rig)
    status, answer = await asked(made, "search", query="tool:Read")
    assert status == 200
    hits = answer["result"]["hits"]
    assert hits != []
    status, page = await asked(made, "retrieve", handle=hits[0]["handle"])
    assert (status, page["result"]["total"]) == (200, hits[0]["total"])


async def test_a_pin_is_taken_and_notes_are_kept(rig: Any) -> None:
    made = await lived(rig)
    status, answer = await asked(made, "pin", path="src/a.py")
    assert (status, answer["result"]["status"]["pins"]) == (200, 1)
    status, answer = await asked(made, "editScratchpad", operations=[{"op": "insert", "text": "Mind the owl."}])
    assert (status, answer["result"]["text"].strip()) == (200, "Mind the owl.")
    status, answer = await asked(made, "getStatus")
    assert (status, answer["result"]["pins"]) == (200, 1)


@pytest.mark.parametrize("token", ["", "another", "one-tim", "one-timed"])
async def test_without_the_token_nobody_is_answered(rig: Any, token: str) -> None:
    made = await rig(tools_token=TOKEN)
    assert (await asked(made, "getStatus", token))[0] == 403


async def test_a_proxy_without_tools_answers_nobody(rig: Any) -> None:
    made = await rig()
    assert (await asked(made, "getStatus", ""))[0] == 403
    assert (await asked(made, "getStatus", TOKEN))[0] == 403
    assert made.upstream.asked == []


async def test_before_a_conversation_and_for_other_methods_there_is_a_sentence(rig: Any) -> None:
    made = await rig(tools_token=TOKEN)
    assert await asked(made, "getStatus") == (404, {"error": "no conversation has begun yet"})
    status, answer = await asked(made, "setPolicy", policy={})
    assert (status, answer["error"].partition(":")[0]) == (400, "method")


async def test_a_handle_of_nothing_is_refused_as_ctxmgr_says_it(rig: Any) -> None:
    made = await lived(rig)
    status, answer = await asked(made, "retrieve", handle="nonesuch")
    assert status == 400
    assert "nothing is archived under this handle" in answer["error"]


async def test_what_the_program_took_out_by_itself_is_found(rig: Any) -> None:
    """A new, shorter list comes, and nobody tells of a compaction."""
    made = await rig(tools_token=TOKEN)
    await made.post(request(marked(conversation(3, ask="The code of the owl is 4711."))), headers=SESSION)
    await made.post(request(marked(conversation(1, ask="In short: go on."))), headers=SESSION)
    _, answer = await asked(made, "search", query="owl 4711")
    (hit,) = answer["result"]["hits"]
    _, page = await asked(made, "retrieve", handle=hit["handle"])
    assert page["result"]["text"] == "The code of the owl is 4711."


@pytest.mark.parametrize("method", tools.METHODS)
async def test_no_params_name_another_session(rig: Any, method: str) -> None:
    made = await rig(tools_token=TOKEN)
    await made.post(request(marked(conversation(1))), headers=SESSION)
    status, answer = await asked(made, method, sessionId="another", query="owl", handle="x", path="a")
    assert (status, answer["error"].partition(":")[0]) == (400, "sessionId")


async def test_the_tools_in_a_request_count_as_its_overhead(rig: Any) -> None:
    made = await rig(tools_token=TOKEN)
    tool = {"name": "mcp__ctxmgr__search", "description": "x" * 4_000, "input_schema": {"type": "object"}}
    weights = []
    for name, listed in (("bare", TOOLS), ("with", [*TOOLS, tool])):
        headers = {**SESSION, "X-Claude-Code-Session-Id": name}
        await made.post(request(marked(conversation(3)), tools=listed), headers=headers)
        (one,) = (one for one in made.proxy.conversations.all() if name in one.key)
        weights.append(one.account.rows[-1].own_tokens)
    assert weights[1] - weights[0] >= 1_000


def test_both_sides_name_one_path() -> None:
    assert asking.PATH == tools.PATH
