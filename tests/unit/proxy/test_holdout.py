"""Sessions that are held out pass untouched, and both kinds leave a row a call."""

import asyncio
import io
import os
import stat
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxmgr.cli import main
from ctxmgr.formats import FORMATS
from ctxmgr.holdout import HoldoutCall, HoldoutCalls
from ctxmgr.holdout.calls import arm_of
from ctxmgr.proxy.conversation import ProgramConversation
from ctxmgr.proxy.enrolment import ListEvents
from tests.provider import Provider, script
from tests.provider.caching import Usage
from tests.unit.proxy.lists import compact, conversation, marked, request
from tests.unit.proxy.provider import answers, turn
from tests.unit.proxy.summaries import CLAUDE, claude_asks

SHARE = 0.5
NAMES = [f"s-{number}" for number in range(20)]
HELD_OUT = next(name for name in NAMES if arm_of(f"claude:{name}", SHARE) == "heldOut")
MANAGED = next(name for name in NAMES if arm_of(f"claude:{name}", SHARE) == "managed")
STEPS = (12, 24, 36)  # of which the last do not fit the window


def named(session: str, **more: str) -> dict[str, str]:
    return {"X-Claude-Code-Session-Id": session, "User-Agent": "claude-cli/2.1.330", **more}


async def played(made: Any, headers: dict[str, str], steps: tuple[int, ...] = STEPS) -> list[tuple[bytes, bytes]]:
    """What the program sent and what the provider got, call by call."""
    both = []
    for count in steps:
        sent = request(marked(conversation(count)))
        await made.post(sent, headers=headers)
        both.append((sent, made.upstream.asked[-1].body))
    return both


def rows(made: Any) -> list[HoldoutCall]:
    return [*HoldoutCalls(made.proxy.settings.directory).read()]


async def test_a_session_that_is_held_out_passes_untouched(rig: Any) -> None:
    made = await rig(holdout=SHARE)
    assert all(sent == got for sent, got in await played(made, named(HELD_OUT)))
    assert any(sent != got for sent, got in await played(made, named(MANAGED)))
    (line,) = made.proxy.held_out
    assert line.startswith("1 of 2 conversations held out")


async def test_it_passes_untouched_when_it_is_refused_as_too_long(rig: Any) -> None:
    made = await rig(holdout=SHARE)
    made.upstream.answer = answers(compact({"type": "error", "error": {"message": "prompt is too long"}}), 400)
    both = await played(made, named(HELD_OUT))
    assert all(sent == got for sent, got in both)
    assert len(made.upstream.asked) == len(both)
    assert [row.error for row in rows(made)] == [True] * len(both)


