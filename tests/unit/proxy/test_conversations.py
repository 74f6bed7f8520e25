"""Which conversation a list is of: by what the program says, else by the list itself, here and after a restart."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.unit.proxy.lists import HOUR, MARK, SESSION, conversation, marked, request, step

CODEX = {"thread-id": "th-1", "session-id": "th-1", "User-Agent": "codex_exec/0.169.0"}
OPENCODE = {"x-session-id": "ses_1", "User-Agent": "opencode/1.18.33 ai-sdk/provider-utils/4.0.46"}
UNNAMED = {"User-Agent": "some-agent/1"}


def long(steps: int, ask: str = "Read all files.", said: str = "") -> list[dict[str, Any]]:
    """`said` tells the conversation from others with the same beginning."""
    messages = conversation(steps, ask, lines=200)
    for message in messages[1:]:
        for block in message["content"]:
            if block["type"] == "tool_result":
                block["content"][0]["text"] += f"\nof {said}"
            else:
                block["input"]["file_path"] += said
    return messages


async def sent(made: Any, messages: list[dict[str, Any]], headers: dict[str, str]) -> bytes:
    """What went to the provider for this list. The engine has heard of each call's usage before the next."""
    await made.post(request(messages), headers=headers)
    for one in made.proxy.conversations.all():
        await asyncio.gather(*one._telling)
    body: bytes = made.upstream.asked[-1].body
    return body


async def all_sent(made: Any, steps: Sequence[int], headers: dict[str, str], said: str = "") -> list[bytes]:
    return [await sent(made, long(number, said=said), headers) for number in steps]


def keys(made: Any) -> list[str]:
    return [one.key for one in made.proxy.conversations.all()]


async def test_claude_code_names_its_conversation_and_a_sub_agent_has_its_own(rig: Any) -> None:
    made = await rig()
    for more in ({}, {"x-claude-code-agent-id": "a-1"}, {"x-claude-code-agent-id": "a-2"}, {}):
        await sent(made, conversation(1), SESSION | more)
    assert keys(made) == ["claude:s-1", "claude:s-1:a-1", "claude:s-1:a-2"]
    assert [one.speaker.is_subagent for one in made.proxy.conversations.all()] == [False, True, True]


async def test_codex_names_its_thread_and_a_spawned_one_has_its_own(rig: Any) -> None:
    made = await rig()
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}] * 3
    body = json.dumps({"model": "gpt-5.5", "input": items, "tools": [{"type": "custom", "name": "x"}]}).encode()
    for headers in (CODEX, CODEX | {"thread-id": "th-2", "x-openai-subagent": "collab_spawn"}, CODEX):
        await made.post(body, "/v1/responses", headers)
    assert keys(made) == ["codex:th-1", "codex:th-2"]


@pytest.mark.parametrize(
    ("path", "list_name"),
    [("/v1/messages", "messages"), ("/v1/chat/completions", "messages"), ("/v1/responses", "input")],
)
async def test_opencode_names_its_conversation_in_each_api_and_a_sub_agent_has_its_own(
    rig: Any, path: str, list_name: str
) -> None:
    made = await rig()
    asked = [{"role": "user", "content": "Go."}]
    tools = [{"type": "function", "name": "x", "function": {"name": "x"}}]
    for more in ({}, {"x-session-id": "ses_2", "x-parent-session-id": "ses_1"}, {}):
        body = json.dumps({"model": "m", list_name: asked, "tools": tools}).encode()
        await made.post(body, path, OPENCODE | more)
        asked = [*asked, {"role": "assistant", "content": "Gone."}, {"role": "user", "content": "On."}]
    assert keys(made) == ["opencode:ses_1", "opencode:ses_2"]
    assert [one.speaker.is_subagent for one in made.proxy.conversations.all()] == [False, True]


SEARCH = [{"role": "user", "content": [{"type": "text", "text": "Perform a web search for the query: mushrooms"}]}]
HOSTED = [{"name": "web_search", "type": "web_search_20250305"}]  # that the provider runs


