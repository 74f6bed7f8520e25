"""Where cache marks stand on a list that was rewritten, and what a cache that looks back from them makes of it."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.proxy import marks
from tests.provider.apis import anthropic
from tests.provider.caching import Clock, MarkedCache
from tests.unit.proxy.lists import MARK, SESSION, compact, conversation, marked, request

OWN = msgspec.Raw(b'{"type":"ephemeral"}')


def lists(count: int) -> list[bytes]:
    return [compact({"role": "user", "content": f"{number}"}) for number in range(count)]


def places(messages: list[bytes]) -> list[int]:
    return [place for place, raw in enumerate(messages) if b"cache_control" in raw]


def test_the_last_message_gets_its_mark_back() -> None:
    assert places(marks.placed(lists(3), 3, 2, OWN)) == [2]


def test_a_program_without_marks_gets_none() -> None:
    assert places(marks.placed(lists(60), 5, 0, None)) == []


@pytest.mark.parametrize(("behind", "expected"), [(19, [23]), (20, [4, 24]), (40, [4, 44])])
def test_what_stayed_gets_a_mark_at_its_end_where_the_last_one_is_too_far_to_look_back(
    behind: int, expected: list[int]
) -> None:
    assert places(marks.placed(lists(5 + behind), 5, 2, OWN)) == expected


@pytest.mark.parametrize(("others", "expected"), [(0, [4, 44]), (2, [4, 44]), (3, [44]), (4, [44])])
def test_there_are_never_more_than_four_with_those_of_system_and_tools(others: int, expected: list[int]) -> None:
    assert places(marks.placed(lists(45), 5, others, OWN)) == expected


@pytest.mark.parametrize(
    "last", [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": ""}]
)
def test_what_may_bear_none_bears_none(last: dict[str, Any]) -> None:
    raw = compact({"role": "assistant", "content": [last]})
    assert marks.marked(raw, OWN) == raw


def system() -> list[dict[str, Any]]:
    return [{"type": "text", "text": "x" * 20_000, **MARK}, {"type": "text", "text": "y", **MARK}]


async def test_more_is_read_from_the_cache_with_the_mark_of_an_epochs_call(rig: Any) -> None:
    made = await rig(window=60_000)
    for number in range(45):
        body = request(marked(conversation(number, lines=120)), system=system())
        await made.post(body, headers=SESSION)
    bodies = [json.loads(asked.body) for asked in made.upstream.asked]
    fourth = [body for body in bodies if mark_count(body) == 4]
    assert fourth
    assert max(map(mark_count, bodies)) == 4
    with_it, without = MarkedCache(Clock()), MarkedCache(Clock())
    read = sum(with_it.use("m", list(anthropic.prompt(body))).read for body in bodies)
    assert read > sum(without.use("m", list(anthropic.prompt(without_fourth(body)))).read for body in bodies)


def mark_count(body: dict[str, Any]) -> int:
    return json.dumps(body).count('"cache_control"')


def without_fourth(body: dict[str, Any]) -> dict[str, Any]:
    """Its messages with a mark on the last alone."""
    *before, last = body["messages"]
    return {**body, "messages": [*(bare(message) for message in before), last]}


def bare(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return message
    kept = [{name: value for name, value in block.items() if name != "cache_control"} for block in content]
    return {**message, "content": kept}