async def test_it_passes_untouched_where_ctxmgr_did_not_hear_that_it_does(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unheard(self: ProgramConversation, is_paused: bool) -> bool:
        return False

    monkeypatch.setattr(ProgramConversation, "set_paused", unheard)
    made = await rig(holdout=SHARE)
    assert all(sent == got for sent, got in await played(made, named(HELD_OUT)))


async def pruning(made: Any) -> str:
    (one,) = made.proxy.conversations.all()
    return str((await one.session.request("getStatus", {}))["mode"])


async def test_nothing_is_decided_in_it_while_it_is_held_out(rig: Any) -> None:
    first = await rig(holdout=SHARE, state="one")
    await played(first, named(HELD_OUT), STEPS[:1])
    assert await pruning(first) == "off"
    await first.proxy.__aexit__(None, None, None)
    made = await rig(state="one")
    await played(made, named(HELD_OUT), STEPS[1:])
    assert await pruning(made) == "on"


async def test_it_is_held_out_after_a_restart_and_whatever_share_is_asked_for_then(rig: Any) -> None:
    await played(await rig(holdout=SHARE, state="one"), named(HELD_OUT), STEPS[:2])
    made = await rig(holdout=0.000001, state="one")
    assert all(sent == got for sent, got in await played(made, named(HELD_OUT), STEPS[2:]))
    assert [row.call for row in rows(made)] == [1, 2, 3]


async def test_without_a_holdout_it_is_managed_again(rig: Any) -> None:
    first = await rig(holdout=SHARE, state="one")
    await played(first, named(HELD_OUT), STEPS[:2])
    await first.proxy.__aexit__(None, None, None)
    made = await rig(state="one")
    (both,) = await played(made, named(HELD_OUT), STEPS[2:])
    assert both[0] != both[1]
    assert len(rows(made)) == 2


async def test_a_sub_agent_is_in_the_arm_of_its_session(rig: Any) -> None:
    made = await rig(holdout=SHARE)
    for session, arm in ((HELD_OUT, "heldOut"), (MANAGED, "managed")):
        for agent in ("a-1", "a-2", "a-3", "a-4"):
            await played(made, named(session, **{"X-Claude-Code-Agent-Id": agent}), (2,))
        assert {row.arm for row in rows(made)[-4:]} == {arm}
    assert len({row.session for row in rows(made)}) == 2
    assert len({row.conversation for row in rows(made)}) == 8


async def test_a_sub_agent_with_a_conversation_of_its_own_is_of_the_one_that_it_works_for(rig: Any) -> None:
    made = await rig(holdout=SHARE)
    for name, parent in (("p-1", ""), ("c-1", "p-1"), ("c-2", "p-1")):
        headers = {"User-Agent": "opencode/1.18.33", "x-session-id": name}
        await played(made, headers | ({"x-parent-session-id": parent} if parent else {}), (2,))
    assert len({row.session for row in rows(made)}) == 1


async def test_a_row_is_what_the_provider_counted(rig: Any) -> None:
    made = await rig(holdout=SHARE)
    made.upstream.answer = answers(turn(tokens=1_000, read=600, output=50))
    await played(made, named(HELD_OUT), (2,))
    (row,) = rows(made)
    assert (row.agent, row.model, row.call, row.arm) == ("claude", "claude-sonnet-4-5", 1, "heldOut")
    assert (row.input, row.cache_read, row.cache_write, row.output) == (1, 600, 399, 50)
    assert row.dollars == pytest.approx((3 + 600 * 0.3 + 399 * 3.75 + 50 * 15) / 1e6)
    assert (row.error, row.compaction, row.rereads, row.corrections) == (False, False, 0, 0)


async def test_the_file_is_the_users_alone_and_has_nothing_of_the_conversation(rig: Any) -> None:
    made = await rig(holdout=SHARE)
    await played(made, named(HELD_OUT), (2, 4))
    path = Path(made.proxy.settings.directory) / "holdout-calls"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    text = path.read_text()
    assert text.count("\n") == 2
    assert HELD_OUT not in text
    assert "value of line" not in text
    assert "/p/" not in text


async def test_nothing_is_kept_without_a_holdout_and_where_it_observes(rig: Any) -> None:
    for flags in ({}, {"holdout": SHARE, "observe": True}):
        made = await rig(**flags)
        await played(made, named(HELD_OUT), (2,))
        assert rows(made) == []
        assert made.proxy.held_out == []


async def test_the_page_says_it_and_does_not_switch_it_on(rig: Any) -> None:
    made = await rig(holdout=SHARE)
    await played(made, named(HELD_OUT), (2,))
    async with made.session.get(made.proxy.url + "/ctxmgr/sessions", headers=made.ours) as response:
        (listed,) = (await response.json())["sessions"]
    assert listed["isHeldOut"]
    action = {"session": listed["session"], "method": "setPruning", "params": {"enabled": True}}
    async with made.session.post(made.proxy.url + "/ctxmgr/actions", json=action, headers=made.ours) as response:
        assert response.status == 400


def events(*lists: list[dict[str, Any]]) -> list[tuple[int, int]]:
    seen = ListEvents(FORMATS["anthropic"])
    return [seen.since(tuple(map(compact, messages))) for messages in lists]


def call(number: int, name: str, **arguments: str) -> dict[str, Any]:
    block = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
    return {"role": "assistant", "content": [block]}


def result(number: int, text: str, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text, **more}
    return {"role": "user", "content": [block]}


ASK = {"role": "user", "content": "Read."}
READ = [ASK, call(1, "Read", file_path="/p/a.py"), result(1, "a = 1")]
AGAIN = [*READ, call(2, "Read", file_path="/p/a.py"), result(2, "a = 1")]


def test_a_file_that_is_read_again_is_counted_once() -> None:
    assert events([ASK], READ, AGAIN, [*AGAIN, ASK]) == [(0, 0), (0, 0), (1, 0), (0, 0)]


def test_a_file_that_was_changed_since_is_not_read_again() -> None:
    edit = call(2, "Edit", file_path="/p/a.py", old_string="a = 1", new_string="a = 2")
    changed = [*READ, edit, result(2, "ok")]
    assert events([ASK], [*changed, call(3, "Read", file_path="/p/a.py")])[-1] == (0, 0)


def test_of_the_first_list_that_is_seen_all_came_before() -> None:
    assert events(AGAIN, [*AGAIN, call(3, "Read", file_path="/p/a.py")]) == [(0, 0), (1, 0)]


def test_what_stands_in_a_list_that_was_written_anew_is_not_counted_again() -> None:
    assert events([ASK], AGAIN, [{"role": "user", "content": "Summary."}, *AGAIN[3:]])[-1] == (0, 0)


def test_a_call_that_the_user_turned_down_with_words_is_a_correction() -> None:
    said = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a "
        "file edit, the new_string was NOT written). To tell you how to proceed, the user said:\nUse pathlib."
    )
    asked = [ASK, call(1, "Bash", command="rm a", description="Remove a")]
    assert events([ASK], [*asked, result(1, said, is_error=True)])[-1] == (0, 1)
    assert events([ASK], [*asked, result(1, "rm: no such file", is_error=True)])[-1] == (0, 0)


