"""What goes on to the provider: the list that ctxmgr made, and all else byte for byte."""

import json
from typing import Any

from tests.unit.proxy.lists import SESSION, conversation, marked, request


async def steps(rig: Any, count: int, headers: dict[str, str] = SESSION, **more: Any) -> Any:
    """A conversation, call by call."""
    made = await rig(**more)
    for number in range(count):
        body = request(marked(conversation(number, lines=200)))
        response, _ = await made.post(body, headers=headers)
        assert response.status == 200
    return made


async def test_a_short_list_passes_byte_for_byte(rig: Any) -> None:
    made = await rig()
    body = request(marked(conversation(1)))
    await made.post(body, "/v1/messages?beta=true", SESSION)
    asked = made.upstream.asked[0]
    assert asked.body == body
    assert asked.raw_path == "/v1/messages?beta=true"


async def test_what_is_stale_leaves_and_all_beside_the_list_stays_byte_for_byte(rig: Any) -> None:
    made = await steps(rig, 12)
    whole = request(marked(conversation(11, lines=200)))
    sent = made.upstream.asked[-1].body
    assert len(sent) < 0.7 * len(whole)
    fields, own = json.loads(sent), json.loads(whole)
    assert {**fields, "messages": []} == {**own, "messages": []}
    assert list(fields) == list(own)
    assert fields["messages"][-1] == own["messages"][-1]


async def test_observing_passes_every_byte_and_tells_what_would_have_been_saved(rig: Any) -> None:
    made = await steps(rig, 12, observe=True)
    for number, asked in enumerate(made.upstream.asked):
        assert asked.body == request(marked(conversation(number, lines=200)))
    account = made.proxy.rewriter.account
    assert account.other.input_tokens < account.sent.input_tokens


async def test_what_stays_of_a_program_s_list_goes_by_its_settings(rig: Any) -> None:
    less, more = [
        await steps(rig, 40, window=60_000, keep=keep, workingSet={"results": 0, "tokens": 0})
        for keep in (100, 20_000)
    ]
    assert bytes_sent(less) < 0.9 * bytes_sent(more)


def bytes_sent(made: Any) -> int:
    return sum(len(asked.body) for asked in made.upstream.asked)
