"""A program that changes its prompt early: what is said of it, on the page and in a line."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from ctxmgr.client import Timing
from tests.unit.proxy.lists import HOUR, MARK, SESSION, conversation, marked, request
from tests.unit.proxy.provider import answers, turn

READ, WRITE, EDIT = ({"name": name, "input_schema": {"type": "object"}} for name in ("Read", "Write", "Edit"))
BEGUN = 5  # steps of the first list: 9,000 tokens


async def called(made: Any, prompts: Sequence[dict[str, Any]], change: Any = None) -> dict[str, Any]:
    """A call with each of these beside its list, a step more each; what the page then tells of the cache."""
    for number, beside in enumerate(prompts):
        messages = conversation(BEGUN + number, lines=180)
        if change is not None and number:
            change(messages)
        made.upstream.answer = answers(turn(12_000, read=9_000))
        response, _ = await made.post(request(marked(messages), **beside), headers=SESSION)
        assert response.status == 200
    answer = await made.session.get(made.proxy.url + "/ctxmgr/sessions", headers=made.ours)
    cache: dict[str, Any] = (await answer.json())["sessions"][0]["cache"]
    return cache


def system(text: str, mark: dict[str, Any] | None = None) -> dict[str, Any]:
    told = [{"type": "text", "text": "x-header: 1"}, {"type": "text", "text": text} | (mark or {})]
    return {"system": told}


def clock(minute: int) -> dict[str, Any]:
    return system(f"You are an agent. It is 12:{minute:02}. Be brief.")


async def test_a_clock_in_the_system_prompt_is_told_with_its_place_and_said_once(rig: Any) -> None:
    made = await rig(window=200_000)
    cache = await called(made, [clock(minute) for minute in range(6)])
    assert cache["busts"]["parts"] == {"system": 5}
    last = cache["busts"]["last"]
    assert (last["part"], last["how"], last["index"]) == ("system", "changed", 1)
    block = json.dumps(clock(5)["system"][1], separators=(",", ":"))
    assert last["offset"] == block.index("5. Be brief")
    assert last["tokens"] > 9_000
    (line,) = made.said
    assert line.startswith("claude:s-1: the program changed the start of its prompt in 3 calls (system 3): ")
    assert "block 1 of the system prompt changed from byte" in line
    assert "$" in line
    assert "agent" not in line
    assert cache["bustsTold"].startswith("the program changed the start of its prompt in 5 calls")


@pytest.mark.parametrize(
    ("tools", "how", "index"),
    [([WRITE, READ], "moved", 0), ([READ, EDIT, WRITE], "added", 1), ([WRITE], "removed", 0)],
)
async def test_tools_that_are_reordered_added_or_gone_are_told(
    rig: Any, tools: list[Any], how: str, index: int
) -> None:
    made = await rig(window=200_000)
    cache = await called(made, [{"tools": [READ, WRITE]}, {"tools": tools}])
    assert cache["busts"]["parts"] == {"tools": 1}
    assert (cache["busts"]["last"]["how"], cache["busts"]["last"]["index"]) == (how, index)
    assert made.said == [], "once, and little: no line"


async def test_an_old_message_that_was_edited_is_told(rig: Any) -> None:
    def edit(messages: list[dict[str, Any]]) -> None:
        messages[2]["content"][0]["content"][0]["text"] = "[old result cleared]"

    made = await rig(window=200_000)
    cache = await called(made, [{}, {}, {}], edit)
    assert cache["busts"]["parts"] == {"messages": 1}
    assert (cache["busts"]["last"]["how"], cache["busts"]["last"]["index"]) == ("changed", 2)


async def test_one_that_is_large_is_said_at_once(rig: Any) -> None:
    made = await rig(window=1_000_000)
    for number, beside in enumerate((clock(1), clock(2))):
        made.upstream.answer = answers(turn(90_000, read=80_000))
        await made.post(request(marked(conversation(40 + number, lines=180)), **beside), headers=SESSION)
    assert len(made.said) == 1


async def test_who_does_not_want_it_is_told_nothing(rig: Any) -> None:
    made = await rig(window=200_000, warn_on_cache_busts=False)
    await called(made, [clock(minute) for minute in range(6)])
    assert made.said == []


async def test_a_proxy_that_was_started_again_counts_on(rig: Any) -> None:
    state, now = {"state": "kept"}, [1_800_000_000_000.0]
    timing = Timing(now_ms=lambda: now[0])
    made = await rig(window=200_000, timing=timing, **state)
    await called(made, [clock(minute) for minute in range(3)])
    await made.proxy.__aexit__(None, None, None)
    again = await rig(window=200_000, timing=timing, **state)
    again.upstream.answer = answers(turn(12_000, read=9_000))
    await again.post(request(marked(conversation(BEGUN + 3, lines=180)), **clock(4)), headers=SESSION)
    now[0] += 60_000  # it is quiet
    answer = await again.session.get(again.proxy.url + "/ctxmgr/sessions", headers=again.ours)
    assert (await answer.json())["sessions"][0]["cache"]["busts"]["count"] == 2


async def test_marks_that_move_change_nothing(rig: Any) -> None:
    made = await rig(window=200_000)
    prompts = [system("Be brief.", mark) | {"tools": [READ | (mark or {})]} for mark in (MARK, None, HOUR)]
    assert (await called(made, prompts))["busts"] is None


async def test_our_own_epochs_are_none(rig: Any) -> None:
    made = await rig(window=20_000)
    cache = await called(made, [{}] * 14)
    assert made.proxy.conversations.all()[0].account.rows[-1].epoch_number > 0
    assert cache["busts"] is None


async def test_a_compaction_of_the_program_s_is_none_though_its_system_prompt_changes(rig: Any) -> None:
    """Claude Code's first block follows from the first message."""
    made = await rig(window=200_000)
    await called(made, [system("Be brief.")] * 3)
    text = (
        "This session is being continued from a previous conversation that ran out of context. The conversation is "
        "summarized below:\nSummary:\n1. Primary Request and Intent:\n   Read all files.\n"
    )
    kept = conversation(BEGUN + 2, lines=180)[-4:]
    messages = [{"role": "user", "content": text * 3}, *kept]
    await made.post(request(marked(messages), **system("Be brief!")), headers=SESSION)
    assert made.proxy.conversations.all()[0].busts is None
