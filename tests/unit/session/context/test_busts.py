"""A prompt that changes early though ctxmgr did not change it: what is told of it, and when nothing is."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields
from tests.unit.session.methods.cached import CachedHost, minutes

SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. The conversation is "
    "summarized below:\nSummary:\n1. Primary Request and Intent:\n   Look at all of them.\n"
)
CLOCK: Fields = {"part": "system", "how": "changed", "index": 0, "offset": 40}


def begun(**policy: Any) -> CachedHost:
    """Of six calls: thirteen messages, each result of some 2,500 tokens."""
    host = CachedHost(policy=policy)
    host.calls(6)
    assert "cacheBust" not in host.report
    return host


def edit(messages: list[Fields]) -> None:
    messages[4] = json.loads(json.dumps(messages[4]).replace("2.0 one line", "2.0 no line"))


def insert(messages: list[Fields]) -> None:
    messages.insert(1, {"role": "user", "content": "It is 12:01."})


def take(messages: list[Fields]) -> None:
    del messages[3:5]


def swap(messages: list[Fields]) -> None:
    messages[3:7] = [*messages[5:7], *messages[3:5]]


@pytest.mark.parametrize(
    ("change", "how", "index"),
    [(edit, "changed", 4), (insert, "added", 1), (take, "removed", 3), (swap, "moved", 3)],
)
@pytest.mark.parametrize("preset", ["off", "balanced"])
def test_a_list_that_its_host_changes_early_is_told_with_the_place_and_the_cost(
    preset: str, change: Callable[[list[Fields]], None], how: str, index: int
) -> None:
    host = begun(preset=preset)
    change(host.messages)
    cache = host.call()
    bust = host.report["cacheBust"]
    assert (bust["part"], bust["how"], bust["index"]) == ("messages", how, index)
    behind = sum(len(json.dumps(one)) for one in host.messages[index:-4]) / 4
    assert 0.5 * behind < bust["tokens"] < 1.5 * behind
    assert bust["dollars"] == pytest.approx(bust["tokens"] * (3.75 - 0.3) / 1e6, abs=1e-5)
    assert cache is not None
    assert cache["busts"] == {"count": 1, "parts": {"messages": 1}, "last": bust} | {
        name: bust[name] for name in ("tokens", "dollars")
    }


def test_the_place_in_a_message_that_changed_is_where_its_bytes_part() -> None:
    host = begun()
    before = json.dumps(host.messages[4], separators=(",", ":"))
    edit(host.messages)
    after = json.dumps(host.messages[4], separators=(",", ":"))
    host.call()
    at = next(index for index, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1])
    assert host.report["cacheBust"]["offset"] == at
    assert "no line" not in json.dumps(host.report)


@pytest.mark.parametrize(("part", "how"), [("system", "changed"), ("tools", "moved"), ("tools", "added")])
def test_what_a_host_says_of_tools_and_system_prompt_costs_all_that_stands_behind(part: str, how: str) -> None:
    host = begun()
    host.call(prefixChange={"part": part, "how": how, "index": 3, "offset": 7})
    bust = host.report["cacheBust"]
    assert (bust["part"], bust["how"], bust["index"], bust["offset"]) == (part, how, 3, 7)
    sent = sum(len(json.dumps(one)) for one in host.messages[:-4]) / 4
    assert bust["tokens"] > 0.9 * sent
    host.call()
    assert "cacheBust" not in host.report


def rewind(host: CachedHost) -> None:
    del host.messages[5:]
    host.messages.append({"role": "user", "content": "Rather look at something else. " * 200})


def pruned(host: CachedHost) -> None:
    host.talk.call("setPolicy", sessionId="s", policy={"keep": 1, "workingSet": {"results": 0, "tokens": 0}})
    host.talk.call("prune", sessionId="s")


def compact(host: CachedHost) -> None:
    entry = {"id": "k", "summary": "## Goal\nLook at all of them.\n"}
    host.talk.call("session_compact", sessionId="s", compactionEntry=entry)
    host.messages[:3] = [{"role": "user", "content": "## Goal\nLook at all of them."}]


def compact_alone(host: CachedHost) -> None:
    """As Claude Code does, which keeps its last steps; a pin may not hide it."""
    host.talk.call("pin", sessionId="s", path="/p/2.py")
    host.messages[:7] = [{"role": "user", "content": SUMMARY * 3}]


def model(host: CachedHost) -> None:
    host.talk.call("model_select", sessionId="s", model={"id": "claude-opus-4-5", "contextWindow": 200_000})


def nothing(host: CachedHost) -> None:
    pass


QUIET: list[tuple[Callable[[CachedHost], None], Fields]] = [
    (nothing, {}),
    (rewind, {}),
    (pruned, {}),
    (compact, {}),
    (compact, {"prefixChange": CLOCK}),
    (compact_alone, {}),
    (compact_alone, {"prefixChange": CLOCK}),
    (model, {"prefixChange": CLOCK}),
    (nothing, {"prefixChange": CLOCK, "later_ms": minutes(6)}),
]


@pytest.mark.parametrize(("act", "how"), QUIET, ids=[f"{act.__name__}-{len(how)}" for act, how in QUIET])
def test_nothing_is_told_where_nothing_was_lost_or_another_list_begins(
    act: Callable[[CachedHost], None], how: Fields
) -> None:
    host = begun(preset="balanced")
    epoch = host.report["epoch"]
    act(host)
    cache = host.call(**how)
    assert "cacheBust" not in host.report
    assert "busts" not in (cache or {})
    if act is pruned:
        assert host.report["epoch"] > epoch


def test_the_first_list_of_a_session_and_the_first_after_a_restart_are_none() -> None:
    host = begun()
    again = CachedHost(found=SnapshotLoaded(tuple(host.talk.saved)))
    again.messages, again.at = host.messages, host.at
    edit(again.messages)
    again.call()
    assert "cacheBust" not in again.report
    fresh = CachedHost()
    fresh.call(prefixChange=CLOCK)
    assert "cacheBust" not in fresh.report
