"""What would have been fetched again of lists that were not sent: the closed-loop cost of a replay, online."""

import json
import random
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from ctxmgr.closed_loop import LoopCall, MessageCache, PriceSheet
from ctxmgr.formats import FORMATS
from ctxmgr.model import TieredPrices
from ctxmgr.proxy import refetching
from ctxmgr.proxy.apis import APIS
from ctxmgr.proxy.refetching import ObservedCall, Observer
from ctxmgr.session import Reader
from ctxmgr.study.figures.closed_cost import closed_loop
from ctxmgr.study.observations import PACKET, Observation, ProjectedMessage
from ctxmgr.study.recordings.pi_host import item
from tests.unit.proxy.lists import SESSION, compact, conversation, marked, request, step

SHEET = PriceSheet(TieredPrices(5.0, 25.0, 0.5, 6.25), overhead_tokens=700)
OPUS = {"model": "claude-opus-5-5"}
Placed = list[tuple[bytes, int | None]]  # a list that was not sent: each message, and its place


def edited(number: int, line: str) -> list[dict[str, Any]]:
    """This line is replaced."""
    arguments = {"file_path": f"/p/{number}.py", "old_string": line, "new_string": "gone"}
    call = {"type": "tool_use", "id": f"e{number}", "name": "Edit", "input": arguments}
    done = {"type": "tool_result", "tool_use_id": f"e{number}", "content": "done"}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [done]}]


def line_of(number: int, line: int = 5) -> str:
    return f"{number}.{line} = value of line {line} in file {number}"


def session(chance: random.Random, steps: int) -> list[dict[str, Any]]:
    """Files are read, and lines of earlier ones edited."""
    messages = conversation(0)
    for number in range(steps):
        messages += step(number, lines=20)
        if chance.random() < 0.5:
            messages += edited(100 + number, line_of(chance.randrange(number + 1)))
    return [*messages, {"role": "assistant", "content": "All done."}]


def projected(chance: random.Random, given: Sequence[bytes]) -> Placed:
    """Any list: some messages are left out, some are shorter, and a packet may stand before them."""
    made: Placed = []
    for place, raw in enumerate(given):
        fate = chance.random() if 0 < place < len(given) - 1 else 1.0
        if fate > 0.7:
            made.append((raw, place))
        elif fate > 0.5:
            made.append((compact({"role": "user", "content": f"{place} was shortened"}), None))
    packet = [(compact({"role": "user", "content": f"left: {line_of(1)}"}), None)]
    return [*made[:1], *(packet if chance.random() < 0.5 else []), *made[1:]]


def followed(calls: Sequence[tuple[Sequence[bytes], Placed]], last: Sequence[bytes]) -> list[LoopCall]:
    made = Observer(APIS["anthropic"])
    ends: list[tuple[Sequence[bytes], Placed]] = [*calls, (last, [])]
    found = [
        made.follow(ObservedCall(tuple(given), tuple(raw for raw, _ in shown), tuple(at for _, at in shown), SHEET))
        for given, shown in ends
    ]
    return [one for one in found if one is not None]


def replayed(calls: Sequence[tuple[Sequence[bytes], Placed]], last: Sequence[bytes]) -> list[LoopCall]:
    sights = []
    for given, shown in calls:
        items = tuple(item(str(place), raw) for place, raw in enumerate(given))
        placed = tuple(ProjectedMessage(raw, PACKET if at is None else at, at is not None) for raw, at in shown)
        sights.append(Observation(None, items, placed, item(str(len(given)), last[len(given)])))
    return list(closed_loop(sights, MessageCache(Reader(FORMATS["anthropic"])), SHEET).calls)


def test_what_is_observed_is_what_a_replay_of_the_same_calls_comes_to() -> None:
    for seed in range(12):
        chance = random.Random(seed)
        messages = [compact(one) for one in session(chance, 12)]
        replies = [place for place, raw in enumerate(messages) if b'"role":"assistant"' in raw]
        calls = [(messages[:place], projected(chance, messages[:place])) for place in replies]
        observed = followed(calls, messages)
        assert observed == replayed(calls, messages), seed
        assert len(observed) == len(replies), seed
        assert sum(one.fetches for one in observed) > 0, seed
        assert sum(one.more_dollars for one in observed) > 0, seed


