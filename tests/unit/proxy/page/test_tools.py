"""What the tools of a program's model are answered: with the token of the run, of the session it is in, alone."""

import json
from typing import Any

import aiohttp
import pytest

from ctxmgr.proxy import access, page
from tests.unit.proxy.lists import SESSION, TOOLS, conversation, marked, request
from tests.unit.proxy.provider import answers, sse

TOKEN = "one-time"


async def asked(made: Any, method: str, token: str = TOKEN, **params: Any) -> tuple[int, Any]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    body = json.dumps({"method": method, "params": params}).encode()
    response: aiohttp.ClientResponse = await made.session.post(
        made.proxy.url + access.TOOLS_PATH, data=body, headers=headers
    )
    body = await response.read()
    return response.status, json.loads(body) if response.content_type == "application/json" else body


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


async def test_a_proxy_without_tools_answers_nobody(rig: Any) -> None:
    made = await rig()
    assert (await asked(made, "getStatus", ""))[0] == 401
    assert (await asked(made, "getStatus", TOKEN))[0] == 401
    assert made.upstream.asked == []


async def test_before_a_conversation_and_for_other_methods_there_is_a_sentence(rig: Any) -> None:
    made = await rig(tools_token=TOKEN)
    assert await asked(made, "getStatus") == (404, {"error": "no conversation has started yet"})
    status, answer = await asked(made, "setPolicy", policy={})
    assert (status, answer["error"].partition(":")[0]) == (400, "method")


async def test_what_the_program_took_out_by_itself_is_found(rig: Any) -> None:
    """A new, shorter list comes, and nobody tells of a compaction."""
    made = await rig(tools_token=TOKEN)
    await made.post(request(marked(conversation(3, ask="The code of the owl is 4711."))), headers=SESSION)
    await made.post(request(marked(conversation(1, ask="In short: go on."))), headers=SESSION)
    _, answer = await asked(made, "search", query="owl 4711")
    (hit,) = answer["result"]["hits"]
    _, page = await asked(made, "retrieve", handle=hit["handle"])
    assert page["result"]["text"] == "The code of the owl is 4711."


@pytest.mark.parametrize("method", page.METHODS)
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


MAIN, SUB = SESSION, {**SESSION, "X-Claude-Code-Agent-Id": "a-1"}


def calling(*calls: tuple[str, dict[str, Any]]) -> Any:
    """A provider whose model calls these tools, in a stream, the arguments in two pieces."""
    events: list[dict[str, object]] = [{"type": "message_start", "message": {"usage": {"input_tokens": 9}}}]
    for at, (name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": f"c{at}", "name": f"mcp__ctxmgr__{name}", "input": {}}
        text = json.dumps(arguments)
        pieces = [{"type": "input_json_delta", "partial_json": one} for one in (text[:7], text[7:])]
        events += [
            {"type": "content_block_start", "index": at, "content_block": block},
            *({"type": "content_block_delta", "index": at, "delta": piece} for piece in pieces),
            {"type": "content_block_stop", "index": at},
        ]
    return answers(sse(*events, {"type": "message_delta", "usage": {"output_tokens": 3}}, {"type": "message_stop"}))


def listing(word: str, steps: int = 3) -> bytes:
    return request(marked(conversation(steps, ask=f"Mind the {word}.")))


async def interleaved(rig: Any) -> Any:
    """The main model has called tools, and a sub-agent's lists come before the program makes the calls."""
    made = await rig(tools_token=TOKEN)
    await made.post(listing("owl"), headers=MAIN)
    made.upstream.answer = calling(
        ("search", {"query": "owl"}), ("pin", {"path": "src/a.py"}), ("scratchpad", {"text": "Of the main model."})
    )
    await made.post(request(marked(conversation(1, ask="In short: go on."))), headers=MAIN)
    made.upstream.answer = calling(("search", {"query": "fox", "limit": 3}), ("scratchpad", {}))
    await made.post(listing("fox"), headers=SUB)
    return made


async def pins(made: Any) -> dict[str, int]:
    status = {one.key: await one.session.request("getStatus", {}) for one in made.proxy.conversations.all()}
    return {key.rpartition(":")[2]: one["pins"] for key, one in status.items()}


async def test_a_call_is_of_the_conversation_whose_model_made_it(rig: Any) -> None:
    made = await interleaved(rig)
    _, answer = await asked(made, "search", query="owl", limit=10)
    assert [hit["snippet"] for hit in answer["result"]["hits"]] == ["Mind the owl."]
    assert not answer["result"].get("elsewhere")
    await asked(made, "pin", path="src/a.py")
    assert await pins(made) == {"s-1": 1, "a-1": 0}
    await asked(made, "editScratchpad", operations=[{"op": "insert", "text": "Of the main model."}])
    _, answer = await asked(made, "getScratchpad")
    assert answer["result"]["text"] == "", "the sub-agent reads its own"


async def test_without_its_reply_a_call_is_of_the_newest_that_is_no_subagent(rig: Any) -> None:
    made = await rig(tools_token=TOKEN)
    await made.post(listing("owl"), headers=MAIN)
    await made.post(listing("fox"), headers=SUB)
    await asked(made, "pin", path="src/a.py")
    assert await pins(made) == {"s-1": 1, "a-1": 0}


async def test_a_call_that_a_conversation_has_gone_on_from_is_no_longer_of_it(rig: Any) -> None:
    made = await interleaved(rig)
    made.upstream.answer = None
    await made.post(request(marked(conversation(2, ask="In short: go on."))), headers=MAIN)
    made.upstream.answer = calling(("pin", {"path": "src/a.py"}))
    await made.post(listing("fox", 4), headers=SUB)
    await asked(made, "pin", path="src/a.py")
    assert await pins(made) == {"s-1": 0, "a-1": 1}


async def test_the_same_call_of_two_is_made_once_in_each(rig: Any) -> None:
    made = await rig(tools_token=TOKEN)
    made.upstream.answer = calling(("pin", {"path": "src/a.py"}))
    await made.post(listing("owl"), headers=MAIN)
    await made.post(listing("fox"), headers=SUB)
    await asked(made, "pin", path="src/a.py")
    await asked(made, "pin", path="src/a.py")
    assert await pins(made) == {"s-1": 1, "a-1": 1}


async def test_words_that_left_another_conversation_of_the_run_are_found_there(rig: Any) -> None:
    made = await interleaved(rig)
    made.proxy.conversations.all()[0].tool_calls.clear()
    await asked(made, "search", query="fox", limit=3)  # the sub-agent's call: nothing left it
    made.upstream.answer = calling(("search", {"query": "owl"}))
    await made.post(listing("fox", 4), headers=SUB)
    _, answer = await asked(made, "search", query="owl", limit=10.0)
    (hit,) = answer["result"]["hits"]
    assert (hit["snippet"], hit["rank"], answer["result"]["elsewhere"]) == ("Mind the owl.", 1, True)
    status, page = await asked(made, "retrieve", handle=hit["handle"])
    assert (status, page["result"]["text"]) == (200, "Mind the owl.")