ENOUGH = 11  # sessions of each kind
CALLS = range(2, 15, 2)  # steps of the list of each


def dollars(usage: Usage) -> float:
    """By the prices of claude-sonnet-4-5."""
    return (3 * (usage.fresh + 0.1 * usage.read + 1.25 * usage.written_5m) + 15 * usage.output) / 1e6


async def test_what_a_provider_bills_both_kinds_is_what_savings_live_says(
    rig: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The provider caches as Anthropic's does, refuses what that refuses, and counts what comes. In so small a
    window short sessions cost more with ctxmgr, and that is said."""
    names = [f"e-{number}" for number in range(100)]
    arms = {name: arm_of(f"claude:{name}", SHARE) for name in names}
    chosen = [name for arm in ("heldOut", "managed") for name in [n for n in names if arms[n] == arm][:ENOUGH]]
    async with Provider(script("", final="done")) as upstream:
        made = await rig(holdout=SHARE, before=upstream.url, window=30_000)
        for name in chosen:
            headers = named(name, **{"x-api-key": "k", "anthropic-version": "2023-06-01"})
            for steps in CALLS:
                body = request(marked(conversation(steps, f"Read all files of {name}.", lines=200)), stream=False)
                response, _ = await made.post(body, headers=headers)
                assert response.status == 200
        billed = [exchange.usage for exchange in upstream.record.exchanges]
    assert main(["savings", "--live", "--json", "--state-dir", made.proxy.settings.directory]) == 0
    found = msgspec.json.decode(capsys.readouterr().out)
    assert (found["sessions"], found["heldOutSessions"], found["unpriced"]) == (2 * ENOUGH, ENOUGH, 0)
    held_out, managed = billed[: ENOUGH * len(CALLS)], billed[ENOUGH * len(CALLS) :]
    cost, of_session, length = found["differences"][:3]
    assert of_session["heldOut"] == pytest.approx(sum(map(dollars, held_out)) / ENOUGH)
    assert of_session["managed"] == pytest.approx(sum(map(dollars, managed)) / ENOUGH)
    assert cost["change"] == pytest.approx(sum(map(dollars, managed)) / sum(map(dollars, held_out)) - 1)
    assert cost["isShown"]
    assert cost["low"] > 0
    assert length["change"] == 0


async def test_a_large_list_is_noted_beside_the_loop(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    since = ListEvents.since

    def watched(self: Any, given: Any) -> tuple[int, int]:
        threads.append(threading.current_thread())
        return since(self, given)

    monkeypatch.setattr(ListEvents, "since", watched)
    made = await rig(holdout="100%")
    for count in (1, 12):
        await made.post(io.BytesIO(request(conversation(count, lines=3_000))), headers=named("s"))
        await asyncio.gather(*made.proxy.conversations.all()[0]._telling)
    assert [thread is threading.main_thread() for thread in threads] == [True, False]
    assert [row.call for row in rows(made)] == [1, 2]


async def test_a_summary_that_ctxmgr_writes_is_a_compaction_that_cost_nothing(rig: Any) -> None:
    made = await rig(holdout=SHARE, compactions="ctxmgr")
    headers = named(MANAGED)
    await made.post(request(conversation(3)), headers=headers)
    await made.post(claude_asks(conversation(3)), headers=CLAUDE | headers)
    assert len(made.upstream.asked) == 1
    assert [(row.compaction, row.dollars == 0) for row in rows(made)] == [(False, False), (True, True)]