def test_what_the_programs_own_list_lacks_as_well_is_not_fetched_again() -> None:
    """It compacted the list itself, and the model acts on what its summary lacks: ctxmgr left no list otherwise."""
    before = [compact(one) for one in conversation(4, lines=20)]
    summary = {"role": "user", "content": "This session is being continued from a previous conversation. So far."}
    after = [compact(one) for one in (summary, *step(9, lines=2), *edited(8, line_of(1)))]
    lists = [*(before[:end] for end in (3, 5, 7, 9)), after[:3]]
    unchanged: list[tuple[Sequence[bytes], Placed]] = [
        (one, [(raw, place) for place, raw in enumerate(one)]) for one in lists
    ]
    found = followed(unchanged, after)
    assert [(one.fetches, one.more_tokens) for one in found] == [(0, 0)] * 4


def test_items_of_one_reply_stand_as_one() -> None:
    """Codex sends each call as an item of its own: an original stands while a result of any of them is shown."""

    def called(number: int, arguments: str) -> list[bytes]:
        call = {"type": "function_call", "call_id": f"c{number}", "name": "shell", "arguments": arguments}
        return [compact(call), compact({"type": "function_call_output", "call_id": f"c{number}", "output": "done"})]

    said = [compact({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "see a_name"}]})]
    first, second = called(1, '{"command":"one"}'), called(2, '{"command":"use a_name"}')
    then = [*said, first[0], second[0], first[1], second[1]]
    later = called(3, '{"command":"again a_name"}')
    made = Observer(APIS["responses"])

    def seen(given: list[bytes], places: list[int]) -> LoopCall | None:
        return made.follow(ObservedCall(tuple(given), tuple(given[at] for at in places), tuple(places), SHEET))

    assert seen(said, []) is None
    missed = seen(then, [1, 2, 3, 4])  # the reply of two calls needs what was said
    assert missed is not None
    assert missed.fetches == 1
    stood = seen([*then, *later], [1, 2, 3, 4, 5, 6])
    assert stood is not None
    assert stood.fetches == 0


async def observed(rig: Any, steps: int = 14) -> Any:
    """A long conversation whose last reply edits the first file, and the list that tells of it."""
    made = await rig(observe=True)
    messages = conversation(steps, lines=200)
    lists = [messages[:end] for end in range(1, len(messages) + 1, 2)]
    for one in (*lists, [*messages, *edited(99, line_of(0))]):
        body = request(marked(one), **OPUS)
        await made.post(body, headers=SESSION)
        assert made.upstream.asked[-1].body == body
    return made


async def test_what_would_have_been_fetched_again_is_told_at_the_end_and_on_the_page(rig: Any) -> None:
    made = await observed(rig)
    await made.proxy.rewriter.looked()
    account = made.proxy.rewriter.account
    assert account.refetch_count == 1
    line = account.lines(observed=True)[-1]
    assert "counting 1 original fetched again (" in line
    response = await made.session.get(made.proxy.url + "/ctxmgr/sessions", headers=made.ours)
    told = json.loads(await response.read())
    assert told["account"]["refetched"] == told["sessions"][0]["account"]["refetched"]
    assert told["account"]["refetched"]["originals"] == 1
    assert told["account"]["refetched"]["inputTokens"] > 3_000
    assert told["account"]["refetched"]["dollars"] > 0


async def test_no_call_waits_for_what_is_looked_for(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, let = [], threading.Event()
    follow = Observer.follow

    def slow(self: Observer, now: ObservedCall) -> LoopCall | None:
        assert let.wait(60)
        seen.append(now)
        return follow(self, now)

    monkeypatch.setattr(refetching.Observer, "follow", slow)
    made = await observed(rig, steps=3)
    assert seen == []
    let.set()
    await made.proxy.rewriter.looked()
    assert len(seen) == 5


async def test_a_fault_in_the_measure_costs_nothing_else(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Observer, now: ObservedCall) -> LoopCall | None:
        raise ValueError

    monkeypatch.setattr(refetching.Observer, "follow", broken)
    made = await observed(rig, steps=3)
    await made.proxy.rewriter.looked()
    account = made.proxy.rewriter.account
    assert account.calls == 5
    assert account.refetch_count == 0
    assert "the model would have fetched nothing again" in account.lines(observed=True)[-1]