def in_api(path: str, steps: int) -> bytes:
    """A list that begins with the same bytes in each API, and so many steps in the API's own shape."""
    lines = "\n".join(f"{line} = value of a line in a file" for line in range(200))
    listed: list[Any] = [{"role": "user", "content": "Read all files."}]
    for number in range(steps):
        id, given = f"c{number}", {"path": f"{number}.py"}
        if path.endswith("completions"):
            call = {"id": id, "type": "function", "function": {"name": "read", "arguments": json.dumps(given)}}
            listed.append({"role": "assistant", "content": None, "tool_calls": [call]})
            listed.append({"role": "tool", "tool_call_id": id, "content": lines})
        elif path.endswith("responses"):
            listed.append({"type": "function_call", "call_id": id, "name": "read", "arguments": json.dumps(given)})
            listed.append({"type": "function_call_output", "call_id": id, "output": lines})
        else:
            listed += step(number, lines=200)
    name = "input" if path.endswith("responses") else "messages"
    return json.dumps({"model": "m", name: listed, "tools": [{"type": "function", "name": "read"}]}).encode()


@pytest.mark.parametrize("headers", [OPENCODE, UNNAMED], ids=["named", "unnamed"])
async def test_a_program_that_changes_its_api_has_a_conversation_in_each(rig: Any, headers: dict[str, str]) -> None:
    made = await rig()
    paths = ("/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/chat/completions", "/v1/responses")
    for steps, path in enumerate(paths):
        for more in range(3):
            body = in_api(path, 4 * steps + more)
            response, _ = await made.post(body, path, headers=headers)
            assert response.status == 200
            for one in made.proxy.conversations.all():
                await asyncio.gather(*one._telling)
        if steps > 2:
            assert len(made.upstream.asked[-1].body) < 0.9 * len(body)
    assert made.said == []
    assert sorted(one.api.format for one in made.proxy.conversations.all()) == ["anthropic", "openai", "responses"]
    assert len(set(keys(made))) == 3


async def test_a_search_beside_a_conversation_passes_and_changes_nothing_of_it(rig: Any) -> None:
    alone = await all_sent(await rig(), range(14), SESSION)
    made = await rig()
    for number, expected in enumerate(alone):
        assert await sent(made, long(number), SESSION) == expected
        if number > 10:
            search = request(SEARCH, tools=HOSTED)
            await made.post(search, headers=SESSION)
            assert made.upstream.asked[-1].body == search
    (one,) = made.proxy.conversations.all()
    assert one.key == "claude:s-1"
    assert "mushrooms" not in json.dumps(await one.session.request("getLedger"))
    assert len(alone[-1]) < 0.7 * len(request(long(13)))


async def test_two_lists_under_one_name_are_two_conversations(rig: Any) -> None:
    other = [long(number, "Look for mushrooms.", "right") for number in range(14)]
    left = await all_sent(await rig(window=28_000), range(14), SESSION)
    right = [await sent(one, messages, SESSION) for one in [await rig(window=28_000)] for messages in other]
    made = await rig(window=28_000)
    for number in range(14):
        assert await sent(made, long(number), SESSION) == left[number]
        assert await sent(made, other[number], SESSION) == right[number]
    first, second = keys(made)
    assert first == "claude:s-1"
    assert second.startswith("claude:s-1.")


async def test_two_parts_of_a_name_are_never_read_as_another_name(rig: Any) -> None:
    made = await rig()
    await sent(made, conversation(1), SESSION | {"X-Claude-Code-Session-Id": "s:a"})
    await sent(made, conversation(1), SESSION | {"X-Claude-Code-Session-Id": "s", "x-claude-code-agent-id": "a"})
    assert len(set(keys(made))) == 2


async def test_programs_that_run_at_once_with_one_first_prompt_never_mix(rig: Any) -> None:
    alone = await rig()
    expected = await all_sent(alone, range(12), UNNAMED, "left")
    both = await rig()
    for number in range(12):
        left = await sent(both, long(number, said="left"), UNNAMED)
        right = await sent(both, long(number, said="right"), UNNAMED)
        assert left == expected[number]
        assert b"of left" not in right
    assert len(set(keys(both))) == 2


async def test_a_resumed_conversation_finds_its_snapshot(rig: Any) -> None:
    whole = await all_sent(await rig(state="one"), range(14), SESSION)
    first = await rig(state="two")
    assert await all_sent(first, range(13), SESSION) == whole[:13]
    await first.proxy.__aexit__(None, None, None)
    assert await all_sent(await rig(state="two"), [13], SESSION) == whole[13:]
    assert len(whole[13]) < 0.7 * len(request(long(13)))


async def test_conversations_without_a_name_are_known_again_after_a_restart(rig: Any) -> None:
    first = await rig(state="one")
    for number in range(12):
        for said in ("left", "right"):
            await sent(first, long(number, said=said), UNNAMED)
    before = keys(first)
    await first.proxy.__aexit__(None, None, None)
    second = await rig(state="one")
    for said in ("right", "left"):
        await sent(second, long(12, said=said), UNNAMED)
    assert keys(second) == [*reversed(before)]
    assert [one.session.restored for one in second.proxy.conversations.all()] == [True, True]


