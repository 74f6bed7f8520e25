"""What the proxy answers itself."""

import json
from typing import Any

from ctxmgr import __version__
from tests.unit.proxy.lists import SESSION, conversation, marked, request


async def told(made: Any, path: str) -> Any:
    response = await made.session.get(made.proxy.url + path, headers=made.ours)
    assert response.status == 200
    return json.loads(await response.read())


async def act(made: Any, method: str, params: dict[str, Any], without: str = "") -> tuple[int, Any]:
    headers = {name: value for name, value in made.ours.items() if name != without}
    body = json.dumps({"session": "claude:s-1", "method": method, "params": params}).encode()
    response, answer = await made.post(body, "/ctxmgr/actions", headers)
    return response.status, json.loads(answer)


async def after_steps(rig: Any, count: int = 12, window: int = 20_000, lines: int = 200) -> Any:
    made = await rig(window=window)
    for number in range(count):
        await made.post(request(marked(conversation(number, lines=lines))), headers=SESSION)
    return made


async def test_health_says_ready_once_the_engine_has_loaded_what_a_list_needs(rig: Any) -> None:
    made = await rig()
    while (await told(made, "/healthz"))["engine"] != "ready":
        assert made.proxy._warming is not None
    assert made.proxy._warming.done()
    assert (await told(made, "/healthz"))["version"] == __version__
    await made.post(request(conversation(1)), headers=SESSION)
    assert made.proxy.conversations.all()[0].session.outcome.source == "answered"


async def test_a_session_is_told_with_each_call_and_what_it_saved(rig: Any) -> None:
    made = await after_steps(rig)
    (one,) = (await told(made, "/ctxmgr/sessions"))["sessions"]
    assert one["session"] == "claude:s-1"
    assert len(one["calls"]) == 12
    assert one["calls"][-1]["listTokens"] < one["calls"][-1]["ownTokens"]
    assert one["account"]["sent"]["inputTokens"] == 12 * 100


async def test_a_session_is_known_by_the_users_first_words_its_window_and_when_it_began(rig: Any) -> None:
    made = await rig(window=30_000)
    ask = "<system-reminder>Be brief.</system-reminder>Read all\nfiles, please."
    await made.post(request(marked(conversation(1, ask))), headers=SESSION)
    (one,) = (await told(made, "/ctxmgr/sessions"))["sessions"]
    assert (one["firstWords"], one["window"], one["project"]) == ("Read all files, please.", 30_000, None)
    assert 0 < one["beganAt"] <= one["usedAt"]


async def test_what_is_removed_now_and_each_epochs_list_are_told(rig: Any) -> None:
    made = await after_steps(rig, 34)
    answer = await told(made, "/ctxmgr/receipts?session=claude:s-1")
    assert len(answer["epochs"]) > 1
    assert answer["pins"] == []
    assert {one["verdict"] for one in answer["removed"]} <= {"pruned", "dropped", "distilled", "cut"}
    assert 'Read file_path="/p/0.py"' in [one["call"] for one in answer["removed"]]
    first = (await told(made, "/ctxmgr/receipts?session=claude:s-1&epoch=1"))["epochs"]
    assert [one["epoch"] for one in first if one.get("left")] == [1]
    for epoch, status in (("999", 400), ("x", 400)):
        path = f"{made.proxy.url}/ctxmgr/receipts?session=claude:s-1&epoch={epoch}"
        assert (await made.session.get(path, headers=made.ours)).status == status


async def test_what_left_is_told_and_undone(rig: Any) -> None:
    made = await after_steps(rig, 52, 60_000, 40)
    receipts = (await told(made, "/ctxmgr/receipts?session=claude:s-1"))["epochs"]
    assert 'file_path="/p/0.py"' in receipts[-1]["left"][0]["call"]
    status, _ = await act(made, "undo", {"epoch": receipts[-1]["epoch"]})
    assert status == 200
    body = request(marked(conversation(52, lines=40)))
    await made.post(body, headers=SESSION)
    before, after = (asked.body for asked in made.upstream.asked[-2:])
    assert b"value of line 39 in file 0" not in before
    assert b"value of line 39 in file 0" in after
    assert b"value of line 20 in file 0" in after


async def test_a_paused_session_passes_byte_for_byte_until_it_is_resumed(rig: Any) -> None:
    made = await after_steps(rig, 52, 60_000, 40)
    whole, (paused, resumed) = (
        request(marked(conversation(51, lines=40))),
        (request(marked(conversation(52 + more, lines=40))) for more in (0, 1)),
    )
    assert len(made.upstream.asked[-1].body) < 0.7 * len(whole)
    await act(made, "setPruning", {"enabled": False})
    (one,) = (await told(made, "/ctxmgr/sessions"))["sessions"]
    assert one["isPaused"] is True
    await made.post(paused, headers=SESSION)
    assert made.upstream.asked[-1].body == paused
    await act(made, "setPruning", {"enabled": True})
    await made.post(resumed, headers=SESSION)
    assert len(made.upstream.asked[-1].body) < 0.7 * len(resumed)


async def test_an_action_without_the_header_of_the_page_is_refused(rig: Any) -> None:
    made = await after_steps(rig, 1)
    status, answer = await act(made, "setPruning", {"enabled": False}, "x-ctxmgr-page")
    assert status == 403
    assert "x-ctxmgr-page" in answer["error"]


async def test_another_action_and_an_unknown_session_are_refused(rig: Any) -> None:
    made = await after_steps(rig, 1)
    assert (await act(made, "session_shutdown", {}))[0] == 400
    assert (await act(made, "undo", {"epoch": 99}))[0] == 400
    response, _ = await made.post(b'{"session":"x","method":"pin"}', "/ctxmgr/actions", made.ours)
    assert response.status == 404
    response, _ = await made.post(b"no JSON", "/ctxmgr/actions", made.ours)
    assert response.status == 400


async def test_an_action_is_of_the_session_that_it_names_and_of_no_other(rig: Any) -> None:
    """Whatever `params` name: the other session would be the one that is asked."""
    made = await after_steps(rig, 1)
    other = {**SESSION, "X-Claude-Code-Session-Id": "s-2"}
    await made.post(request(marked(conversation(1))), headers=other)
    for named in ("claude:s-2", "claude:s-10", "", None, ["claude:s-1"]):
        status, answer = await act(made, "pin", {"path": "a.py", "sessionId": named})
        assert (status, answer["error"].partition(":")[0]) == (400, "params.sessionId")
    pins = [(await one.session.request("getStatus", {}))["pins"] for one in made.proxy.conversations.all()]
    assert pins == [0, 0]
    assert (await act(made, "pin", {"path": "a.py", "sessionId": "claude:s-1"}))[0] == 200
