"""Nothing that the page shows, and no error of its own, has a secret of a known shape; what goes to the provider
has all of them."""

import json
from typing import Any

from tests.unit.masking.secrets import PLANTED, leaked
from tests.unit.proxy.lists import SESSION, marked, request
from tests.unit.proxy.page.test_tools import TOKEN, asked

SAMPLE = PLANTED[::4]  # of all shapes, which are each tested where they are masked
LINES = "\n".join(f"value of line {line}" for line in range(200))


def step(number: int) -> list[dict[str, Any]]:
    command = f"step-{number}; {SAMPLE[number]}"
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    text = f"{SAMPLE[number]}\n{number}: {LINES}"
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": [{"type": "text", "text": text}]}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


async def shown(made: Any, path: str, body: Any = None) -> str:
    if body is None:
        response = await made.session.get(made.proxy.url + path, headers=made.ours)
    else:
        response = await made.session.post(made.proxy.url + path, data=json.dumps(body), headers=made.ours)
    return (await response.read()).decode()


async def test_the_page_shows_no_secret_and_the_provider_gets_them_all(rig: Any) -> None:
    made = await rig(tools_token=TOKEN)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    receipts: list[str] = []
    for number, text in enumerate(SAMPLE):
        messages += step(number)
        await made.post(request(marked(messages)), headers=SESSION)
        assert json.dumps(text, ensure_ascii=False)[1:-1] in made.upstream.asked[-1].body.decode()
        receipts.append(await shown(made, "/ctxmgr/receipts?session=claude:s-1"))
    told = {number for number in range(len(SAMPLE)) if any(f"step-{number};" in one for one in receipts)}
    assert len(told) > 0.6 * len(SAMPLE)  # what came last is not removed yet
    assert [one for text in receipts for one in leaked(text)] == []
    assert leaked(await shown(made, "/ctxmgr/sessions")) == []
    assert "[masked]" in receipts[-1]


async def test_no_error_of_the_page_shows_a_secret(rig: Any) -> None:
    made = await rig()
    await made.post(request(marked([{"role": "user", "content": "Go on."}, *step(0), *step(1)])), headers=SESSION)
    said = []
    for text in SAMPLE:
        said.append(await shown(made, f"/ctxmgr/receipts?session={text}"))
        for session, method, params in (
            ("claude:s-1", "pin", {"path": text}),
            ("claude:s-1", "pin", {"nonsense": text, "digest": text, "path": text}),
            ("claude:s-1", "undo", {"epoch": text}),
            ("claude:s-1", text, {}),
            (text, "pin", {}),
        ):
            said.append(
                await shown(made, "/ctxmgr/actions", {"session": session, "method": method, "params": params})
            )
    assert [one for text in said for one in leaked(text)] == []


async def test_a_models_search_shows_no_secret(rig: Any) -> None:
    made = await rig(tools_token=TOKEN)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    for number in range(len(SAMPLE)):
        messages += step(number)
    await made.post(request(marked(messages)), headers=SESSION)
    await made.post(request(marked([{"role": "user", "content": "In short: go on."}])), headers=SESSION)
    _, answer = await asked(made, "search", query="tool:Bash value", limit=15)
    assert len(answer["result"]["hits"]) == 15
    assert leaked(json.dumps(answer)) == []