async def test_a_new_conversation_with_the_prompt_of_an_old_one_finds_nothing_of_it(rig: Any) -> None:
    first = await rig(state="one")
    await all_sent(first, range(3), UNNAMED)
    before = keys(first)
    await first.proxy.__aexit__(None, None, None)
    second = await rig(state="one")
    await all_sent(second, [0], UNNAMED)
    assert keys(second) != before
    (one,) = second.proxy.conversations.all()
    assert one.session.restored is False


async def test_of_a_branch_that_was_left_nothing_is_known(rig: Any) -> None:
    made = await rig()
    left = [*long(2), {"role": "user", "content": "Never touch legacy.py under any circumstances."}, *step(20)]
    await sent(made, left, SESSION)
    await sent(made, [*left, *step(21)], SESSION)
    (one,) = made.proxy.conversations.all()
    assert "legacy.py" in json.dumps(await one.session.request("getLedger"))
    await sent(made, [*long(2), {"role": "user", "content": "Now write the tests."}], SESSION)
    known = json.dumps(await one.session.request("getLedger"))
    assert "legacy.py" not in known


@pytest.mark.parametrize(("kept", "is_known"), [(2, True), (10, False)])
async def test_where_most_before_the_end_of_a_list_is_gone_its_program_compacted_and_what_was_said_is_known(
    rig: Any, kept: int, is_known: bool
) -> None:
    made = await rig()
    asked = {"role": "user", "content": "Never touch legacy.py under any circumstances."}
    whole = [*long(1)[1:], asked, *(message for number in range(20, 25) for message in step(number))]
    first = {"role": "user", "content": "Read all files."}
    await sent(made, [first, *whole], SESSION)
    told = [{"role": "user", "content": "What did we do?"}, {"role": "assistant", "content": "We read some."}]
    body = await sent(made, [*told, *whole[-kept:]], SESSION)
    (one,) = made.proxy.conversations.all()
    assert ("legacy.py" in json.dumps(await one.session.request("getLedger"))) is is_known
    assert json.loads(body)["messages"][-1] == whole[-1]


async def test_what_a_conversation_left_behind_tells_nothing_of_what_was_said(rig: Any, tmp_path: Any) -> None:
    made = await rig(state="one")
    await all_sent(made, range(3), UNNAMED)
    path = tmp_path / "one" / "proxy-conversations"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [len(line.split(" ")) for line in path.read_text().splitlines()] == [3, 3, 3]
    assert "Read" not in path.read_text()


@pytest.mark.parametrize(
    ("flags", "windows"),
    [({"window": None}, [200_000, 1_000_000, 200_000]), ({"window": 50_000}, [50_000] * 3)],
    ids=["nobody says another", "the user says another"],
)
async def test_a_million_that_is_asked_for_by_a_beta_is_the_window(
    rig: Any, flags: dict[str, Any], windows: list[int]
) -> None:
    made = await rig(**flags)
    found: list[int] = []
    for number, betas in enumerate(["a-1", "claude-code-1,context-1m-2025-08-07", "a-1"]):
        await sent(made, long(number), SESSION | {"anthropic-beta": betas})
        (one,) = made.proxy.conversations.all()
        await asyncio.gather(*one._telling)
        found.append((await one.session.request("getStatus"))["contextWindow"])
    assert found == windows


async def test_how_long_a_start_is_kept_a_programs_marks_say_and_a_change_is_no_epoch(rig: Any) -> None:
    made, found = await rig(window=200_000), []
    for number, mark in enumerate((MARK, HOUR, HOUR, None, MARK)):
        talk = conversation(number)
        await made.post(request(talk if mark is None else marked(talk, mark)), headers=SESSION)
        (one,) = made.proxy.conversations.all()
        status = await one.session.request("getStatus")
        model = status["model"]
        found.append((model["lifetimeBy"], model["cache"]["lifetimeMs"], model["prices"][0]["cacheWrite"]))
        assert status["epoch"] == 0
    short, long = ("registry", 300_000, 3.75), ("host", 3_600_000, 6)
    assert found == [short, long, long, long, short]


async def test_an_edited_message_is_sent_as_it_is_now(rig: Any) -> None:
    made = await rig()
    await sent(made, long(12), SESSION)
    edited = long(12, "Read all files, and be quick.")
    body = await sent(made, edited, SESSION)
    assert json.loads(body)["messages"][0] == edited[0]
